//! What constructors write before `super(…)` is recorded: fields of the object that they create, and locals.
//! What no event records is unknown.

#![allow(clippy::expect_used, clippy::panic, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::questions::told;
use crate::support::traced::{exported, info, text};
use crate::support::{javac, javas, qp};
use rewrite::Scan;

/// Moves the first call of a constructor's code behind the writes that follow it, as the compiler of Java 25
/// does where these stand before `super(…)`. The call has `call` bytes, and the writes those up to `end`.
/// There are no jumps, so only the line numbers move with the code.
fn write_first(class: &[u8], descriptor: &str, call: usize, end: usize) -> Vec<u8> {
    let code =
        Scan::new(class).expect("a class").code("<init>", descriptor).expect("code").expect("a method");
    let at = code.as_ptr().addr() - class.as_ptr().addr();
    let mut moved = class.to_vec();
    moved[at..at + end].rotate_left(call);
    let word = |at: usize| usize::from(u16::from_be_bytes([class[at], class[at + 1]]));
    // The exception table is empty, and the first attribute is the LineNumberTable (JVMS §4.7.12).
    let table = at + code.len() + 2 + 2 + 2 + 4;
    let mut rows: Vec<[usize; 2]> =
        (0..word(table)).map(|n| table + 2 + 4 * n).map(|row| [word(row), word(row + 2)]).collect();
    for [pc, _] in &mut rows {
        *pc = if *pc < call {
            *pc + end - call
        } else if *pc < end {
            *pc - call
        } else {
            *pc
        };
    }
    rows.sort_unstable();
    for (n, row) in rows.iter().flatten().enumerate() {
        let row = u16::try_from(*row).expect("a row").to_be_bytes();
        moved[table + 2 + 2 * n..][..2].copy_from_slice(&row);
    }
    moved
}

#[test]
fn what_is_written_before_super_is_recorded() {
    let case = Case::new("early");
    let file = case.work().join("classes/Early$Moved.class");
    let class = std::fs::read(&file).expect("a class file");
    std::fs::write(&file, write_first(&class, "(ILEarly$Moved;)V", 5, 41)).expect("written");
    let lost = case.work().join("classes/Early$Lost.class");
    let class = std::fs::read(&lost).expect("a class file");
    std::fs::write(&lost, write_first(&class, "(I)V", 5, 10)).expect("written");
    for (n, java) in javas().iter().enumerate() {
        let trace = case.mark(&format!("trace{n}"));
        let mut command = case.qp();
        command.args(["trace", "record", "--show-output", "--level=all", "--out"]).arg(&trace);
        let run = case.run_command(command.args(["--", java, "-Xverify:all", "-cp", "classes", "Early"]));
        run.is(0, &["5 10 6 5", "1 75 0 none", "4 outer", "8 8", "3"]);
        assert_eq!(info(&trace)["missing"], serde_json::json!([]));
        let events = exported(&trace, &[]);
        let writes = |kind: &str, name: &str| -> Vec<String> {
            let of = events.iter().filter(|event| event["event"] == kind && event["name"] == name);
            of.map(|event| text(&event["new"]).split('@').next().unwrap_or_default().to_owned()).collect()
        };
        // Of the object that is not yet one, and of another one.
        assert_eq!(writes("field", "number"), ["10", "75", "1"]);
        assert_eq!(writes("field", "wide"), ["0L", "6L"]);
        assert_eq!(writes("field", "text"), ["\"none\"", "\"5\""]);
        assert_eq!(writes("field", "other"), ["Early.Moved"]);
        assert_eq!(writes("field", "this$0"), ["Early"]);
        assert_eq!(writes("field", "val$given"), ["8"]);
        assert_eq!(writes("local", "text"), ["\"four\""]);
        let calls = |class: &str, method: &str| -> Vec<String> {
            let entered = events.iter().filter(|event| event["event"] == "enter");
            let of = entered.filter(|event| event["class"] == class && event["method"] == method);
            of.map(|event| event["node"].to_string()).collect()
        };
        // A handler before `super(…)` ends the calls below it.
        let path = trace.to_str().expect("a path");
        let [parsed, _] = calls("Early$Parsed", "<init>").try_into().expect("two calls");
        case.run(&["trace", "events", &parsed, path])
            .is(0, &["caught NumberFormatException", "new Early.Base(-3)"]);
        // What `Base` sees of the fields.
        let seen = calls("Early$Moved", "seen");
        let state = case.run(&["trace", "state", &seen[1], path, "--format=json"]).answer();
        let part = |name: &str| {
            let parts = state["parts"].as_array().expect("parts");
            parts.iter().find(|part| part["name"] == name).expect("a part")["entry"].clone()
        };
        assert_eq!(["number", "wide", "text"].map(part), ["10", "6L", "\"5\""]);
        // The constructor of the superclass kept `this` and threw: what was written before is not known.
        let at = format!("Early:{}", case.line("Early.java", "// the lost write"));
        let asked = |field: &str| {
            case.run(&["omitted", &format!("((Lost) Leaking.leaked).{field}"), "--at", &at, path])
        };
        asked("kept").is(1, &["kept at Early.java", "the value is not known"]);
        asked("other").is(1, &["other = 0 at Early.java"]);
    }
}

#[test]
fn what_a_method_writes_that_cannot_be_recorded_is_unknown() {
    let folder = tempfile::tempdir().expect("a folder");
    let writes = "value++; ".repeat(5000);
    let source = format!(
        "class Huge {{ int value; int other; void fill() {{ {writes} }}\n\
         static Huge made() {{ Huge made = new Huge(); made.fill(); return made; }}\n\
         public static void main(String[] arguments) {{ made(); }} }}"
    );
    std::fs::write(folder.path().join("Huge.java"), source).expect("written");
    javac::Javac::new().args(["-g", "-d"]).arg(folder.path()).arg(folder.path().join("Huge.java")).run();
    let mut diagnose = qp();
    diagnose.args(["diagnose", "--format=json", "--strategy=single-stepping", "--", "java", "-cp"]);
    let told = told(diagnose.arg(folder.path()).arg("Huge"), |_| "valid");
    let made = told.questions.iter().find(|question| question["method"] == "made").expect("a question");
    let fields = &made["result"]["fields"];
    assert_eq!(
        (&fields["value"]["unknown"], &fields["other"]["value"]),
        (&true.into(), &0.into()),
        "{made:#}"
    );
}
