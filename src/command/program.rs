//! The program of a question without a chain file, from the options and the words after `--`.

use crate::chain::{Address, Debuggee};
use std::path::PathBuf;

/// Facts about the program besides its command.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// Folder or archive with Java sources; can be repeated
    #[arg(long = "source", value_name = "DIR", requires = "command")]
    pub sources: Vec<PathBuf>,
    /// Folder or jar with classes that the command does not name: classes of a script's VM, of plug-ins, or
    /// copies of a remote program's classes; can be repeated
    #[arg(long = "classes", value_name = "PATH", requires = "command")]
    pub classes: Vec<PathBuf>,
    /// Connect to the VM of a program that runs elsewhere. That VM listens at this address and waits at its
    /// start. The command restarts the program before each run
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
