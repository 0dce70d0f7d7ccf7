//! An editor that talks to `qp dap`.

use crate::dap_schema::MessageSchema;
use crate::support::case::Case;
use dap::{Decoder, Request, encode};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Maximum time for an answer.
const LIMIT: Duration = Duration::from_secs(100);

/// A session with `qp dap`.
pub struct Editor {
    pub child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    seq: i64,
    /// The texts of the output events that came since they were taken.
    outputs: RefCell<Vec<String>>,
    schema: MessageSchema,
    /// The thread in which the session stands.
    thread: RefCell<Value>,
}

impl Editor {
    /// Starts `qp dap` in the case's working folder.
    pub fn start(case: &Case) -> Editor {
        let mut child = case.qp();
        let child = child.arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = child.spawn().expect("qp starts");
        let (sender, messages) = channel();
        let mut output = child.stdout.take().expect("its output");
        std::thread::spawn(move || {
            let (mut decoder, mut buffer) = (Decoder::new(), [0; 8192]);
            while let Ok(read @ 1..) = output.read(&mut buffer) {
                decoder.push(&buffer[..read]);
                while let Some(message) = decoder.next_value().expect("a message") {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            }
            assert!(!decoder.is_inside(), "the output ends inside a message");
        });
        Editor {
            input: child.stdin.take(),
            child,
            messages,
            seq: 0,
            outputs: RefCell::default(),
            schema: MessageSchema::of_environment(),
            thread: RefCell::default(),
        }
    }

    /// Sends bytes that need not be a message.
    pub fn bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("open");
        input.write_all(bytes).expect("written");
        input.flush().expect("written");
    }

