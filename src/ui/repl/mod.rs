//! The prompt of `qp debug`: reads lines, gives them to the dialogue, prints its replies. The user can edit a
//! line while a run continues in the background.

mod completer;
mod lines;

use super::interrupt::{Hearing, SignalRequest, stopped_by};
use super::options::{Cli, Format};
use super::out::{complain, error_text, json_line, print};
use super::progress::Bar;
use super::render;
use super::stepper;
use command::debug::{Debug, DebugDialogue, ProgramState, Reply};
use command::exchange::Exchange;
use debuggee::StdinRecording;
pub use lines::{Input, Lines};
use replay::explore::Front;
use session::{Context, Progress, Silent};
use std::io::IsTerminal;
use std::rc::Rc;

/// Runs a session at the prompt. Returns the exit code.
pub async fn run(cli: &Cli, args: &Debug) -> u8 {
    if let Some(step) = args.recorded() {
        return Box::pin(stepper::run(cli, &step)).await;
    }
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let lines = Lines::open();
    // A program in the foreground reads the input that a person types. All lines of a script are prompt
    // commands.
    let stdin = (lines.is_terminal() && args.stdin.is_none()).then(StdinRecording::default);
    let front = Rc::new(Screen { printer: lines.printer(), trusts: args.trust.trust });
    let (stop, context) = Context::uninterrupted(front.progress(true)).renewed();
    let found = stopped_by(&mut hearing, &stop, args.found(&context)).await;
    match found.and_then(|args| args.explorer(front, stdin.clone())) {
        Ok(explorer) => {
            let dialogue = DebugDialogue::new(explorer, lines.is_terminal());
            let mut prompt = Prompt { cli, lines, dialogue, stdin };
            Box::pin(prompt.lead(&mut hearing)).await;
            let Prompt { lines, mut dialogue, .. } = prompt;
            dialogue.finish().await;
            lines.close();
            dialogue.exit_code()
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

/// Shows the progress of runs on the screen.
struct Screen {
    printer: Option<lines::Printer>,
    /// Whether the user trusts files from others.
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

/// The prompt of a dialogue.
struct Prompt<'a> {
    cli: &'a Cli,
    lines: Lines,
    dialogue: DebugDialogue,
    /// Records the input that a person types for the program.
    stdin: Option<StdinRecording>,
}

impl Prompt<'_> {
    /// Leads the dialogue until it ends.
    async fn lead(&mut self, hearing: &mut Hearing) {
        // An unusable program is reported before the first command.
        if let Some(failed) = self.dialogue.open().await {
            self.show(&failed);
        }
        while !self.dialogue.has_ended() {
            self.lines.complete_from(self.dialogue.words().await);
            let prompt = self.prompt().await;
            self.lines.ask(&prompt, self.cli.format == Format::Text);
            match Box::pin(self.input(hearing)).await {
                // Ctrl-C at the prompt ends the run in the background, if there is one, or else the line.
                Some(Input::Interrupted) => drop(self.dialogue.interrupter().interrupt()),
                Some(Input::End) => {
                    if let Some(ran) = self.dialogue.end_commands().await {
                        self.show(&ran);
                    }
                }
                Some(Input::Unreadable(why)) => {
                    let refused = self.dialogue.refuse(why);
                    self.show(&refused);
                }
                // Several pasted lines are several commands.
                Some(Input::Text(text)) => {
                    for line in text.lines() {
                        self.command(line, hearing).await;
                        if self.dialogue.has_ended() {
                            break;
                        }
                    }
                }
                None => self.dialogue.terminate(),
            }
        }
    }

    /// Waits for input, and meanwhile shows the answer of a run in the background. None: a signal ends the
    /// session.
    async fn input(&mut self, hearing: &mut Hearing) -> Option<Input> {
        loop {
            tokio::select! {
                input = self.lines.next() => return Some(input),
                ran = self.dialogue.finished() => self.lines.show_above(&self.text(&ran)),
                request = hearing.next() => match request {
                    SignalRequest::EndRun => drop(self.dialogue.interrupter().interrupt()),
                    SignalRequest::EndAll => return None,
                }
            }
        }
    }

    /// Executes the command of a line. A signal ends its run. The program receives the input that a person
    /// types meanwhile.
    async fn command(&mut self, line: &str, hearing: &mut Hearing) {
        let interrupter = self.dialogue.interrupter();
        let is_run = || interrupter.is_run();
        let mut is_terminated = false;
        let exchange = {
            let mut work = std::pin::pin!(self.dialogue.take(line));
            loop {
                tokio::select! {
                    exchange = &mut work => break exchange,
                    request = hearing.next() => {
                        is_terminated |= request == SignalRequest::EndAll;
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
        self.show(&exchange);
        if is_terminated {
            self.dialogue.terminate();
        }
    }

    fn show(&self, exchange: &Exchange<Reply>) {
        let text = self.text(exchange);
        if exchange.reply.is_err() && self.cli.format == Format::Text {
            complain(format_args!("{}", text.trim_end()));
        } else {
            print(&text);
        }
    }

    /// The text or JSON of a reply.
    fn text(&self, exchange: &Exchange<Reply>) -> String {
        match (self.cli.format, &exchange.reply) {
            (Format::Text, Ok(reply)) => {
                render::reply(reply, self.cli.colors(std::io::stdout().is_terminal()))
            }
            (Format::Text, Err(error)) => {
                error_text(error, self.cli.colors(std::io::stderr().is_terminal())) + "\n"
            }
            (Format::Json, Ok(reply)) if reply.is_silent() => String::new(),
            (Format::Json, _) => json_line(exchange),
        }
    }

    /// The prompt of the next line.
    async fn prompt(&mut self) -> String {
        let state = self.dialogue.program_state().await.unwrap_or_else(|error| {
            complain(format_args!("{}", error_text(&error, false)));
            ProgramState::NotStarted
        });
        render::prompt(&state)
    }
}
