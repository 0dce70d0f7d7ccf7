//! Chains as tests: the verdict of `qp check` on a bug that is present, is fixed, has come back or has
//! another cause.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::{finish, marked, qp, said};
use serde_json::Value;
use std::path::{Path, PathBuf};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// A chain of the fixture whose program goes this way; `more` are fields of the chain.
    fn chain(&self, name: &str, way: &str, more: &str) -> PathBuf {
        let classes = crate::support::compiled("fixtures/guarded", &["-g"]);
        let line = |mark| marked("fixtures/guarded", "Guarded.java", mark);
        let text = format!(
            r#"(format: 1, {more}
                debuggee: (command: ["java", "-cp", {classes:?}, "Guarded", "{way}"], sources: [{:?}]),
                points: [
                    (id: "A", at: Line("Guarded", {})),
                    (id: "B", at: LastChange("A(0):Guarded.total"), expect: (text: "total = -1; // <- bug", new: "-1")),
                    (id: "S", at: Line("Guarded", {})),
                ])"#,
            crate::support::root().join("tests/fixtures/guarded"),
            line("// <- A"),
            line("// <- S"),
        );
        self.write(name, &text)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(&file, text).expect("written");
        file
    }

    fn check(&self, options: &[&str]) -> (i32, Value) {
        let output = finish(qp().arg("check").arg(self.path()).args(["--format", "json"]).args(options));
        let report =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
        (output.status.code().expect("a code"), report)
    }

    /// The status and the reason of the only chain, with the exit code.
    fn check_one(&self) -> (i32, String, String) {
        let (code, report) = self.check(&[]);
        let one = &report["chains"][0];
        assert_eq!(report["chains"].as_array().map(Vec::len), Some(1));
        let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
        (code, text("status"), text("reason"))
    }

    fn bisect(&self, name: &str) -> i32 {
        finish(qp().arg("bisect").arg(self.path().join(name))).status.code().expect("a code")
    }
}

const ABSENT: &str = r#"guards: Absent, alive: "S","#;

