//! The points-to analysis of libraries, compared with what recorded runs did: each object that an event names
//! belongs to an allocation that the analysis has there, and all events about one object have an allocation
//! in common; each call that happened is one of the call graph. `QP_OMISSION_SOUND=1` adds a build by Ant.

use crate::support::{compiled, finish, qp, root, said, scratch};
use bytecode::ClassFile;
use classes::{ClassPaths, ClassPool};
use pointsto::{AllocId, Entry, Limits, MethodId, PointsTo, Position, Program, Set};
use program::lineage;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace::{About, Calls, Folder, OpenOptions, Traced, TracedEvent, Value, WalkControl};

const FOLDER: &str = "fixtures/omissions/sound";
/// Most differences that are shown.
const SHOWN: usize = 12;

/// The recorded classes.
struct Recorded<'a> {
    pool: &'a ClassPool,
    about: &'a About,
    below: HashMap<String, Vec<String>>,
}

impl<'a> Recorded<'a> {
    fn new(pool: &'a ClassPool, about: &'a About) -> Recorded<'a> {
        let mut below: HashMap<String, Vec<String>> = HashMap::new();
        for class in pool.user_classes().filter(|class| about.records(class)) {
            if let Ok(Some(found)) = pool.find(class) {
                for above in lineage(pool, &found.file) {
                    below.entry(above.name.clone()).or_default().push(class.to_owned());
                }
            }
        }
        Recorded { pool, about, below }
    }
}

impl Program for Recorded<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.pool.find(name).ok().flatten().map(|found| found.file.clone())
    }

    fn is_analysed(&self, class: &str) -> bool {
        let found = self.pool.find(class).ok().flatten();
        found.is_some_and(|found| !found.origin.is_runtime()) && self.about.records(class)
    }

    fn subtypes(&self, class: &str) -> Vec<String> {
        self.below.get(class).cloned().unwrap_or_default()
    }
}

/// The sets at the places where an event names objects, each with the object.
fn named<'p>(
    points_to: &'p PointsTo,
    id: MethodId,
    seen: &TracedEvent<'_>,
    has_this: bool,
) -> Vec<(u32, &'p Set)> {
    let bci = seen.site.bci;
    let object = |value: Option<&Value>| match value {
        Some(Value::Object(object)) if *object != 0 => Some(*object),
        _ => None,
    };
    let operand = |position| points_to.operand(id, bci, position);
    let (first, last) = (object(seen.values.first()), object(seen.values.last()));
    let all = match seen.site.what {
        Traced::Put => vec![(first, operand(Position::Object)), (last, operand(Position::Stored))],
        Traced::PutStatic => vec![(last, operand(Position::Stored))],
        Traced::Return => vec![(first, operand(Position::Passed))],
        // Elements that a call writes are not operands of the call.
        Traced::Element(_) if !is_store(points_to, id, bci) => Vec::new(),
        Traced::Element(_) => vec![(first, operand(Position::Array)), (last, operand(Position::Stored))],
        Traced::Enter if !seen.is_around => {
            let begin = u32::from(!has_this);
            (begin..)
                .zip(seen.values)
                .map(|(place, value)| (object(Some(value)), points_to.parameter(id, place)))
                .collect()
        }
        _ => Vec::new(),
    };
    all.into_iter().filter_map(|(object, set)| Some((object?, set))).collect()
}

fn is_store(points_to: &PointsTo, id: MethodId, bci: u32) -> bool {
    let code = points_to.method(id).and_then(|method| method.method.code.as_ref());
    code.and_then(|code| code.at(bci)).is_some_and(|at| matches!(at.op, bytecode::Op::ArrayStore(_)))
}

/// Whether a library has one object of a class that it returns again and again.
fn is_shared(class: &str) -> bool {
    class.starts_with("java.util.Collections$Empty") || class.starts_with("java.util.ImmutableCollections$")
}

/// What was compared.
#[derive(Debug, Default)]
struct Checked {
    events: usize,
    objects: usize,
    calls: usize,
    differences: BTreeSet<String>,
}

