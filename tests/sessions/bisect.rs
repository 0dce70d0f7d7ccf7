//! A real `git bisect run qp bisect CHAIN` over twenty commits whose lines move, with one culprit.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support::said;
use std::path::Path;
use std::process::{Command, Stdio};

const COMMITS: usize = 20;
/// The commit to find.
const CULPRIT: usize = 13;
/// A commit that does not compile, on the search's path.
const BROKEN: usize = 14;
/// From this commit on the method of the root has another name.
const RENAMED: usize = 9;

fn program(commit: usize) -> String {
    let notes: String = (0..commit).map(|n| format!("// note {n}\n")).collect();
    let discount = if commit < CULPRIT { "price / 10" } else { "price / 100" };
    let check = if commit < RENAMED { "check" } else { "verify" };
    let broken = if commit == BROKEN { "no java" } else { "" };
    format!(
        r#"{notes}public class Totals {{
    static int total;

    static void add(int price) {{
        total += price;
    }}

    static int discount(int price) {{
        return {discount};
    }}

    public static void main(String[] args) {{
        for (int price : new int[] {{100, 50, 30}}) {{
            add(price - discount(price));
        }}
        {check}(total);
        System.out.println("done");{broken}
    }}

    static void {check}(int sum) {{
        if (sum > 170) {{
            System.out.println("too much");
        }}
    }}
}}
"#
    )
}

const CHAIN: &str = r#"(format: 1, alive: "S",
    debuggee: (build: ["javac", "-g", "-d", "classes", "Totals.java"],
               command: ["java", "-cp", "classes", "Totals"], cwd: "repository"),
    points: [
        (id: "A", at: Line("Totals", 42), text: "System.out.println(\"too much\");", method: "verify"),
        (id: "B", at: LastChange("A(0):Totals.total"), expect: (text: "total += price;")),
        (id: "S", at: Line("Totals", 36), text: "System.out.println(\"done\");", method: "main"),
    ])"#;

fn git(repository: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=tester", "-c", "user.email=tester@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .current_dir(repository)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .stdin(Stdio::null())
        .output()
        .expect("git runs");
    assert!(output.status.success(), "git {arguments:?}: {}", said(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn the_commit_that_brought_the_bug_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let repository = folder.path().join("repository");
    std::fs::create_dir(&repository).expect("made");
    let chain = folder.path().join("totals.ron");
    std::fs::write(&chain, CHAIN).expect("written");
    git(&repository, &["init", "-q"]);
    std::fs::write(repository.join(".gitignore"), "classes/\n").expect("written");
    let mut hashes = Vec::new();
    for commit in 0..COMMITS {
        std::fs::write(repository.join("Totals.java"), program(commit)).expect("written");
        git(&repository, &["add", "-A"]);
        git(&repository, &["commit", "-q", "-m", &format!("commit {commit}")]);
        hashes.push(git(&repository, &["rev-parse", "HEAD"]).trim().to_owned());
    }
    git(&repository, &["bisect", "start", &hashes[COMMITS - 1], &hashes[0]]);
    let chain = chain.to_str().expect("a path");
    let log = git(&repository, &["bisect", "run", env!("CARGO_BIN_EXE_qp"), "bisect", "--trust", chain]);
    assert!(log.contains(&format!("{} is the first bad commit", hashes[CULPRIT])), "{log}");
    let told = |word: &str| log.lines().filter(|l| l.starts_with(word)).count();
    assert!(told("present: A is reached") >= 1 && told("absent: A is not reached") >= 1, "{log}");
    assert!(told("unknown: ") >= 1, "the commit that does not compile was passed: {log}");
}
