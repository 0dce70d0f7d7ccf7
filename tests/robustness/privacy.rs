//! Only its user can access what `qp` keeps: file modes under any umask, secrets in commands, temporary
//! folders of a killed `qp`, and the agent's place when its folders are unusable.

#![allow(clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::case::Case;
use crate::support::{finish, point, said};
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The same command below a shell that sets the umask to 0.
fn open_to_all(command: &Command) -> Command {
    below(command, "umask 0")
}

/// The same command below a shell that runs something first.
fn below(command: &Command, first: &str) -> Command {
    let mut below = Command::new("sh");
    below.arg("-c").arg(format!("{first}; exec \"$@\"")).arg("sh").arg(command.get_program());
    below.args(command.get_args()).stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => below.env(name, value),
            None => below.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        below.current_dir(folder);
    }
    below
}

/// Every file and folder below a path that other users can access.
fn open(path: &Path, found: &mut Vec<(PathBuf, u32)>) {
    let there = path.symlink_metadata().expect("there");
    let mode = there.permissions().mode() & 0o777;
    if mode & 0o077 != 0 || mode & 0o600 != 0o600 {
        found.push((path.to_owned(), mode));
    }
    if there.is_dir() {
        for entry in std::fs::read_dir(path).expect("listed").flatten() {
            open(&entry.path(), found);
        }
    }
}

#[test]
fn a_recording_is_its_users_alone() {
    let case = Case::new("traced");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--level=calls", "--trust=Log", "--out"]).arg(&folder);
    let run = case.run_command(&mut open_to_all(command.args(["--", "java", "-cp", "classes", "Traced"])));
    run.is(0, &["recorded in"]);
    // A later, more detailed recording of a call lies beside it.
    let mut command = case.qp();
    command.args(["trace", "events", "0", "--level=writes"]).arg(&folder);
    case.run_command(&mut open_to_all(&command)).is(0, &[]);
    assert!(
        folder.join("details/0-writes/columns").is_dir() && folder.join("columns/summary.json").is_file()
    );
    let mut found = Vec::new();
    open(&folder, &mut found);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn a_recording_that_goes_on_is_its_users_alone() {
    let case = Case::new("goes-on");
    let folder = case.mark("trace");
    let mut command = case.qp();
    command.args(["trace", "record", "--level=all", "--out"]).arg(&folder);
    let mut command = open_to_all(command.args(["--", "java", "-cp", "classes", "GoesOn"]));
    let has_rings = || std::fs::read_dir(folder.join("rings")).is_ok_and(|mut rings| rings.next().is_some());
    let mut found = Vec::new();
    let looked = std::cell::RefCell::new(&mut found);
    let ready = || {
        if !has_rings() {
            return false;
        }
        open(&folder, &mut looked.borrow_mut());
        true
    };
    case.interrupted(&mut command, Signal::INT, ready);
    assert!(found.is_empty(), "{found:?}");
}

/// What another user of the machine finds out about a program that `qp serve` records. Only root can run a
/// command as another user; the tests of modes above need no root.
#[test]
fn a_second_user_gets_nothing() {
    if !rustix::process::getuid().is_root() {
        eprintln!("skipped: only root can act as another user");
        return;
    }
    let case = Case::new("goes-on");
    let home = case.work().parent().expect("a folder").to_owned();
    let as_other = |script: &str| {
        let mut other = Command::new("setpriv");
        other.args(["--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", script]);
        other.current_dir(&home).output().expect("setpriv of util-linux")
    };
    std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).expect("open to others");
    if !as_other("test -r work/classes/GoesOn.class").status.success() {
        eprintln!("skipped: another user cannot enter the folder of temporary files");
        return;
    }
    let mut command = open_to_all(case.qp().args(["serve", "--", "java", "-cp", "classes", "GoesOn"]));
    let mut served = command.stdout(Stdio::piped()).spawn().expect("qp starts");
    let mut lines = BufReader::new(served.stdout.take().expect("its output")).lines();
    let address = lines.find_map(|line| Some(line.ok()?.split_once("token=")?.1.trim().to_owned()));
    let token = address.expect("an address with a token");
    case.wait_until("events", || {
        case.files().iter().any(|file| file.parent().is_some_and(|p| p.ends_with("rings")))
    });
    let script = "find . -type f -readable; grep -sl QP_TEST_CASE /proc/[0-9]*/environ; \
                  for p in /proc/[0-9]*; do tr '\\0' ' ' <$p/cmdline; done";
    let seen = as_other(script);
    let seen = String::from_utf8_lossy(&seen.stdout).into_owned();
    kill_process(Pid::from_child(&served), Signal::TERM).expect("sent");
    served.wait().expect("it ends");
    // It sees what the program's author lets others see, and that the command runs.
    let sees = |text: &str| seen.contains(text);
    assert!(sees("./work/classes/GoesOn.class") && sees("serve -- java"));
    assert!(!sees("\n./tmp/") && !sees("\n./cache/") && !sees("/environ\n") && !sees(&token));
}