/// For each way the program can go: guards, the exit codes of `check` and `bisect`, the status and a word of
/// the reason.
#[test]
fn what_is_guarded_decides_what_an_answer_means() {
    let alive = r#"alive: "S","#;
    for (way, more, code, bisected, status, word) in [
        ("bug", alive, 0, 1, "passed", "as recorded"),
        ("bug", "", 0, 1, "passed", "as recorded"),
        ("fixed", alive, 1, 0, "failed", "not reached any more"),
        ("other", alive, 1, 125, "failed", "another"),
        ("early", alive, 2, 125, "unsure", "scenario was not run"),
        ("fixed", ABSENT, 0, 0, "passed", "not reached"),
        ("bug", ABSENT, 1, 1, "failed", "the bug is back"),
        ("other", ABSENT, 1, 125, "failed", "another"),
        ("early", ABSENT, 2, 125, "unsure", "scenario was not run"),
        ("early", "guards: Absent,", 2, 125, "unsure", "exit code 3"),
    ] {
        let folder = Folder::new();
        folder.chain("c.ron", way, more);
        let found = folder.check_one();
        assert!(found.2.contains(word), "{way} {more}: {found:?}");
        assert_eq!((found.0, found.1.as_str()), (code, status), "{way} {more}: {}", found.2);
        assert_eq!(folder.bisect("c.ron"), bisected, "{way} {more}");
    }
    // Without `alive`, a run that ends well by itself counts, if the chain has no other requirement.
    let folder = Folder::new();
    let text = std::fs::read_to_string(folder.chain("c.ron", "fixed", "guards: Absent,")).expect("read");
    let without_s = text.lines().filter(|l| !l.contains(r#"id: "S""#)).collect::<Vec<_>>().join("\n");
    folder.write("c.ron", &without_s);
    assert_eq!(folder.check_one().1, "passed");
    assert_eq!(folder.bisect("c.ron"), 0);
}

#[test]
fn a_failure_is_shown_as_expected_and_found_points() {
    let folder = Folder::new();
    folder.chain("c.ron", "other", ABSENT);
    let output = finish(qp().arg("check").arg(folder.path()));
    let text = said(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    let line = marked("fixtures/guarded", "Guarded.java", "// <- other");
    for shown in [
        "- outcome: not reached",
        "+ outcome: reached",
        &format!("B  LastChange(A(0):Guarded.total), Guarded.java:{line}"),
        "- text: total = -1; // <- bug",
        "+ text: total = -2; // <- other",
        "- new: -1",
        "+ new: -2",
        "0 of 1 chains passed, 1 failed",
    ] {
        assert!(text.contains(shown), "`{shown}` is missing in\n{text}");
    }
}

#[test]
fn many_chains_are_checked_in_parts_and_reported() {
    let folder = Folder::new();
    folder.chain("a/one.ron", "bug", "");
    folder.chain("a/two.ron", "fixed", ABSENT);
    folder.chain("b.ron", "fixed", "");
    folder.write("c.ron", "(format: 1, debuggee: (command: [\"java\"]), points: [");
    folder.write("notes.txt", "no chain");
    let junit = folder.path().join("report.xml");
    let (code, report) = folder.check(&["--jobs", "3", "--junit", junit.to_str().expect("a path")]);
    let chains = report["chains"].as_array().expect("chains").clone();
    let statuses: Vec<&str> = chains.iter().filter_map(|c| c["status"].as_str()).collect();
    assert_eq!((code, statuses), (2, vec!["passed", "passed", "failed", "bad-chain"]));
    assert_eq!(report["outcome"], "bad-chain");
    assert_eq!(chains[0]["answer"]["points"][1]["new"], "-1");
    assert_eq!(chains[1]["guards"], "Absent");

    let xml = std::fs::read_to_string(&junit).expect("a report");
    assert!(xml.contains(r#"tests="4" failures="1" errors="1""#), "{xml}");
    assert_eq!((xml.matches("<testcase ").count(), xml.matches("<failure ").count()), (4, 1), "{xml}");
    assert!(xml.contains("&quot;") || xml.contains("&gt;"), "what the text quotes is escaped: {xml}");

    let mut parts = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let (_, report) = folder.check(&["--shard", shard]);
        let chains = report["chains"].as_array().expect("chains").clone();
        assert!(!chains.is_empty() && chains.len() <= 2);
        parts.extend(chains.iter().map(|c| c["chain"].to_string()));
    }
    parts.sort();
    let all: Vec<String> = chains.iter().map(|c| c["chain"].to_string()).collect();
    assert_eq!(parts, all, "each chain is in one part");
}

#[test]
fn what_cannot_be_used_is_told() {
    let folder = Folder::new();
    let code = |arguments: &[&str]| {
        let output = finish(qp().args(arguments));
        (output.status.code().expect("a code"), said(&output))
    };
    let path = folder.path().to_str().expect("a path");
    let (exit, text) = code(&["check", path]);
    assert!(exit == 2 && text.contains("no chains in"), "{exit} {text}");
    assert_eq!(code(&["check", path, "--shard", "4/3"]).0, 2);
    let file = folder.chain("c.ron", "fixed", r#"alive: "A","#);
    let (exit, text) = code(&["check", file.to_str().expect("a path")]);
    assert!(exit == 2 && text.contains("is the root"), "{exit} {text}");
    // git reads any other code as a bad commit.
    assert_eq!(code(&["bisect", "no/such.ron"]).0, 125);
    assert_eq!(code(&["bisect"]).0, 125);
    assert_eq!(code(&["bisect", "--no-such-option"]).0, 125);
    assert_eq!(code(&["bisect", "--help"]).0, 0);
    let broken = folder.write(
        "d.ron",
        r#"(format: 1, debuggee: (build: ["false"], command: ["java", "M"]), points: [(id: "A", at: Line("M", 1))])"#,
    );
    let broken = broken.to_str().expect("a path");
    assert_eq!((code(&["bisect", broken]).0, code(&["check", broken]).0), (125, 4));
}

/// A root condition that could not be evaluated does not count as an absent bug.
#[test]
fn a_condition_that_fails_is_no_absence() {
    let folder = Folder::new();
    let file = folder.chain("c.ron", "bug", ABSENT);
    let text = std::fs::read_to_string(&file).expect("read");
    let failing = text.replacen("(id: \"A\",", "(id: \"A\", when: \"args[7] == null\",", 1);
    std::fs::write(&file, failing).expect("written");
    let (code, status, reason) = folder.check_one();
    assert_eq!((code, status.as_str()), (2, "unsure"), "{reason}");
    assert!(reason.contains("could not be evaluated"), "{reason}");
    assert_eq!(folder.bisect("c.ron"), 125);
}
