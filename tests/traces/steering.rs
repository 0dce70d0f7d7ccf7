//! Steered runs: one jump goes another way at one execution, and nothing else changes up to there.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::javas;
use crate::support::traced::{exported, info, text};
use chain::{Chain, Debuggee};
use recorded::{MEMORY, RecordOptions, RecordedRun, record};
use serde_json::Value;
use session::Context;
use std::path::PathBuf;
use trace::{Level, Occurrence, Steered, Steering};

/// A recorded run.
struct Run {
    folder: PathBuf,
    /// What the program printed.
    printed: String,
    recorded: RecordedRun,
}

impl Run {
    fn steered(&self) -> Option<(u64, u64)> {
        self.recorded.recorded.steered.map(|Steered { executed, steered }| (executed, steered))
    }

    /// Its events, without the numbers of objects.
    fn events(&self) -> Vec<Value> {
        let plain = |event: &Value| {
            let event = event.to_string();
            let mut parts = event.split('@');
            let mut text = parts.next().unwrap_or_default().to_owned();
            for part in parts {
                text.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit()));
            }
            serde_json::from_str(&text).expect("JSON")
        };
        exported(&self.folder, &[]).iter().map(plain).collect()
    }
}

/// Records a run of a program in this process.
fn run(case: &Case, words: &[&str], name: &str, options: RecordOptions) -> Run {
    let (folder, printed) = (case.mark(name), case.mark(&format!("{name}.printed")));
    let mut command: Vec<String> = words.iter().map(ToString::to_string).collect();
    // The file to print to is the first argument.
    command.insert(5, printed.display().to_string());
    let chain = Chain::new(Debuggee { command, cwd: Some(case.work()), ..Debuggee::default() }, Vec::new());
    let options = RecordOptions { out: folder.clone(), memory: MEMORY, ..options };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let recorded = runtime.block_on(record(&chain, &options, &Context::silent())).expect("recorded");
    assert_eq!(recorded.recorded.ended, "exit code 0", "{name}: {:?}", recorded.output);
    let printed = std::fs::read_to_string(&printed).expect("printed");
    Run { folder, printed, recorded }
}

fn kinds(java: &str) -> [&str; 5] {
    [java, "-Xverify:all", "-cp", "classes", "Steered"]
}

/// Whether an event is a branch of a method other than `main`.
fn is_way(event: &Value) -> bool {
    event["event"] == "branch" && event["method"] != "main"
}

/// The code index of a branch event's site, or of where it goes.
fn index(event: &Value, key: &str) -> u32 {
    event[key].as_u64().and_then(|at| at.try_into().ok()).unwrap_or_else(|| panic!("{key}: {event}"))
}

/// What a method prints its result by: its name, or descriptor for a constructor.
fn printed_by(event: &Value) -> String {
    match text(&event["method"]) {
        "<init>" => format!("<init>{}", text(&event["descriptor"])),
        method => method.to_owned(),
    }
}

fn steering_at(event: &Value, to: u32, which: Occurrence) -> Steering {
    Steering {
        class: text(&event["class"]).to_owned(),
        method: text(&event["method"]).to_owned(),
        descriptor: text(&event["descriptor"]).to_owned(),
        pc: index(event, "bci"),
        to,
        which,
    }
}

fn nth(thread: &str, n: usize) -> Occurrence {
    Occurrence::Nth { thread: thread.to_owned(), n: n.try_into().expect("few") }
}

