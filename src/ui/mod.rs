//! Front ends: they parse the user's input, call a command, and render its result. They decide nothing.
//!
//! `table` lists the commands, `cli` is the command line, `options` has the global options. `repl` is the
//! prompt of `qp debug`, `stepper` that of `qp trace step`, `diagnoser` that of `qp diagnose`. `render` turns
//! results into text, `out` writes it, `progress` shows the progress in the words
//! of `progress_text`, `relay` passes it to another thread, `interrupt` handles Ctrl-C. `dap` serves editors,
//! `mcp` agents and `web` a page, for which `token` makes tokens.

pub mod cli;
mod consent_prompt;
mod dap;
mod diagnoser;
mod exchange;
mod interrupt;
mod mcp;
pub mod options;
mod out;
mod progress;
mod progress_text;
mod query_prompt;
mod relay;
mod render;
mod repl;
mod stepper;
pub mod table;
mod token;
mod web;
