//! The prompt of `qp trace step`: reads lines, gives them to the dialogue, prints its replies.

use super::exchange;
use super::interrupt::{Hearing, SignalRequest, stopped_by};
use super::options::{Cli, Format};
use super::out::{complain, error_text};
use super::progress::Bar;
use super::render;
use super::repl::{Input, Lines};
use command::exchange::Exchange;
use command::trace::{Step, StepDialogue, StepReply};
use session::Context;
use std::io::IsTerminal;
use std::rc::Rc;

/// Steps over a recorded run at the prompt. Returns the exit code.
pub async fn run(cli: &Cli, args: &Step) -> u8 {
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(args.trust.trust));
    let context = Context::uninterrupted(progress);
    let (stop, of_opening) = context.renewed();
    let opened = stopped_by(&mut hearing, &stop, Box::pin(args.open(&of_opening))).await;
    match opened {
        Ok(stepper) => {
            let mut lines = Lines::open();
            let mut dialogue = StepDialogue::new(stepper, lines.is_terminal());
            if let Some(missing) = dialogue.missing() {
                show(cli, &missing);
            }
            let code = Box::pin(lead(cli, &mut lines, &mut dialogue, &mut hearing, &context)).await;
            lines.close();
            code
        }
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    }
}

/// Leads a dialogue until it ends. Returns its exit code.
pub async fn lead(
    cli: &Cli,
    lines: &mut Lines,
    dialogue: &mut StepDialogue,
    hearing: &mut Hearing,
    context: &Context,
) -> u8 {
    let begins = dialogue.take("where", context).await;
    dialogue.status().count(show(cli, &begins));
    while !dialogue.has_ended() {
        lines.ask("step> ", cli.format == Format::Text);
        let input = tokio::select! {
            input = lines.next() => input,
            asked = hearing.next() => match asked {
                SignalRequest::EndRun => Input::Interrupted,
                SignalRequest::EndAll => {
                    dialogue.status().terminate();
                    break;
                }
            }
        };
        match input {
            Input::Interrupted => {}
            Input::Unreadable(why) => {
                let refused = dialogue.refuse(why);
                dialogue.status().count(show(cli, &refused));
            }
            Input::End => break,
            Input::Text(text) => {
                for line in text.lines() {
                    let (stop, of_line) = context.renewed();
                    let exchange = stopped_by(hearing, &stop, dialogue.take(line, &of_line)).await;
                    dialogue.status().count(show(cli, &exchange));
                    if dialogue.has_ended() {
                        break;
                    }
                }
            }
        }
    }
    dialogue.status().exit_code()
}

/// Shows a reply. Returns an exit code, which is not 0 if writing failed.
fn show(cli: &Cli, exchange: &Exchange<StepReply>) -> u8 {
    match &exchange.reply {
        Ok(reply) if reply.is_silent() => 0,
        _ => exchange::show(cli, exchange, render::stepped),
    }
}
