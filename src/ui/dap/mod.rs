//! `qp dap`: serves an editor by the Debug Adapter Protocol. `connection` reads requests and runs one after
//! another, `adapter` answers them, and `shown` gives what a recording has in the protocol's types.

mod adapter;
mod connection;
mod shown;

pub use connection::run;
