//! `why` and `forget`: the cause of what is selected, which is added to the timeline.

use super::selected::Selected;
use super::{Reader, Reads, Request};
use command::CommandError;
use past::CauseShown;
use serde::Deserialize;
use session::Context;

/// Arguments of `why`.
#[derive(Debug, Deserialize)]
pub struct Why {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event.
    pub event: Option<u64>,
    /// The variable; without one, the question is which condition led there.
    pub variable: Option<String>,
}

/// Reply to `why`.
#[derive(Debug)]
pub struct WhyShown {
    /// The number of the question, from 1.
    pub asked: usize,
    /// The cause.
    pub cause: CauseShown,
}

impl Request for Why {
    type Reply = WhyShown;

    const NAME: &'static str = "why";
}

impl Reads for Why {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<WhyShown, CommandError> {
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let recording = reader.recording(self.trace, context).await?;
        let cause = recording.why_event(at.selection(), self.variable.as_deref())?;
        let question = match &self.variable {
            Some(variable) => format!("last change of {variable}"),
            None => "what led here".to_owned(),
        };
        let asked = reader.board.add_cause(self.trace, at.selection(), question, cause.clone());
        reader.board.changed(&["timeline"]);
        Ok(WhyShown { asked, cause })
    }
}

/// Arguments of `forget`.
#[derive(Debug, Deserialize)]
pub struct Forget {
    /// The number of the question.
    pub asked: usize,
}

impl Request for Forget {
    type Reply = ();

    const NAME: &'static str = "forget";
}

impl Reads for Forget {
    async fn read(self, reader: &mut Reader, _context: &Context) -> Result<(), CommandError> {
        reader.board.shown().asked.retain(|asked| asked.number != self.asked);
        reader.board.changed(&["timeline"]);
        Ok(())
    }
}
