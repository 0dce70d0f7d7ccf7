//! `qp trace calls FOLDER`: the calls of a recorded run as a tree, alike ones folded.

use super::reading::Reading;
use crate::command::{Command, CommandError, Outcome};
use crate::session::SessionError;
use crate::session::{self, CallTree, CallsAsked, Context};

/// Shows the calls of a recorded run as a tree, with arguments and results
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace calls                          # of the folder `trace`, three levels deep\n  qp trace calls shop.trace --node 118 --depth 8\n  qp trace calls shop.trace --method 'com.acme.Cart.add' --all"
)]
pub struct Calls {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// Only this thread
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// Only what is below this call, by its number
    #[arg(long, value_name = "N", conflicts_with = "thread")]
    pub node: Option<u32>,
    /// Only calls of methods of this name, wherever they are: CLASS.METHOD
    #[arg(long, value_name = "CLASS.METHOD", conflicts_with = "node")]
    pub method: Option<String>,
    /// How many levels to show; what is deeper begins at a call of its own, with --node
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub depth: u32,
    /// Show all calls of one method that follow each other, not only the first ones
    #[arg(long)]
    pub all: bool,
}

impl Outcome for CallTree {
    fn exit_code(&self) -> u8 {
        u8::from(self.threads.is_empty())
    }
}

impl Command for Calls {
    type Output = CallTree;

    /// # Errors
    /// The folder holds no recorded run, or not the call or thread that is named.
    async fn execute(&self, context: &Context) -> Result<CallTree, CommandError> {
        let asked = CallsAsked {
            thread: self.thread.clone(),
            node: self.node,
            method: self.method.clone(),
            depth: self.depth,
            all: self.all,
        };
        let mut trace = self.reading.open(context).await?;
        Ok(session::calls(&mut trace, &asked).map_err(SessionError::from)?)
    }
}
