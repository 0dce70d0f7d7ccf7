//! `show` runs methods of the program in another run, as the call ends that is asked about.

use crate::members::lines;
use crate::support::case::Case;
use serde_json::json;
use std::path::PathBuf;

/// The calls of the program by number.
const MAIN: u32 = 0;
const WITH_ONE: u32 = 4;
const DROP_ONE: u32 = 10;
const DROP_THREE: u32 = 13;

fn recording(case: &Case) -> PathBuf {
    let folder = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=writes", "--out"]).arg(&folder);
    case.run_command(record.args(["--", "java", "-cp", "classes", "Outlines"])).is(0, &["recorded in"]);
    folder
}

#[test]
fn the_programs_own_text_of_an_object_is_shown_as_a_call_ends() {
    let case = Case::new("outlines");
    let folder = recording(&case);
    let asked = [
        (WITH_ONE, "this.toString()"),
        (DROP_ONE, "this.toString()"),
        (DROP_ONE, "this.parts.size() + part.length()"),
        (WITH_ONE, "result.toString()"),
        (DROP_THREE, "this.toString()"),
        (DROP_ONE, "this.nothing()"),
        (MAIN, "book.toString()"),
        (DROP_ONE, "this.shown"),
    ];
    let line = |(call, value): (u32, &str)| {
        format!("{}\n", json!({"question": 1, "node": call, "command": format!("show {value}")}))
    };
    let text: String = asked.into_iter().map(line).collect();
    let told = lines(&case, &folder, &["--strategy=top-down"], text.as_bytes());
    let ran = |at: usize| &told[at]["content"]["value"];
    assert_eq!(ran(1), "\"first\\n  one\"", "{told:?}");
    assert_eq!((ran(2), &told[2]["reply"]), (&json!("\"first\\n  two\""), &json!("called")));
    assert_eq!((ran(3), ran(4)), (&json!("4"), &json!("\"one\"")));
    assert!(told[5]["error"].as_str().expect("why").contains("only at the end of a call that returned"));
    assert!(told[6]["error"].as_str().expect("why").contains("nothing"), "{told:?}");
    assert_eq!(ran(7), "\"book\\n  first\\n    two\\n  last\"");
    // What ran there changed nothing here.
    assert_eq!((&told[8]["reply"], &told[8]["content"]["value"]), (&json!("show"), &json!("0")));
}