fn check(folder: &Path, class_path: Vec<PathBuf>) -> Checked {
    let (folder, about) = Folder::open(folder).expect("a recording");
    let mut goes_on = |_, _| true;
    let mut calls = Calls::open(
        &folder,
        &about,
        OpenOptions { memory: 1 << 28, goes_on: &mut goes_on, is_interrupted: std::sync::Arc::new(|| false) },
    )
    .expect("calls");
    let java = std::fs::canonicalize("/usr/bin/java").expect("java");
    let java_home = java.parent().and_then(Path::parent).map(Path::to_owned);
    let pool =
        ClassPool::open(&ClassPaths { class_path, java_home, ..ClassPaths::default() }).expect("the classes");
    let mut entries = BTreeSet::new();
    for (thread, ..) in calls.threads() {
        for root in calls.roots(thread) {
            let method = calls.method(root).expect("a method");
            let (name, descriptor) = (method.name.clone(), method.descriptor.clone());
            entries.insert(Entry { class: method.class.to_string(), name, descriptor });
        }
    }
    let entries: Vec<Entry> = entries.into_iter().collect();
    let points_to = PointsTo::solve(&Recorded::new(&pool, &about), &entries, Limits::default());
    assert!(points_to.is_complete());
    let mut checked = Checked::default();
    let mut common: HashMap<u32, HashSet<AllocId>> = HashMap::new();
    let mut open: HashMap<u32, u32> = HashMap::new();
    for (thread, ..) in calls.threads() {
        calls
            .walk(thread, None, |calls, seen| {
                let Some(method) = calls.sites.method(seen.site.method) else { return WalkControl::Next };
                let at = format!("{}.{}{} {}", method.class, method.name, method.descriptor, seen.site.bci);
                let Some(id) = points_to.method_id(&method.class, &method.name, &method.descriptor) else {
                    checked.differences.insert(format!("not reached: {at}"));
                    return WalkControl::Next;
                };
                if let (Traced::Enter, Some(node)) = (seen.site.what, seen.node) {
                    open.insert(node, id.0);
                    // A static initialiser is run by the VM.
                    let caller = seen.around.and_then(|around| open.get(&around));
                    if let Some(caller) = caller.filter(|_| method.name != "<clinit>") {
                        checked.calls += 1;
                        if !points_to.callers(id).any(|(from, _)| from.0 == *caller) {
                            let from = points_to.method(MethodId(*caller)).expect("a method");
                            checked.differences.insert(format!(
                                "not called from {}.{}: {at}",
                                from.class.name, from.method.name
                            ));
                        }
                    }
                }
                let has_this = !method.is_static && method.name != "<init>";
                for (object, set) in named(&points_to, id, seen, has_this || method.is_static) {
                    let Some(class) = calls.objects.class(object) else { continue };
                    checked.events += 1;
                    let shown = match class.starts_with('[') {
                        true => bytecode::descriptor::java_type(&class.replace('.', "/")),
                        false => class.to_string(),
                    };
                    let fits = |alloc: &AllocId| {
                        points_to.allocation(*alloc).is_some_and(|made| !made.is_exact || made.ty == shown)
                    };
                    let fitting: HashSet<AllocId> = set.iter().filter(fits).collect();
                    if fitting.is_empty() {
                        checked.differences.insert(format!(
                            "no allocation of {shown} at {at} {:?}, of {}",
                            seen.site.what,
                            set.len()
                        ));
                        continue;
                    }
                    let known = common.entry(object).or_insert_with(|| fitting.clone());
                    known.retain(|alloc| fitting.contains(alloc));
                    // The library has one object for all that is empty, and the analysis one for each call.
                    if known.is_empty() && is_shared(class) {
                        common.remove(&object);
                    } else if known.is_empty() {
                        let what = seen.site.what;
                        let text = format!("nothing in common for {shown} at {at} {what:?}");
                        checked.differences.insert(text);
                        common.remove(&object);
                    }
                }
                WalkControl::Next
            })
            .expect("events");
    }
    checked.objects = common.len();
    checked
}

#[track_caller]
fn sound(program: &[&str], class_path: &[PathBuf], scope: &[&str], least: (usize, usize, usize)) {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder");
    let trace = folder.path().join("all");
    let joined = std::env::join_paths(class_path).expect("a class path");
    let mut record = qp();
    record.current_dir(folder.path()).args(["trace", "record", "--level", "all", "--out"]).arg(&trace);
    for pattern in scope {
        record.args(["--scope", pattern]);
    }
    let output = finish(record.args(["--", "java", "-cp"]).arg(&joined).args(program));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let checked = check(&trace, class_path.to_vec());
    println!("{program:?}: {} events, {} objects, {} calls", checked.events, checked.objects, checked.calls);
    let shown: Vec<&String> = checked.differences.iter().take(SHOWN).collect();
    assert!(checked.differences.is_empty(), "{} differences: {shown:#?}", checked.differences.len());
    assert!((checked.events, checked.objects, checked.calls) >= least, "{checked:?}");
}

fn with(jars: &[&str]) -> Vec<PathBuf> {
    let all: Vec<PathBuf> = ["jsoup", "kxml2", "commons-csv", "commons-lang3"]
        .iter()
        .map(|jar| PathBuf::from(format!("/usr/share/java/{jar}.jar")))
        .collect();
    let joined = std::env::join_paths(&all).expect("a class path").into_string().expect("a path");
    let mut class_path = vec![compiled(FOLDER, &["-g", "-nowarn", "-cp", &joined])];
    class_path.extend(jars.iter().map(|jar| PathBuf::from(format!("/usr/share/java/{jar}.jar"))));
    class_path
}

#[test]
fn jsoup_does_what_the_analysis_says() {
    sound(&["Pages"], &with(&["jsoup"]), &["Pages", "org.jsoup.**"], (10_000, 1_000, 5_000));
}

#[test]
fn kxml2_does_what_the_analysis_says() {
    sound(&["Trees"], &with(&["kxml2"]), &["Trees", "org.kxml2.**"], (500, 50, 500));
}

#[test]
fn commons_do_what_the_analysis_says() {
    let scope = ["Tables", "org.apache.commons.**"];
    sound(&["Tables"], &with(&["commons-csv", "commons-lang3"]), &scope, (500, 50, 200));
}

#[test]
fn ant_does_what_the_analysis_says() {
    if std::env::var_os("QP_OMISSION_SOUND").is_none() {
        return;
    }
    let class_path = ["ant", "ant-launcher"].map(|jar| PathBuf::from(format!("/usr/share/java/{jar}.jar")));
    let build = root().join("tests").join(FOLDER).join("build.xml");
    let program = ["org.apache.tools.ant.Main", "-f", build.to_str().expect("a path")];
    sound(&program, &class_path, &["org.apache.tools.**"], (10_000, 1_000, 5_000));
}
