//! `qp mcp` and the protocol itself: both revisions, messages that make no sense, and random bytes.

use crate::agent::Agent;
use crate::support::case::Case;
use crate::support::rng::Rng;
use serde_json::{Value, json};
use std::time::Duration;

const RUN: [&str; 6] = ["--run", "none", "--", "java", "-cp", "classes"];

/// What each request of the newest revision has.
fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    })
}

#[test]
fn the_newest_revision_needs_no_greeting() {
    let case = Case::new("traced");
    let mut agent = Agent::silent(&case, &RUN);
    let discovered = agent.ask("server/discover", json!({"_meta": meta()}));
    let versions = discovered["supportedVersions"].as_array().expect("versions");
    assert_eq!(versions, &[json!("2025-11-25"), json!("2026-07-28")], "{discovered:#}");
    assert!(discovered["instructions"].as_str().is_some_and(|text| text.contains("`record`")));
    let list = agent.ask("tools/list", json!({"_meta": meta()}));
    assert_eq!(list["tools"].as_array().map(Vec::len), Some(10));
    let called = agent.ask("tools/call", json!({"_meta": meta(), "name": "calls", "arguments": {}}));
    assert_eq!((&called["isError"], &called["resultType"]), (&json!(true), &json!("complete")));
    let mut other = meta();
    other["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    let refused = agent.refused("tools/list", json!({"_meta": other}));
    assert!(refused["data"]["requested"] == "1999-01-01", "{refused:#}");
    assert_eq!(agent.vanish(), Some(0));
}

#[test]
fn an_older_client_gets_the_older_revision() {
    let case = Case::new("traced");
    for (asked, given) in
        [("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("2024-11-05", "2025-11-25")]
    {
        let mut agent = Agent::silent(&case, &RUN);
        let greeting = json!({
            "protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}
        });
        assert_eq!(agent.ask("initialize", greeting)["protocolVersion"], given);
        assert_eq!(agent.vanish(), Some(0));
    }
}

#[test]
fn messages_that_make_no_sense_get_errors() {
    let case = Case::new("traced");
    let mut agent = Agent::silent(&case, &RUN);
    let code = |agent: &Agent| {
        agent.wait_for("error", |message| message.get("error").is_some())["error"]["code"].clone()
    };
    // Before the greeting.
    for (line, expected) in [
        ("{not json", -32700),
        ("\u{0}\u{1}", -32700),
        ("[]", -32600),
        ("3", -32600),
        ("{}", -32600),
        (r#"{"jsonrpc":"1.0","id":1,"method":"tools/list"}"#, -32600),
        (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32602),
        (r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"record"}}"#, -32602),
    ] {
        agent.bytes(format!("{line}\n").as_bytes());
        assert_eq!(code(&agent), expected, "{line}");
    }
    // Nothing to answer: notifications, responses, empty lines.
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/unheard-of","params":[1]}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}"#,
        "",
        "   ",
    ] {
        agent.bytes(format!("{line}\n").as_bytes());
    }
    assert!(!agent.hears(Duration::from_millis(300), |_| true));
    assert_eq!(agent.vanish(), Some(0));
    let mut agent = Agent::start(&case, &RUN);
    assert_eq!(agent.refused("no/such/method", json!({}))["code"], -32601);
    assert_eq!(agent.refused("tools/call", json!({"name": "dance", "arguments": {}}))["code"], -32602);
    let listed = agent.refused("tools/call", json!({"arguments": {}}));
    assert!(listed["code"].as_i64().is_some_and(|code| code < 0), "{listed:#}");
    for arguments in [
        json!({"zzz": 1}),
        json!({"limit": "many"}),
        json!({"wait_s": -1}),
        json!({"cursor": "rest:99"}),
        json!({"cursor": "rest:x"}),
        json!({"cursor": 5}),
        json!({"depth": "deep"}),
    ] {
        assert!(agent.fails("calls", arguments.clone()).contains("error: "), "{arguments}");
    }
    // A message that is too long, and two requests with one id.
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"{}\"}}\n", "x".repeat(5 << 20));
    agent.bytes(long.as_bytes());
    assert_eq!(code(&agent), -32600);
    assert_eq!(agent.ask("tools/list", json!({}))["tools"].as_array().map(Vec::len), Some(10));
    assert_eq!(agent.vanish(), Some(0));
}

/// Random bytes, and messages that were changed at random, end or break nothing.
#[test]
fn random_input_breaks_nothing() {
    let case = Case::new("traced");
    let cases: u64 = std::env::var("QP_RANDOM_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(1000);
    let seed: u64 = std::env::var("QP_RANDOM_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let mut random = Rng::new(seed);
    let mut agent = Agent::start(&case, &RUN);
    let memory = agent.memory();
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"cursor": "x"}}),
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call",
            "params": {"name": "calls", "arguments": {"call": "call:1"}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": {"name": "wait", "arguments": {"job": "job:1"}, "_meta": {"progressToken": 1}}}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"}}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}),
    ];
    for _ in 0..cases {
        let which = random.below(7);
        let mut bytes = match messages.get(which) {
            Some(message) => message.to_string().into_bytes(),
            None => {
                (0..random.below(200)).map(|_| u8::try_from(random.below(256)).expect("a byte")).collect()
            }
        };
        for _ in 0..random.below(4) {
            let at = random.below(bytes.len().max(1));
            let byte = u8::try_from(random.below(256)).expect("a byte");
            match random.below(3) {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at.min(bytes.len()), byte),
            }
        }
        bytes.push(b'\n');
        agent.bytes(&bytes);
    }
    let id = 1_000_000;
    agent.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}}));
    assert_eq!(agent.response(id)["result"]["tools"].as_array().map(Vec::len), Some(10));
    assert!(memory.most() < 256 << 20, "{}", memory.most());
    assert_eq!(agent.vanish(), Some(0));
}
