//! The program `qp-parquet` as `qp` starts it. tests/traces/files.rs compares its files with the lines, by
//! another reader of Parquet.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn converted(lines: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qp-parquet"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = program.stdin.take().unwrap();
    // It may have ended before it has read all.
    _ = input.write_all(lines.as_bytes());
    drop(input);
    program.wait_with_output().unwrap()
}

const ROW: &str = r#"{"thread":"main","turn":18446744073709551615,"class":"A","method":"m","descriptor":"()V",
    "event":"enter","node":4294967295,"arguments":["1",""],"index":-1}"#;

#[test]
fn lines_become_a_file() {
    let output = converted(&format!("{ROW}\n{ROW}\n"));
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    assert!(converted("").status.success(), "a recording without events is a file without rows");
}

#[test]
fn what_is_no_event_is_refused() {
    let refused = [
        (ROW.replace("18446744073709551615", "-1"), "`turn` is of another kind"),
        (ROW.replace("4294967295", "4294967296"), "`node` is of another kind"),
        (ROW.replace(r#""thread":"main","#, ""), "`thread` is of another kind"),
        (ROW.replace(r#"["1",""]"#, r#"["1",2]"#), "`arguments` is of another kind"),
        (ROW.replace(r#"["1",""]"#, r#""1""#), "`arguments` is of another kind"),
        (ROW.replace('}', ""), "EOF while parsing"),
    ];
    for (lines, why) in refused {
        let output = converted(&lines);
        assert_eq!(output.status.code(), Some(4), "{lines}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(why), "{said}");
    }
}
