//! `node` and `parts`: what a call was given and did, and the parts of an object there.

use super::selected::Selected;
use super::{Reader, Reads, Request};
use command::CommandError;
use diagnose::NodeView;
use past::PartsShown;
use serde::Deserialize;
use session::Context;

/// Maximum number of parts of a reply.
const PARTS: usize = 500;

/// Arguments of `node`.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Node(pub Selected);

impl Request for Node {
    type Reply = NodeView;

    const NAME: &'static str = "node";
}

impl Reads for Node {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<NodeView, CommandError> {
        let recording = reader.recording(self.0.trace, context).await?;
        Ok(diagnose::node_view(recording, self.0.selection())?)
    }
}

/// Arguments of `parts`.
#[derive(Debug, Deserialize)]
pub struct Parts {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event.
    pub event: Option<u64>,
    /// The object, by its number.
    pub object: u32,
    /// The first part.
    #[serde(default)]
    pub from: usize,
    /// Maximum number of parts.
    pub limit: Option<usize>,
}

impl Request for Parts {
    type Reply = PartsShown;

    const NAME: &'static str = "parts";
}

impl Reads for Parts {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<PartsShown, CommandError> {
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let limit = self.limit.unwrap_or(100).min(PARTS);
        let recording = reader.recording(self.trace, context).await?;
        Ok(recording.parts_shown(at.selection(), self.object, self.from, limit)?)
    }
}
