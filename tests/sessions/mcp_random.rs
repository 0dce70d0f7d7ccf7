//! `qp mcp`: random calls that fit the tools' own schemas, and some that do not. Each gets one answer of the
//! declared form, memory stays bounded, and nothing is left.

use crate::mcp::intro;
use crate::support::case::Case;
use crate::support::rng::Rng;
use crate::support::{processes_with, setting};
use serde_json::{Map, Value, json};

/// What a `qp mcp` may take, in bytes, whatever it was asked.
const MEMORY: u64 = 400 << 20;

/// `QP_REQUESTS=10000` sends so many requests, and `QP_SEED` begins elsewhere.
#[test]
fn random_calls_are_answered() {
    let requests = setting("QP_REQUESTS").unwrap_or(150);
    let seed = setting("QP_SEED").unwrap_or(48);
    let case = Case::new("traced");
    let mut random = Rng::new(seed);
    let mut agent = intro(&case);
    let memory = agent.memory();
    let list = agent.ask("tools/list", json!({}));
    let tools = list["tools"].as_array().expect("tools");
    let mut known = vec!["Intro:31".to_owned(), "Intro:26".to_owned()];
    let (mut answered, mut failed) = (0, 0);
    agent.call("record", json!({}));
    for n in 0..requests {
        let mut row = random.pick(tools);
        // A run takes long.
        if row["annotations"]["readOnlyHint"] != true && random.chance(70) {
            row = random.pick(tools);
        }
        let tool = row["name"].as_str().expect("a name");
        let arguments = value(&row["inputSchema"], &known, &mut random);
        if random.chance(5) {
            // Something that is no request at all.
            let junk = ["{\"jsonrpc\": \"2.0\"", "[]", "null", "\u{7}"];
            agent.bytes(format!("{}\n", random.pick(&junk)).as_bytes());
        }
        let told = format!("QP_SEED={seed}, request {n}: {tool} {arguments}");
        let id = agent.request("tools/call", json!({"name": tool, "arguments": arguments}));
        if random.chance(3) {
            agent.notify("notifications/cancelled", json!({"requestId": id}));
            // It may be answered already; if not, it never is. Another request shows that the session goes
            // on.
            agent.ask("tools/list", json!({}));
            continue;
        }
        let response = agent.response(id);
        if response.get("error").is_some() {
            // The arguments as a whole have the wrong form.
            assert!(response["error"]["message"].is_string(), "{told}: {response:#}");
            failed += 1;
            continue;
        }
        let result = agent.result(tool, &response);
        assert!(
            !result.text.contains("panicked") && !result.text.contains("internal error"),
            "{told}: {}",
            result.text
        );
        if result.failed {
            failed += 1
        } else {
            answered += 1
        };
        keep_handles(&result.data, &mut known);
    }
    assert!(answered * 8 > requests && failed * 8 > requests, "{answered} answered, {failed} failed");
    assert!(memory.most() < MEMORY, "{} MB", memory.most() >> 20);
    assert_eq!(agent.vanish(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}

/// A value that fits a schema, or rarely one that does not.
fn value(schema: &Value, known: &[String], random: &mut Rng) -> Value {
    if random.chance(2) {
        return random.pick(&[json!(null), json!(-1), json!("wrong"), json!([[]]), json!({"a": {}})]).clone();
    }
    if let Some(constants) = schema["enum"].as_array() {
        return random.pick(constants).clone();
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => random.pick(kinds).clone(),
        kind => kind.clone(),
    };
    match kind.as_str() {
        Some("object") => {
            let mut fields = Map::new();
            let required = |name: &str| {
                schema["required"].as_array().is_some_and(|names| names.iter().any(|other| other == name))
            };
            for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
                let often = match name.as_str() {
                    "cursor" | "trace" | "run" | "thread" | "save" => 5,
                    "at" | "method" | "thrown" => 60,
                    _ => 20,
                };
                if required(name) || random.chance(often) {
                    fields.insert(name.clone(), field(name, schema, known, random));
                }
            }
            Value::Object(fields)
        }
        Some("array") => {
            (0..random.below(3)).map(|_| value(&schema["items"], known, random)).collect::<Vec<_>>().into()
        }
        Some("integer" | "number") => json!(*random.pick(&[0_i64, 1, 2, 5, 40, -1, 1_000_000, i64::MAX])),
        Some("boolean") => json!(random.chance(50)),
        _ => text(known, random),
    }
}

/// A value of a field. The name often tells more than the schema.
fn field(name: &str, schema: &Value, known: &[String], random: &mut Rng) -> Value {
    let handle = |kind: &str, random: &mut Rng| {
        let known: Vec<&String> = known.iter().filter(|handle| handle.starts_with(kind)).collect();
        if known.is_empty() { json!("") } else { json!(random.pick(&known)) }
    };
    let often: &[&str] = match name {
        "at" => &["Intro:31", "Intro:26", "Intro:24", "Intro:14", "Intro:7"],
        "skipped" => &["Intro:14"],
        "expr" => &["foo", "record.bar", "cond", "record"],
        "when" => &["foo == null", "record != null", "cond", "1 / 0 == 1"],
        "method" => &["Intro.stmt2", "Intro.main", "stmt2"],
        "variable" => &["object:1", "object:1.bar", "object:2.bar", "object:3[0]"],
        "value" => &["\"1O\"", "null", "4711"],
        "goal" => {
            &["event(I, T, throw(O, L))", "event(_, _, _), fail", "repeat, fail", "X is foo + 1", "member("]
        }
        "trace" => &["trace:1"],
        "run" => &["intro"],
        "thread" => &["main"],
        "call" | "object" if random.chance(85) => return handle(name, random),
        "from" if random.chance(85) => return handle("answer", random),
        "limit" | "depth" | "index" | "timeout_s" if random.chance(85) => return json!(1 + random.below(5)),
        "wait_s" => return json!(random.below(3)),
        _ => &[],
    };
    if often.is_empty() || random.chance(15) {
        return value(schema, known, random);
    }
    json!(*random.pick(often))
}

fn text(known: &[String], random: &mut Rng) -> Value {
    let odd = [
        "",
        "foo",
        "x.y[",
        "\"",
        "call:0",
        "trace:1",
        "trace:9",
        "answer:1.B",
        "event:3",
        "../..",
        "%s\u{0}\u{7}",
        "𝕏",
    ];
    if random.chance(40) { json!(*random.pick(&odd)) } else { json!(random.pick(known)) }
}

/// Handles of an answer, for later questions.
fn keep_handles(data: &Value, known: &mut Vec<String>) {
    match data {
        Value::String(text) if known.len() < 200 && is_handle(text) && !known.contains(text) => {
            known.push(text.clone());
        }
        Value::Array(values) => values.iter().for_each(|value| keep_handles(value, known)),
        Value::Object(fields) => fields.values().for_each(|value| keep_handles(value, known)),
        _ => {}
    }
}

fn is_handle(text: &str) -> bool {
    text.contains(':') && text.len() < 40 && !text.contains(' ')
}
