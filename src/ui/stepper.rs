//! The prompt of `qp trace step`: reads lines, has `command::trace` do them, renders what it gives.

use super::cli::{Cli, Format};
use super::interrupt::{Asked, Hearing, stopped_by};
use super::out::{complain, error_text, print};
use super::progress::Bar;
use super::render;
use super::repl::{Input, Lines};
use crate::command::CommandError;
use crate::command::trace::{Step, StepReply, step};
use crate::session::{Context, Stepper};
use std::io::IsTerminal;
use std::rc::Rc;

/// What it exits with after SIGTERM or SIGHUP.
const ENDED: u8 = 130;

/// Walks over a recorded run.
pub async fn run(cli: &Cli, args: &Step) -> u8 {
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(args.trust.trust));
    let (stop, context) = Context::uninterrupted(progress).renewed();
    let opened = stopped_by(&mut hearing, &stop, args.stepper(&context)).await;
    match opened {
        Ok(mut stepper) => {
            let mut lines = Lines::open();
            let missing = stepper.missing();
            if !missing.is_empty() {
                tell(cli, "", Ok(StepReply::Missing(missing)));
            }
            let code = go_on(cli, &mut lines, &mut stepper, &mut hearing).await;
            lines.close();
            code
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

/// Does what lines say until they end: the exit code.
pub async fn go_on(cli: &Cli, lines: &mut Lines, stepper: &mut Stepper<'_>, hearing: &mut Hearing) -> u8 {
    // What a script exits with: the gravest of its errors.
    let mut code = tell(cli, "where", step("where", stepper));
    loop {
        lines.ask("step> ", cli.format == Format::Text);
        let input = tokio::select! {
            input = lines.next() => input,
            asked = hearing.next() => match asked {
                Asked::EndRun => Input::Interrupted,
                Asked::EndAll => return ENDED,
            }
        };
        match input {
            Input::Interrupted => {}
            Input::Unreadable(why) => {
                code = code.max(tell(cli, "", Err(CommandError::Usage(why.to_owned()))));
            }
            Input::End => break,
            Input::Text(text) => {
                for line in text.lines() {
                    let done = step(line, stepper);
                    let quits = matches!(done, Ok(StepReply::Quit));
                    code = code.max(tell(cli, line, done));
                    if quits {
                        return if lines.is_terminal() { 0 } else { code };
                    }
                }
            }
        }
    }
    if lines.is_terminal() { 0 } else { code }
}

/// Shows what was done: its exit code.
fn tell(cli: &Cli, line: &str, done: Result<StepReply, CommandError>) -> u8 {
    let color = |terminal| cli.colors(terminal);
    match (cli.format, done) {
        (_, Ok(StepReply::Nothing | StepReply::Quit)) => 0,
        (Format::Text, Ok(reply)) => print(&render::stepped(&reply, color(std::io::stdout().is_terminal()))),
        (Format::Text, Err(error)) => {
            complain(format_args!("{}", error_text(&error, color(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
        (Format::Json, Ok(reply)) => print(&one_line(line, serde_json::to_value(&reply))),
        (Format::Json, Err(error)) => {
            let content = serde_json::json!({ "reply": "error", "content": error.to_string() });
            print(&one_line(line, Ok(content))).max(error.exit_code())
        }
    }
}

/// A line of JSON: what was said, and what came of it.
fn one_line(line: &str, reply: Result<serde_json::Value, serde_json::Error>) -> String {
    let mut told = serde_json::json!({ "command": line });
    if let (Some(told), Ok(serde_json::Value::Object(reply))) = (told.as_object_mut(), reply) {
        told.extend(reply);
    }
    format!("{told}\n")
}
