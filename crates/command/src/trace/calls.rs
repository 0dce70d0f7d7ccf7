//! `qp trace calls FOLDER`: shows the calls of a recorded run as a tree, with similar ones folded.

use super::reading::Reading;
use crate::{Command, CommandError, Outcome};
use past::{CallTree, CallsRequest};
use session::Context;
use session::SessionError;

/// Shows the calls of a recorded run as a tree, with arguments and results
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace calls                          # of the folder `trace`, three levels deep\n  qp trace calls shop.trace --node 118 --depth 8\n  qp trace calls shop.trace --method 'com.acme.Cart.add' --all"
)]
pub struct Calls {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// Show only this thread
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
    /// Show only the calls below this one, by its number
    #[arg(long, value_name = "N", conflicts_with = "thread")]
    pub node: Option<u32>,
    /// Show only calls of this method, anywhere in the tree
    #[arg(long, value_name = "CLASS.METHOD", conflicts_with = "node")]
    pub method: Option<String>,
    /// Number of levels to show; use --node to see deeper ones
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=500))]
    pub depth: u32,
    /// Show all consecutive calls of one method, not only the first ones
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
    /// The folder holds no recorded run, or the run has no such call or thread.
    async fn execute(&self, context: &Context) -> Result<CallTree, CommandError> {
        let asked = CallsRequest {
            thread: self.thread.clone(),
            node: self.node,
            method: self.method.clone(),
            depth: self.depth,
            all: self.all,
            most: usize::MAX,
        };
        let mut trace = self.reading.open(context).await?;
        Ok(past::calls(&mut trace, &asked).map_err(SessionError::from)?)
    }
}
