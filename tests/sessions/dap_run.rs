//! `qp dap`: how the program runs and how the editor connects; progress, and other threads.

use crate::editor::Editor;
use crate::support::case::Case;
use crate::support::processes_with;
use dap::{Decoder, encode};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};

fn compile(case: &Case, name: &str, text: &str) {
    let file = format!("{name}.java");
    std::fs::write(case.work().join(&file), text).expect("written");
    let mut javac = Command::new("javac");
    let status = javac.args(["-g", "-d", "classes", &file]).current_dir(case.work()).status();
    assert!(status.expect("javac").success());
}

const GREETS: &str = "import java.util.Scanner;
public class Greets {
    public static void main(String[] args) {
        String name = new Scanner(System.in).nextLine();
        String greeting = \"Hello \" + name;
        System.out.println(greeting);
    }
}
";

#[test]
fn a_program_that_reads_does_so_in_a_terminal_of_the_editor() {
    let case = Case::new("traced");
    compile(&case, "Greets", GREETS);
    let mut editor = Editor::start(&case);
    editor.ask("initialize", json!({"adapterID": "querypoint", "supportsRunInTerminalRequest": true}));
    let settings = json!({"command": ["java", "-cp", "classes", "Greets"], "console": "integratedTerminal"});
    editor.ask("launch", settings);
    let begun = editor.send("configurationDone", json!({}));
    let request = editor.wait_for("runInTerminal", |message| message["command"] == "runInTerminal");
    let words: Vec<&str> =
        request["arguments"]["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    let mut terminal = Command::new(words[0]);
    let terminal = terminal.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut terminal = terminal.spawn().expect("the terminal");
    editor.acknowledge(&request);
    let mut typed = terminal.stdin.take().expect("its input");
    typed.write_all(b"Ada\n").expect("typed");
    assert_eq!(editor.response(begun)["success"], true);
    editor.event("stopped");
    let printed = terminal.wait_with_output().expect("it ends with the run");
    assert_eq!(String::from_utf8_lossy(&printed.stdout), "Hello Ada\n");
    assert_eq!(editor.locals(1).last().map(String::as_str), Some("greeting = \"Hello Ada\""));
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}

/// A client of a port.
struct Client {
    stream: TcpStream,
    decoder: Decoder,
    seq: i64,
}

impl Client {
    fn connect(port: u16) -> Client {
        let stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
        Client { stream, decoder: Decoder::new(), seq: 0 }
    }

    /// The response to a request; `None` if the connection was closed before it came.
    fn ask(&mut self, command: &str, arguments: Value) -> Option<Value> {
        self.seq += 1;
        let request = json!({"seq": self.seq, "type": "request", "command": command, "arguments": arguments});
        self.stream.write_all(&encode(&request).expect("JSON")).ok()?;
        let seq = self.seq;
        self.wait(|message| message["request_seq"] == seq)
    }

    fn wait(&mut self, is_it: impl Fn(&Value) -> bool) -> Option<Value> {
        let mut buffer = [0; 8192];
        loop {
            while let Some(message) = self.decoder.next_value().expect("a message") {
                if is_it(&message) {
                    return Some(message);
                }
            }
            match self.stream.read(&mut buffer) {
                Ok(read @ 1..) => self.decoder.push(&buffer[..read]),
                _ => return None,
            }
        }
    }
}

#[test]
fn an_editor_that_connects_to_the_port_needs_the_token() {
    let case = Case::new("traced");
    compile(&case, "Greets", GREETS);
    let mut qp = case.qp().args(["dap", "--port", "0"]).stdout(Stdio::piped()).spawn().expect("qp");
    let mut lines = BufReader::new(qp.stdout.take().expect("its output")).lines();
    let line = lines.next().expect("the port").expect("text");
    let port: u16 = line.strip_prefix("listening on 127.0.0.1:").expect("the port").parse().expect("a port");
    let line = lines.next().expect("the token").expect("text");
    let token = line.strip_prefix("token: ").expect("the token").to_owned();
    assert_eq!(token.len(), 64);
    let settings = |token: &str| {
        let command = ["java", "-cp", "classes", "Greets"];
        json!({"command": command, "token": token, "stopOnEntry": true})
    };
    let wrong = token.replace(|c: char| c.is_ascii_digit(), "a");
    for (command, arguments) in
        [("launch", settings(&wrong)), ("launch", json!({"command": ["touch", "x"]})), ("threads", json!({}))]
    {
        let mut client = Client::connect(port);
        assert_eq!(client.ask("initialize", json!({"adapterID": "x"})).expect("an answer")["success"], true);
        let refused = client.ask(command, arguments).expect("an answer");
        assert_eq!(refused["success"], false);
        assert!(refused["message"].as_str().is_some_and(|why| why.contains("token")), "{refused:#}");
        assert_eq!(client.ask("launch", settings(&token)), None, "the connection is closed");
    }
    // A page in a browser can send this.
    let mut browser = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
    browser.write_all(b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}").expect("written");
    let mut answer = Vec::new();
    let _ = browser.read_to_end(&mut answer);
    assert!(answer.is_empty(), "{}", String::from_utf8_lossy(&answer));
    // Nor do silent connections, or ones in the middle of a header, keep an editor out.
    let silent: Vec<TcpStream> = (0..150)
        .map(|at| {
            let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("it listens");
            if at % 2 == 0 {
                stream.write_all(b"C").expect("written");
            }
            stream
        })
        .collect();
    let began = std::time::Instant::now();
    let mut client = Client::connect(port);
    client.ask("initialize", json!({"adapterID": "x"})).expect("an answer");
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    drop(silent);
    assert_eq!(client.ask("launch", settings(&token)).expect("an answer")["success"], true);
    // The program has no input, so it throws.
    client.ask("configurationDone", json!({})).expect("an answer");
    let stopped = client.wait(|message| message["event"] == "stopped").expect("a stop");
    assert_eq!(stopped["body"]["reason"], "entry");
    let pid = rustix::process::Pid::from_raw(i32::try_from(qp.id()).expect("small")).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("a signal");
    assert_eq!(qp.wait().expect("it ends").code(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
    let left = std::fs::read_dir(case.mark("").parent().unwrap().join("tmp")).expect("the folder").count();
    assert_eq!(left, 0);
}

#[test]
fn progress_is_shown_and_can_be_cancelled() {
    let case = Case::new("endless");
    let mut editor = Editor::start(&case);
    editor.ask("initialize", json!({"adapterID": "querypoint", "supportsProgressReporting": true}));
    editor.ask("launch", json!({"command": ["java", "-cp", "classes", "Endless"]}));
    let begun = editor.send("configurationDone", json!({}));
    let progress = editor.event("progressStart");
    assert_eq!(
        (&progress["title"], &progress["requestId"]),
        (&json!("Recording the program"), &json!(begun))
    );
    editor.send("cancel", json!({"progressId": progress["progressId"]}));
    assert_eq!(editor.event("progressEnd")["progressId"], progress["progressId"]);
    let response = editor.response(begun);
    assert_eq!((&response["success"], &response["message"]), (&json!(false), &json!("cancelled")));
    // Otherwise an editor goes on to show a program that runs.
    editor.event("terminated");
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}

/// `other` runs between two lines of `main`, which waits for it.
const PAIR: &str = "public class Pair {
    static int shared;
    static void work(int n) {
        int own = n + 1;
        shared = own;
    }
    public static void main(String[] args) throws Exception {
        work(1);
        Thread other = new Thread(() -> {
            work(10);
            work(20);
        }, \"other\");
        other.start();
        other.join();
        work(2);
    }
}
";

#[test]
fn each_thread_stands_where_it_was_at_the_time() {
    let case = Case::new("traced");
    compile(&case, "Pair", PAIR);
    let mut editor = Editor::start(&case);
    editor.ask("initialize", json!({"adapterID": "querypoint"}));
    let settings = json!({"command": ["java", "-cp", "classes", "Pair"], "stopAt": "breakpoint"});
    editor.ask("launch", settings);
    let file = json!({"source": {"name": "Pair.java"}, "breakpoints": [{"line": 15}]});
    editor.ask("setBreakpoints", file);
    let stopped = editor.begin();
    assert_eq!(
        (&stopped["reason"], editor.place(&stopped)),
        (&json!("breakpoint"), "Pair.main:15".to_owned())
    );
    let threads = editor.ask("threads", json!({}))["threads"].clone();
    let other = threads.as_array().unwrap().iter().find(|thread| thread["name"] == "other").unwrap().clone();
    // The other thread is at its end there.
    let frames = editor.stack(&other["id"]);
    assert!(frames[0]["name"].as_str().is_some_and(|name| name.contains("lambda")), "{frames:#?}");
    // A step in it moves it, and then both are at an earlier time.
    editor.ask("stepBack", json!({"threadId": other["id"]}));
    let stopped = editor.event("stopped");
    assert_eq!(stopped["threadId"], other["id"]);
    let place = editor.place(&stopped);
    assert!(place.ends_with(":12") || place.ends_with(":11"), "{place}");
    let frames = editor.stack(&threads[0]["id"]);
    let waits = [json!(13), json!(14)].contains(&frames[0]["line"]);
    assert!(waits, "main starts the thread, or waits for it: {frames:#?}");
    // What last wrote the field is in the other thread, seen from main.
    editor.ask("setBreakpoints", json!({"source": {"name": "Pair.java"}, "breakpoints": []}));
    editor.ask("continue", json!({"threadId": threads[0]["id"]}));
    editor.event("stopped");
    let history = editor.says("history Pair.shared");
    assert!(history.contains("21"), "{history}");
    let why = editor.says("why Pair.shared");
    assert!(why.contains("21") && why.contains('3'), "{why}");
    editor.says("back Pair.shared");
    editor.says("back Pair.shared");
    assert_eq!(editor.says("own"), "21");
    assert_eq!(editor.disconnect(), Some(0));
}

const ROUNDS: &str = "public class Rounds {
    static int twice(int n) {
        return 2 * n;
    }
    public static void main(String[] args) {
        int sum = 0;
        for (int i = 0; i < 6; i++) {
            sum += twice(i);
        }
        System.out.println(sum);
    }
}
";

#[test]
fn a_program_that_is_halted_is_run_again_to_go_back() {
    let case = Case::new("traced");
    compile(&case, "Rounds", ROUNDS);
    let mut editor = Editor::start(&case);
    editor.ask("initialize", json!({"adapterID": "querypoint"}));
    let settings =
        json!({"mode": "rerun", "command": ["java", "-cp", "classes", "Rounds"], "sources": ["."]});
    editor.ask("launch", settings);
    let breakpoints = json!([{"line": 8, "condition": "i % 2 == 1"}]);
    editor.ask("setBreakpoints", json!({"source": {"name": "Rounds.java"}, "breakpoints": breakpoints}));
    let stopped = editor.begin();
    assert_eq!(
        (&stopped["reason"], editor.place(&stopped)),
        (&json!("breakpoint"), "Rounds.main:8".to_owned())
    );
    assert_eq!(editor.says("i"), "1");
    let stopped = editor.go("continue");
    assert_eq!((&stopped["reason"], editor.says("sum")), (&json!("breakpoint"), "6".to_owned()));
    let stopped = editor.go("stepIn");
    assert_eq!((&stopped["reason"], editor.place(&stopped)), (&json!("step"), "Rounds.twice:3".to_owned()));
    assert_eq!(editor.locals(1), ["n = 3"]);
    assert!(editor.locals(2).contains(&"sum = 6".to_owned()));
    // Back by another run: the step, and then the hit before.
    let stopped = editor.go("stepBack");
    assert_eq!((editor.place(&stopped), editor.says("i")), ("Rounds.main:8".to_owned(), "3".to_owned()));
    assert!(editor.refused("stepBack", json!({"threadId": 1})).contains("reverseContinue"));
    editor.go("reverseContinue");
    assert_eq!(editor.says("i"), "1");
    let stopped = editor.go("reverseContinue");
    assert_eq!(
        (&stopped["reason"], &stopped["description"]),
        (&json!("entry"), &json!("beginning of the program"))
    );
    let stopped = editor.go("reverseContinue");
    assert_eq!(stopped["description"], "beginning of the program");
    for expected in ["1", "3", "5"] {
        editor.go("continue");
        assert_eq!(editor.says("i"), expected);
    }
    let frame = editor.frame(1);
    let hover = |text: &str| json!({"expression": text, "frameId": frame, "context": "hover"});
    assert_eq!(editor.ask("evaluate", hover("sum + 1"))["result"], "21");
    assert!(editor.refused("evaluate", hover("twice(3)")).contains("calls a method"));
    assert_eq!(editor.says("twice(4)"), "8");
    let stopped = editor.go("continue");
    assert_eq!(stopped["description"], "end of the program");
    assert_eq!(editor.stack(&json!(1)), Vec::<Value>::new());
    editor.go("reverseContinue");
    assert_eq!(editor.says("i"), "5");
    // A question of `qp debug` runs the program, and halts it at the answer.
    let why = editor.ask("evaluate", json!({"expression": "back sum", "context": "repl"}));
    editor.event("stopped");
    assert!(why["result"].as_str().is_some_and(|text| text.contains("20")), "{why:#}");
    assert!(
        editor
            .refused("gotoTargets", json!({"source": {"name": "Rounds.java"}, "line": 8}))
            .contains("rerun")
    );
    assert_eq!(editor.disconnect(), Some(0));
    assert!(processes_with(&case.name()).is_empty());
}
