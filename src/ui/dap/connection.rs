//! The connection to an editor: requests come in, and a session on another thread answers one after another.
//! A request to cancel is heard while another one is being answered.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal};
use super::dispatch::Asking;
use super::terminal::Listening;
use crate::ui::interrupt::Hearing;
use crate::ui::out::complain;
use crate::ui::relay::{Heard, Told, relay};
use crate::ui::token::is_token;
use dap::types::{
    EventBody, OutputBody, OutputCategory, ProgressEndBody, ProgressStartBody, ProgressUpdateBody,
    RunInTerminalArguments, TerminalKind, TerminatedBody,
};
use dap::{Command, Decoder, ErrorMessage, Event, Incoming, Request, Response, encode};
use servers::dap::Console;
use session::{Actor, Pending};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::rc::Rc;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum number of pieces of input that wait.
const READS: usize = 16;
/// How long a request may take before the editor is told of its progress.
const SILENT: Duration = Duration::from_millis(500);
/// How long an editor that connects to a port may take to show its token.
const UNKNOWN: Duration = Duration::from_secs(5);

/// Reads on a thread of its own. It ends with the process, or when the other end closes: nothing else can end
/// a read.
pub(super) fn bytes_of(mut from: impl Read + Send + 'static) -> tokio::sync::mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(READS);
    let read = move || {
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let bytes = buffer.get(..read).unwrap_or_default().to_vec();
            if sender.blocking_send(bytes).is_err() {
                break;
            }
        }
    };
    // Without a thread the sender is dropped: to the reader, the editor has vanished.
    let _ = std::thread::Builder::new().name("editor".to_owned()).spawn(read);
    receiver
}

/// What the editor says: requests in order, up to the end of the stream.
struct Requests {
    from: tokio::sync::mpsc::Receiver<Vec<u8>>,
    decoder: Decoder,
}

impl Requests {
    /// The next request; none at the end. Cancel-safe.
    async fn next(&mut self) -> std::io::Result<Option<Result<Request, String>>> {
        loop {
            match self.decoder.next_value() {
                Ok(Some(value)) => match Incoming::parse(value) {
                    Ok(Incoming::Request(request)) => return Ok(Some(Ok(request))),
                    // The only request to an editor opens a terminal, and its failure is seen in time.
                    Ok(Incoming::Response(_)) => continue,
                    Err(error) => return Ok(Some(Err(error.to_string()))),
                },
                Err(error) if error.is_fatal() => return Err(std::io::Error::other(error.to_string())),
                Err(error) => return Ok(Some(Err(error.to_string()))),
                Ok(None) => {}
            }
            match self.from.recv().await {
                Some(bytes) => self.decoder.push(&bytes),
                None => return Ok(None),
            }
        }
    }
}

/// Writes numbered messages.
struct Messages<W> {
    to: W,
    seq: i64,
}

impl<W: Write> Messages<W> {
    fn next(&mut self) -> i64 {
        self.seq += 1;
        self.seq
    }

    fn write(&mut self, message: &impl serde::Serialize) -> std::io::Result<()> {
        let bytes = encode(message).map_err(std::io::Error::other)?;
        self.to.write_all(&bytes)?;
        self.to.flush()
    }

    fn event(&mut self, body: EventBody) -> std::io::Result<()> {
        let seq = self.next();
        self.write(&Event { seq, body })
    }

    /// Sends a request to the editor.
    fn ask(&mut self, command: &str, arguments: &impl serde::Serialize) -> std::io::Result<()> {
        let arguments = Some(serde_json::to_value(arguments).map_err(std::io::Error::other)?);
        let seq = self.next();
        self.write(&Request { seq, command: command.to_owned(), arguments })
    }

