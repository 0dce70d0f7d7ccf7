//! Front ends: they parse what the user says, call a command, and render what it returns. They decide nothing.

pub mod cli;
