//! The connection to an editor: requests come in, and are answered one after another. A request to cancel is
//! heard while another one is being answered.

use super::adapter::{Adapter, Answer, Refusal};
use crate::command::dap::Dap;
use crate::session::{Context, Progress, Sink};
use crate::ui::options::Cli;
use crate::ui::out::complain;
use dap::types::{EventBody, OutputBody, OutputCategory};
use dap::{Command, Decoder, ErrorMessage, Event, Incoming, Request, Response, encode};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// The maximum number of pieces of input that wait.
const READS: usize = 16;
/// The maximum number of requests that wait. A client waits for answers long before.
const WAITING: usize = 1000;
/// The maximum number of pieces of output that wait; then the program waits.
const OUTPUTS: usize = 256;
/// How often the program's output is passed on while it runs.
const TELL: std::time::Duration = std::time::Duration::from_millis(50);

/// Serves the editor at the other end of standard input and output. Returns the exit code.
pub async fn run(_cli: &Cli, _args: &Dap) -> u8 {
    let (said, heard) = sync_channel(OUTPUTS);
    let context = Context::uninterrupted(Rc::new(Outputs { said }));
    match serve(standard_input(), std::io::stdout(), &heard, &context).await {
        Ok(()) => 0,
        Err(error) => {
            complain(format_args!("error: the connection to the editor broke: {error}"));
            4
        }
    }
}

/// Passes the program's output on to the editor.
struct Outputs {
    said: SyncSender<String>,
}

impl Progress for Outputs {
    fn sink(&self) -> Option<Sink> {
        let said = std::sync::Mutex::new(self.said.clone());
        Some(Arc::new(move |text: &str| {
            // If nobody listens, the session has ended.
            if let Ok(said) = said.lock() {
                let _ = said.send(text.to_owned());
            }
        }))
    }
}

/// Reads standard input on a thread of its own, which ends with the process: nothing else can end a read.
fn standard_input() -> tokio::sync::mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(READS);
    let read = move || {
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = std::io::stdin().read(&mut buffer) {
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

    fn refuse(&mut self, request: &Request, word: Option<&str>, why: String) -> std::io::Result<()> {
        // Braces would stand for variables of the message.
        let error = ErrorMessage {
            id: 1,
            format: why.replace('{', "(").replace('}', ")"),
            show_user: Some(true),
            ..ErrorMessage::default()
        };
        let seq = self.next();
        let response = Response::failure(seq, request, word, error).map_err(std::io::Error::other)?;
        self.write(&response)
    }

    fn answer(&mut self, request: &Request, answer: Answer) -> std::io::Result<()> {
        let response = Response { body: answer.body, ..Response::acknowledgement(self.next(), request) };
        self.write(&response)?;
        for event in answer.events {
            self.event(event)?;
        }
        Ok(())
    }

    fn outputs(&mut self, heard: &Receiver<String>) -> std::io::Result<()> {
        while let Ok(output) = heard.try_recv() {
            let category = Some(OutputCategory::Stdout);
            self.event(EventBody::Output(OutputBody { category, output, ..OutputBody::default() }))?;
        }
        Ok(())
    }
}

/// Serves an editor until it disconnects or vanishes.
async fn serve(
    from: tokio::sync::mpsc::Receiver<Vec<u8>>,
    to: impl Write,
    heard: &Receiver<String>,
    context: &Context,
) -> std::io::Result<()> {
    let mut requests = Requests { from, decoder: Decoder::new() };
    let mut messages = Messages { to, seq: 0 };
    let mut adapter = Adapter::default();
    let mut waiting: VecDeque<Request> = VecDeque::new();
    loop {
        let request = match waiting.pop_front() {
            Some(request) => request,
            None => match requests.next().await? {
                None => return Ok(()),
                Some(Ok(request)) => request,
                Some(Err(why)) => {
                    complain(format_args!("warning: the editor sent something else than a request: {why}"));
                    continue;
                }
            },
        };
        if request.command == "cancel" {
            messages.answer(&request, Answer::default())?;
            continue;
        }
        let (stop, of_request) = context.renewed();
        let mut work = Box::pin(adapter.take(&request, &of_request));
        let mut is_gone = false;
        let answered = loop {
            tokio::select! {
                answered = &mut work => break answered,
                () = tokio::time::sleep(TELL) => if is_gone {
                    heard.try_iter().for_each(drop);
                } else if messages.outputs(heard).is_err() {
                    is_gone = true;
                    let _ = stop.send(true);
                },
                next = requests.next(), if !is_gone => match next {
                    Ok(Some(Ok(next))) => {
                        if cancels(&next, &request) {
                            let _ = stop.send(true);
                        }
                        match next.command.as_str() {
                            "cancel" => messages.answer(&next, Answer::default())?,
                            _ if waiting.len() == WAITING => {
                                messages.refuse(&next, None, "too many requests wait".to_owned())?;
                            }
                            _ => waiting.push_back(next),
                        }
                    }
                    Ok(Some(Err(_))) => {}
                    Ok(None) | Err(_) => {
                        // An editor that vanishes wants nothing any more: its program ends first.
                        is_gone = true;
                        let _ = stop.send(true);
                    }
                },
            }
        };
        drop(work);
        if is_gone {
            return Ok(());
        }
        messages.outputs(heard)?;
        match answered {
            Ok(answer) => {
                let ends = answer.ends;
                messages.answer(&request, answer)?;
                if ends {
                    return Ok(());
                }
            }
            Err(Refusal::Cancelled) => {
                messages.refuse(&request, Some(Response::CANCELLED), "cancelled".to_owned())?;
            }
            Err(Refusal::Request(why)) => messages.refuse(&request, None, why)?,
        }
    }
}

/// Whether a request ends the work for another one.
fn cancels(next: &Request, current: &Request) -> bool {
    match Command::parse(next) {
        Ok(Command::Cancel(arguments)) => arguments.request_id == Some(current.seq),
        Ok(Command::Disconnect(_) | Command::Terminate(_)) => true,
        _ => false,
    }
}