/// Steers each jump from each of its ways into each other way. Returns the number of runs.
fn all_kinds(case: &Case, java: &str, name: &str, step: usize) -> usize {
    let options = || RecordOptions { level: Level::All, ..RecordOptions::default() };
    let plain = run(case, &kinds(java), name, options());
    assert_eq!(plain.steered(), None);
    let events = plain.events();
    let lines: Vec<(&str, &str)> = plain.printed.lines().filter_map(|line| line.split_once(' ')).collect();
    // The line that each execution leads to: the n-th of its method.
    let ways: Vec<(usize, &Value)> = events.iter().enumerate().filter(|(_, event)| is_way(event)).collect();
    let mut executions = Vec::new();
    for (at, way) in ways {
        let method = printed_by(way);
        let n = executions.iter().filter(|(_, _, known, _, _)| *known == method).count();
        let of_method = lines.iter().enumerate().filter(|(_, (by, _))| *by == method);
        let (line, (_, said)) = of_method.clone().nth(n).unwrap_or_else(|| panic!("{method} {n}"));
        executions.push((at, way, method, line, *said));
    }
    assert_eq!(executions.len(), lines.len());
    let (mut tried, mut left) = (0, Vec::new());
    for (nth_execution, (at, way, method, line, said)) in executions.iter().enumerate().step_by(step) {
        let n = executions[..nth_execution].iter().filter(|(_, _, known, _, _)| known == method).count();
        if left.contains(&(method, index(way, "to"))) {
            continue;
        }
        left.push((method, index(way, "to")));
        let of_method = executions.iter().filter(|(_, _, known, _, _)| known == method);
        let mut others: Vec<(u32, &str)> = of_method
            .clone()
            .map(|(_, other, _, _, said)| (index(other, "to"), *said))
            .filter(|(to, _)| *to != index(way, "to"))
            .collect();
        others.sort_unstable();
        others.dedup();
        assert!(!others.is_empty(), "{method}");
        for (to, other) in others {
            tried += 1;
            let steering = steering_at(way, to, nth("main", n));
            let told = steering.to_string();
            let steered = run(
                case,
                &kinds(java),
                &format!("{name}-{tried}"),
                RecordOptions { steering: Some(steering), ..options() },
            );
            let all = u64::try_from(of_method.clone().count()).expect("few");
            assert_eq!(steered.steered(), Some((all, 1)), "{told}");
            assert_eq!(steered.recorded.recorded.missing, Vec::<String>::new(), "{told}");
            assert_ne!(other, *said, "{told}");
            let wanted: Vec<String> = lines
                .iter()
                .enumerate()
                .map(|(at, (by, said))| format!("{by} {}", if at == *line { other } else { said }))
                .collect();
            assert_eq!(steered.printed.lines().collect::<Vec<_>>(), wanted, "{told}");
            // An export takes as long as the run.
            if n > 0 {
                continue;
            }
            let found = steered.events();
            assert_eq!(found[..*at], events[..*at], "{told}");
            assert_eq!((index(&found[*at], "bci"), index(&found[*at], "to")), (index(way, "bci"), to));
        }
    }
    tried
}

#[test]
fn each_kind_of_jump_goes_each_other_way() {
    let case = Case::new("steered");
    for (n, java) in javas().iter().enumerate() {
        // With QP_STEERED=all each way. Otherwise some, and fewer by later versions of Java.
        let all = std::env::var("QP_STEERED").is_ok_and(|steered| steered == "all");
        let (each, least) = match (n, all) {
            (0, true) => (1, 80),
            (0, false) => (3, 26),
            _ => (9, 8),
        };
        let tried = all_kinds(&case, java, &format!("kinds{n}"), each);
        assert!(tried > least, "{tried}");
    }
}

fn steps(what: &str) -> [&str; 6] {
    ["java", "-Xverify:all", "-cp", "classes", "Steps", what]
}

/// The jump of `Steps` on the line with a mark, and the way that execution `n` does not go.
fn jump(case: &Case, plain: &Run, mark: &str) -> (Value, u32) {
    let line = case.line("Steps.java", mark);
    let events = plain.events();
    let here: Vec<&Value> =
        events.iter().filter(|event| event["event"] == "branch" && event["line"] == line).collect();
    let first = *here.first().unwrap_or_else(|| panic!("{mark} is executed"));
    let code = std::fs::read(case.work().join("classes/Steps.class")).expect("a class file");
    let scan = rewrite::Scan::new(&code).expect("a class file");
    let (method, descriptor) = (text(&first["method"]), text(&first["descriptor"]));
    let effects = scan.recorded_effects(method, descriptor).expect("its effects");
    let pc = index(first, "bci");
    let ways = effects.iter().find_map(|effect| match &effect.what {
        rewrite::Effect::Branch { to, or } if effect.pc == pc => Some((to[0], or.expect("an if"))),
        _ => None,
    });
    let (target, next) = ways.expect("a jump");
    let other = if index(first, "to") == target { next } else { target };
    (first.clone(), other)
}

