//! `qp trace state N`: an object as it was when a call of a recorded run was entered and when it ended.

use crate::command::CommandError;
use crate::session::{self, StateShown};
use std::path::PathBuf;

/// Shows an object as a call found it and as it left it
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace state 12                       # the `this` of call #12\n  qp trace state 12 shop.trace --object 'int[]@9'"
)]
pub struct State {
    /// The number of the call, as `qp trace calls` shows it
    #[arg(value_name = "CALL")]
    pub node: u32,
    /// The folder that `qp trace record` wrote
    #[arg(value_name = "FOLDER", default_value = "trace")]
    pub folder: PathBuf,
    /// The object or array, as it is shown: `Rec@7`; without it the call's `this`
    #[arg(long, value_name = "OBJECT")]
    pub object: Option<String>,
}

impl State {
    /// Does it.
    ///
    /// # Errors
    /// The folder holds no recorded run, or one without writes, or not this call or object.
    pub fn execute(&self) -> Result<StateShown, CommandError> {
        Ok(session::state(&self.folder, self.node, self.object.as_deref())?)
    }
}
