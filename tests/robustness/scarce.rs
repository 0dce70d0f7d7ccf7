//! Recordings with little address space or disk space. The program behaves as it does alone, and `qp` reports
//! the unrecorded parts.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::{Case, Run};
use crate::support::{javas, javas_in_turn, said};
use std::process::Command;

/// Options that keep the VM below one gigabyte of address space.
const SMALL: [&str; 4] =
    ["-Xmx64m", "-XX:+UseSerialGC", "-XX:CompressedClassSpaceSize=64m", "-XX:ReservedCodeCacheSize=64m"];

/// A command in a shell with a limit.
fn limited(limit: &str, program: &str) -> Command {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{limit} && exec \"$0\" \"$@\"")).arg(program);
    command
}

/// The program's command line: it makes this many calls in two threads.
fn program(case: &Case, java: &str, calls: u32, done: &str) -> Vec<String> {
    let calls = calls.to_string();
    let done = case.mark(done).display().to_string();
    let words = [&[java], &SMALL[..], &["-cp", "classes", "Scarce", &calls, "1", &done]].concat();
    words.into_iter().map(str::to_owned).collect()
}

/// Asserts that the program reached its own end: it printed its sum, had its last effect, and ended with its
/// exit code.
#[track_caller]
fn is_whole(case: &Case, run: &Run, done: &str, sum: &str) {
    let said = run.said();
    assert!(said.contains(sum), "{said}");
    assert!(said.contains("ended with exit code 3"), "{said}");
    assert!(case.mark(done).exists(), "its last effect is missing: {said}");
}

#[test]
fn a_program_without_address_space_for_the_recorder_goes_on_unrecorded() {
    let case = Case::new("scarce");
    for java in javas_in_turn(0) {
        let (mut unrecorded, mut recorded) = (0, 0);
        for megabytes in (600..=3_000).step_by(200) {
            let limit = format!("ulimit -v {}", megabytes * 1024);
            let name = format!("{megabytes}-{}", java.len());
            // A limit too small for the VM itself does not concern the recorder.
            let words = program(&case, &java, 100, &format!("plain-{name}"));
            let mut plain = limited(&limit, &words[0]);
            let plain = crate::support::finish(plain.args(&words[1..]).current_dir(case.work()));
            if plain.status.code() != Some(3) {
                continue;
            }
            let sum = String::from_utf8_lossy(&plain.stdout).trim().to_owned();
            for level in ["calls", "all"] {
                let done = format!("{level}-{name}");
                let out = case.mark(&format!("trace-{done}"));
                let mut command = limited(&limit, env!("CARGO_BIN_EXE_qp"));
                // `qp` unpacks the agent and finds its folders as in any other run of a case.
                command.envs(case.qp().get_envs().filter_map(|(name, value)| Some((name, value?))));
                command.current_dir(case.work()).args(["trace", "record", "--show-output", "--level", level]);
                command.arg("--out").arg(&out).arg("--").args(program(&case, &java, 100, &done));
                let run = case.run_command(&mut command);
                is_whole(&case, &run, &done, &sum);
                if run.said().contains("missing:") {
                    run.is(
                        4,
                        &["missing: the process may not have as much address space as the recorder needs"],
                    );
                    assert!(run.said().contains("nothing was recorded\n"), "{}", run.said());
                    unrecorded += 1;
                } else {
                    run.is(0, &[]);
                    let calls = Command::new(env!("CARGO_BIN_EXE_qp"))
                        .args(["trace", "calls", "--all", "--method", "Scarce.step"])
                        .arg(&out)
                        .output()
                        .expect("qp");
                    assert_eq!(said(&calls).matches(".step(").count(), 200, "{}", said(&calls));
                    recorded += 1;
                }
            }
        }
        assert!(unrecorded > 0 && recorded > 0, "{java}: {unrecorded} unrecorded, {recorded} recorded");
    }
}