/// Runs of `Steps`, in which the jump on the line with a mark goes where its first execution does not.
struct Program<'a> {
    case: &'a Case,
    what: &'a str,
    plain: Run,
}

impl<'a> Program<'a> {
    fn new(case: &'a Case, what: &'a str) -> Program<'a> {
        let options = RecordOptions { level: Level::All, ..RecordOptions::default() };
        let plain = run(case, &steps(what), &format!("{what}-plain"), options);
        Program { case, what, plain }
    }

    fn run(&self, mark: &str, which: Occurrence, options: RecordOptions) -> Run {
        let (first, to) = jump(self.case, &self.plain, mark);
        let steering = Some(steering_at(&first, to, which));
        let name = tempfile::Builder::new().prefix(self.what).tempdir().expect("a name");
        let name = name.path().file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        run(self.case, &steps(self.what), &name, RecordOptions { steering, ..options })
    }

    fn says(&self, mark: &str, which: Occurrence) -> (String, Option<(u64, u64)>) {
        let run = self.run(mark, which, RecordOptions::default());
        (run.printed.trim_end().replace('\n', ", "), run.steered())
    }
}

fn says(text: &str, executed: u64, steered: u64) -> (String, Option<(u64, u64)>) {
    (text.to_owned(), Some((executed, steered)))
}

#[test]
fn one_execution_in_a_loop_goes_the_other_way() {
    let case = Case::new("steered");
    let program = Program::new(&case, "loop");
    assert_eq!(program.plain.printed, "main eoeoe\n");
    // The first execution goes to `e`, so all are steered to `o`.
    assert_eq!(program.says("even", nth("main", 2)), says("main eoooe", 5, 1));
    assert_eq!(program.says("even", Occurrence::All), says("main ooooo", 5, 5));
    assert_eq!(program.says("even", Occurrence::Inverted), says("main oeoeo", 5, 5));
    assert_eq!(program.says("loop", nth("main", 3)), says("main eoe", 4, 1));
    let equal = Occurrence::EqualOperands { thread: "main".to_owned(), n: 2 };
    // The operands of executions 2 and 4 are 0, as are those of the earlier execution 0.
    assert_eq!(program.says("even", equal), says("main eoooo", 5, 2));
    let depth = Program::new(&case, "depth");
    assert_eq!(depth.plain.printed, "6\n");
    assert_eq!(depth.says("depth", nth("main", 4)), says("4", 5, 1));
    let same = Program::new(&case, "same");
    assert_eq!(same.plain.printed, "sddds\n");
    let equal = |n| Occurrence::EqualOperands { thread: "main".to_owned(), n };
    assert_eq!(same.says("same", equal(0)), says("ddddd", 5, 2));
}

/// A loop that is left by `break` has its turn the next time.
#[test]
fn a_loop_has_one_more_turn_each_time() {
    let case = Case::new("steered");
    let program = Program::new(&case, "turns");
    assert_eq!(program.plain.printed, ";01;01234;01234;0;\n");
    let once = |n| Occurrence::OncePerLoop { thread: "main".to_owned(), n };
    assert_eq!(program.says("turns", once(0)), says("0;012;01234;01234;01;", 21, 4));
    assert_eq!(program.says("turns", once(3)), says(";012;01234;01234;01;", 20, 3));
    let objects = Program::new(&case, "chains");
    assert_eq!(objects.plain.printed, ";ab;;a;\n");
    assert_eq!(objects.says("null", once(0)), says("-;ab-;;a;", 6, 2));
    assert_eq!(objects.says("other", once(0)), says(";ab;+;a+;", 5, 2));
}

