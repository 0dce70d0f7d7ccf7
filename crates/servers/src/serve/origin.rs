//! `origin`: where the value of a variable was computed.

use super::bench::Bench;
use super::selected::Selected;
use super::{Request, Works, usage};
use command::CommandError;
use command::recorded_question::{AskedAt, RecordedQuestion, RecordedReply};
use serde::Deserialize;
use session::Context;

/// Arguments of `origin`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindOrigin {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event before which the variable has the value.
    pub event: Option<u64>,
    /// The variable, by its name there.
    pub variable: String,
}

/// Reply to `origin`.
#[derive(Debug)]
pub struct OriginShown(pub RecordedReply);

impl Request for FindOrigin {
    type Reply = OriginShown;

    const NAME: &'static str = "origin";
}

impl Works for FindOrigin {
    async fn work(self, bench: &mut Bench, context: &Context) -> Result<OriginShown, CommandError> {
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let variable = self.variable.trim();
        if variable.is_empty() {
            return usage("name a variable");
        }
        let mut trace = bench.own_recording(self.trace, context).await?;
        let at = AskedAt::innermost(trace.position(at.selection())?);
        let question = RecordedQuestion::Origin(variable.to_owned());
        Ok(OriginShown(Box::pin(question.answer(&mut trace, at, context)).await?))
    }
}
