//! `qp serve`: shows a recording or a chain as a page in the browser.
//!
//! `server` is the HTTP server, and `connections` limits its connections. `guard` decides who may ask,
//! `assets` has the page, `requests` is the table of requests and `desk` runs them on the threads of two
//! sessions. `replies` keeps the replies that the page may load again, `shown` turns results into JSON, and
//! `stream` tells the page what happens.

mod assets;
mod connections;
mod desk;
mod guard;
mod replies;
mod requests;
mod server;
mod shown;
mod stream;

use super::interrupt::Hearing;
use super::options::{Cli, Format};
use super::out::{complain, error_text, json_line, print};
use super::progress::Bar;
use super::relay::{Heard, Told, relay};
use super::token::new_token;
use command::CommandError;
use desk::Desk;
use guard::Door;
use requests::Begins;
use server::Server;
use servers::serve::{Bench, Board, Notice, Reader, Serve, Start};
use session::{Actor, Context};
use std::io::IsTerminal;
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Serves the page until the process is asked to end. Returns the exit code.
pub async fn run(cli: &Cli, args: &Serve) -> u8 {
    let progress = Rc::new(Bar::new(std::io::stderr().is_terminal()).trusting(args.trust.trust));
    let context = Context::uninterrupted(progress);
    let found = args.found(&context).await;
    match found.and_then(|args| Ok((args.start(&context)?, args))) {
        Ok((start, args)) => serve(cli, args, start).await,
        Err(error) => failed(cli, &error),
    }
}

fn failed(cli: &Cli, error: &CommandError) -> u8 {
    complain(format_args!("{}", error_text(error, cli.colors(std::io::stderr().is_terminal()))));
    error.exit_code()
}

/// Serves a page that begins with this. Returns the exit code.
pub async fn serve(cli: &Cli, args: Serve, start: Start) -> u8 {
    match served(cli, args, start).await {
        Ok(()) => 0,
        Err(error) => {
            complain(format_args!("error: the page cannot be served: {error}; `--port` names another port"));
            4
        }
    }
}

async fn served(cli: &Cli, args: Serve, start: Start) -> std::io::Result<()> {
    let mut hearing = Hearing::new()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))?;
    let port = listener.local_addr()?.port();
    listener.set_nonblocking(true)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let door = Door::new(port, new_token()?, new_token()?);
    let board = start.board();
    let begins = Begins::of(&start);
    let (reads, reading) = relay();
    let (works, working) = relay();
    let reader = {
        let (board, sources) = (board.clone(), args.source.paths());
        Actor::start(move || (Desk(Reader::new(board, sources)), Rc::new(reads) as _))?
    };
    let bench = {
        let board = board.clone();
        Actor::start(move || (Desk(Bench::new(board, start, args)), Rc::new(works) as _))?
    };
    let doing: Arc<Mutex<[String; 2]>> = Arc::default();
    let telling = [(0, working), (1, reading)]
        .map(|(who, heard)| tokio::spawn(tell(who, heard, doing.clone(), board.clone())));
    let address = door.address();
    let server = Arc::new(Server::new(door, board, reader, bench));
    print(&match cli.format {
        Format::Text => format!("The page is at\n  {address}\nCtrl-C ends it.\n"),
        Format::Json => json_line(&serde_json::json!({ "address": address })),
    });
    server.begin(begins);
    tokio::select! {
        served = server::listen(listener, server.clone()) => served?,
        _ = hearing.next() => {}
    }
    server.end().await;
    telling.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(())
}

/// Passes what a session tells to the pages, until the session has ended. `doing` has what each session does;
/// what runs the program matters more than what reads.
async fn tell(who: usize, mut heard: Heard, doing: Arc<Mutex<[String; 2]>>, board: Board) {
    loop {
        match heard.next().await {
            Told::Output(lines) => board.tell(Notice::Output(lines)),
            Told::Said(text) => board.tell(Notice::Said(text)),
            Told::Doing(text) => {
                let mut doing = doing.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(own) = doing.get_mut(who) {
                    *own = text;
                }
                board.set_doing(doing.iter().find(|text| !text.is_empty()).cloned().unwrap_or_default());
            }
        }
    }
}
