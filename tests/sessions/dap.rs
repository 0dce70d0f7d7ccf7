//! `qp dap`: an editor steps through the past of a program.

use crate::editor::Editor;
use crate::support::case::Case;

use crate::support::traced::exported;
use crate::support::{compiled, finish, processes_with, root};
use serde_json::{Value, json};

fn intro() -> Value {
    let classes = compiled("../examples/intro", &["-g"]);
    json!({"command": ["java", "-cp", classes, "Intro"], "sources": [root().join("examples/intro")]})
}

/// A step into each line visits the lines that the recording has, in their order.
#[test]
fn steps_visit_each_line_of_the_recording() {
    let case = Case::new("traced");
    let trace = case.mark("trace");
    let mut record = case.qp();
    record.args(["trace", "record", "--level=all", "--out"]).arg(&trace).args(["--", "java", "-cp"]);
    let settings = intro();
    let output = finish(record.args([settings["command"][2].as_str().expect("a path"), "Intro"]));
    assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
    let lines: Vec<String> = exported(&trace, &[])
        .iter()
        .filter(|event| event["event"] == "line" && event["thread"] == "main")
        .map(|event| {
            format!(
                "{}.{}:{}",
                event["class"].as_str().unwrap(),
                event["method"].as_str().unwrap(),
                event["line"]
            )
        })
        .collect();
    let mut editor = Editor::start(&case);
    let mut stopped = editor.launch(json!({"mode": "trace", "trace": trace, "stopOnEntry": true}));
    assert_eq!(stopped["description"], "beginning of the recording");
    let mut visited = Vec::new();
    while stopped["description"] != "end of the recording" {
        visited.push(editor.place(&stopped));
        stopped = editor.go("stepIn");
    }
    assert_eq!(visited, lines);
    assert!(visited.len() > 100, "{}", visited.len());
    // The other way each call is stepped over.
    let mut back = Vec::new();
    while stopped["description"] != "beginning of the recording" {
        stopped = editor.go("stepBack");
        back.push(editor.place(&stopped));
    }
    let main = |line: &&String| line.starts_with("Intro.main:");
    let expected: Vec<&String> = lines.iter().rev().filter(main).skip(1).collect();
    back.pop();
    assert_eq!(back.iter().collect::<Vec<_>>(), expected);
    assert_eq!(editor.disconnect(), Some(0));
}

#[test]
fn a_breakpoint_is_found_backwards_and_values_are_those_of_then() {
    let case = Case::new("traced");
    let mut editor = Editor::start(&case);
    editor.ask("initialize", json!({"adapterID": "querypoint"}));
    editor.ask("launch", intro());
    let file = json!({"path": root().join("examples/intro/Intro.java")});
    let set = json!({"source": file, "breakpoints": [{"line": 13}, {"line": 2}]});
    editor.ask("setBreakpoints", set.clone());
    let stopped = editor.begin();
    assert_eq!(stopped["description"], "end of the recording");
    let checked = editor.ask("setBreakpoints", set);
    let verified: Vec<&Value> =
        checked["breakpoints"].as_array().unwrap().iter().map(|one| &one["verified"]).collect();
    assert_eq!(verified, [true, false]);
    let stopped = editor.go("reverseContinue");
    assert_eq!(
        (&stopped["reason"], editor.place(&stopped)),
        (&json!("breakpoint"), "Intro.main:13".to_owned())
    );
    let frames = editor.stack(&stopped["threadId"]);
    assert!(
        frames[0]["source"]["path"].as_str().is_some_and(|path| path.ends_with("examples/intro/Intro.java"))
    );
    let locals = editor.locals(1);
    assert!(locals.iter().any(|local| local == "cond = false"), "{locals:?}");
    // The record of the last round, before its `bar` was changed again.
    let record = editor.variable("record");
    let fields = editor.variables(&record["variablesReference"]);
    assert!(fields.iter().any(|field| field.starts_with("bar = true")), "{fields:?}");
    assert!(fields.iter().any(|field| field.starts_with("text = \"3\"")), "{fields:?}");
    let frame = editor.frame(1);
    let shown = editor.ask("evaluate", json!({"expression": "cond", "frameId": frame, "context": "hover"}));
    assert_eq!(shown["result"], "false");
    let nothing = json!({"expression": "nothing", "frameId": frame});
    assert!(editor.refused("evaluate", nothing).contains("`nothing`"));
    // Into the call of the line, and out to the line of the caller behind it.
    let inside = editor.go("stepIn");
    assert!(editor.place(&inside).starts_with("Intro.stmt2:"), "{}", editor.place(&inside));
    let outside = editor.go("stepOut");
    assert_eq!(editor.place(&outside), "Intro.main:14");
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}

