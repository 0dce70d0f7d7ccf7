//! Questions to a recorded run: what it lacks is said, no program runs, and the prompt and agents ask it too.

use crate::agent::Agent;
use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::{compiled, finish, root, said};
use crate::web::Page;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

/// A recording of a fixture of `doors`, as `asked.trace`. Its class files are a copy, which a test may
/// remove.
fn recorded(class: &str, options: &[&str]) -> (Case, PathBuf) {
    recorded_of("doors", class, options)
}

/// The same of another folder of fixtures.
fn recorded_of(folder: &str, class: &str, options: &[&str]) -> (Case, PathBuf) {
    let case = Case::new("traced");
    let source = root().join("tests/fixtures").join(folder).join(format!("{class}.java"));
    std::fs::copy(source, case.work().join(format!("{class}.java"))).expect("copied");
    let classes = case.work().join("copied");
    std::fs::create_dir_all(&classes).expect("a folder");
    for file in
        std::fs::read_dir(compiled(&format!("fixtures/{folder}"), &["-g", "-nowarn"])).expect("a folder")
    {
        let file = file.expect("an entry");
        std::fs::copy(file.path(), classes.join(file.file_name())).expect("copied");
    }
    let mut record = case.qp();
    record.args(["trace", "record", "--out", "asked.trace"]).args(options);
    let output = finish(record.args(["--", "java", "-cp", "copied", class]));
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    (case, classes)
}

/// The exit code and all that `qp` says.
fn told(case: &Case, arguments: &[&str]) -> (Option<i32>, String) {
    let output = finish(case.qp().args(arguments));
    (output.status.code(), said(&output))
}

