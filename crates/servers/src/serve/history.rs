//! `history`: the writes to a variable.

use super::selected::Selected;
use super::{Reader, Reads, Request};
use command::CommandError;
use past::WritesShown;
use serde::Deserialize;
use session::Context;

/// Maximum number of writes of a reply.
const WRITES: usize = 2000;

/// Arguments of `history`.
#[derive(Debug, Deserialize)]
pub struct History {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event.
    pub event: Option<u64>,
    /// The variable, by its name there.
    pub variable: String,
    /// Maximum number of writes: the last ones.
    pub limit: Option<usize>,
}

impl Request for History {
    type Reply = WritesShown;

    const NAME: &'static str = "history";
}

impl Reads for History {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<WritesShown, CommandError> {
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let limit = self.limit.unwrap_or(500).min(WRITES);
        let recording = reader.recording(self.trace, context).await?;
        Ok(recording.writes_shown(at.selection(), &self.variable, limit)?)
    }
}
