//! The past of one recording, asked at the same moments through several doors: the prompt of `qp trace step`,
//! an editor, and the page. All give the same values, writes and causes.

use crate::agent::Agent;
use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::rng::Rng;
use crate::support::{finish, said};
use crate::web::Page;
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;

const DOORS: &str = "import java.util.*;
public class Doors {
    static class Base {
        int n;
    }
    static class Mid extends Base {
        int n = 50;
        final Inner inner = new Inner();
        class Inner {
            int depth(int steps) {
                int found = steps + n;
                return found;
            }
        }
        void both(int given) {
            super.n = given + 1;
            n = given;
            ((Base) this).n += 1;
            sum += given;
            mark(given * 2);
        }
        int read() {
            int both = n + super.n;
            return both;
        }
    }
    static int sum;
    static final Map<String, Integer> known = new TreeMap<>();
    static final List<Integer> list = new ArrayList<>();
    static void mark(int value) {
        int twice = value + 1;
        list.add(twice);
        known.put(\"k\" + value, twice);
        if (value > 6)
            known.remove(\"k2\");
    }
    static int seen;
    static void look(int value) {
        seen += value;
    }
    static int deep(int left, int[] cells) {
        if (left == 0) return cells[1];
        cells[left] = left * left;
        return deep(left - 1, cells);
    }
    public static void main(String[] args) {
        Mid mid = new Mid();
        for (int i = 1; i < 5; i++)
            mid.both(i);
        int inside = mid.inner.depth(7);
        int[] cells = new int[4];
        if (args.length == 0)
            list.forEach(value -> look(value));
        System.out.println(mid.read() + \" \" + known + list + sum + inside + deep(3, cells));
    }
}
";

/// The line of the program that contains a text.
fn line(text: &str) -> usize {
    1 + DOORS.lines().position(|line| line.contains(text)).expect("a line")
}

/// A recording of the program.
fn recorded() -> Case {
    let case = Case::new("traced");
    std::fs::write(case.work().join("Doors.java"), DOORS).expect("written");
    let mut javac = std::process::Command::new("javac");
    let javac = javac.args(["-g", "-d", "classes", "Doors.java"]).current_dir(case.work()).status();
    assert!(javac.expect("javac").success());
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "all", "--out", "doors.trace", "--"]);
    let output = finish(record.args(["java", "-cp", "classes", "Doors"]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    case
}

/// The replies of `qp trace step` to lines, without the first view.
pub fn stepped(case: &Case, lines: &[String]) -> Vec<Value> {
    let mut command = case.qp();
    command.args(["trace", "step", "--format=json", "0", "doors.trace"]);
    let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("qp starts");
    let mut stdin = process.stdin.take().expect("a pipe");
    let text = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || drop(stdin.write_all(text.as_bytes())));
    let output = process.wait_with_output().expect("its output");
    writer.join().expect("it was written");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let told: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(told.len(), lines.len() + 1, "{text}");
    told.into_iter().skip(1).collect()
}

/// The editor with the recording open.
fn opened(case: &Case) -> Editor {
    let mut editor = Editor::start(case);
    editor.launch(json!({"mode": "trace", "trace": "doors.trace", "cwd": case.work(), "sources": ["."]}));
    editor
}

/// The number of the last call of a method.
fn last_call(case: &Case, method: &str) -> u64 {
    let output = finish(case.qp().args([
        "trace",
        "calls",
        "doors.trace",
        "--method",
        method,
        "--all",
        "--format=json",
    ]));
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let calls = shown["threads"][0]["calls"].as_array().expect("calls").clone();
    calls.last().expect("a call")["node"].as_u64().expect("a number")
}

/// What a door says of a name: its value, or that there is none.
pub fn of_step(reply: &Value) -> Option<String> {
    reply["content"]["value"].as_str().map(str::to_owned)
}

pub fn of_editor(editor: &mut Editor, name: &str) -> Option<String> {
    let seq = editor.send("evaluate", json!({"expression": name, "context": "watch"}));
    editor.response(seq)["body"]["result"].as_str().map(str::to_owned)
}

/// A write as line, object or class, name, and new value, as one text.
pub fn write(event: &Value) -> String {
    let owner = event["object"].as_str().or(event["declared_by"].as_str()).unwrap_or_default();
    let name = event["name"].as_str().map_or_else(|| event["index"].to_string(), str::to_owned);
    format!("{} {owner} {name} {}", event["line"], event["new"])
}

#[test]
fn names_mean_what_they_mean_in_java_in_every_door() {
    let case = recorded();
    let (read, mark) = (last_call(&case, "Doors$Mid.read"), last_call(&case, "Doors.mark"));
    let depth = last_call(&case, "Doors$Mid$Inner.depth");
    let asked = [
        (read, "n", "4"),
        (read, "this.n", "4"),
        (read, "super.n", "6"),
        (read, "((Base) this).n", "6"),
        (read, "sum", "10"),
        (read, "Doors.sum", "10"),
        (read, "list.size()", "4"),
        (read, "n + super.n", "10"),
        (mark, "value", "8"),
        (mark, "sum", "10"),
        (mark, "list.get(2)", "7"),
        (depth, "steps", "7"),
        (depth, "n", "4"),
        (depth, "steps * n", "28"),
    ];
    let mut lines = Vec::new();
    for (call, name, _) in asked {
        lines.extend([format!("go {call}.1"), format!("show {name}")]);
    }
    let replies = stepped(&case, &lines);
    let mut editor = opened(&case);
    for (at, (call, name, expected)) in asked.into_iter().enumerate() {
        assert_eq!(of_step(&replies[2 * at + 1]).as_deref(), Some(expected), "{name}: {replies:#?}");
        editor.says(&format!("go {call}.1"));
        assert_eq!(of_editor(&mut editor, name).as_deref(), Some(expected), "{name}");
    }
    // The object as texts write it, whose fields are told apart.
    let this = of_editor(&mut editor, "this").expect("an object");
    assert!(this.starts_with("Doors.Mid.Inner@"), "{this}");
    editor.says(&format!("go {read}.1"));
    let mid = of_editor(&mut editor, "this").expect("an object");
    for (name, expected) in [("n", "4"), ("Base.n", "6"), ("Doors.Base.n", "6")] {
        let name = format!("{mid}.{name}");
        let replies = stepped(&case, &[format!("go {read}.1"), format!("show {name}")]);
        assert_eq!(of_step(&replies[1]).as_deref(), Some(expected), "{name}: {replies:#?}");
        assert_eq!(of_editor(&mut editor, &name).as_deref(), Some(expected), "{name}");
    }
    // Both fields are shown, each with a name of its own.
    let shown = stepped(&case, &[format!("go {read}.1"), "show this".to_owned()]);
    let parts = shown[1]["content"]["inner"]["parts"].as_array().expect("parts").clone();
    let parts: Vec<(&str, &str)> = parts
        .iter()
        .map(|part| (part["name"].as_str().expect("a name"), part["value"].as_str().unwrap_or("?")))
        .collect();
    assert_eq!(parts[..2], [("Doors.Base.n", "6"), ("n", "4")], "{parts:?}");
}

#[test]
fn writes_and_causes_are_the_same_in_every_door() {
    let case = recorded();
    let (read, mark) = (last_call(&case, "Doors$Mid.read"), last_call(&case, "Doors.mark"));
    let deep = last_call(&case, "Doors.deep");
    let page = Page::start(&case, &["doors.trace"]);
    let mut editor = opened(&case);
    let asked = [
        (read, "n", "n = given;", "Doors.Mid@ n \"4\""),
        (read, "super.n", "((Base) this).n += 1;", "Doors.Mid@ n \"6\""),
        (read, "((Base) this).n", "((Base) this).n += 1;", "Doors.Mid@ n \"6\""),
        (read, "sum", "sum += given;", "Doors sum \"10\""),
        (mark, "list", "list.add(twice);", "ArrayList@ insert \"7\""),
        (deep, "cells[2]", "cells[left] = left * left;", "int[4]@ 2 \"4\""),
    ];
    let numbers = regex::Regex::new("@[0-9]+").expect("a pattern");
    for (call, name, text, expected) in asked {
        let replies = stepped(
            &case,
            &[
                format!("go {call}.1"),
                format!("why {name}"),
                format!("history {name}"),
                format!("back {name}"),
            ],
        );
        let cause = &replies[1]["content"];
        assert_eq!(cause["kind"], "written", "{name}: {cause:#}");
        let expected = format!("{} {expected}", line(text));
        assert_eq!(numbers.replace_all(&write(cause), "@"), expected, "{name}: {cause:#}");
        let writes = replies[2]["content"]["writes"].as_array().expect("writes").clone();
        assert!(writes.iter().any(|one| write(one) == write(cause)), "{name}: {writes:#?}");
        assert_eq!(write(&replies[3]["content"]["event"]), write(cause), "{name}");
        // The page stands after an event: its entry is the first event of the others.
        let at = format!("call={call}&event=0");
        let name_of = name.replace(' ', "%20");
        let of_page = page.post("why", &json!({"call": call, "event": 0, "variable": name}));
        assert_eq!(of_page["kind"], "written", "{name}: {of_page:#}");
        assert_eq!(write(&of_page["event"]), write(cause), "{name}");
        assert_eq!(of_page["selection"], cause["selection"], "{name}");
        let history = page.get(&format!("history?{at}&variable={name_of}"));
        let known: Vec<String> = writes.iter().map(write).collect();
        let found: Vec<String> = history["writes"].as_array().expect("writes").iter().map(write).collect();
        assert_eq!(found, known, "{name}");
        // The editor.
        editor.says(&format!("go {call}.1"));
        let frame = editor.frame(1);
        let told = editor.ask("qp/why", json!({"expression": name, "frameId": frame}));
        assert_eq!(told["text"], of_page["text"], "{name}");
        assert_eq!(told["line"], cause["line"], "{name}");
    }
}

#[test]
fn why_of_a_parameter_is_the_call() {
    let case = recorded();
    let mark = last_call(&case, "Doors.mark");
    let page = Page::start(&case, &["doors.trace"]);
    let mut editor = opened(&case);
    let at = line("mark(given * 2);");
    let expected = format!(
        "`value` came with the call as `given * 2`: 8\n  at Doors$Mid.both (Doors.java:{at})\n    \
         mark(given * 2);"
    );
    let replies = stepped(&case, &[format!("go {mark}.1"), "why value".into(), "back value".into()]);
    let cause = &replies[1]["content"];
    assert_eq!(
        (&cause["kind"], &cause["argument"], &cause["value"], &cause["line"]),
        (&json!("given"), &json!("given * 2"), &json!("8"), &json!(at)),
        "{cause:#}"
    );
    assert_eq!(replies[2]["content"]["event"]["event"], "call", "{:#}", replies[2]);
    let of_page = page.post("why", &json!({"call": mark, "event": 0, "variable": "value"}));
    assert_eq!((&of_page["kind"], &of_page["argument"]), (&json!("given"), &json!("given * 2")));
    assert_eq!(of_page["text"], expected);
    editor.says(&format!("go {mark}.1"));
    assert_eq!(editor.says("why value"), expected);
    // The next question is about the expression: `given` came with a call too.
    editor.says("back value");
    assert_eq!(editor.says("given"), "4");
    let at = line("mid.both(i);");
    assert_eq!(
        editor.says("why given"),
        format!("`given` came with the call as `i`: 4\n  at Doors.main (Doors.java:{at})\n    mid.both(i);")
    );
    editor.says("back given");
    // The loop's variable was written there.
    assert!(editor.says("why i").starts_with("i = 4"), "{}", editor.says("why i"));
}

/// The command line, logic queries and agents name an object's field without a moment.
#[test]
fn a_field_and_the_one_that_it_hides_have_histories_of_their_own() {
    let case = recorded();
    let read = last_call(&case, "Doors$Mid.read");
    let this = stepped(&case, &[format!("go {read}.1"), "show this".into()]);
    let mid = of_step(&this[1]).expect("an object");
    let number = mid.rsplit('@').next().expect("a number").to_owned();
    let root = case.work();
    let mut agent = Agent::start(&case, &["--root", root.to_str().expect("a path")]);
    for (field, expected) in
        [("n", vec!["50", "1", "2", "3", "4"]), ("Base.n", vec!["2", "3", "3", "4", "4", "5", "5", "6"])]
    {
        let told = |arguments: &[&str]| -> Value {
            let output = finish(case.qp().args(["--format=json"]).args(arguments));
            serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|error| panic!("{error}: {}", said(&output)))
        };
        let variable = format!("{mid}.{field}");
        let values = |rows: &Value, key: &str| -> Vec<String> {
            let rows = rows.as_array().unwrap_or_else(|| panic!("{rows:#}"));
            rows.iter().map(|row| row[key].as_str().expect("a value").to_owned()).collect()
        };
        let history = told(&["trace", "history", &variable, "doors.trace"]);
        assert_eq!(values(&history["writes"], "new"), expected, "{variable}: {history:#}");
        let query = told(&["query", "history", &variable, "doors.trace"]);
        assert_eq!(values(&query["rows"], "value"), expected, "{variable}: {query:#}");
        let asked = json!({"trace": "doors.trace", "variable": format!("object:{number}.{field}")});
        let mut of_agent = values(&agent.call("history", asked).data["writes"], "new");
        of_agent.reverse();
        assert_eq!(of_agent, expected, "{variable}");
    }
    // An object is found by its handle too.
    let ask = |agent: &mut Agent, value: String| {
        agent.call("find", json!({"trace": "doors.trace", "value": value})).data["found"].clone()
    };
    let found = ask(&mut agent, format!("object:{number}"));
    assert!(!found.as_array().expect("rows").is_empty());
    assert_eq!(found, ask(&mut agent, mid));
}

/// Only level `all` records writes to local variables: at a lower one, the value of a parameter that the code
/// assigns is known at the entry alone.
#[test]
fn an_assigned_parameter_is_not_said_to_have_its_first_value() {
    let case = Case::new("traced");
    let program = "public class Less {
    static int kept, other;
    static void add(int given, int same) {
        given = given + 100;
        kept = given;
        other = same;
    }
    public static void main(String[] args) {
        add(1, 2);
    }
}
";
    std::fs::write(case.work().join("Less.java"), program).expect("written");
    let mut javac = std::process::Command::new("javac");
    let javac = javac.args(["-g", "-d", "classes", "Less.java"]).current_dir(case.work()).status();
    assert!(javac.expect("javac").success());
    let mut record = case.qp();
    record.args(["trace", "record", "--level", "writes", "--out", "doors.trace", "--"]);
    let output = finish(record.args(["java", "-cp", "classes", "Less"]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let add = last_call(&case, "Less.add");
    let lines = ["show given", "show same", "why given", "why same"].map(|line| line.to_owned());
    let lines = [vec![format!("go {add}.0"), "show given".to_owned(), format!("go {add}.1")], lines.into()];
    let replies = stepped(&case, &lines.concat());
    assert_eq!(of_step(&replies[1]).as_deref(), Some("1"), "{replies:#?}");
    assert_eq!(replies[3]["reply"], "error", "{replies:#?}");
    assert_eq!(of_step(&replies[4]).as_deref(), Some("2"), "{replies:#?}");
    assert_eq!(replies[5]["reply"], "error", "{replies:#?}");
    assert_eq!(replies[6]["content"]["kind"], "given", "{replies:#?}");
    let mut editor = opened(&case);
    editor.says(&format!("go {add}.1"));
    assert_eq!(editor.scope(1, "Arguments"), ["given = not recorded", "same = 2"]);
    assert_eq!(
        (of_editor(&mut editor, "given"), of_editor(&mut editor, "same").as_deref()),
        (None, Some("2"))
    );
}

/// Histories of collections have index or key, operation, line and thread, and what was replaced.
#[test]
fn histories_of_collections_say_what_was_removed() {
    let case = recorded();
    let deep = last_call(&case, "Doors.deep");
    let replies = stepped(&case, &[format!("go {deep}.1"), "history known".into(), "why known".into()]);
    let writes = replies[1]["content"]["writes"].as_array().expect("writes").clone();
    let removed = writes.last().expect("a write");
    assert_eq!(
        (&removed["name"], &removed["key"], &removed["old"], &removed["line"], &removed["thread"]),
        (&json!("remove"), &json!("\"k2\""), &json!("3"), &json!(line("known.remove")), &json!("main")),
        "{removed:#}"
    );
    assert_eq!(replies[1]["content"]["variable"], "known");
    assert_eq!(write(&replies[2]["content"]), write(removed));
    assert_eq!(replies[2]["content"]["old"], "3");
}

/// The last condition lies in a method below on the stack, not only in the one that is asked about.
#[test]
fn why_here_looks_at_the_whole_stack() {
    let case = recorded();
    let mark = last_call(&case, "Doors.mark");
    let page = Page::start(&case, &["doors.trace"]);
    let mut editor = opened(&case);
    let replies = stepped(&case, &[format!("go {mark}.1"), "why".into()]);
    let cause = &replies[1]["content"];
    assert_eq!(
        (&cause["kind"], &cause["condition"], &cause["outcome"], &cause["line"]),
        (&json!("decided"), &json!("i < 5"), &json!("true"), &json!(line("i < 5"))),
        "{cause:#}"
    );
    // Between a method and the one that has the library call it lies code that was not recorded.
    let look = last_call(&case, "Doors.look");
    let replies = stepped(&case, &[format!("go {look}.1"), "why".into()]);
    let through = &replies[1]["content"];
    assert_eq!(
        (&through["condition"], &through["outcome"], &through["through_unrecorded"]),
        (&json!("args.length == 0"), &json!("true"), &json!(true)),
        "{through:#}"
    );
    assert_eq!(cause["through_unrecorded"], Value::Null, "{cause:#}");
    let of_page = page.post("why", &json!({"call": mark, "event": 1}));
    editor.says(&format!("go {mark}.1"));
    assert_eq!(of_page["text"], editor.says("why"));
    assert_eq!(editor.vanish(), Some(0));
    assert_eq!(page.end(), Some(0));
    // The probes say the same of the same call.
    let points = r#"(id: "A", at: Entry("Doors.mark"), index: 3), (id: "B", at: LastCondition("A"))"#;
    let answer = case
        .replay(r#"command: ["java", "-cp", "classes", "Doors"]"#, points, &["--format", "json"])
        .answer();
    let point = crate::support::point(&answer, "B");
    // They too tell a field from the one that it hides.
    let mid = point["collected"]["mid"].as_str().expect("an object");
    assert_eq!(point["contents"][mid], "{n: 3, inner: Doors.Mid.Inner@1, Doors.Base.n: 5}", "{point:#}");
    assert_eq!(
        (&point["condition"], &point["taken"], &point["line"]),
        (&cause["condition"], &cause["outcome"], &cause["line"]),
        "{point:#}"
    );
}

#[test]
fn random_moments_look_the_same_at_the_prompt_and_in_an_editor() {
    let case = recorded();
    let page = Page::start(&case, &["doors.trace"]);
    let session = page.get("session");
    let calls = session["recordings"][0]["calls"].as_u64().expect("a number");
    let mut rng = Rng::new(50);
    let names = [
        "n",
        "super.n",
        "this",
        "value",
        "twice",
        "sum",
        "list",
        "known",
        "cells",
        "left",
        "i",
        "mid",
        "given",
        "both",
        "cells[1]",
        "mid.n",
        "list.size()",
    ];
    let mut moments = Vec::new();
    while moments.len() < 100 {
        let call = u64::try_from(rng.below(usize::try_from(calls).expect("few"))).expect("few");
        let count = page.get(&format!("events?call={call}&from=0&limit=1"))["count"].as_u64().unwrap_or(0);
        let event = u64::try_from(rng.below(usize::try_from(count).expect("few") + 1)).expect("few");
        moments.push((call, event, *rng.pick(&names), *rng.pick(&names)));
    }
    let lines: Vec<String> = moments
        .iter()
        .flat_map(|(call, event, one, other)| {
            [format!("go {call}.{event}"), format!("show {one}"), format!("why {other}")]
        })
        .collect();
    let replies = stepped(&case, &lines);
    let mut editor = opened(&case);
    let mut known = 0;
    for ((call, event, one, other), replies) in moments.iter().zip(replies.chunks(3)) {
        editor.says(&format!("go {call}.{event}"));
        let (shown, cause) = (&replies[1], &replies[2]);
        assert_eq!(of_editor(&mut editor, one), of_step(shown), "{one} at {call}.{event}: {shown:#}");
        known += usize::from(of_step(shown).is_some());
        let frame = editor.frame(1);
        let seq = editor.send("qp/why", json!({"expression": other, "frameId": frame}));
        let told = editor.response(seq);
        assert_eq!(told["success"], json!(cause["reply"] != "error"), "{other} at {call}.{event}: {cause:#}");
        if told["success"] == true {
            assert_eq!(told["body"]["line"], cause["content"]["line"], "{other} at {call}.{event}");
        }
    }
    assert!(known > 30, "{known}");
}
