//! An agent that talks to `qp mcp`.

use crate::support::case::Case;
use crate::support::memory::Memory;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Maximum time for an answer.
const LIMIT: Duration = Duration::from_secs(100);

/// A session with `qp mcp`.
pub struct Agent {
    pub child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last: i64,
    /// The schemas of results, by tool.
    schemas: BTreeMap<String, jsonschema::Validator>,
}

/// A result of a tool.
#[derive(Debug)]
pub struct Result {
    pub text: String,
    pub data: Value,
    pub failed: bool,
}

impl Agent {
    /// Starts `qp mcp` in the case's working folder, and greets it.
    pub fn start(case: &Case, arguments: &[&str]) -> Agent {
        let mut agent = Agent::silent(case, arguments);
        let greeting = json!({
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}
        });
        let response = agent.ask("initialize", greeting);
        assert_eq!(response["protocolVersion"], "2025-11-25");
        agent.notify("notifications/initialized", json!({}));
        for tool in agent.ask("tools/list", json!({}))["tools"].as_array().expect("tools") {
            let schema = jsonschema::validator_for(&tool["outputSchema"]).expect("a schema");
            agent.schemas.insert(tool["name"].as_str().expect("a name").to_owned(), schema);
        }
        agent
    }

    /// Starts `qp mcp` without a word.
    pub fn silent(case: &Case, arguments: &[&str]) -> Agent {
        let mut command = case.qp();
        command.arg("mcp").args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("qp starts");
        let (sender, messages) = channel();
        let output = BufReader::new(child.stdout.take().expect("its output"));
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                let message = serde_json::from_str(&line).expect("a message");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Agent { input: child.stdin.take(), child, messages, last: 0, schemas: BTreeMap::new() }
    }

    /// Sends bytes that need not be a message.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).expect("written");
        input.flush().expect("written");
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.bytes(format!("{message}\n").as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request, and returns its number.
    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.last += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}));
        self.last
    }

    /// Waits for a message.
    pub fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("no {what}: {e}"));
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Whether a message comes within a time.
    pub fn hears(&self, within: Duration, is_it: impl Fn(&Value) -> bool) -> bool {
        let end = Instant::now() + within;
        while let Ok(message) = self.messages.recv_timeout(end.saturating_duration_since(Instant::now())) {
            if is_it(&message) {
                return true;
            }
        }
        false
    }

    /// Waits for the response to a request.
    pub fn response(&self, id: i64) -> Value {
        self.wait_for("response", |message| message["id"] == id)
    }

    /// Asks, and returns the result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{method}: {response:#}");
        response["result"].clone()
    }

    /// Asks, and returns the error.
    pub fn refused(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        assert!(response.get("result").is_none(), "{method}: {response:#}");
        response["error"].clone()
    }

    /// The result of a response to `tools/call`. Its data fit the schema that the tool declares.
    #[track_caller]
    pub fn result(&self, tool: &str, response: &Value) -> Result {
        let result = &response["result"];
        let [content] = result["content"].as_array().expect("content").as_slice() else {
            panic!("one text is the whole answer: {response:#}")
        };
        let text = content["text"].as_str().expect("a text").to_owned();
        let failed = result["isError"] == true;
        assert!(text.starts_with("state: ") && text.contains("\nnext: "), "{text}");
        let data = result["structuredContent"].clone();
        if !failed {
            assert!(!data.to_string().contains(":null"), "absent rather than null: {data:#}");
            let state = text.lines().next().and_then(|line| line.strip_prefix("state: "));
            assert_eq!(data["state"].as_str(), state);
            assert!(data["next"].is_string(), "{text}");
            if let Err(error) = self.schemas[tool].validate(&data) {
                panic!("{tool}: {error}: {data:#}");
            }
        }
        Result { text, data, failed }
    }

    /// Calls a tool, whatever it answers.
    #[track_caller]
    pub fn try_call(&mut self, tool: &str, arguments: Value) -> Result {
        let id = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let response = self.response(id);
        assert!(response.get("error").is_none(), "{tool}: {response:#}");
        self.result(tool, &response)
    }

    /// Calls a tool, which has a result.
    #[track_caller]
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result {
        let result = self.try_call(tool, arguments);
        assert!(!result.failed, "{tool}: {}", result.text);
        result
    }

    /// Calls a tool, which has no result. Returns why.
    #[track_caller]
    pub fn fails(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.try_call(tool, arguments);
        assert!(result.failed, "{tool}: {}", result.text);
        result.text
    }

    /// Closes the input: the client has vanished. Returns the exit code.
    pub fn vanish(mut self) -> Option<i32> {
        drop(self.input.take());
        self.ended()
    }

    /// Waits for the end of `qp`. Returns the exit code.
    pub fn ended(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status.code();
            }
            assert!(began.elapsed() < LIMIT, "qp does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Watches the memory of `qp` until it is read.
    pub fn memory(&self) -> Memory {
        Memory::of(self.child.id())
    }
}