#[test]
fn executions_are_counted_in_all_threads_of_a_name() {
    let case = Case::new("steered");
    let program = Program::new(&case, "threads");
    assert_eq!(program.plain.printed, "first eoe\nother eoe\nsecond eoe\n");
    assert_eq!(program.says("even", nth("worker", 5)), says("first eoe, other eoe, second eoo", 6, 1));
    assert_eq!(program.says("even", nth("other", 0)), says("first eoe, other ooe, second eoe", 3, 1));
    assert_eq!(program.says("even", Occurrence::All), says("first ooo, other ooo, second ooo", 9, 9));
    let equal = Occurrence::EqualOperands { thread: "other".to_owned(), n: 0 };
    // Later threads are steered whatever their names are.
    assert_eq!(program.says("even", equal), says("first eoe, other ooo, second ooo", 3, 4));
    // A recorded thread has the name that it had when it first recorded something.
    let renamed = Program::new(&case, "renamed");
    assert_eq!(renamed.says("even", nth("early", 0)), says("renamed oo", 2, 1));
    assert_eq!(renamed.says("even", nth("late", 0)), says("renamed eo", 0, 0));
    let crowd = Program::new(&case, "crowd");
    assert_eq!(crowd.says("crowd", nth("crowd", 47_321)), says("!", 60_000, 1));
}

#[test]
fn an_execution_that_is_not_reached_changes_nothing() {
    let case = Case::new("steered");
    let program = Program::new(&case, "loop");
    let all = || RecordOptions { level: Level::All, ..RecordOptions::default() };
    for which in [nth("main", 5), nth("Main", 0)] {
        let executed = if which == nth("main", 5) { 5 } else { 0 };
        let run = program.run("even", which, all());
        assert_eq!((run.steered(), run.printed.as_str()), (Some((executed, 0)), "main eoeoe\n"));
        assert_eq!(run.events(), program.plain.events());
        assert_eq!(run.recorded.recorded.missing, Vec::<String>::new());
    }
    // So does a jump that there is not.
    let (first, to) = jump(&case, &program.plain, "even");
    for (pc, to) in [(index(&first, "bci"), to + 1), (index(&first, "bci") + 1, to)] {
        let steering = Steering { pc, ..steering_at(&first, to, Occurrence::All) };
        let name = format!("none{pc}-{to}");
        let run = run(&case, &steps("loop"), &name, RecordOptions { steering: Some(steering), ..all() });
        assert_eq!((run.steered(), run.printed.as_str()), (Some((0, 0)), "main eoeoe\n"));
        let why =
            format!("Steps.loop(Ljava/lang/String;I)V has no conditional jump at {pc} that goes to {to}");
        assert_eq!(run.recorded.recorded.missing, [why]);
    }
}

#[test]
fn a_method_is_steered_whether_it_is_recorded_or_not() {
    let case = Case::new("steered");
    let program = Program::new(&case, "loop");
    let trust = vec!["Steps".to_owned()];
    let run = program.run("even", nth("main", 2), RecordOptions { trust, ..RecordOptions::default() });
    assert_eq!((run.steered(), run.printed.as_str()), (Some((5, 1)), "main eoooe\n"));
    assert_eq!(run.recorded.recorded.bytes, 0);
    let told = info(&run.folder)["steered"].to_string();
    assert!(told.contains("at execution 2 in threads named main: 1 of 5 executions"), "{told}");
}

/// The class is loaded before the agent, and its methods also report the contents of lists.
#[test]
fn a_class_of_the_jdk_is_steered() {
    let case = Case::new("steered");
    for level in [Level::Calls, Level::Writes] {
        for (n, printed, steered) in [(0, "false\n", (1, 1)), (1, "true\n", (1, 0))] {
            // `return size == 0;`
            let steering = Some(Steering {
                class: "java.util.ArrayList".to_owned(),
                method: "isEmpty".to_owned(),
                descriptor: "()Z".to_owned(),
                pc: 4,
                to: 11,
                which: nth("list", n),
            });
            let options = RecordOptions { level, steering, ..RecordOptions::default() };
            let run = run(&case, &steps("jdk"), &format!("jdk-{level}-{n}"), options);
            assert_eq!((run.printed.as_str(), run.steered()), (printed, Some(steered)), "{level}");
            assert_eq!(run.recorded.recorded.missing, Vec::<String>::new());
        }
    }
}

#[test]
fn a_later_run_for_more_detail_is_steered_too() {
    let case = Case::new("steered");
    let steered = Program::new(&case, "depth").run("depth", nth("main", 4), RecordOptions::default());
    let folder = steered.folder.display().to_string();
    let events = case.run(&["trace", "events", "1", "--level=all", "--format=json", &folder]);
    events.is(0, &["branch"]);
    let info = case.run(&["trace", "info", &folder]);
    info.is(0, &["steered ", "1 of 5 executions"]);
}
