//! `tree` and `path`: the execution tree by row number, and the way to a call.

use super::{Reader, Reads, Request, usage};
use command::CommandError;
use past::{PathStep, TreeParent, TreeRow, TreeRowKind};
use serde::{Deserialize, Serialize};
use session::Context;
use std::ops::Range;

/// Maximum number of rows of a reply.
const ROWS: usize = 500;

/// Arguments of `tree`.
#[derive(Debug, Deserialize)]
pub struct Tree {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call whose callees are listed.
    pub call: Option<u32>,
    /// The thread whose outermost calls are listed.
    pub thread: Option<u32>,
    /// The callees that are listed, unfolded: the index of the first, and the one after the last, as
    /// `3-1000`.
    pub group: Option<String>,
    /// The first row.
    #[serde(default)]
    pub from: usize,
    /// Maximum number of rows.
    pub limit: Option<usize>,
}

/// Reply to `tree`.
#[derive(Debug, Serialize)]
pub struct TreeShown {
    /// Number of rows of the list.
    pub count: usize,
    /// The rows.
    pub rows: Vec<MarkedRow>,
}

/// A row with what is known of its calls.
#[derive(Debug, Serialize)]
pub struct MarkedRow {
    /// The row.
    #[serde(flatten)]
    pub row: TreeRow,
    /// The verdict of the diagnosis.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// The jumps at which operations were lost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balloons: Option<Balloons>,
}

/// Number of jumps at which operations were lost.
#[derive(Debug, Serialize)]
pub struct Balloons {
    /// In the call itself.
    pub own: usize,
    /// Below it; for folded calls, in all of them.
    pub below: usize,
}

impl Request for Tree {
    type Reply = TreeShown;

    const NAME: &'static str = "tree";
}

impl Reads for Tree {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<TreeShown, CommandError> {
        let parent = match (self.call, self.thread) {
            (Some(call), None) => TreeParent::Call(call),
            (None, Some(thread)) => TreeParent::Thread(thread),
            _ => return usage("`tree` needs either `call` or `thread`"),
        };
        let group = self.group.as_deref().map(range).transpose()?;
        let limit = self.limit.unwrap_or(100).min(ROWS);
        let found =
            reader.recording(self.trace, context).await?.tree_rows(parent, group, self.from, limit)?;
        let shown = reader.board.shown();
        let marked = |row: TreeRow| {
            let (verdict, (own, below)) = match &row.kind {
                TreeRowKind::Call { call, .. } => {
                    let end = call.node.saturating_add(call.below);
                    (shown.verdicts.get(&call.node).copied(), shown.balloons_of(call.node, end))
                }
                TreeRowKind::Fold(fold) => {
                    let (first, end) = fold.calls;
                    let (own, below) = shown.balloons_of(first, end);
                    (None, (0, own + below))
                }
            };
            let balloons = (own + below > 0).then_some(Balloons { own, below });
            MarkedRow { row, verdict, balloons }
        };
        Ok(TreeShown { count: found.count, rows: found.rows.into_iter().map(marked).collect() })
    }
}

/// `3-1000`.
fn range(text: &str) -> Result<Range<usize>, CommandError> {
    let parsed = text.split_once('-').and_then(|(from, to)| Some(from.parse().ok()?..to.parse().ok()?));
    match parsed {
        Some(range) => Ok(range),
        None => usage(format!("`{text}` is no `group`: expected two indices, as 3-1000")),
    }
}

/// Arguments of `path`.
#[derive(Debug, Deserialize)]
pub struct PathTo {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
}

/// Reply to `path`.
#[derive(Debug, Serialize)]
pub struct PathShown {
    /// The number of the thread.
    pub thread: u32,
    /// The calls on the way, the outermost first.
    pub path: Vec<PathStep>,
}

impl Request for PathTo {
    type Reply = PathShown;

    const NAME: &'static str = "path";
}

impl Reads for PathTo {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<PathShown, CommandError> {
        let (thread, path) = reader.recording(self.trace, context).await?.path_to(self.call)?;
        Ok(PathShown { thread, path })
    }
}
