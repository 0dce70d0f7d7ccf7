//! `qp mcp`: serves an agent by the Model Context Protocol.
//!
//! `lines` reads and writes messages, and `server` answers them. `tools` is the table of tools and the
//! session that runs them one after another; `jobs` keeps the calls that take long. `shown` turns results
//! into text, `answer` cuts it to pages of a `budget`, and `schema` describes arguments and results.

mod answer;
mod budget;
mod jobs;
mod lines;
mod schema;
mod server;
mod shown;
mod tools;

use super::interrupt::Hearing;
use super::options::Cli;
use super::out::{complain, error_text, print};
use super::progress::Bar;
use super::relay::{Told, relay};
use command::CommandError;
use lines::Lines;
use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use server::{REVISIONS, Server, Settings};
use servers::mcp::{Mcp, Permissions, SKILL, Workbench};
use session::{Actor, Context, Progress};
use std::io::IsTerminal;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::watch;
use tools::Session;

/// Serves the client at the other end of standard input and output. Returns the exit code.
pub async fn run(_cli: &Cli, args: &Mcp) -> u8 {
    if args.skill {
        return print(SKILL);
    }
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()));
    let found = args.found(&Context::uninterrupted(progress)).await;
    let permissions = match found.and_then(|args| Permissions::new(&args)) {
        Ok(permissions) => permissions,
        Err(error) => return failed(&error),
    };
    match serve(permissions, args).await {
        Ok(()) => 0,
        Err(error) => {
            complain(format_args!("error: the connection to the client broke: {error}"));
            4
        }
    }
}

fn failed(error: &CommandError) -> u8 {
    complain(format_args!("{}", error_text(error, false)));
    error.exit_code()
}

/// Serves a client until it closes the connection, or a signal comes.
async fn serve(permissions: Permissions, args: &Mcp) -> std::io::Result<()> {
    let mut hearing = Hearing::new()?;
    let settings =
        Settings { wait: Duration::from_secs(args.wait), allows_commands: permissions.allows_commands };
    let (told, mut heard) = relay();
    let actor = Actor::start(move || {
        let progress: Rc<dyn Progress> = Rc::new(told);
        (Session(Workbench::new(permissions, progress.clone())), progress)
    })?;
    let (do_tell, doing) = watch::channel(String::new());
    let (gone, is_gone) = watch::channel(false);
    // What the session tells is taken until it has ended.
    let telling = tokio::spawn(async move {
        loop {
            if let Told::Doing(text) = heard.next().await {
                do_tell.send_replace(text);
            }
        }
    });
    let server = Server::new(actor, doing, is_gone, &settings);
    let (read, write) = rmcp::transport::stdio_pipes();
    let lines = Lines::new(read, write, REVISIONS, gone.clone());
    let work = async {
        match server.clone().serve(lines).await {
            Ok(running) => drop(running.waiting().await),
            // The client has gone before it said anything.
            Err(ServerInitializeError::ConnectionClosed(_)) => {}
            Err(error) => complain(format_args!("error: {error}")),
        }
    };
    tokio::select! {
        () = work => {}
        _ = hearing.next() => {}
    }
    let _ = gone.send(true);
    server.end().await;
    telling.abort();
    Ok(())
}