#[test]
fn what_a_program_has_read_is_its_users_alone() {
    let case = Case::new("reads-stdin");
    let (input, chain) = (case.mark("input"), case.mark("asked.ron"));
    std::fs::write(&input, "3 4\n").expect("written");
    let line = case.line("ReadsStdin.java", "// <- A");
    let mut command = case.qp();
    command.args(["why", "--at", &format!("ReadsStdin:{line}"), "--save"]).arg(&chain);
    let mut command = open_to_all(command.args(["--", "java", "-cp", "classes", "ReadsStdin"]));
    let output = finish(command.stdin(std::fs::File::open(&input).expect("opened")));
    let mut found = Vec::new();
    open(&chain.with_extension("stdin"), &mut found);
    assert!(found.is_empty(), "{found:?}: {}", said(&output));
}

fn record(case: &Case, out: &Path, options: &[&str]) -> String {
    let mut command = case.qp();
    command.args(["trace", "record", "--level=calls", "--trust=Log", "--out"]).arg(out).args(options);
    command.args(["--", "java", "-Dpassword=hunter2", "-Dpin=4711", "-cp", "classes", "Traced"]);
    let run = case.run_command(&mut command);
    run.is(0, &["recorded in"]);
    run.said()
}

#[test]
fn secrets_of_a_command_are_not_kept() {
    let case = Case::new("traced");
    let (hidden, kept) = (case.mark("hidden"), case.mark("kept"));
    let said = record(&case, &hidden, &["--redact=4711"]);
    assert!(said.contains("note: the command is kept without its secrets"), "{said}");
    let about = std::fs::read_to_string(hidden.join("about.json")).expect("read");
    assert!(!about.contains("hunter2") && !about.contains("=4711"), "{about}");
    assert!(about.contains("-Dpassword=***") && about.contains("-Dpin=***"), "{about}");
    // It cannot be run again, and `qp` says so; its contents stay readable.
    let folder = hidden.display().to_string();
    case.run(&["trace", "calls", &folder]).is(0, &["Traced.main"]);
    case.run(&["trace", "events", "0", "--level=writes", &folder])
        .fails(2, &["its command was kept without its secrets", "--keep-secrets", "--level writes"]);
    case.run(&["trace", "as-chain", "0", &folder]).is(0, &["replace each `***`"]);
    let said = record(&case, &kept, &["--keep-secrets"]);
    assert!(!said.contains("note:"), "{said}");
    let about = std::fs::read_to_string(kept.join("about.json")).expect("read");
    assert!(about.contains("-Dpassword=hunter2"), "{about}");
    case.run(&["trace", "events", "0", "--level=writes", &kept.display().to_string()]).is(0, &[]);
    case.run(&["trace", "record", "--redact=(", "--", "java", "X"]).fails(2, &["is no regular expression"]);
}

/// The temporary folders that `qp` has made for a case.
fn temporary(case: &Case) -> Vec<String> {
    let files = case.files().into_iter().filter(|file| file.parent().is_some_and(|p| p.ends_with("tmp")));
    let names = files.filter_map(|file| file.file_name().and_then(OsStr::to_str).map(str::to_owned));
    names.filter(|name| name.starts_with("querypoint-") || name.starts_with("qp-")).collect()
}

fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(pid, Signal::KILL).expect("killed");
}