/// The same with probes: `qp` answers the question, or says why it cannot.
#[test]
fn a_program_without_address_space_for_probes_is_answered_all_the_same() {
    let case = Case::new("scarce");
    let line = case.line("Scarce.java", "System.out.println(\"sum \" + last);");
    for java in javas() {
        let mut answered = 0;
        for megabytes in (1_000..=2_200).step_by(400) {
            let limit = format!("ulimit -v {}", megabytes * 1024);
            let done = format!("probed-{megabytes}-{}", java.len());
            let words = program(&case, &java, 100, &done);
            let mut plain = limited(&limit, &words[0]);
            let plain = crate::support::finish(plain.args(&words[1..]).current_dir(case.work()));
            if plain.status.code() != Some(3) {
                continue;
            }
            let points = format!(
                r#"(id: "A", at: Line("Scarce", {line})), (id: "B", at: LastChange("A:Scarce.last"))"#
            );
            let chain = case.chain(&format!("command: {words:?}"), &points);
            let mut command = limited(&limit, env!("CARGO_BIN_EXE_qp"));
            command.envs(case.qp().get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.current_dir(case.work()).args(["replay", "--backend=probe"]).arg(chain);
            let run = case.run_command(&mut command);
            let code = run.output.status.code();
            assert!(code == Some(0) || said(&run.output).contains("probes cannot answer"), "{}", run.said());
            answered += u32::from(code == Some(0));
        }
        assert!(answered > 0, "{java}");
    }
}

/// Asserts a recording that ended when the disk was full: its program reached its end, `qp` reports where the
/// recording ends, and it is readable up to there. Returns its number of calls of `step`.
#[track_caller]
fn ends_early(case: &Case, run: &Run, out: &std::path::Path, all: usize) -> usize {
    let said = run.said();
    let why = said.lines().find(|line| line.starts_with("missing: ")).unwrap_or_else(|| panic!("{said}"));
    assert!(why.contains("events: ") && why.contains("later events are missing"), "{said}");
    assert_eq!(run.output.status.code(), Some(4), "{said}");
    let mut info = case.qp();
    let info = case.run_command(info.args(["trace", "info"]).arg(out));
    info.is(0, &["ended exit code 3", "later events are missing"]);
    let mut calls = case.qp();
    calls.args(["trace", "calls", "--all", "--method", "Scarce.step", "--format=json"]).arg(out);
    let calls = case.run_command(&mut calls);
    calls.is(0, &[]);
    let found = String::from_utf8_lossy(&calls.output.stdout).matches("\"result\"").count();
    assert!(found < all, "{found} of {all}");
    found
}

/// The system limits the length of files, like a full disk.
#[test]
fn a_program_goes_on_unrecorded_when_the_file_of_events_can_get_no_longer() {
    let case = Case::new("scarce");
    let calls = 300_000;
    // Blocks have 512 bytes. The first limit is just enough for the agent, which is unpacked first.
    let agent = debuggee::LIBRARY.len() / 512 + 100;
    for java in javas_in_turn(1) {
        for (n, blocks) in [agent, agent + 6_000, 40_000].into_iter().enumerate() {
            let limit = format!("ulimit -f {blocks}");
            let done = format!("full-{blocks}-{}", java.len());
            let out = case.mark(&format!("trace-{done}"));
            let mut command = limited(&limit, env!("CARGO_BIN_EXE_qp"));
            command.envs(case.qp().get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.current_dir(case.work()).args(["trace", "record", "--level=all", "--show-output"]);
            command.arg("--out").arg(&out).arg("--").args(program(&case, &java, calls, &done));
            let run = case.run_command(&mut command);
            is_whole(&case, &run, &done, "sum ");
            let found = ends_early(&case, &run, &out, 2 * calls as usize);
            assert!(found > 100 || n == 0, "{found} calls with {blocks} blocks");
        }
    }
}

/// The same on a full disk, in its own mount namespace if the system allows one; and on a read-only disk.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_the_recording_and_not_the_program() {
    let case = Case::new("scarce");
    let disk = case.mark("disk");
    let kept = case.mark("kept");
    std::fs::create_dir_all(&disk).expect("a folder");
    let inside = |size: &str, script: &str| {
        let mut command = Command::new("unshare");
        let mount = format!("mount -t tmpfs -o size={size} none \"$DISK\" && {script}");
        command.args(["-rm", "sh", "-c", &mount]);
        command.envs(case.qp().get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.env("DISK", &disk).env("KEPT", &kept).env("QP", env!("CARGO_BIN_EXE_qp"));
        command.current_dir(case.work());
        command
    };
    if !inside("1m", "true").status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: this system lets nobody mount a disk");
        return;
    }
    let calls = 300_000;
    for java in javas_in_turn(0) {
        for size in ["160k", "1m", "6m", "12m"] {
            let done = format!("disk-{size}-{}", java.len());
            drop(std::fs::remove_dir_all(&kept));
            let words = program(&case, &java, calls, &done).join("' '");
            // Then it is read in place: its tables go elsewhere, even where nothing can be written at all.
            let script = format!(
                "\"$QP\" trace record --level=all --show-output --out \"$DISK/t\" -- '{words}'; code=$?; \
                 cp -r \"$DISK/t\" \"$KEPT\"; dd if=/dev/zero of=\"$DISK/rest\" bs=4k 2> /dev/null; rm -rf \"$DISK/t/columns\"; \
                 \"$QP\" trace calls --method Scarce.main \"$DISK/t\" || exit 90; \
                 mount -o remount,ro \"$DISK\" && \"$QP\" trace calls --method Scarce.main \"$DISK/t\" || exit 91; \
                 exit $code"
            );
            let run = case.run_command(&mut inside(size, &script));
            is_whole(&case, &run, &done, "sum ");
            let said = run.said();
            if size == "160k" {
                // There is no room for the rings.
                assert!(said.contains("missing: there was no memory or no space on disk"), "{said}");
                continue;
            }
            assert_eq!(said.matches("Scarce.main(").count(), 2, "{said}");
            let found = ends_early(&case, &run, &kept, 2 * calls as usize);
            // How soon the disk is full depends on how far the collector lags behind.
            assert!(found > 10, "{found} calls on {size}: {said}");
        }
    }
}
