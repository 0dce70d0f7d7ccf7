//! `cargo bench --bench editor`: how long an editor waits for `qp dap`. Prints a table; judges nothing.
//!
//! The program is an AVL tree that makes ten million calls (`QP_BENCH_SHARE=5` makes a fifth). `recorded` is
//! the time of `qp trace record` for the same program. `first stop` is the time from the end of the
//! configuration to the first `stopped` event, which includes the run. The other times are those from a
//! request to its answer, or to the `stopped` event that follows: medians and the longest of many.

#[allow(dead_code, reason = "each bench uses a part of it")]
#[path = "programs/common.rs"]
mod common;

use common::{Outcome, compiled, median, share};
use dap::{Decoder, Request, encode};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// How often each request is sent.
const ASKED: usize = 25;
/// The end of the line that has a breakpoint.
const BREAKPOINT: &str = "return tree.rotatedRight();";
/// The sources of the programs.
const SOURCES: [&str; 6] =
    ["Programs.java", "Classics.java", "Generators.java", "Tracer.java", "Least.java", "Word.java"];
/// The jars that they need.
const JARS: [&str; 7] = ["jsoup", "htmlcleaner", "jdom2", "kxml2", "javassist", "cglib", "asm"];

fn main() -> Outcome<()> {
    let scratch = tempfile::tempdir()?;
    let class_path = compiled(&JARS, &SOURCES, scratch.path())?;
    let class_path = format!("{}:{class_path}", scratch.path().display());
    let size = (110_000 / share()).to_string();
    let command = ["java", "-Xmx2g", "-cp", &class_path, "Programs", "avl", &size, "."];
    let mut recorded = Vec::new();
    let mut first = Vec::new();
    for round in 0..3 {
        let folder = scratch.path().join(format!("trace{round}"));
        let began = Instant::now();
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        qp.args(["trace", "record", "--level=all", "--out"]).arg(&folder).arg("--").args(command);
        let output = qp.output()?;
        recorded.push(began.elapsed().as_secs_f64() * 1e3);
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
        }
        std::fs::remove_dir_all(&folder)?;
        let mut editor = Editor::start()?;
        first.push(editor.launch(json!({"command": command}))?);
    }
    let mut editor = Editor::start()?;
    editor.launch(json!({"command": command}))?;
    let (recorded, first) = (median(recorded), median(first));
    println!("recorded {recorded:.0} ms, first stop {first:.0} ms: {:.0} ms later", first - recorded);
    println!("{:<24} {:>8} {:>8}", "request, in ms", "median", "longest");
    for (name, requests) in ROWS {
        let mut times = Vec::new();
        for _ in 0..ASKED {
            times.push(requests(&mut editor)?);
        }
        let longest = times.iter().copied().fold(0.0, f64::max);
        println!("{name:<24} {:>8.1} {longest:>8.1}", median(times));
    }
    println!(
        "qp has had {} MB at most, {} MB of them its own",
        editor.memory("VmHWM"),
        editor.memory("RssAnon")
    );
    Ok(())
}

type Measured = fn(&mut Editor) -> Outcome<f64>;

/// What is measured, in this order: the session moves meanwhile.
const ROWS: &[(&str, Measured)] = &[
    ("reverseContinue", |editor| editor.go("reverseContinue")),
    ("stepBack", |editor| editor.go("stepBack")),
    ("stackTrace", |editor| Ok(editor.ask("stackTrace", json!({"threadId": 1, "levels": 20}))?.1)),
    ("scopes and variables", Editor::variables),
    ("qp/stepBackInto", |editor| editor.go("qp/stepBackInto")),
    ("next", |editor| editor.go("next")),
    ("stepIn", |editor| editor.go("stepIn")),
    ("stepOut", |editor| editor.go("stepOut")),
    ("history VARIABLE", |editor| editor.at_breakpoint("history tree.left")),
    ("why VARIABLE", |editor| editor.at_breakpoint("why tree.left")),
    ("why", |editor| editor.at_breakpoint("why")),
    ("back VARIABLE", |editor| editor.at_breakpoint("back tree.left")),
];

struct Editor {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    decoder: Decoder,
    seq: i64,
}

