//! Front ends: they parse what the user says, call a command, and render what it returns. They decide
//! nothing.
//!
//! `table` lists the commands, `cli` is the command line, `options` has those before the command. `repl` is
//! the prompt of `qp debug`, `stepper` that of `qp trace step`, `diagnoser` that of `qp diagnose`. `render`
//! makes text of what commands return, `out` writes it, `progress` shows what goes on meanwhile, `interrupt`
//! hears Ctrl-C.

pub mod cli;
mod consent_prompt;
mod diagnoser;
mod interrupt;
pub mod options;
mod out;
mod progress;
mod render;
mod repl;
mod stepper;
pub mod table;
