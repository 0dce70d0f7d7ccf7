//! `qp dap`: its arguments. `launch` has what an editor asks to launch, `console` the questions that a user
//! writes in the editor's debug console.

mod console;
mod launch;

pub use console::{CONSOLE_TABLE, ConsoleCommand, ConsoleReply, ConsoleRow};
pub use launch::{Launch, LaunchMode, Launched};

/// Debugs in an editor, with the past: speaks the Debug Adapter Protocol on standard input and output
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp dap    # started by an editor, whose launch configuration has `command`"
)]
pub struct Dap {}
