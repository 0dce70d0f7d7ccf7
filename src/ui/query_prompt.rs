//! The prompt of `qp query`: reads lines, gives them to the dialogue, prints its replies.

use super::exchange;
use super::interrupt::{Hearing, SignalRequest, stopped_by};
use super::options::{Cli, Format};
use super::out::{complain, error_text};
use super::progress::Bar;
use super::render;
use super::repl::{Input, Lines};
use command::exchange::Exchange;
use command::query::{QueryDialogue, QueryPrompt, QueryReply};
use session::Context;
use std::io::IsTerminal;
use std::rc::Rc;

/// Asks a recorded run at the prompt. Returns the exit code.
pub async fn run(cli: &Cli, args: &QueryPrompt) -> u8 {
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let context = Context::uninterrupted(Rc::new(Bar::new(std::io::stderr().is_terminal())));
    let (stop, opening) = context.renewed();
    let mut lines = Lines::open();
    let opened = stopped_by(&mut hearing, &stop, args.open(lines.is_terminal(), &opening)).await;
    let code = match opened {
        Ok(mut dialogue) => lead(cli, &mut lines, &mut dialogue, &mut hearing, &context).await,
        Err(error) => {
            complain(format_args!("{}", error_text(&error, cli.colors(std::io::stderr().is_terminal()))));
            error.exit_code()
        }
    };
    lines.close();
    code
}

/// Leads a dialogue until it ends. Returns its exit code.
async fn lead(
    cli: &Cli,
    lines: &mut Lines,
    dialogue: &mut QueryDialogue,
    hearing: &mut Hearing,
    context: &Context,
) -> u8 {
    let begins = dialogue.opened();
    dialogue.status().count(show(cli, &begins));
    while !dialogue.has_ended() {
        lines.ask(if dialogue.waits() { "  more? " } else { "?- " }, cli.format == Format::Text);
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
            Input::Interrupted => dialogue.give_up(),
            Input::Unreadable(why) => {
                let refused = dialogue.refuse(why);
                dialogue.status().count(show(cli, &refused));
            }
            Input::End => break,
            Input::Text(text) => {
                // An empty line asks for the next solution.
                let lines: Vec<&str> = if text.is_empty() { vec![""] } else { text.lines().collect() };
                for line in lines {
                    let (stop, stoppable) = context.renewed();
                    let exchange = stopped_by(hearing, &stop, dialogue.take(line, &stoppable)).await;
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
fn show(cli: &Cli, exchange: &Exchange<QueryReply>) -> u8 {
    match &exchange.reply {
        Ok(reply) if reply.is_silent() => 0,
        _ => exchange::show(cli, exchange, render::query_reply),
    }
}
