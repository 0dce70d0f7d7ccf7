//! `qp dap`: serves an editor by the Debug Adapter Protocol.
//!
//! - `connection` reads requests and passes them to the session, `adapter` says which room answers them.
//!   `port` waits for editors that connect, `terminal` is one of the editor's in which the program runs.
//! - `breakpoints` sets breakpoints, `values` shows what is there, `targets` lists where one can go, and
//!   `custom` has the requests that are not of the protocol.
//! - `handles` knows what numbers in requests mean, and `shown` gives what a recording has in the protocol's
//!   types.

mod adapter;
mod breakpoints;
mod connection;
mod custom;
mod handles;
mod port;
mod shown;
mod targets;
mod terminal;
mod values;

pub use connection::run;