    fn refuse(&mut self, request: &Request, refusal: Refusal) -> std::io::Result<()> {
        let (word, why, is_told) = match refusal {
            Refusal::Request(why) => (None, why, true),
            Refusal::Stale(why) => (None, why, false),
            Refusal::Cancelled => (Some(Response::CANCELLED), "cancelled".to_owned(), false),
        };
        // Braces would stand for variables of the message.
        let error = ErrorMessage {
            id: 1,
            format: why.replace('{', "(").replace('}', ")"),
            show_user: Some(is_told),
            ..ErrorMessage::default()
        };
        let seq = self.next();
        // Many clients show this text, and not the error's.
        let message = word.map_or_else(|| error.format.replace('\n', " "), str::to_owned);
        let response = Response::failure(seq, request, word, error).map_err(std::io::Error::other)?;
        self.write(&Response { message: Some(message), ..response })
    }

    fn answer(&mut self, request: &Request, answer: Answer) -> std::io::Result<()> {
        let response = Response { body: answer.body, ..Response::acknowledgement(self.next(), request) };
        self.write(&response)?;
        for event in answer.events {
            self.event(event)?;
        }
        Ok(())
    }

    fn output(&mut self, category: OutputCategory, output: String) -> std::io::Result<()> {
        self.event(EventBody::Output(OutputBody {
            category: Some(category),
            output,
            ..OutputBody::default()
        }))
    }
}

/// A request that the session has, and whether the editor was told of its progress.
struct Asked {
    request: Request,
    pending: Pending<Result<Answer, Refusal>>,
    shows_progress: bool,
}

impl Asked {
    fn progress_id(&self) -> String {
        format!("request {}", self.request.seq)
    }
}

/// A connection.
struct Connection<W> {
    messages: Messages<W>,
    actor: Actor<Adapter>,
    heard: Heard,
    /// The requests that the session has, in their order.
    asked: VecDeque<Asked>,
    /// Whether the editor shows progress.
    wants_progress: bool,
    /// What the session is doing.
    doing: String,
    /// When it began with the first request of `asked`.
    began: Instant,
    /// The token that the launch configuration has to have, until it was there.
    token: Option<String>,
    /// Whether the program of the launch configuration wants a terminal, and which.
    console: Console,
    /// Whether the editor can open terminals.
    has_terminals: bool,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Served {
    /// The editor has left, or was sent away.
    Left,
    /// The process was asked to end.
    Signalled,
}

/// Serves an editor until it disconnects or vanishes.
pub(super) async fn serve(
    from: tokio::sync::mpsc::Receiver<Vec<u8>>,
    to: impl Write,
    token: Option<String>,
    hearing: &mut Hearing,
) -> std::io::Result<Served> {
    let (told, heard) = relay();
    let actor = Actor::start(move || (Adapter::default(), Rc::new(told) as _))?;
    let mut connection = Connection {
        messages: Messages { to, seq: 0 },
        actor,
        heard,
        asked: VecDeque::new(),
        wants_progress: false,
        doing: String::new(),
        began: Instant::now(),
        token,
        console: Console::default(),
        has_terminals: false,
    };
    let mut requests = Requests { from, decoder: Decoder::new() };
    let served = connection.serve(&mut requests, hearing).await;
    connection.end().await;
    served
}

/// What happens next on a connection.
enum Happens {
    Answered(Option<Result<Answer, Refusal>>),
    Told(Told),
    Request(std::io::Result<Option<Result<Request, String>>>),
    TakesLong,
    /// The process was asked to end.
    Signal,
    /// The editor has not shown its token in time.
    Unknown,
}

impl<W: Write> Connection<W> {
    async fn serve(&mut self, requests: &mut Requests, hearing: &mut Hearing) -> std::io::Result<Served> {
        loop {
            match self.next(requests, hearing).await {
                Happens::Request(Ok(None)) => return Ok(Served::Left),
                Happens::Signal => return Ok(Served::Signalled),
                Happens::Request(Ok(Some(Ok(request)))) => {
                    if !self.take(request)? {
                        return Ok(Served::Left);
                    }
                }
                Happens::Unknown => return Ok(Served::Left),
                Happens::Request(Ok(Some(Err(why)))) => {
                    complain(format_args!("warning: the editor sent something else than a request: {why}"));
                }
                Happens::Request(Err(error)) => return Err(error),
                Happens::Told(told) => self.tell(told)?,
                Happens::TakesLong => self.show_progress()?,
                Happens::Answered(answer) => {
                    if self.answer(answer)? {
                        return Ok(Served::Left);
                    }
                }
            }
        }
    }

