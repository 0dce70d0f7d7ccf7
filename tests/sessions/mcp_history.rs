//! What `qp mcp` says of the writes to a variable.

use crate::mcp::intro;
use crate::support::case::Case;
use serde_json::json;

/// Where only calls were recorded, writes are known of the calls that were recorded again.
#[test]
fn a_history_of_a_few_calls_says_so() {
    let case = Case::new("traced");
    let mut agent = intro(&case);
    agent.call("record", json!({"level": "calls"}));
    let calls = agent.call("calls", json!({"method": "Intro.stmt2", "all": true}));
    let call = &calls.data["calls"][0]["node"];
    let events = agent.call("events", json!({"call": call, "level": "writes"}));
    let events = events.data["events"].as_array().expect("events").clone();
    let write = events.iter().find(|event| event["object"].is_string() && event["name"].is_string());
    let write = write.unwrap_or_else(|| panic!("a write: {events:#?}"));
    let variable = [&write["object"], &write["name"]].map(|part| part.as_str().expect("a text")).join(".");
    let history = agent.call("history", json!({"variable": variable}));
    let said = format!(
        "writes are known only for the calls recorded again: #{}",
        call.to_string().trim_matches('"').replace("call:", "")
    );
    assert!(history.text.contains(&said), "{said}: {}", history.text);
}