#[test]
fn what_a_recording_lacks_is_said() {
    let (case, _) = recorded("Statics", &["--level", "writes"]);
    let ask = |expr: &str, at: &str| told(&case, &["why", expr, "--at", at, "--in", "asked.trace"]);
    let (code, text) = ask("total", "Statics:23");
    assert_eq!(code, Some(4), "{text}");
    for part in ["A has no answer in the recording asked.trace", "level `writes`", "`--level all`"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (code, text) = ask("x", "java.util.ArrayList:100");
    assert!(code != Some(0) && text.contains("error:"), "{code:?}: {text}");
    // Points that need no lines have answers.
    let points = r#"(id: "A", at: Entry("Statics.Counter.hit"), index: 3),
        (id: "B", at: LastChange("A:Statics.total")), (id: "C", at: LastRead("A:Statics.total"))"#;
    let chain = case.chain(r#"command: ["java", "-cp", "copied", "Statics"]"#, points);
    let chain = chain.display().to_string();
    let (code, text) = told(&case, &["--format=json", "replay", &chain, "--in", "asked.trace"]);
    assert_eq!(code, Some(1), "{text}");
    let answer: Value = serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!((&answer["runs"], &answer["recording"]), (&json!(0), &json!("asked.trace")));
    let [a, b, c] = ["A", "B", "C"].map(|id| crate::support::point(&answer, id).clone());
    assert_eq!((&a["located"], &b["old"], &b["new"]), (&json!(true), &json!("1"), &json!("3")), "{answer:#}");
    assert_eq!(c["located"], false);
    assert!(c["reason"].as_str().expect("a reason").contains("no recording has the reads"), "{c:#}");
    let (code, text) = told(&case, &["replay", &chain, "--in", "asked.trace", "--runs", "2"]);
    assert_eq!(code, Some(2), "{text}");
    let (code, text) = told(&case, &["replay", &chain, "--in", "nothing.trace"]);
    assert!(code != Some(0) && text.contains("nothing.trace"), "{code:?}: {text}");
}

#[test]
fn a_packed_recording_answers_without_its_program() {
    let (case, classes) = recorded("Hiding", &["--level", "all"]);
    let ask = |recording: &str| {
        told(&case, &["--format=json", "why", "((Base) low).n", "--at", "Hiding:37", "--in", recording])
    };
    let (code, before) = ask("asked.trace");
    assert_eq!(code, Some(0), "{before}");
    let (code, text) = told(&case, &["trace", "pack", "asked.trace"]);
    assert_eq!(code, Some(0), "{text}");
    std::fs::remove_dir_all(classes).expect("removed");
    std::fs::remove_file(case.work().join("Hiding.java")).expect("removed");
    std::fs::remove_dir_all(case.work().join("asked.trace")).expect("removed");
    let (code, after) = ask("asked.qp");
    assert_eq!(code, Some(0), "{after}");
    let [before, after] = [before, after].map(|text| {
        let answer: Value = serde_json::from_str(text.trim()).expect("JSON");
        answer["points"].clone()
    });
    assert_eq!(after, before);
    assert_eq!(before[1]["text"], "super.n -= by;", "{before:#}");
}

/// Two loaders made a class, each with a static field of its own.
#[test]
fn static_fields_of_two_classes_of_one_name_are_told_apart() {
    let (case, _) = recorded("Loaders", &["--level", "all"]);
    let changes = [("0", "0", "1"), ("1", "1", "11"), ("2", "0", "2"), ("3", "2", "22")];
    for (index, old, new) in changes {
        let index = format!("--index={index}");
        let asked =
            ["--format=json", "why", "made", "--at", "Loaders$Part:13", &index, "--in", "asked.trace"];
        let (code, text) = told(&case, &asked);
        assert_eq!(code, Some(0), "{text}");
        let answer: Value = serde_json::from_str(text.trim()).expect("JSON");
        let change = crate::support::point(&answer, "B");
        assert_eq!((&change["old"], &change["new"]), (&json!(old), &json!(new)), "{answer:#}");
        assert_eq!(change["collected"]["made"], old, "{answer:#}");
        assert_eq!(change["notes"], Value::Null, "{answer:#}");
    }
    let lines = "to Loaders$Part:13\n".repeat(4) + "show made\nhistory made\n";
    let mut command = case.qp();
    command.args(["debug", "--format=json", "asked.trace"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("qp starts");
    process.stdin.take().expect("a pipe").write_all(lines.as_bytes()).expect("written");
    let output = process.wait_with_output().expect("its output");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let replies: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [.., shown, history] = replies.as_slice() else { panic!("{text}") };
    assert_eq!(shown["content"]["value"], "22", "{shown:#}");
    let writes = history["content"]["writes"].as_array().expect("writes");
    let news: Vec<&Value> = writes.iter().map(|write| &write["new"]).collect();
    assert_eq!(news, ["2", "22"], "{history:#}");
}

#[test]
fn the_prompt_opens_a_recording() {
    let (case, _) = recorded("Statics", &["--level", "all"]);
    let mut command = case.qp();
    command.args(["debug", "--format=json", "asked.trace"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("qp starts");
    let mut stdin = process.stdin.take().expect("a pipe");
    stdin.write_all(b"forward Statics.total\nnext\nwhy Statics.total\n").expect("written");
    drop(stdin);
    let output = process.wait_with_output().expect("its output");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last: Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    assert_eq!(last["content"]["text"], "total += at;", "{last:#}");
    assert_eq!(last["content"]["new"], "0", "{last:#}");
}

/// The way of a value is told with the same steps by a run, at the prompt of a recording, and to an agent.
#[test]
fn every_door_follows_a_value_to_its_origin() {
    let (case, _) = recorded_of("origins", "Reads", &["--level", "all"]);
    let of = |point: &Value| {
        let steps = point["steps"].as_array().cloned().unwrap_or_default();
        let step = |step: &Value| format!("{} {}", step["passed"].as_str().expect("a word"), step["line"]);
        steps.iter().map(step).collect::<Vec<_>>()
    };
    let chain = case.chain(
        r#"command: ["java", "-cp", "copied", "Reads"]"#,
        r#"(id: "A", at: Line("Reads", 51)), (id: "O", at: Origin("A:element"))"#,
    );
    let chain = chain.display().to_string();
    let (code, text) = told(&case, &["--format=json", "replay", "--trust", &chain]);
    assert_eq!(code, Some(0), "{text}");
    let answer: Value = serde_json::from_str(text.trim()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let by_a_run = of(crate::support::point(&answer, "O"));
    assert!(by_a_run.len() > 1, "{answer:#}");

    let lines = ["to Reads:51".to_owned(), "origin element".to_owned(), "origin nothing".to_owned()];
    let mut command = case.qp();
    command.args(["debug", "--format=json", "asked.trace"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().expect("qp starts");
    process.stdin.take().expect("a pipe").write_all(lines.join("\n").as_bytes()).expect("written");
    let output = process.wait_with_output().expect("its output");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let replies: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [.., at_the_prompt, refused] = replies.as_slice() else { panic!("{text}") };
    assert_eq!(of(&at_the_prompt["content"]), by_a_run, "{at_the_prompt:#}");
    assert_eq!(refused["reply"], "error", "{refused:#}");

    // The page and an editor say the same in words, and go to the same event.
    let selection = at_the_prompt["content"]["selection"].clone();
    let page = Page::start(&case, &["asked.trace"]);
    let (_, found) = told(&case, &["--format=json", "trace", "find", &chain, "asked.trace"]);
    let found: Value = serde_json::from_str(found.trim()).unwrap_or_else(|error| panic!("{error}: {found}"));
    let seen = found["found"].as_array().expect("events").iter().find(|event| event["point"] == "A");
    let seen = seen.unwrap_or_else(|| panic!("{found:#}"));
    let at = json!({"call": seen["call"]["node"], "event": seen["number"]});
    let asked = json!({"call": at["call"], "event": at["event"], "variable": "element"});
    let in_the_page = page.post("origin", &asked);
    assert_eq!(in_the_page["selection"], selection, "{at_the_prompt:#}");
    let refused = page.sent("origin", &json!({"call": at["call"], "event": at["event"], "variable": " "}));
    assert_eq!(refused.status, 422, "{}", refused.body);
    page.end();
    let mut editor = Editor::start(&case);
    editor.launch(json!({"mode": "trace", "trace": "asked.trace", "cwd": case.work(), "sources": ["."]}));
    editor.says(&format!("go {}.{}", at["call"], at["event"]));
    let frame = editor.frame(1);
    let of_request = editor.ask("qp/origin", json!({"expression": "element", "frameId": frame}));
    assert_eq!(of_request["text"], in_the_page["text"], "{of_request:#}");
    assert!(of_request["target"].is_number(), "{of_request:#}");
    assert_eq!(editor.disconnect(), Some(0));

    let root = case.work();
    let mut agent = Agent::start(&case, &["--root", root.to_str().expect("a path")]);
    let asked = json!({"trace": "asked.trace", "at": "Reads:51", "expr": "element", "origin": true});
    let told = agent.call("why", asked);
    let origin = told.data["points"].as_array().and_then(|points| points.last()).expect("a point").clone();
    assert_eq!(origin["line"], answer["points"][1]["line"], "{:#}", told.data);
    assert_eq!(agent.vanish(), Some(0));
}

/// An agent asks a recording without a program that it may run.
#[test]
fn an_agent_asks_a_recording() {
    let (case, _) = recorded("Statics", &["--level", "all"]);
    let root = case.work();
    let mut agent = Agent::start(&case, &["--root", root.to_str().expect("a path")]);
    let asked = json!({"trace": "asked.trace", "at": "Statics:23", "expr": "last"});
    let told = agent.call("why", asked);
    let points = told.data["points"].as_array().expect("points").clone();
    let cause = points.last().expect("a point");
    assert_eq!((&cause["new"], &cause["text"]), (&json!("\"hit 5\""), &json!("last = \"hit \" + at;")));
    // From an event, and on from an answer.
    let asked = json!({"trace": "asked.trace", "at": "event:5.1", "expr": "Statics.total"});
    let told = agent.call("why", asked);
    let cause = told.data["points"].as_array().and_then(|points| points.last()).expect("a point").clone();
    assert_eq!(cause["text"], "total += at;", "{:#}", told.data);
    let asked = json!({"trace": "asked.trace", "from": told.data["answer"], "expr": "at"});
    let told = agent.call("why", asked);
    let cause = told.data["points"].as_array().and_then(|points| points.last()).expect("a point").clone();
    assert_eq!(cause["located"], true, "{:#}", told.data);
    assert_eq!(agent.vanish(), Some(0));
}