#[test]
fn the_session_stands_where_the_exception_was_thrown_that_ended_the_program() {
    let case = Case::new("traced");
    std::fs::write(case.work().join("Fails.java"), FAILS).expect("written");
    let javac = std::process::Command::new("javac")
        .args(["-g", "-d", "classes", "Fails.java"])
        .current_dir(case.work())
        .status();
    assert!(javac.expect("javac").success());
    let mut editor = Editor::start(&case);
    let stopped = editor.launch(json!({"command": ["java", "-cp", "classes", "Fails"], "sources": ["."]}));
    assert_eq!(stopped["reason"], "exception", "{stopped:#}");
    assert!(stopped["text"].as_str().is_some_and(|text| text.contains("no 3")), "{stopped:#}");
    assert_eq!(editor.place(&stopped), "Fails.deep:8");
    assert_eq!(editor.scope(1, "Arguments"), ["n = 3"]);
    assert_eq!(
        (editor.scope(2, "Arguments"), editor.locals(2)),
        (vec!["n = 3".into()], vec!["twice = 6".into()])
    );
    let back = editor.go("stepBack");
    assert_eq!(editor.place(&back), "Fails.deep:7");
    assert_eq!(editor.disconnect(), Some(0));
}

const FAILS: &str = "public class Fails {
    static int shallow(int n) {
        int twice = 2 * n;
        return deep(n) + twice;
    }
    static int deep(int n) {
        if (n > 2)
            throw new IllegalStateException(\"no \" + n);
        return n;
    }
    public static void main(String[] args) {
        for (int i = 0; i < 5; i++)
            shallow(i);
    }
}
";

#[test]
fn an_editor_that_cancels_or_vanishes_leaves_nothing_behind() {
    for vanishes in [false, true] {
        let case = Case::new("endless");
        let mut editor = Editor::start(&case);
        editor.ask("initialize", json!({"adapterID": "querypoint"}));
        editor.ask("launch", json!({"command": ["java", "-cp", "classes", "Endless"]}));
        let launched = editor.send("configurationDone", json!({}));
        case.wait_until("the program to run", || case.mark("running").exists());
        if vanishes {
            assert_eq!(editor.vanish(), Some(0));
        } else {
            editor.ask("cancel", json!({"requestId": launched}));
            let response = editor.response(launched);
            assert_eq!((&response["success"], &response["message"]), (&json!(false), &json!("cancelled")));
            assert_eq!(editor.disconnect(), Some(0));
        }
        assert!(processes_with(&case.name()).is_empty());
        let left =
            std::fs::read_dir(case.mark("").parent().unwrap().join("tmp")).expect("the folder").count();
        assert_eq!(left, 0);
    }
}

#[test]
fn what_makes_no_sense_is_refused_and_the_session_goes_on() {
    let case = Case::new("traced");
    let mut editor = Editor::start(&case);
    assert_eq!(editor.ask("threads", json!({}))["threads"], json!([]));
    assert!(editor.refused("next", json!({"threadId": 1})).contains("nothing was launched"));
    assert!(editor.refused("configurationDone", json!({})).contains("`launch` has to come first"));
    assert!(editor.refused("dance", json!({})).contains("`dance` is not supported"));
    assert!(
        editor
            .refused("launch", json!({"command": "java Intro"}))
            .contains("the launch configuration is wrong")
    );
    assert!(editor.refused("scopes", json!({"frameId": "one"})).contains("`frameId`"));
    editor.bytes(b"Content-Length: 9\r\n\r\n{not json");
    editor.bytes(b"Content-Length: 2\r\n\r\n[]");
    editor.ask("launch", json!({"command": []}));
    assert!(editor.refused("configurationDone", json!({})).contains("needs `command`"));
    editor.ask("launch", json!({"mode": "trace", "trace": "no-such-folder"}));
    assert!(editor.refused("configurationDone", json!({})).contains("no-such-folder"));
    editor.ask("launch", intro());
    editor.begin();
    assert!(editor.refused("variables", json!({"variablesReference": 99})).contains("out of date"));
    assert_eq!(editor.disconnect(), Some(0));
}
