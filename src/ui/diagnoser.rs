//! The prompt of `qp diagnose`: reads answers, gives them to the dialogue, prints its replies.

use super::interrupt::{Hearing, SignalRequest, stopped_by};
use super::options::{Cli, Format};
use super::out::{complain, error_text, json_line, print};
use super::progress::Bar;
use super::render;
use super::repl::{Input, Lines};
use command::CommandError;
use command::diagnose::{AnswerForm, Diagnose, DiagnoseDialogue, DiagnoseReply};
use servers::serve::{Serve, Start};
use session::Context;
use std::io::IsTerminal;
use std::rc::Rc;

/// Runs a diagnosis at the prompt. Returns the exit code.
pub async fn run(cli: &Cli, args: &Diagnose) -> u8 {
    if args.web {
        let start = Start::Diagnosis(Box::new(args.clone()));
        return super::web::serve(cli, Serve::of_diagnosis(args), start).await;
    }
    let mut hearing = match Hearing::new() {
        Ok(hearing) => hearing,
        Err(error) => {
            complain(format_args!("error: cannot watch for signals: {error}"));
            return 4;
        }
    };
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(args.trust_command));
    let context = Context::uninterrupted(progress);
    let form = match cli.format {
        Format::Text => AnswerForm::Words,
        Format::Json => AnswerForm::Json,
    };
    let stores_answers = form == AnswerForm::Words && std::io::stdin().is_terminal();
    let start = async |context: &Context| Box::pin(args.start(form, stores_answers, context)).await;
    let started = match interruptible(&mut hearing, &context, start).await {
        Ok(started) => started,
        Err(error) => return failed(cli, &error),
    };
    let mut lines = Lines::open();
    let mut dialogue = DiagnoseDialogue::new(started, form, lines.is_terminal());
    Box::pin(lead(cli, &mut lines, &mut dialogue, &mut hearing, &context)).await;
    let code = dialogue.exit_code();
    let code = match Box::pin(dialogue.walk(&args.source.paths(), &Context::silent())).await {
        Ok(None) => code,
        Ok(Some(mut walk)) => {
            Box::pin(super::stepper::lead(cli, &mut lines, &mut walk.dialogue, &mut hearing, &context)).await
        }
        Err(error) => failed(cli, &error),
    };
    lines.close();
    code
}

/// Leads a dialogue until it ends.
async fn lead(
    cli: &Cli,
    lines: &mut Lines,
    dialogue: &mut DiagnoseDialogue,
    hearing: &mut Hearing,
    context: &Context,
) {
    for reply in dialogue.opening() {
        show(cli, &reply);
    }
    loop {
        let advance = async |context: &Context| dialogue.advance(context).await;
        for reply in interruptible(hearing, context, advance).await {
            let code = show(cli, &reply);
            if let DiagnoseReply::Result(_) = reply {
                dialogue.count(code);
            }
        }
        if dialogue.has_ended() {
            break;
        }
        lines.ask("is it right? ", cli.format == Format::Text);
        let input = tokio::select! {
            input = lines.next() => input,
            request = hearing.next() => match request {
                SignalRequest::EndRun => Input::Interrupted,
                SignalRequest::EndAll => {
                    dialogue.terminate();
                    break;
                }
            }
        };
        let reply = match input {
            Input::Interrupted => {
                dialogue.interrupt();
                None
            }
            Input::End => dialogue.end_answers(),
            Input::Unreadable(why) => Some(dialogue.refuse(why)),
            Input::Text(line) => {
                let take = async |context: &Context| dialogue.take(&line, context).await;
                interruptible(hearing, context, take).await
            }
        };
        if let Some(reply) = reply {
            show(cli, &reply);
        }
    }
    for reply in dialogue.finish(context).await {
        show(cli, &reply);
    }
}

/// Waits for some work, which a signal can interrupt. An interrupt affects this work alone.
async fn interruptible<T>(
    hearing: &mut Hearing,
    context: &Context,
    work: impl AsyncFnOnce(&Context) -> T,
) -> T {
    let (stop, context) = context.renewed();
    stopped_by(hearing, &stop, work(&context)).await
}

/// Shows a reply. Returns an exit code, which is not 0 if writing failed.
fn show(cli: &Cli, reply: &DiagnoseReply) -> u8 {
    match (cli.format, reply) {
        (_, DiagnoseReply::Note(note)) => complain(format_args!("{note}")),
        (_, DiagnoseReply::Failure(error)) => complain(format_args!("error: {error}")),
        (Format::Text, DiagnoseReply::Error(error)) => {
            failed(cli, error);
        }
        (Format::Json, _) => return print(&json_line(reply)),
        (Format::Text, _) => {
            return print(&render::diagnosed(reply, cli.colors(std::io::stdout().is_terminal())));
        }
    }
    0
}

/// Shows an error. Returns its exit code.
fn failed(cli: &Cli, error: &CommandError) -> u8 {
    complain(format_args!("{}", error_text(error, cli.colors(std::io::stderr().is_terminal()))));
    error.exit_code()
}
