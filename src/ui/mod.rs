//! Front ends: they parse what the user says, call a command, and render what it returns. They decide
//! nothing.
//!
//! `cli` is the command line, `repl` the prompt of `qp debug`, `stepper` that of `qp trace step`, `diagnoser`
//! that of `qp diagnose`; `render` makes text of what commands return, `out` writes it, `progress` tells what
//! goes on meanwhile, `interrupt` hears Ctrl-C.

pub mod cli;
mod consent_prompt;
mod diagnoser;
mod interrupt;
mod out;
mod progress;
mod render;
mod repl;
mod stepper;
