//! `qp dap`: serves an editor by the Debug Adapter Protocol.
//!
//! - `run` begins. `connection` reads requests and passes them to the session, `port` waits for editors that
//!   connect, with a token; `terminal` is one of the editor's in which the program runs.
//! - `dispatch` says which room answers a request, and `answer` what an answer is. `adapter` has the state of
//!   the session.
//! - `breakpoints` sets breakpoints, `values` shows what is there, `targets` lists where one can go, `custom`
//!   has the requests that are not of the protocol, and `rerun` all requests of mode `rerun`.
//! - `handles` knows what numbers in requests mean, and `shown` gives what a recording has in the protocol's
//!   types.

mod adapter;
mod answer;
mod breakpoints;
mod connection;
mod custom;
mod dispatch;
mod handles;
mod port;
mod rerun;
mod run;
mod shown;
mod targets;
mod terminal;
mod values;

pub use run::run;
