//! Large logs, whose blocks are searched on several threads.

use crate::recordings::{Recorded, java};
use crate::support::{finish, qp, scratch};
use serde_json::Value;

const ROUNDS: u64 = 80_000;

/// A program whose events can be counted: for each round a call of `step`, two writes to `value` and a call
/// of `get`.
const SOURCE: &str = "public class Counted {
    int value;
    int get() { return value; }
    int step(int i) { value = i; value = -1; return get(); }
    public static void main(String[] a) {
        Counted counted = new Counted();
        for (int i = 0; i < Integer.parseInt(a[0]); i++) counted.step(i);
    }
}";

fn recorded() -> Recorded {
    let folder = tempfile::tempdir_in(scratch()).expect("a folder").keep();
    let file = folder.join("Counted.java");
    std::fs::write(&file, SOURCE).expect("written");
    let javac = std::process::Command::new("javac").args(["-g", "-d"]).arg(&folder).arg(&file).status();
    assert!(javac.expect("javac runs").success());
    let mut command = java(&folder, "Counted");
    command.push(ROUNDS.to_string());
    // The log is too large to be exported for each test run.
    let recorded = folder.join("counted.trace");
    let mut record = qp();
    record.args(["trace", "record", "--level", "writes", "--out"]).arg(&recorded).arg("--").args(command);
    assert!(finish(&mut record).status.success());
    let (name, file, printed) = ("counted".to_owned(), folder.join("counted.pl"), String::new());
    Recorded { name, folder: recorded, file, events: Vec::new(), printed }
}

fn ids(recorded: &Recorded, words: &[&str]) -> Vec<u64> {
    let answer = recorded.answer(words);
    answer["rows"].as_array().expect("rows").iter().filter_map(|row| row["id"].as_u64()).collect()
}

#[test]
fn large_searches_find_all_events_in_order() {
    let recorded = recorded();
    let count = |goal: &str| recorded.ask(&format!("aggregate_all(count, {goal}, N)"), &[]).join("");
    assert_eq!(count("event(_, _, methodcall(_, _, get, _))"), format!("N={ROUNDS}"));
    assert_eq!(count("event(_, _, setfield(_, _, value, -1))"), format!("N={ROUNDS}"));
    assert_eq!(count("event(_, _, setfield(_, _, value, 41))"), "N=1");
    assert_eq!(count("event(_, _, methodexit(_, _, _, get, 5))"), "N=0");
    // The log has six events for each round: calls, writes and exits.
    let steps = ids(&recorded, &["calls", "step"]);
    assert_eq!(steps.len() as u64, ROUNDS);
    let first = steps[0];
    assert!(steps.iter().enumerate().all(|(at, id)| *id == first + 6 * at as u64));
    let writes = ids(&recorded, &["where-set", "Counted.value", "--value", "59999"]);
    assert_eq!(writes, [steps[59_999], steps[59_999] + 1]);
    let chain: Value = recorded.answer(&["chain", &(steps[30_000] + 3).to_string()]);
    let names = chain["rows"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap());
    assert_eq!(names.collect::<Vec<_>>(), ["step", "main"]);
}
