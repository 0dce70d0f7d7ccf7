//! Many relaunches in one process, ended in every way: they leave no process, descriptor, socket, thread,
//! file or memory behind in it. `QP_RELAUNCHES=1000` sets their number; the default is some twenty.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::{marked, processes_with};
use answer::Answer;
use chain::Chain;
use full_replay::replay;
use replay::Options;
use session::{Context, SessionError};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Default number of measured relaunches.
const RELAUNCHES: u32 = 20;
/// Maximum gain of resident memory, in KiB. A thousand relaunches gained 168, so a leak of two kilobytes per
/// relaunch would show.
const GAINED_KIB: u64 = 2 << 10;
/// The variable that passes the program's mark to the measured process.
const INSIDE: &str = "QP_RELAUNCHES_INSIDE";

/// How a relaunch ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Every point is located.
    Held,
    /// The user interrupts it.
    Interrupted,
    /// An error instead of an answer, with this text.
    Fails(&'static str),
}

/// A way to launch and to end; each is a chain file.
struct Way {
    name: &'static str,
    command: &'static str,
    points: String,
    end: End,
}

fn ways() -> Vec<Way> {
    let line = marked("fixtures/recursion", "Recursion.java", "// <- A");
    let java = r#"command: ["java", "-cp", "classes", "Recursion"]"#;
    let change = |root: &str, of: &str| {
        format!(r#"(id: "A", at: Line("Recursion", {line}), {root}), (id: "B", at: LastChange("{of}"))"#)
    };
    let stopped = change(r#"when: "depth == 3""#, "A:sum");
    let never = change(r#"when: "depth == 99""#, "A:sum");
    let way = |name, command, points: &str, end| Way { name, command, points: points.to_owned(), end };
    vec![
        way("stopped", java, &stopped, End::Held),
        // The method of frame 1 costs a second run.
        way("twice", java, &change(r#"when: "depth == 3""#, "A(1):sum"), End::Held),
        way("to-its-end", java, &change("index: -1", "A:sum"), End::Held),
        way(
            "wrapper",
            r#"command: ["sh", "-c", "cat; java -cp classes Recursion; true"], stdin: "chain-stopped.ron""#,
            &stopped,
            End::Held,
        ),
        way(
            "interrupted",
            r#"command: ["sh", "-c", "sleep 1000 & java -cp classes Recursion; wait"]"#,
            &never,
            End::Interrupted,
        ),
        way(
            "no-vm",
            r#"command: ["java", "-XX:NoSuchFlag", "-cp", "classes", "Recursion"]"#,
            &stopped,
            End::Fails("before its VM connected"),
        ),
        way(
            "hangs-up",
            r#"command: ["bash", "-c", "PORT=${JAVA_TOOL_OPTIONS##*address=127.0.0.1:}; exec 3<>/dev/tcp/127.0.0.1/${PORT%% *}; head -c 14 <&3 >/dev/null; printf JDWP-Handshake >&3; exit 3"]"#,
            &stopped,
            End::Fails("broke off"),
        ),
        way(
            "not-prepared",
            r#"command: ["java", "-cp", "classes", "Recursion"], before_run: ["sh", "-c", "exit 7"]"#,
            &stopped,
            End::Fails("exit code 7"),
        ),
        way(
            "out-of-time",
            r#"command: ["sh", "-c", "sleep 1000"], timeout_s: 1"#,
            &stopped,
            End::Fails("no VM connected within 1 s"),
        ),
        way("source", r#"command: ["java", "Recursion.java"], timeout_s: 60"#, &stopped, End::Held),
    ]
}

/// A separate process makes the relaunches, so that everything counted in it belongs to them.
#[test]
fn relaunches_leave_nothing_behind() {
    let case = Case::new("recursion");
    for way in ways() {
        let text = format!("(format: 1, debuggee: ({}), points: [{}])", way.command, way.points);
        std::fs::write(case.work().join(format!("chain-{}.ron", way.name)), text).expect("written");
    }
    let before = case.files();
    let environment: Vec<_> =
        case.qp().get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command
        .args(["--exact", "relaunches::relaunches_of_this_process", "--nocapture"])
        .current_dir(case.work());
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let status = command.env(INSIDE, case.name()).status().expect("it starts");
    assert!(status.success(), "{status}");
    assert_eq!(processes_with(&case.name()), []);
    assert_eq!(case.files(), before);
}

/// The resources of a process.
#[derive(Clone, Copy, Debug)]
struct Held {
    children: usize,
    /// Processes of the program, with any parent.
    others: usize,
    descriptors: usize,
    sockets: usize,
    threads: usize,
    resident_kib: u64,
}

impl Held {
    fn now(mark: &str) -> Held {
        let me = std::process::id();
        let descriptors: Vec<_> =
            std::fs::read_dir("/proc/self/fd").expect("descriptors").flatten().collect();
        let is_socket = |path: &Path| {
            std::fs::read_link(path).is_ok_and(|target| target.to_string_lossy().starts_with("socket:"))
        };
        let status = std::fs::read_to_string("/proc/self/status").expect("a status");
        let resident = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).expect("resident memory");
        Held {
            children: children(me),
            others: processes_with(mark).into_iter().filter(|(pid, _)| *pid != me).count(),
            sockets: descriptors.iter().filter(|d| is_socket(&d.path())).count(),
            descriptors: descriptors.len(),
            threads: std::fs::read_dir("/proc/self/task").expect("threads").count(),
            resident_kib: resident.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number"),
        }
    }
}

/// The children of a process, including zombies.
fn children(parent: u32) -> usize {
    let entries = std::fs::read_dir("/proc").expect("processes").flatten();
    let stats = entries.filter_map(|e| std::fs::read_to_string(e.path().join("stat")).ok());
    let of = |stat: &String| {
        // The command's name is in brackets and can contain anything; the state and the parent follow.
        let (_, rest) = stat.rsplit_once(')')?;
        rest.split_whitespace().nth(1)?.parse::<u32>().ok()
    };
    stats.filter(|stat| of(stat) == Some(parent)).count()
}

/// The process that [`relaunches_leave_nothing_behind`] starts; alone it does nothing.
#[test]
fn relaunches_of_this_process() {
    let Ok(mark) = std::env::var(INSIDE) else { return };
    let wanted = std::env::var("QP_RELAUNCHES").ok().and_then(|n| n.parse().ok()).unwrap_or(RELAUNCHES);
    let load = |way: &Way| Chain::load(Path::new(&format!("chain-{}.ron", way.name))).expect("a chain");
    let chains: Vec<(Chain, End)> = ways().iter().map(|way| (load(way), way.end)).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // Run every way once, to fill all caches.
        for (chain, end) in &chains {
            relaunch(chain, *end).await;
        }
        let before = Held::now(&mark);
        println!("before: {before:?}");
        let started = Instant::now();
        let (mut relaunches, mut shown) = (0, 0);
        // Run the slow ways seldom: a time-out, and a compilation.
        let (often, seldom) = chains.split_at(chains.len() - 2);
        for round in 1.. {
            for (chain, end) in often {
                relaunches += relaunch(chain, *end).await;
            }
            if round % 10 == 2 {
                for (chain, end) in seldom {
                    relaunches += relaunch(chain, *end).await;
                }
            }
            if relaunches >= shown + 100 {
                shown = relaunches;
                println!("{relaunches} relaunches: {:?}", Held::now(&mark));
            }
            if relaunches >= wanted {
                break;
            }
        }
        let after = Held::now(&mark);
        println!("{relaunches} relaunches in {:.0} s: {after:?}", started.elapsed().as_secs_f64());
        assert_eq!((after.children, after.others), (0, 0));
        assert_eq!(after.descriptors, before.descriptors);
        assert_eq!(after.sockets, before.sockets);
        assert!(after.threads <= before.threads, "{before:?} {after:?}");
        let gained = after.resident_kib.saturating_sub(before.resident_kib);
        assert!(gained < GAINED_KIB, "{gained} KiB more after {relaunches} relaunches");
    });
}

/// Replays a chain once. Returns the number of launches.
async fn relaunch(chain: &Chain, end: End) -> u32 {
    let (sender, context) = Context::silent().renewed();
    if matches!(end, End::Interrupted) {
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(250)).await;
            sender.send_replace(true);
        });
    }
    let answer = replay("chain", chain, &Options::default(), &context).await;
    assert!(is_as_told(&answer, end), "{end:?}: {answer:?}");
    answer.map_or(1, |answer| answer.runs.max(1))
}

fn is_as_told(answer: &Result<Answer, SessionError>, end: End) -> bool {
    match (answer, end) {
        (Ok(answer), End::Held) => answer.outcome.name() == "held",
        (Ok(answer), End::Interrupted) => answer.outcome.name() == "interrupted",
        (Err(error), End::Fails(text)) => error.to_string().contains(text),
        _ => false,
    }
}