impl Editor {
    fn start() -> Outcome<Editor> {
        let mut qp = Command::new(env!("CARGO_BIN_EXE_qp"));
        let mut child = qp.arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("a pipe")?;
        let output = child.stdout.take().ok_or("a pipe")?;
        Ok(Editor { child, input, output, decoder: Decoder::new(), seq: 0 })
    }

    fn send(&mut self, command: &str, arguments: Value) -> Outcome<i64> {
        self.seq += 1;
        let request = Request { seq: self.seq, command: command.to_owned(), arguments: Some(arguments) };
        self.input.write_all(&encode(&request)?)?;
        self.input.flush()?;
        Ok(self.seq)
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Outcome<Value> {
        let mut buffer = [0; 1 << 16];
        loop {
            while let Some(message) = self.decoder.next_value()? {
                if is_it(&message) {
                    return Ok(message);
                }
            }
            match self.output.read(&mut buffer)? {
                0 => return Err("qp has ended".into()),
                read => self.decoder.push(buffer.get(..read).unwrap_or_default()),
            }
        }
    }

    /// Asks. Returns the body of the answer, and the time in ms.
    fn ask(&mut self, command: &str, arguments: Value) -> Outcome<(Value, f64)> {
        let began = Instant::now();
        let seq = self.send(command, arguments)?;
        let answer = self.wait(|message| message["request_seq"] == seq)?;
        let took = began.elapsed().as_secs_f64() * 1e3;
        match answer["success"] == true {
            true => Ok((answer["body"].clone(), took)),
            false => Err(format!("{command}: {answer:#}").into()),
        }
    }

    /// Launches. Returns the time until the first stop, in ms.
    fn launch(&mut self, settings: Value) -> Outcome<f64> {
        self.ask("initialize", json!({"adapterID": "querypoint"}))?;
        self.ask("launch", settings)?;
        let text = std::fs::read_to_string(common::root().join("benches/programs/Classics.java"))?;
        let line = 1 + text.lines().position(|line| line.ends_with(BREAKPOINT)).ok_or("the line")?;
        let file = json!({"name": "Classics.java"});
        self.ask("setBreakpoints", json!({"source": file, "breakpoints": [{"line": line}]}))?;
        let began = Instant::now();
        self.send("configurationDone", json!({}))?;
        self.wait(|message| message["event"] == "stopped")?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// Moves. Returns the time until the session stands again, in ms.
    fn go(&mut self, command: &str) -> Outcome<f64> {
        let began = Instant::now();
        self.send(command, json!({"threadId": 1}))?;
        self.wait(|message| message["event"] == "stopped")?;
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    fn frame(&mut self) -> Outcome<Value> {
        let (body, _) = self.ask("stackTrace", json!({"threadId": 1, "levels": 1}))?;
        Ok(body["stackFrames"][0]["id"].clone())
    }

    /// Asks for all variables of the innermost frame, and for the parts of `this`.
    fn variables(&mut self) -> Outcome<f64> {
        let frame = self.frame()?;
        let began = Instant::now();
        let (body, _) = self.ask("scopes", json!({"frameId": frame}))?;
        for scope in body["scopes"].as_array().ok_or("scopes")? {
            if scope["expensive"] == true {
                continue;
            }
            let reference = scope["variablesReference"].clone();
            let (body, _) = self.ask("variables", json!({"variablesReference": reference}))?;
            for variable in body["variables"].as_array().ok_or("variables")? {
                if variable["variablesReference"] != 0 {
                    let reference = variable["variablesReference"].clone();
                    self.ask("variables", json!({"variablesReference": reference}))?;
                }
            }
        }
        Ok(began.elapsed().as_secs_f64() * 1e3)
    }

    /// Answers a question of the console where a breakpoint is hit.
    fn at_breakpoint(&mut self, text: &str) -> Outcome<f64> {
        self.go("reverseContinue")?;
        let frame = self.frame()?;
        Ok(self.ask("evaluate", json!({"expression": text, "frameId": frame, "context": "repl"}))?.1)
    }

    /// A size of the process, in MB; 0 where the system does not report it.
    fn memory(&self, what: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(what)?.strip_prefix(':'));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
        kilobytes.unwrap_or(0) / 1024
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
