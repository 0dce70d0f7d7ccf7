//! Recordings of the JDK itself: a program does the same, and its objects are what they are otherwise.

use crate::support::case::Case;
use crate::support::javas;
use std::process::Command;

/// Areas with so many events that only `QP_AREAS=all` records them.
const LARGE: [&str; 7] =
    ["ciphers", "elliptic keys", "HttpClient", "HttpURLConnection", "key factories", "key stores", "keys"];

/// What a program prints, and what it prints while it is recorded.
fn both(case: &Case, java: &str, options: &[&str], program: &[&str], out: &str) -> [String; 2] {
    let folder = case.mark(out);
    let plain = Command::new(java).args(program).current_dir(case.work()).output().expect("java");
    let mut command = case.qp();
    command.args(["trace", "record", "--show-output", "--out"]).arg(&folder).args(options);
    let run = case.run_command(command.args(["--", java]).args(program));
    run.is(0, &["recorded in"]);
    std::fs::remove_dir_all(&folder).expect("it is there");
    // The program prints on its error stream, as `--show-output` does.
    [&plain, &run.output].map(|output| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_program_does_the_same_while_the_jdk_is_recorded() {
    let case = Case::new("areas");
    let all = std::env::var("QP_AREAS").is_ok_and(|areas| areas == "all");
    let (levels, without): (&[&str], &[&str]) = match all {
        true => (&["calls", "writes", "all"], &[]),
        false => (&["all"], &LARGE),
    };
    for java in javas() {
        for level in levels {
            let program = [&["-cp", "classes", "Areas"], without].concat();
            let options = ["--scope=**", "--level", level];
            let [plain, recorded] = both(&case, &java, &options, &program, "trace");
            assert!(plain.lines().count() > 100 && !plain.contains("FAILED"), "{plain}");
            assert_eq!(recorded, plain, "{java} {level}");
        }
    }
}

/// The launcher has used lambdas of the JDK before the program begins.
#[test]
fn lambdas_that_the_launcher_has_made_are_nothing_missing() {
    let case = Case::new("deserialised");
    both(&case, "java", &["--scope=**"], &["Deserialised.java"], "trace");
}

/// A carrier that waits for the recorder does not wait for a virtual thread that has no carrier.
#[test]
fn virtual_threads_are_recorded_with_their_scheduler() {
    let Some(java) = testing::named("QP_TEST_JAVA25") else { return };
    let case = Case::new("carriers");
    for _ in 0..3 {
        let folder = case.mark("trace");
        let mut command = case.qp();
        command
            .args(["trace", "record", "--scope=**", "--timeout=60", "--show-output", "--out"])
            .arg(&folder);
        let run = case.run_command(command.args(["--", &java, "-cp", "classes", "Carriers"]));
        run.is(0, &["19900", "recorded in"]);
        std::fs::remove_dir_all(&folder).expect("it is there");
    }
}

#[test]
fn a_scope_that_selects_no_class_is_refused() {
    let case = Case::new("reads-stdin");
    let record = |scope: &str| {
        let mut command = case.qp();
        command.args(["trace", "record", "--scope", scope, "--out"]).arg(case.mark("trace"));
        case.run_command(command.args(["--", "java", "-cp", "classes", "ReadsStdin"]))
    };
    record("a.**,b.**").fails(2, &["the scope `a.**`, `b.**` selects no class"]);
    record("ReadStdin").fails(2, &["similar: ReadsStdin"]);
    assert!(!case.mark("trace").exists());
    let part = record("java.util.Locale,ReadsStdin,b.*");
    part.is(0, &["no class of the class path is named by `b.*`"]);
    assert!(!part.said().contains("recorder itself"), "{}", part.said());
}

/// Each command that runs a program feeds it, and a further run for more detail too.
#[test]
fn a_recorded_program_gets_its_input() {
    let case = Case::new("reads-stdin");
    let (input, folder) = (case.mark("input"), case.mark("trace"));
    std::fs::write(&input, "one\nthree words, longest\ntwo\n").expect("written");
    let program = ["--", "java", "-cp", "classes", "ReadsStdin"];
    let fed = |command: &mut Command| {
        command.stdin(std::fs::File::open(&input).expect("opened"));
        case.run_command(command.args(program))
    };
    let mut command = case.qp();
    let command = command.args(["trace", "record", "--level=calls", "--show-output", "--out"]);
    fed(command.arg(&folder)).is(0, &["3 lines, longest: three words, longest"]);
    let mut command = case.qp();
    let more = case.run_command(command.args(["trace", "events", "0", "--level=all"]).arg(&folder));
    more.is(0, &["longest = \"three words, longest\""]);
    let mut command = case.qp();
    let goal = ["query", "ask", "--show-output", "event(_, _, methodexit(_, _, _, M, _))"];
    assert!(fed(command.args(goal)).said().contains("3 lines"));
}
