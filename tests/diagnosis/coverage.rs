//! The coverage of calls, which some strategies of declarative debugging use (JHyde §2.4), compared with a
//! count by hand.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::javac::Javac;
use crate::support::{compiled, root};
use chain::{Chain, Debuggee};
use diagnose::{DiagnoseOptions, Diagnoser};
use past::snapshot::Bounds;
use recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use session::Context;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use trace::Level;

/// Runs a future to its end.
fn wait<T>(what: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(tokio::task::LocalSet::new().run_until(what))
}

/// Records a class of a folder.
async fn recorded(classes: &Path, class: &str, level: Level, out: &Path) {
    let command = ["java", "-cp", &classes.display().to_string(), class].map(str::to_owned).to_vec();
    let debuggee = Debuggee { command, ..Debuggee::default() };
    let options = RecordOptions { out: out.to_owned(), level, memory: MEMORY, ..RecordOptions::default() };
    let context = Context::silent();
    let chain = Chain::new(debuggee, Vec::new());
    record(&chain, &options, &context).await.expect("recorded");
}

async fn diagnoser(folder: &Path, strategy: &str) -> Diagnoser {
    let context = Context::silent();
    let trace = RecordedTrace::open(folder, MEMORY, &context).await.expect("opened");
    let options = DiagnoseOptions {
        strategy: Some(strategy.to_owned()),
        p: None,
        node: None,
        compress: None,
        loops: false,
        suspects_tests: false,
        bounds: Bounds { depth: 3, elements: 16, parts: 100 },
    };
    Diagnoser::new(trace, options).expect("begun")
}

/// The coverage of each call, in the order of calls.
fn covered(diagnoser: &Diagnoser) -> Vec<BTreeSet<u32>> {
    let situation = diagnoser.diagnosis().situation();
    let coverage = situation.coverage.expect("coverage");
    let of = |node: u32| coverage.sets()[coverage.set_of(node)].iter().copied().collect();
    (0..situation.forest.count()).map(of).collect()
}

/// The same with the names of methods.
async fn by_method(diagnoser: &mut Diagnoser) -> BTreeMap<String, Vec<BTreeSet<u32>>> {
    let context = Context::silent();
    let mut found: BTreeMap<String, Vec<BTreeSet<u32>>> = BTreeMap::new();
    for (node, covered) in (0..).zip(covered(diagnoser)) {
        let question = diagnoser.question(node, &context).await.expect("a question");
        found.entry(question.method).or_default().push(covered);
    }
    found
}

#[test]
fn def_use_chains_are_those_that_are_counted_by_hand() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("trace");
    let found = wait(async {
        recorded(&compiled("fixtures/def-use", &["-g"]), "DefUse", Level::All, &out).await;
        by_method(&mut diagnoser(&out, "def-use-coverage").await).await
    });
    let counts = |method: &str| found[method].iter().map(BTreeSet::len).collect::<Vec<_>>();
    // The fixture's comments give the counts.
    for (method, wanted) in [
        ("<init>", &[0][..]),
        ("same", &[1]),
        ("foreign", &[0]),
        ("twice", &[3]),
        ("killed", &[1]),
        ("way", &[3, 2]),
        ("loop", &[3, 7, 10, 10]),
        ("caught", &[3, 3]),
        ("more", &[3]),
        ("element", &[8]),
        ("recursive", &[1, 1]),
        ("switched", &[3, 3, 2]),
        ("fails", &[4]),
        ("endless", &[3]),
    ] {
        assert_eq!(counts(method), wanted, "{method}");
    }
    let shared = |method: &str, one: usize, other: usize| {
        found[method][one].intersection(&found[method][other]).count()
    };
    // A loop's iterations share their coverage; from the third on there is nothing new.
    assert_eq!(found["loop"][2], found["loop"][3]);
    // Without an iteration: the two in the condition. Not the one in `return`, whose definition is elsewhere.
    assert_eq!((shared("loop", 0, 1), shared("loop", 1, 2)), (2, 7));
    // The condition; the used definition differs.
    assert_eq!(shared("way", 0, 1), 1);
    // The two uses; the exception skipped the first definition.
    assert_eq!(shared("caught", 0, 1), 2);
    assert_eq!(shared("recursive", 0, 1), 1);
    assert_eq!((shared("switched", 0, 1), shared("switched", 1, 2)), (1, 1));
    // No chain belongs to two methods.
    let mut seen: BTreeMap<u32, &str> = BTreeMap::new();
    for (method, calls) in &found {
        for chain in calls.iter().flatten() {
            assert_eq!(*seen.entry(*chain).or_insert(method), method);
        }
    }
}

#[test]
fn without_class_files_or_branches_no_chain_is_covered() {
    let folder = tempfile::tempdir().expect("a folder");
    let [classes, all, calls] = ["classes", "all", "calls"].map(|name| folder.path().join(name));
    std::fs::create_dir(&classes).expect("a folder");
    let file = compiled("fixtures/def-use", &["-g"]).join("DefUse.class");
    std::fs::copy(file, classes.join("DefUse.class")).expect("copied");
    wait(async {
        recorded(&classes, "DefUse", Level::All, &all).await;
        recorded(&classes, "DefUse", Level::Calls, &calls).await;
        assert!(covered(&diagnoser(&all, "def-use-coverage").await).iter().any(|chains| !chains.is_empty()));
        let lower = diagnoser(&calls, "def-use-coverage").await;
        assert!(lower.diagnosis().situation().coverage.is_none());
        assert!(lower.notes[0].contains("not recorded at level calls"), "{:?}", lower.notes);
        std::fs::remove_dir_all(&classes).expect("removed");
        let gone = diagnoser(&all, "def-use-coverage").await;
        assert!(covered(&gone).iter().all(BTreeSet::is_empty));
        // Edges are recorded.
        let edges = covered(&diagnoser(&all, "edge-coverage").await);
        assert!(edges.iter().all(|edges| !edges.is_empty()));
    });
}

/// JHyde's Figure 3, without the JDK; in its last `merge` the paper counts one edge more.
#[test]
fn the_merge_sort_weighs_what_the_paper_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("trace");
    let classes: PathBuf = folder.path().join("classes");
    let source = root().join("examples/mergesort/MergeSort.java");
    Javac::new().args(["-g", "-d"]).arg(&classes).arg(source).run();
    let (edges, order) = wait(async {
        recorded(&classes, "MergeSort", Level::All, &out).await;
        let mut diagnoser = diagnoser(&out, "edge-coverage").await;
        let context = Context::silent();
        let mut order = Vec::new();
        for node in 0..7 {
            let question = diagnoser.question(node, &context).await.expect("a question");
            order.push(question.method);
        }
        (diagnoser, order)
    });
    assert_eq!(order, ["main", "sort", "distribute", "merge", "merge", "distribute", "merge"]);
    let situation = edges.diagnosis().situation();
    let covered = covered(&edges);
    let own = |node: u32| u32::try_from(covered[usize::try_from(node).unwrap()].len()).unwrap();
    let weight = |node: u32| situation.forest.tree(node).map(own).sum::<u32>();
    assert_eq!((0..situation.forest.count()).map(weight).collect::<Vec<_>>(), [45, 44, 7, 8, 8, 7, 9]);
    let weighed = |node: u32| situation.weigh_each(&[node], |row| own(row.node).into());
    let weights: Vec<f64> = (0..7).flat_map(weighed).collect();
    assert_eq!(weights, [45.0, 44.0, 7.0, 8.0, 8.0, 7.0, 9.0]);
}