    async fn next(&mut self, requests: &mut Requests, hearing: &mut Hearing) -> Happens {
        let (asked, heard) = (&mut self.asked, &mut self.heard);
        let is_silent = asked.front().is_some_and(|asked| !asked.shows_progress);
        let answered = async {
            match asked.front_mut() {
                Some(asked) => asked.pending.answer().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            // A program that prints without end does not keep a request to cancel from being heard.
            biased;
            _ = hearing.next() => Happens::Signal,
            request = requests.next() => Happens::Request(request),
            told = heard.next() => Happens::Told(told),
            answer = answered => Happens::Answered(answer),
            () = tokio::time::sleep_until(self.began + UNKNOWN), if self.token.is_some() => Happens::Unknown,
            () = tokio::time::sleep_until(self.began + SILENT), if is_silent && self.wants_progress => {
                Happens::TakesLong
            }
        }
    }

    /// Takes a request: answers a request to cancel, and passes others to the session. Returns whether the
    /// connection goes on.
    fn take(&mut self, request: Request) -> std::io::Result<bool> {
        let command = Command::parse(&request);
        if let Some(token) = &self.token {
            match &command {
                Ok(Command::Initialize(_)) => {}
                Ok(Command::Launch(launch)) if has_token(&launch.settings, token) => {
                    self.token = None;
                }
                _ => {
                    let why = "the launch configuration needs `token`, which `qp dap --port` has printed";
                    self.messages.refuse(&request, Refusal::Request(why.to_owned()))?;
                    return Ok(false);
                }
            }
        }
        match command {
            Ok(Command::Cancel(arguments)) => {
                let is_meant = |asked: &&Asked| {
                    arguments.request_id == Some(asked.request.seq)
                        || arguments.progress_id.as_ref() == Some(&asked.progress_id())
                };
                self.asked.iter().filter(is_meant).for_each(|asked| asked.pending.cancel());
                self.messages.answer(&request, Answer::default())?;
                return Ok(true);
            }
            Ok(Command::Initialize(arguments)) => {
                self.wants_progress = arguments.supports_progress_reporting == Some(true);
                self.has_terminals = arguments.supports_run_in_terminal_request == Some(true);
            }
            Ok(Command::Launch(launch)) => self.console = console_of(&launch.settings),
            Ok(Command::Disconnect(_) | Command::Terminate(_)) => {
                self.asked.iter().for_each(|asked| asked.pending.cancel());
            }
            _ => {}
        }
        let runs = ["configurationDone", "restart"].contains(&request.command.as_str());
        let terminal = match runs && self.has_terminals && self.console != Console::InternalConsole {
            true => Some(self.open_terminal()?),
            false => None,
        };
        match self.actor.ask(Asking { request: request.clone(), terminal }) {
            Ok(pending) => {
                if self.asked.is_empty() {
                    self.began = Instant::now();
                }
                self.asked.push_back(Asked { request, pending, shows_progress: false });
            }
            Err(untaken) => self.messages.refuse(&request, Refusal::Request(untaken.to_string()))?,
        }
        Ok(true)
    }

    /// Asks the editor to open a terminal for the program.
    fn open_terminal(&mut self) -> std::io::Result<Listening> {
        let listening = Listening::new()?;
        let kind = match self.console {
            Console::ExternalTerminal => TerminalKind::External,
            Console::IntegratedTerminal | Console::InternalConsole => TerminalKind::Integrated,
        };
        let arguments = RunInTerminalArguments {
            kind: Some(kind),
            title: Some("querypoint".to_owned()),
            cwd: std::env::current_dir()?.display().to_string(),
            args: listening.command()?,
            ..RunInTerminalArguments::default()
        };
        self.messages.ask("runInTerminal", &arguments)?;
        Ok(listening)
    }

    /// Passes an answer on, after everything that was told before. Returns whether the session ends.
    fn answer(&mut self, answer: Option<Result<Answer, Refusal>>) -> std::io::Result<bool> {
        while let Some(told) = self.heard.waiting() {
            self.tell(told)?;
        }
        let Some(asked) = self.asked.pop_front() else { return Ok(false) };
        if asked.shows_progress {
            let progress_id = asked.progress_id();
            self.messages.event(EventBody::ProgressEnd(ProgressEndBody { progress_id, message: None }))?;
        }
        self.doing.clear();
        self.began = Instant::now();
        match answer {
            Some(Ok(answer)) => {
                let ends = answer.ends;
                self.messages.answer(&asked.request, answer)?;
                Ok(ends)
            }
            Some(Err(refusal)) => {
                self.messages.refuse(&asked.request, refusal)?;
                // Nothing runs and nothing was recorded: an editor would wait for a stop.
                if matches!(asked.request.command.as_str(), "configurationDone" | "restart") {
                    self.messages.event(EventBody::Terminated(TerminatedBody::default()))?;
                }
                Ok(false)
            }
            None => Err(std::io::Error::other("the session broke")),
        }
    }

    fn tell(&mut self, told: Told) -> std::io::Result<()> {
        match told {
            Told::Output(lines) => self.messages.output(OutputCategory::Stdout, lines),
            Told::Said(text) => self.messages.output(OutputCategory::Console, format!("{text}\n")),
            Told::Doing(text) => {
                self.doing = text;
                let Some(asked) = self.asked.front().filter(|asked| asked.shows_progress) else {
                    return Ok(());
                };
                let message = Some(self.doing.clone()).filter(|text| !text.is_empty());
                let body = ProgressUpdateBody { progress_id: asked.progress_id(), message, percentage: None };
                self.messages.event(EventBody::ProgressUpdate(body))
            }
        }
    }

    fn show_progress(&mut self) -> std::io::Result<()> {
        let Some(asked) = self.asked.front_mut() else { return Ok(()) };
        asked.shows_progress = true;
        let is_run = ["configurationDone", "restart"].contains(&asked.request.command.as_str());
        let body = ProgressStartBody {
            progress_id: asked.progress_id(),
            title: if is_run { "Recording the program" } else { "Searching the recording" }.to_owned(),
            request_id: Some(asked.request.seq),
            cancellable: Some(true),
            message: Some(self.doing.clone()).filter(|text| !text.is_empty()),
            percentage: None,
        };
        self.messages.event(EventBody::ProgressStart(body))
    }

    /// Ends the session: gives up what it does, and waits until nothing of it is left.
    async fn end(self) {
        let Connection { actor, mut heard, asked, .. } = self;
        asked.iter().for_each(|asked| asked.pending.cancel());
        // The program may print until it has ended.
        let unheard = async {
            loop {
                heard.next().await;
            }
        };
        tokio::select! {
            () = actor.end() => {}
            () = unheard => {}
        }
    }
}

/// Whether a launch configuration has the token.
fn has_token(settings: &serde_json::Map<String, serde_json::Value>, token: &str) -> bool {
    let given = settings.get("token").and_then(serde_json::Value::as_str);
    is_token(given.unwrap_or_default(), token)
}

/// Where the program of a launch configuration reads and prints; by default where nothing is said, or
/// something wrong, which the session refuses.
fn console_of(settings: &serde_json::Map<String, serde_json::Value>) -> Console {
    let console = settings.get("console").cloned().unwrap_or_default();
    serde_json::from_value(console).unwrap_or_default()
}