    /// Sends a request, and returns its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let request = Request { seq: self.seq, command: command.to_owned(), arguments: Some(arguments) };
        self.bytes(&encode(&request).expect("JSON"));
        self.seq
    }

    /// Answers a request of the session.
    pub fn acknowledge(&mut self, request: &Value) {
        self.seq += 1;
        let body = json!({});
        let response = json!({"seq": self.seq, "type": "response", "request_seq": request["seq"],
            "command": request["command"], "success": true, "body": body});
        self.bytes(&encode(&response).expect("JSON"));
    }

    /// Waits for a message.
    pub fn wait_for(&self, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.messages.recv_timeout(LIMIT).unwrap_or_else(|e| panic!("no {what}: {e}"));
            self.schema.check(&message);
            if let (Some("output"), Some(text)) =
                (message["event"].as_str(), message["body"]["output"].as_str())
            {
                self.outputs.borrow_mut().push(text.trim_end().to_owned());
            }
            if message["event"] == "stopped" {
                self.thread.replace(message["body"]["threadId"].clone());
            }
            if is_it(&message) {
                return message;
            }
        }
    }

    /// Waits for the response to a request.
    pub fn response(&self, seq: i64) -> Value {
        self.wait_for("response", |message| message["request_seq"] == seq)
    }

    /// Waits for an event, and returns its body.
    pub fn event(&self, name: &str) -> Value {
        self.wait_for(name, |message| message["event"] == name)["body"].clone()
    }

    /// Asks, and returns the body of the response.
    pub fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let seq = self.send(command, arguments);
        let response = self.response(seq);
        assert_eq!(response["success"], true, "{command}: {response:#}");
        response["body"].clone()
    }

    /// Asks, and returns why the request failed.
    pub fn refused(&mut self, command: &str, arguments: Value) -> String {
        let seq = self.send(command, arguments);
        let response = self.response(seq);
        assert_eq!(response["success"], false, "{command}: {response:#}");
        response["body"]["error"]["format"].as_str().expect("a reason").to_owned()
    }

    /// Launches, and returns where the session stands at first.
    pub fn launch(&mut self, settings: Value) -> Value {
        let capabilities = self.ask("initialize", json!({"adapterID": "querypoint"}));
        assert_eq!(capabilities["supportsStepBack"], true);
        self.ask("launch", settings);
        self.begin()
    }

    /// Ends the configuration, and returns where the session stands then.
    pub fn begin(&mut self) -> Value {
        self.send("configurationDone", json!({}));
        self.event("stopped")
    }

    /// Moves, and returns where the move ended.
    pub fn go(&mut self, to: &str) -> Value {
        self.ask(to, json!({"threadId": 1}));
        self.event("stopped")
    }

    /// The frames of a thread.
    pub fn stack(&mut self, thread: &Value) -> Vec<Value> {
        let body = self.ask("stackTrace", json!({"threadId": thread}));
        let frames = body["stackFrames"].as_array().expect("frames").clone();
        assert_eq!(body["totalFrames"], frames.len());
        frames
    }

    /// The method and line at which the session stands.
    pub fn place(&mut self, stopped: &Value) -> String {
        let frames = self.stack(&stopped["threadId"]);
        format!("{}:{}", frames[0]["name"].as_str().expect("a name"), frames[0]["line"])
    }

    /// The texts of the output events that came since the last call of this.
    pub fn outputs(&self) -> Vec<String> {
        self.outputs.take()
    }

    /// The id of a frame of the stack, by its number from 1.
    pub fn frame(&mut self, number: usize) -> Value {
        let thread = self.thread.borrow().clone();
        self.stack(&thread)[number - 1]["id"].clone()
    }

    /// A scope of a frame, as `name = value`; empty if the frame has none of this name.
    pub fn scope(&mut self, frame: usize, name: &str) -> Vec<String> {
        let frame = self.frame(frame);
        let scopes = self.ask("scopes", json!({"frameId": frame}));
        let all = scopes["scopes"].as_array().expect("scopes").clone();
        let scope = all.iter().find(|scope| scope["name"] == name);
        scope.map(|scope| self.variables(&scope["variablesReference"])).unwrap_or_default()
    }

    /// The local variables of a frame, by its number from 1, as `name = value`.
    pub fn locals(&mut self, frame: usize) -> Vec<String> {
        self.scope(frame, "Locals")
    }

    /// The variable of the innermost frame with this name.
    pub fn variable(&mut self, name: &str) -> Value {
        let frame = self.frame(1);
        let scopes = self.ask("scopes", json!({"frameId": frame}));
        for scope in scopes["scopes"].as_array().expect("scopes").clone() {
            let body = self.ask("variables", json!({"variablesReference": scope["variablesReference"]}));
            let all = body["variables"].as_array().expect("variables").clone();
            if let Some(found) = all.into_iter().find(|one| one["name"] == name) {
                return found;
            }
        }
        panic!("there is no variable {name}");
    }

    /// The answer to a text in the console.
    pub fn says(&mut self, text: &str) -> String {
        let frame = self.frame(1);
        let body = self.ask("evaluate", json!({"expression": text, "frameId": frame, "context": "repl"}));
        let said = body["result"].as_str().expect("a text").to_owned();
        if said == "moved" || said.ends_with("of the recording") {
            self.event("stopped");
        }
        said
    }

    /// The variables behind a reference, as `name = value`.
    pub fn variables(&mut self, reference: &Value) -> Vec<String> {
        let body = self.ask("variables", json!({"variablesReference": reference}));
        let text = |variable: &Value, key: &str| variable[key].as_str().expect("a text").to_owned();
        let all = body["variables"].as_array().expect("variables").iter();
        all.map(|one| format!("{} = {}", text(one, "name"), text(one, "value"))).collect()
    }

    fn ended(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status.code();
            }
            assert!(began.elapsed() < LIMIT, "qp does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Closes the input: the editor has vanished. Returns the exit code.
    pub fn vanish(mut self) -> Option<i32> {
        drop(self.input.take());
        self.ended()
    }

    /// Ends the session. Returns the exit code.
    pub fn disconnect(mut self) -> Option<i32> {
        self.ask("disconnect", json!({}));
        self.ended()
    }
}