#[test]
fn what_a_killed_qp_has_left_is_removed_by_the_next() {
    let case = Case::new("goes-on");
    let begin = || {
        let mut command = case.qp();
        command.args(["diagnose", "--format=json", "--", "java", "-cp", "classes", "GoesOn"]);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("qp starts")
    };
    let mut killed = begin();
    case.wait_until("its folders", || temporary(&case).len() == 2);
    let left = temporary(&case);
    let mut living = begin();
    case.wait_until("the folders of another", || temporary(&case).len() == 4);
    kill(killed.id());
    killed.wait().expect("waited");
    assert_eq!(temporary(&case).len(), 4);
    // Any further `qp` removes the leftovers, and keeps folders in use.
    finish(case.qp().args(["trace", "info", "no-such-folder"]));
    let now = temporary(&case);
    assert_eq!(now.len(), 2, "{now:?}");
    assert!(now.iter().all(|name| !left.contains(name)), "{left:?} {now:?}");
    drop(living.stdin.take());
    living.wait().expect("waited");
    case.wait_until("the end", || crate::support::processes_with(&case.name()).is_empty());
    assert!(temporary(&case).is_empty());
}

const WRITTEN: &str = r#"(id: "A", at: Line("Elements", {A}))"#;

/// An answer by probes, in an environment that a shell prepares, with its other output.
fn elements(case: &Case, first: &str, debuggee: &str, options: &[&str]) -> crate::support::case::Run {
    let points = WRITTEN.replace("{A}", &case.line("Elements.java", "// <- A").to_string());
    let points = format!("{points}, (id: \"B\", at: LastChange(\"A:bytes\"))");
    let chain = case.chain(debuggee, &points);
    let mut command = case.qp();
    command.args(["replay", "--format=json"]).arg(chain).args(options);
    crate::support::case::Run {
        elapsed: std::time::Duration::ZERO,
        output: finish(&mut below(&command, first)),
    }
}

#[test]
fn a_temporary_folder_may_have_blanks_and_commas() {
    let case = Case::new("elements");
    for name in ["a b", "a,b", "it's \"so\""] {
        let folder = case.mark(name);
        std::fs::create_dir(&folder).expect("made");
        let first = "export TMPDIR=\"$MARKS/$NAME\" XDG_CACHE_HOME=\"$MARKS/$NAME\"";
        for debuggee in [
            r#"command: ["java", "-cp", "classes", "Elements"]"#,
            r#"command: ["sh", "-c", "java -cp classes Elements"]"#,
        ] {
            let first = format!("NAME='{}'; {first}", name.replace('\'', "'\\''"));
            let run = elements(&case, &first, debuggee, &["--backend=probe"]);
            let answer = run.is(0, &[]).answer();
            assert_eq!(point(&answer, "B")["located"], true, "{name}: {answer:#}");
        }
    }
}

#[test]
fn a_cache_that_cannot_be_executed_from_is_not_used() {
    let case = Case::new("elements");
    let java = r#"command: ["java", "-cp", "classes", "Elements"]"#;
    let mount = |folder: &str| format!("mount -t tmpfs -o noexec none \"{folder}\"");
    let unshared = |first: &str| {
        format!(
            "[ -n \"$UNSHARED\" ] || exec env UNSHARED=1 unshare -m \"$0\" -c '{first}; exec \"$@\"' sh \"$@\""
        )
    };
    if !Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|output| output.status.success()) {
        println!("skipped: this system lets nobody mount a file system of their own");
        return;
    }
    // The cache alone: the library lies in the temporary folder, and probes answer.
    let run = elements(&case, &unshared(&mount("$XDG_CACHE_HOME")), java, &["--backend=probe"]);
    let answer = run.is(0, &["noexec"]).answer();
    assert_eq!(point(&answer, "B")["located"], true, "{answer:#}");
    // Both: JDWP answers, and says why.
    let both = format!("{}; {}", mount("$XDG_CACHE_HOME"), mount("$TMPDIR"));
    let run = elements(&case, &unshared(&both), java, &[]);
    let answer = run.is(0, &["watched by JDWP events, since probes could not", "noexec"]).answer();
    assert_eq!(point(&answer, "B")["located"], true, "{answer:#}");
    // No room at all.
    let full = "mount -t tmpfs -o size=4k,nr_inodes=2 none \"$TMPDIR\"; : >\"$TMPDIR/one\"";
    let run = elements(&case, &unshared(full), java, &[]);
    let answer = run.is(0, &["watched by JDWP events, since probes could not", "No space left"]).answer();
    assert_eq!(point(&answer, "B")["located"], true, "{answer:#}");
}
