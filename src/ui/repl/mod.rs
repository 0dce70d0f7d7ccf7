//! The prompt of `qp debug`: reads lines, has `command::debug` do them, renders what it gives. Runs go on in
//! the background of the line editor.

mod completer;
mod lines;

use super::interrupt::{Hearing, SignalRequest};
use super::options::{Cli, Format};
use super::out::{complain, error_text, json, print};
use super::progress::Bar;
use super::render;
use crate::command::CommandError;
use crate::command::debug::{self, Debug, Reply};
use crate::session::{Explorer, Front, Progress, Silent, StdinRecording};
pub use lines::{Input, Lines};
use std::io::IsTerminal;
use std::rc::Rc;

/// What a session exits with after SIGTERM or SIGHUP.
const ENDED: u8 = 130;

/// Runs a session.
pub async fn run(cli: &Cli, args: &Debug) -> u8 {
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let lines = Lines::open();
    // What is typed while a run is in front is for the program; a script's lines are all for the prompt.
    let stdin = (lines.is_terminal() && args.stdin.is_none()).then(StdinRecording::default);
    let front = Rc::new(Screen { printer: lines.printer(), trusts: args.trust.trust });
    match args.explorer(front, stdin.clone()) {
        Ok(explorer) => {
            let mut session = Session { cli, lines, explorer, stdin, code: 0 };
            let code = session.go_on(&mut hearing).await;
            session.explorer.end().await;
            session.lines.close();
            code
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

/// Shows what goes on while the program runs.
struct Screen {
    printer: Option<lines::Printer>,
    /// Whether files of others are run.
    trusts: bool,
}

impl Front for Screen {
    fn progress(&self, in_front: bool) -> Rc<dyn Progress> {
        match &self.printer {
            _ if in_front => Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(self.trusts)),
            Some(printer) => Rc::new(lines::AboveThePrompt(printer.clone())),
            None => Rc::new(Silent),
        }
    }
}

struct Session<'a> {
    cli: &'a Cli,
    lines: Lines,
    explorer: Explorer,
    stdin: Option<StdinRecording>,
    /// What a script exits with: the gravest of its errors and of its last answer.
    code: u8,
}

impl Session<'_> {
    async fn go_on(&mut self, hearing: &mut Hearing) -> u8 {
        // What is wrong with the program is told before anybody has asked for anything.
        if let Err(error) = self.explorer.open().await {
            self.show("", Err(error.into()));
        }
        loop {
            self.lines.complete_from(self.explorer.words().await);
            let prompt = self.prompt().await;
            self.lines.ask(&prompt, self.cli.format == Format::Text);
            let input = loop {
                tokio::select! {
                    input = self.lines.next() => break input,
                    ran = self.explorer.finished() => {
                        let reply = ran.map(|ran| Reply::Ran { ran, about: None }).map_err(CommandError::from);
                        let text = self.text("run &", reply);
                        self.lines.show_above(&text);
                    }
                    asked = hearing.next() => match asked {
                        SignalRequest::EndRun => drop(self.explorer.interrupter().interrupt()),
                        SignalRequest::EndAll => return ENDED,
                    }
                }
            };
            match input {
                // At a prompt Ctrl-C means the run in the background, if there is one, and else the line.
                Input::Interrupted => drop(self.explorer.interrupter().interrupt()),
                Input::End => {
                    // A script that ends has said all it wants; what it began is waited for.
                    if self.explorer.is_running() && !self.lines.is_terminal() {
                        let ran = self.explorer.finished().await;
                        let reply =
                            ran.map(|ran| Reply::Ran { ran, about: None }).map_err(CommandError::from);
                        self.show("run &", reply);
                    }
                    return self.exit_code();
                }
                Input::Unreadable(why) => self.show("", Err(CommandError::Usage(why.to_owned()))),
                Input::Text(text) => {
                    // Several lines were pasted: several commands.
                    for line in text.lines() {
                        match self.command(line, hearing).await {
                            Next::GoOn => {}
                            Next::Quit => return self.exit_code(),
                            Next::Ended => return ENDED,
                        }
                    }
                }
            }
        }
    }

    fn exit_code(&self) -> u8 {
        if self.lines.is_terminal() { 0 } else { self.code }
    }

    async fn command(&mut self, line: &str, hearing: &mut Hearing) -> Next {
        let interrupter = self.explorer.interrupter();
        let is_run = || interrupter.is_run();
        let mut ended = false;
        let done = {
            let mut doing = std::pin::pin!(debug::execute(line, &mut self.explorer));
            loop {
                tokio::select! {
                    done = &mut doing => break done,
                    asked = hearing.next() => {
                        ended |= asked == SignalRequest::EndAll;
                        interrupter.interrupt();
                    }
                    typed = self.lines.typed(&is_run), if self.stdin.is_some() => match (&self.stdin, typed) {
                        (Some(stdin), Some(bytes)) => stdin.push(&bytes),
                        (Some(stdin), None) => stdin.end(),
                        (None, _) => {}
                    },
                }
            }
        };
        let quit = matches!(done, Ok(Reply::Quit));
        self.show(line, done);
        match (ended, quit) {
            (true, _) => Next::Ended,
            (_, true) => Next::Quit,
            _ => Next::GoOn,
        }
    }

    fn show(&mut self, line: &str, done: Result<Reply, CommandError>) {
        let is_error = done.is_err();
        let text = self.text(line, done);
        if is_error && self.cli.format == Format::Text {
            complain(format_args!("{}", text.trim_end()));
        } else {
            print(&text);
        }
    }

    /// What was done, as it is shown.
    fn text(&mut self, line: &str, done: Result<Reply, CommandError>) -> String {
        match &done {
            Ok(Reply::Ran { ran, .. }) => self.code = self.code.max(ran.exit_code()),
            Ok(_) => {}
            Err(error) => self.code = self.code.max(error.exit_code()),
        }
        match (self.cli.format, done) {
            (Format::Text, Ok(reply)) => {
                let color = self.cli.colors(std::io::stdout().is_terminal());
                render::reply(&reply, color)
            }
            (Format::Text, Err(error)) => {
                error_text(&error, self.cli.colors(std::io::stderr().is_terminal())) + "\n"
            }
            (Format::Json, Ok(Reply::Nothing)) => String::new(),
            (Format::Json, Ok(reply)) => one_line(&serde_json::json!({ "command": line }), &reply),
            (Format::Json, Err(error)) => {
                let error = serde_json::json!({ "reply": "error", "content": error.to_string() });
                one_line(&serde_json::json!({ "command": line }), &error)
            }
        }
    }

    /// Shows where one is.
    async fn prompt(&mut self) -> String {
        if self.explorer.is_running() {
            return "running> ".to_owned();
        }
        match self.explorer.stand().await {
            Ok(Some(at)) => {
                let file = at.place.file.as_deref().unwrap_or(&at.place.class);
                let line = at.place.line.map(|line| format!(":{line}")).unwrap_or_default();
                let frame = match self.explorer.frame() {
                    0 => String::new(),
                    frame => format!("({frame})"),
                };
                let unconfirmed = if at.unconfirmed { "?" } else { "" };
                let point = at.point.unwrap_or_default();
                format!("{point}{frame}{unconfirmed} {file}{line}> ").trim_start().to_owned()
            }
            Ok(None) if self.explorer.ended().is_some() => "ended> ".to_owned(),
            Ok(None) => "qp> ".to_owned(),
            Err(error) => {
                complain(format_args!("{}", error_text(&error.into(), false)));
                "qp> ".to_owned()
            }
        }
    }
}

enum Next {
    GoOn,
    Quit,
    /// A signal ended the session.
    Ended,
}

/// Both objects' fields as one line of JSON.
fn one_line(first: &serde_json::Value, second: &impl serde::Serialize) -> String {
    let mut all = first.clone();
    if let (Some(all), Ok(serde_json::Value::Object(more))) =
        (all.as_object_mut(), serde_json::to_value(second))
    {
        all.extend(more);
        return format!("{first}\n", first = serde_json::Value::Object(all.clone()));
    }
    json(first)
}
