//! Bad input: wrong arguments, or names of missing things. Expected: a clear error that names the thing, the
//! place and the next step; the exit code of DESIGN §7; and nothing left behind.

use crate::support::case::Case;
use crate::support::said;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Commands without a run answer at once, even on a busy machine.
const AT_ONCE: Duration = Duration::from_secs(20);

const HANG: &str = r#"command: ["java", "-cp", "classes", "Hang"]"#;

fn hang_line(case: &Case) -> u32 {
    case.line("Hang.java", "// <- A")
}

fn root(line: u32) -> String {
    format!(r#"(id: "A", at: Line("Hang", {line}))"#)
}

#[test]
fn the_command_line_is_wrong() {
    let case = Case::new("hang");
    let java = ["--", "java", "-cp", "classes", "Hang"];
    for (arguments, texts) in [
        (&["--bogus"][..], &["unexpected argument '--bogus'", "Usage: qp"][..]),
        (&["replai", "x"], &["unrecognized subcommand 'replai'", "replay"]),
        (&["replay"], &["<CHAIN>"]),
        (&["replay", "x.ron", "--max-runs", "0"], &["'0'", "--max-runs", "1..=1000"]),
        (&["replay", "x.ron", "--timeout", "0"], &["'0'", "--timeout"]),
        (&["replay", "x.ron", "--format", "xml"], &["'xml'", "text, json"]),
        (&["why", "--at", "Hang:16"], &["COMMAND"]),
    ] {
        case.run(arguments).fails(2, texts).within(AT_ONCE);
    }
    for at in ["Hang", "Hang:", ":3", "Hang:0", "Hang:x", "Hang:-1", "Hang:99999999999"] {
        let option = format!("--at={at}");
        let arguments = [&["why", option.as_str()], &java[..]].concat();
        let text = format!("--at `{at}`: expected CLASS:LINE, such as Intro:31");
        case.run(&arguments).fails(2, &[&text]).within(AT_ONCE);
    }
}

#[test]
fn the_chain_is_not_there() {
    let case = Case::new("hang");
    for command in ["replay", "explain"] {
        case.run(&[command, "none.ron"])
            .fails(2, &["cannot read the chain none.ron", "give the path of a .ron file"]);
        case.run(&[command, "classes"])
            .fails(2, &["cannot read the chain classes", "give the path of a .ron file"]);
    }
    let binary = "classes/Hang.class";
    case.run(&["replay", binary]).fails(2, &["cannot read the chain classes/Hang.class", "UTF-8"]);
}

#[test]
fn the_chain_is_no_chain() {
    let case = Case::new("hang");
    let line = hang_line(&case);
    let wrong = |debuggee: &str, points: &str, texts: &[&str]| {
        let run = case.replay(debuggee, points, &["--format", "json"]);
        run.fails(2, texts).fails(2, &["chain.ron:1:"]).within(AT_ONCE);
    };
    wrong("comand: []", &root(line), &["unknown field `comand`", "did you mean `command`?"]);
    wrong(
        HANG,
        r#"(id: "A", at: Lines("Hang", 3))"#,
        &["unknown kind of point `Lines`", "did you mean `Line`?"],
    );
    wrong(HANG, r#"(id: "A", at: Line("Hang"))"#, &["write `Line(\"Class\", 31)`"]);
    wrong(HANG, r#"(id: "A", at: Line("Hang", 3)"#, &["expected"]);
    wrong(HANG, r#"(at: Line("Hang", 3))"#, &["field `id` of a point is missing"]);
    wrong("command: []", &root(line), &["the debuggee has no command", "name a program that starts a JVM"]);
    wrong(HANG, "", &["the chain has no points", "add a root"]);
    let twice = format!("{0}, {0}", root(line));
    wrong(HANG, &twice, &["the id `A` is taken by a point above"]);
    let forward = format!(r#"(id: "B", at: LastChange("A:step")), {}"#, root(line));
    wrong(HANG, &forward, &["point `A` is further down", "move `A` up"]);
    let itself = r#"(id: "A", at: Line("Hang", 3), after: "A")"#;
    wrong(HANG, itself, &["point `A` refers to itself"]);
    let nobody = format!(r#"{}, (id: "B", at: LastChange("X:step"))"#, root(line));
    wrong(HANG, &nobody, &["no point has the id `X`", "points above: A"]);
    let when = format!(r#"(id: "A", at: Line("Hang", {line}), when: "step == ")"#);
    wrong(HANG, &when, &["expected an expression, found the end"]);
    for (depth, text) in [(200, "more than 100 brackets"), (50_000, "the maximum is 10000")] {
        let brackets = format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        wrong(HANG, &format!(r#"(id: "A", at: Line("Hang", {line}), when: "{brackets}")"#), &[text]);
    }
    let file = case.work().join("chain.ron");
    std::fs::write(&file, format!("(format: 7, debuggee: ({HANG}), points: [{}])", root(line)))
        .expect("written");
    case.run(&["replay", "chain.ron"]).fails(2, &["format 7 is not known", "write `format: 1`"]);
    std::fs::write(&file, "(".repeat(100_000)).expect("written");
    case.run(&["replay", "chain.ron"]).fails(2, &["chain.ron:1:"]);
}

#[test]
fn an_expression_is_shown_with_its_column() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let java = ["--", "java", "-cp", "classes", "Hang"];
    let run = case.run(&[&["why", "step +", &at][..], &java].concat());
    run.fails(2, &["expected an expression, found the end", r#"LastChange("A(0):step +")"#, "^"]);
    let text = format!(r#"(id: "A", at: Line("Hang", {}), when: "step = 1")"#, hang_line(&case));
    let file = case.chain(HANG, &text);
    let column = std::fs::read_to_string(&file).expect("read").find("= 1\"").expect("there") + 1;
    case.run(&["replay", "chain.ron"]).fails(2, &[&format!("chain.ron:1:{column}")]);
}

#[test]
fn what_a_point_names_is_not_there() {
    let case = Case::new("hang");
    let line = hang_line(&case);
    let java = ["--", "java", "-cp", "classes", "Hang"];
    let why = |arguments: &[&str], texts: &[&str]| {
        case.run(&[&["why"], arguments, &java].concat()).fails(2, texts).within(AT_ONCE);
    };
    why(
        &["--at=Nope:3"],
        &["point `A`, Line(Nope, 3)", "no class `Nope` on the class path", "check the class path"],
    );
    why(&["--at=Hamg:3"], &["no class `Hamg`", "did you mean `Hang`?"]);
    why(&["--at=Hang:2"], &["line 2 of Hang.java has no code", "nearest line with code is"]);
    why(&["--at=Hang:4000"], &["line 4000 of Hang.java has no code", "nearest line with code is"]);
    let at = format!("--at=Hang:{line}");
    why(
        &["stepp", &at],
        &["point `B`", "`stepp`", "not a local or field", "did you mean `step`?", &format!("line {line}")],
    );
    why(&["Hang.turn", &at], &["`turn`", "did you mean", "turns"]);
    why(&["step", &at, "--when=step"], &["point `A`", "`step`", "int", "boolean is needed"]);
    why(&["step", &at, "--when=steps == 1"], &["point `A`", "`steps`", "did you mean `step`?"]);
    let chain = |points: &str, texts: &[&str]| {
        for command in ["replay", "explain"] {
            let file = case.chain(HANG, points);
            let run = case.run_command(case.qp().args([command, "--format=json"]).arg(file));
            run.fails(2, texts).within(AT_ONCE);
        }
    };
    chain(
        r#"(id: "A", at: Watch("Hang", "turn"))"#,
        &["class Hang has no field `turn`", "did you mean `turns`?"],
    );
    chain(
        r#"(id: "A", at: Entry("Hang.sleepForEvr"))"#,
        &["no method `sleepForEvr`", "did you mean `Hang.sleepForEver()`?"],
    );
    chain(r#"(id: "A", at: Exception("Hang"))"#, &["Hang is no exception"]);
    let text = format!(r#"(id: "A", at: Line("Hang", {line}), text: "gone();")"#);
    chain(&text, &["not `gone();`", "correct `text` or the line"]);
}

#[test]
fn an_overload_is_ambiguous() {
    let case = Case::new("overloads");
    let debuggee = r#"command: ["java", "-cp", "classes", "Overloads"]"#;
    let run = case.replay(debuggee, r#"(id: "A", at: Entry("Overloads.put"))"#, &[]);
    run.fails(
        2,
        &["has 4 methods `put`", "say `Overloads.put(int)` or `Overloads.put(long)`", "java.lang.Object"],
    );
    let run = case.replay(debuggee, r#"(id: "A", at: Entry("Overloads.put(byte)"))"#, &[]);
    run.fails(2, &["no method `Overloads.put(byte)`", "Overloads.put(int)"]);
}

#[test]
fn classes_without_debug_information() {
    let case = Case::compiled_with("no-debug-info", &["-g:none"]);
    let line = case.line("NoDebugInfo.java", "// <- A");
    let java = ["--", "java", "-cp", "classes", "NoDebugInfo"];
    let at = format!("--at=NoDebugInfo:{line}");
    let run = case.run(&[&["why", &at][..], &java].concat());
    run.fails(2, &["NoDebugInfo was compiled without line numbers", "javac -g", "`Entry`"]);
    let case = Case::compiled_with("no-debug-info", &["-g:lines"]);
    let run = case.run(&[&["why", "local", &at][..], &java].concat());
    run.fails(2, &["`local`", "javac -g"]);
}

#[test]
fn the_class_path_is_not_there() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let run = case.run(&["why", "step", &at, "--", "java", "-cp", "clases:lib/gone.jar", "Hang"]);
    run.fails(2, &["no class `Hang`", "clases, lib/gone.jar", "not exist"]);
    // Java ignores an entry that is missing; so does qp, while it finds the class.
    let run = case.run(&["why", "step", &at, "--", "java", "-cp", "gone.jar:classes", "Hang"]);
    run.is(0, &["2 of 2 points located"]);
    let run = case.run(&["why", "step", &at, "--", "java", "-jar", "gone.jar"]);
    run.fails(4, &["cannot read the jar `gone.jar`", "build it first, or correct its path"]);
    std::fs::write(case.work().join("torn.jar"), "PK\u{3}\u{4} and no more").expect("written");
    let run = case.run(&["why", "step", &at, "--", "java", "-cp", "torn.jar", "Hang"]);
    run.fails(2, &["no class `Hang`", "torn.jar"]);
    std::fs::write(case.work().join("classes/Hang.class"), "no class").expect("written");
    let run = case.run(&["why", "step", &at, "--", "java", "-cp", "classes", "Hang"]);
    run.fails(2, &["classes/Hang.class is not a readable class file", "build it again"]);
}

#[test]
fn the_debuggee_cannot_be_launched() {
    let case = Case::new("hang");
    let line = hang_line(&case);
    let fails = |debuggee: &str, texts: &[&str]| {
        case.replay(debuggee, &root(line), &["--format=json"]).fails(4, texts).within(AT_ONCE);
    };
    fails(
        r#"command: ["java", "Hang"], env: {"PATH": "/nowhere"}"#,
        &["`java` was not found", "install a JDK"],
    );
    fails(r#"command: ["./gone.sh"]"#, &["`./gone.sh` was not found or is not executable"]);
    fails(r#"command: ["./Hang.java"]"#, &["`./Hang.java` was not found or is not executable"]);
    fails(r#"command: ["java", "-version"]"#, &["names no class to run", "-jar FILE"]);
    fails(r#"command: ["java", "@gone", "Hang"]"#, &["argument file `@gone`"]);
    fails(
        &format!(r#"{HANG}, cwd: "gone""#),
        &["the working directory", "gone", "does not exist", "correct `cwd`"],
    );
    fails(
        &format!(r#"{HANG}, stdin: "gone.txt""#),
        &["cannot read", "gone.txt", "`stdin` is relative to `cwd`"],
    );
    fails(
        &format!(r#"{HANG}, jvm: "(""#),
        &["`jvm: \"(\"`", "neither a class name nor a regular expression"],
    );
    fails(&format!(r#"{HANG}, drive: ["./gone"]"#), &["`drive`", "`./gone` was not found"]);
    fails(&format!(r#"{HANG}, before_run: ["./gone"]"#), &["`before_run`", "`./gone` was not found"]);
    fails(&format!(r#"{HANG}, build: ["./gone"]"#), &["`build`", "`./gone` was not found"]);
    fails(r#"command: ["gradle", "run"]"#, &["`gradle`", "daemon", "add `--no-daemon`"]);
    let agent = "-agentlib:jdwp=transport=dt_socket,server=y";
    let own = format!(r#"command: ["java", "{agent}", "-cp", "classes", "Hang"]"#);
    fails(&own, &["already holds `-agentlib:jdwp", "remove it"]);
    for variable in ["JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"] {
        let own = format!(r#"{HANG}, env: {{"{variable}": "{agent}"}}"#);
        fails(&own, &["already holds", "-agentlib:jdwp", "remove it"]);
    }
}

#[test]
fn a_step_of_the_debuggee_fails() {
    let case = Case::new("hang");
    let never = case.line("Hang.java", "// <- never");
    let fails = |more: &str, texts: &[&str]| {
        case.replay(&format!("{HANG}, {more}"), &root(never), &["--format=json"]).fails(4, texts);
    };
    fails(
        r#"build: ["sh", "-c", "echo no compiler here; exit 3"]"#,
        &["`build` failed with exit code 3", "run it by hand in `cwd`", "no compiler here"],
    );
    fails(
        r#"before_run: ["sh", "-c", "echo no space; exit 2"]"#,
        &["`before_run` failed with exit code 2", "no space"],
    );
    fails(
        r#"before_run: ["sleep", "1000"], timeout_s: 1"#,
        &["`before_run` did not end within 1 s", "raise `timeout_s`"],
    );
    fails(
        r#"drive: ["sh", "-c", "echo no window >&2; exit 5"]"#,
        &["`drive` failed with exit code 5", "no window"],
    );
    fails(r#"drive: ["sh", "-c", "kill -9 $$"]"#, &["`drive` failed with signal 9"]);
}

#[test]
fn the_classes_of_a_wrapper_are_known_only_when_it_runs() {
    let case = Case::new("hang");
    let file = case.chain(r#"command: ["sh", "-c", "java -cp classes Hang"]"#, &root(hang_line(&case)));
    let run = case.run_command(case.qp().arg("explain").arg(&file));
    run.fails(2, &["`sh`", "known only when it runs", "`java`", "qp replay"]).within(AT_ONCE);
    case.run_command(case.qp().arg("replay").arg(&file)).is(0, &["1 of 1 points located"]);
    let wrong =
        case.chain(r#"command: ["sh", "-c", "java -cp classes Hang"]"#, r#"(id: "A", at: Line("Hamg", 1))"#);
    case.run_command(case.qp().arg("replay").arg(wrong))
        .fails(2, &["no class `Hamg`", "did you mean `Hang`?"]);
}

#[test]
fn a_chain_cannot_be_saved() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let run = case.run(&["why", &at, "--save", "no/such/folder.ron", "--", "java", "-cp", "classes", "Hang"]);
    run.fails(4, &["cannot write no/such/folder.ron", "check the folder"]).within(AT_ONCE);
}

#[test]
fn the_class_file_is_older_than_its_source() {
    let case = Case::new("hang");
    let source = case.work().join("Hang.java");
    let later = std::time::SystemTime::now() + Duration::from_secs(100);
    std::fs::File::options()
        .append(true)
        .open(source)
        .and_then(|f| f.set_modified(later))
        .expect("its time is set");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let run = case.run(&["why", "step", &at, "--", "java", "-cp", "classes", "Hang"]);
    run.is(0, &["classes/Hang.class is older than", "Hang.java", "build again"]);
}

#[test]
fn the_class_file_is_not_the_one_that_runs() {
    let case = Case::new("hang");
    // The command looks like `java -cp classes`, but the VM finds another Hang first.
    let other = case.work().join("other");
    std::fs::create_dir(&other).expect("a folder");
    let text = std::fs::read_to_string(case.work().join("Hang.java")).expect("read");
    let text = text
        .replace("hanging, step ", "hanging at step number ")
        .replace("int step = 1;", "int step = 1 + 1;");
    std::fs::write(other.join("Hang.java"), text.replace("step = 1 + 1", "step = args.length + 7"))
        .expect("written");
    let javac = Command::new("javac").args(["-g", "Hang.java"]).current_dir(&other).output().expect("javac");
    assert!(javac.status.success(), "{}", said(&javac));
    let debuggee = r#"command: ["java", "-cp", "classes", "Hang"], env: {"JAVA_TOOL_OPTIONS": "-Xbootclasspath/a:other"}"#;
    let run = case.replay(debuggee, &root(hang_line(&case)), &["--timeout=3"]);
    run.is(4, &["classes/Hang.class is not the class that was loaded by bootstrap", "compile it again"]);
}

#[test]
fn the_sources_are_not_there() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let run = case.run(&["why", &at, "--source=gone", "--", "java", "-cp", "classes", "Hang"]);
    run.is(1, &["warning: the source folder gone does not exist; correct `sources`"]);
}

#[test]
fn a_chain_is_saved_to_what_is_no_file() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    // A stand-in for `/dev/stdout`, in a place where replacing it would do no harm.
    std::os::unix::fs::symlink("/proc/self/fd/1", case.work().join("stdout")).expect("linked");
    let run = case.run(&["why", "step", &at, "--save=stdout", "--", "java", "-cp", "classes", "Hang"]);
    run.is(0, &["LastChange(\"A(0):step\")", "2 of 2 points located"]);
    assert!(case.work().join("stdout").is_symlink());
}

#[test]
fn nobody_reads_the_output() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let qp = env!("CARGO_BIN_EXE_qp");
    // A closed pipe, for each stream.
    let closed = |arguments: &str, redirect: &str| {
        let script = format!("{{ sleep 0.2; '{qp}' {arguments} {redirect}; echo \"code $?\" >&3; }} | true");
        let mut command = case.qp();
        let environment: Vec<_> =
            command.get_envs().map(|(k, v)| (k.to_owned(), v.map(ToOwned::to_owned))).collect();
        command = Command::new("bash");
        for (key, value) in environment {
            match value {
                Some(value) => command.env(key, value),
                None => command.env_remove(key),
            };
        }
        let script = format!("exec 3>&1; {script}");
        case.run_command(command.current_dir(case.work()).stdin(Stdio::null()).args(["-c", &script]))
    };
    let good = format!("why step {at} -- java -cp classes Hang");
    let run = closed(&good, "");
    assert_eq!(run.said().trim(), "code 0");
    let run = closed(&good, "2>&1");
    assert_eq!(run.said().trim(), "code 0");
    let run = closed("replay gone.ron", "2>&1");
    assert_eq!(run.said().trim(), "code 2");
    let run = closed("--bogus", "2>&1");
    assert_eq!(run.said().trim(), "code 2");
    let run = closed("--help", "");
    assert_eq!(run.said().trim(), "code 0");
    let run = closed("completions bash", "");
    assert_eq!(run.said().trim(), "code 0");
    let full =
        case.run_command(Command::new("sh").args(["-c", &format!("'{qp}' completions bash >/dev/full")]));
    full.is(4, &["cannot write the result", "No space left"]);
}

#[test]
fn json_is_whole_or_not_there() {
    let case = Case::new("hang");
    let line = hang_line(&case);
    let run = case.replay(HANG, &root(line), &["--format=json"]);
    assert_eq!(run.is(0, &[]).answer()["outcome"], "held");
    let never = case.line("Hang.java", "// <- never");
    let run = case.replay(HANG, &root(never), &["--format=json", "--timeout=2", "--show-output"]);
    assert_eq!(run.is(4, &["run 1 | hanging, step 1"]).answer()["outcome"], "timed-out");
    let wrong = format!(r#"(id: "A", at: Line("Hang", {line}), expect: (line: 1))"#);
    let run = case.replay(HANG, &wrong, &["--format=json"]);
    assert_eq!(run.is(1, &[]).answer()["outcome"], "differs");
}

#[test]
fn a_limit_is_longer_than_clocks_count() {
    let case = Case::new("hang");
    let at = format!("--at=Hang:{}", hang_line(&case));
    let run = case.run(&[
        "why",
        "step",
        &at,
        "--timeout=18446744073709551615",
        "--",
        "java",
        "-cp",
        "classes",
        "Hang",
    ]);
    run.is(0, &["2 of 2 points located"]);
    let debuggee = format!("{HANG}, timeout_s: 0");
    let run = case.replay(&debuggee, &root(hang_line(&case)), &[]);
    run.fails(4, &["within 0 s", "raise `timeout_s`"]);
}

/// A recording that somebody else made: nothing is read from devices, pipes or links.
#[test]
fn files_that_never_end_are_refused_at_once() {
    let case = Case::new("hang");
    let folder = case.mark("never.trace");
    std::fs::create_dir(&folder).expect("a folder");
    let trace = folder.to_str().expect("a path");
    let about = folder.join("about.json");
    std::os::unix::fs::symlink("/dev/zero", &about).expect("a link");
    case.run(&["trace", "info", trace]).fails(4, &["about.json", "symbolic link"]).within(AT_ONCE);
    std::fs::remove_file(&about).expect("removed");
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    pipe(&about);
    case.run(&["trace", "info", trace]).fails(4, &["about.json", "not a regular file"]).within(AT_ONCE);
    let chain = case.mark("pipe.ron");
    pipe(&chain);
    let chain = chain.to_str().expect("a path");
    case.run(&["replay", chain]).fails(2, &["pipe.ron", "not a regular file"]).within(AT_ONCE);
}

/// Each file of a recording in turn becomes a link to a device, or a pipe.
#[test]
fn files_of_a_recording_that_never_end_are_not_read() {
    let case = Case::new("traced");
    let folder = case.mark("there.trace");
    let trace = folder.to_str().expect("a path");
    let program = ["--level", "writes", "-o", trace, "--", "java", "-cp", "classes", "Traced"];
    case.run(&[&["trace", "record"][..], &program].concat()).is(0, &["recorded in"]);
    case.run(&["trace", "calls", trace]).is(0, &["Traced.main"]);
    let mut files = Vec::new();
    crate::support::case::list(&folder, &mut files);
    let mut refused = 0;
    for file in files.iter().filter(|file| file.is_file()) {
        let kept = case.mark("kept");
        std::fs::rename(file, &kept).expect("moved");
        for is_link in [true, false] {
            if is_link {
                std::os::unix::fs::symlink("/dev/zero", file).expect("a link");
            } else {
                assert!(Command::new("mkfifo").arg(file).status().expect("mkfifo").success());
            }
            let run = case.run_command(case.qp().args(["trace", "events", "0", trace]));
            run.within(AT_ONCE);
            assert!(matches!(run.output.status.code(), Some(0 | 4)), "{}: {}", file.display(), run.said());
            refused += u32::from(run.output.status.code() == Some(4));
            let _ = std::fs::remove_file(file);
        }
        std::fs::rename(&kept, file).expect("moved back");
    }
    assert!(refused >= 4, "{refused} of {files:?}");
}
