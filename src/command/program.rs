//! The program of a question that is asked without a chain file: what the options and the words after `--`
//! say of it.

use crate::chain::{Address, Debuggee};
use std::path::PathBuf;

/// What is known of the program besides its command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// Where the source files are
    #[arg(long = "source", value_name = "DIR", requires = "command")]
    pub sources: Vec<PathBuf>,
    /// Folders and jars of classes that the command does not name: of a script's VM, of plug-ins, copies of a
    /// remote program's
    #[arg(long = "classes", value_name = "PATH", requires = "command")]
    pub classes: Vec<PathBuf>,
    /// The program runs elsewhere: connect to its VM, which listens there and waits at its start; the command
    /// has it start anew before each run
    #[arg(long, value_name = "HOST:PORT", requires = "command")]
    pub attach: Option<Address>,
}

impl ProgramArgs {
    /// The debuggee of a command.
    pub fn debuggee(&self, command: &[String]) -> Debuggee {
        let (command, relaunch) = match self.attach {
            Some(_) => (Vec::new(), command.to_vec()),
            None => (command.to_vec(), Vec::new()),
        };
        Debuggee {
            command,
            attach: self.attach.as_ref().map(ToString::to_string),
            relaunch,
            sources: self.sources.clone(),
            classes: self.classes.clone(),
            ..Debuggee::default()
        }
    }
}
