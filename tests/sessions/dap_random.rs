//! `qp dap`: random requests in random order. Each gets one response, and the session goes on.

use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::memory::Memory;
use crate::support::rng::Rng;
use crate::support::{compiled, processes_with, root, setting};
use dap::Command;
use serde_json::{Map, Value, json};

/// What a `qp dap` may take, in bytes, whatever it was asked.
const MEMORY: u64 = 400 << 20;

/// `QP_REQUESTS=10000` sends so many requests, and `QP_SEED` begins elsewhere. A failure repeats itself.
#[test]
fn random_requests_are_answered() {
    let requests = setting("QP_REQUESTS").unwrap_or(400);
    let case = Case::new("traced");
    let mut random = Rng::new(setting("QP_SEED").unwrap_or(34));
    let mut editor = Editor::start(&case);
    let memory = Memory::of(editor.child.id());
    let classes = compiled("../examples/intro", &["-g"]);
    let settings =
        json!({"command": ["java", "-cp", classes, "Intro"], "sources": [root().join("examples")]});
    let own = [
        "qp/why",
        "qp/whyCondition",
        "qp/history",
        "qp/origin",
        "qp/stepBackInto",
        "qp/stepBackOut",
        "qp/omitted",
    ];
    let never = ["disconnect", "launch", "restart", "configurationDone", "cancel"];
    let mut asked = Vec::new();
    let mut succeeded = 0;
    for n in 0..requests {
        // Before the launch, and after it.
        if n == requests.min(400) / 8 {
            asked.push(("launch".to_owned(), editor.send("launch", settings.clone())));
            asked.push(("configurationDone".to_owned(), editor.send("configurationDone", json!({}))));
        }
        let all = Command::NAMES.len() + own.len();
        let at = random.below(all);
        let command = Command::NAMES.get(at).copied().unwrap_or_else(|| own[at - Command::NAMES.len()]);
        if never.contains(&command) || (command == "terminate" && n < requests * 9 / 10) {
            continue;
        }
        let arguments = arguments(&mut random, n);
        asked.push((command.to_owned(), editor.send(command, arguments)));
        if n % 50 == 25 {
            // Something that is no request at all, but well framed.
            editor.bytes(b"Content-Length: 15\r\n\r\n{\"type\": \"what\"");
        }
        // A client may send without waiting; this one does so by tens.
        if n % 10 == 9 {
            succeeded += answered(&editor, &mut asked);
        }
    }
    succeeded += answered(&editor, &mut asked);
    assert!(succeeded * 4 > requests, "{succeeded} of {requests} succeeded");
    assert!(memory.most() < MEMORY, "{} MB", memory.most() >> 20);
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}

/// Waits for the responses. Returns how many requests succeeded.
fn answered(editor: &Editor, asked: &mut Vec<(String, i64)>) -> usize {
    let responses = asked.drain(..).map(|(command, seq)| {
        let response = editor.response(seq);
        assert_eq!(response["command"], command);
        response["success"].as_bool().unwrap_or_else(|| panic!("{response:#}"))
    });
    responses.filter(|succeeded| *succeeded).count()
}

/// Arguments with the names that requests have, and values that often make sense.
fn arguments(random: &mut Rng, n: usize) -> Value {
    let mut arguments = Map::new();
    let small = |random: &mut Rng| json!(i64::try_from(random.below(6)).expect("small") - 1);
    for name in ["threadId", "frameId", "variablesReference", "targetId", "sourceReference", "start", "count"]
    {
        if random.below(4) > 0 {
            arguments.insert(name.to_owned(), small(random));
        }
    }
    let texts =
        ["record", "cond", "why record.bar", "back cond", "?- true", "previous", "x.y[", "\"", "Intro", ""];
    let text = |random: &mut Rng| json!(texts[random.below(texts.len())]);
    for name in ["expression", "text", "name", "evaluateName"] {
        arguments.insert(name.to_owned(), text(random));
    }
    arguments.insert("line".to_owned(), json!(random.below(40)));
    arguments.insert("column".to_owned(), small(random));
    arguments.insert("source".to_owned(), json!({"name": "Intro.java"}));
    arguments.insert("adapterID".to_owned(), json!("any"));
    let filters = if random.below(2) == 0 { json!(["caught", "uncaught"]) } else { json!(["other"]) };
    arguments.insert("filters".to_owned(), filters);
    let conditions = ["cond", "nothing", "record != null", "1 /", "%"];
    let condition = conditions[random.below(conditions.len())];
    let breakpoint = json!({
        "line": random.below(40), "name": "Intro.stmt2", "dataId": random.below(3).to_string(),
        "condition": condition, "hitCondition": if random.below(3) == 0 { "% 2" } else { "" },
        "logMessage": if random.below(4) == 0 { "{record} {" } else { "" },
    });
    arguments
        .insert("breakpoints".to_owned(), if n.is_multiple_of(3) { json!([]) } else { json!([breakpoint]) });
    if random.below(12) == 0 {
        arguments.insert("breakpoints".to_owned(), json!("wrong"));
    }
    Value::Object(arguments)
}
