//! `qp completions SHELL`: prints a completion script for a shell.

use super::{CommandError, Describe};

/// Prints the completion script of a shell
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  qp completions bash > ~/.local/share/bash-completion/completions/qp")]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

impl Describe for Completions {
    fn describe(&self, mut line: clap::Command) -> Result<String, CommandError> {
        let name = line.get_name().to_owned();
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut line, name, &mut script);
        Ok(String::from_utf8_lossy(&script).into_owned())
    }
}
