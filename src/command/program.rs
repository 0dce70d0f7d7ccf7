//! The program of a question that is asked without a chain file: what the options and the words after `--`
//! say of it.

use crate::chain::{Address, Debuggee};
use std::path::PathBuf;

/// What is known of the program besides its command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// Folder of source files; can be repeated
    #[arg(long = "source", value_name = "DIR", requires = "command")]
    pub sources: Vec<PathBuf>,
    /// Folder or jar of classes that the command does not name: those of a script's VM or of plug-ins, or
    /// copies of a remote program's classes; can be repeated
    #[arg(long = "classes", value_name = "PATH", requires = "command")]
    pub classes: Vec<PathBuf>,
    /// Connect to the VM of a program that runs elsewhere. It listens at this address and waits at its start.
    /// The command starts the program anew before each run
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
