//! Views of a call while a question about it is open (JHyde §3): its values, histories and events, and the
//! questions of other calls.

use super::{Diagnoser, Question};
use crate::context::Context;
use crate::error::SessionError;
use crate::recorded::{EventsRequest, EventsShown, RecordedTrace, Stepper, detail, events};
use classes::SourcePaths;
use inspect::InspectError;
use trace::Level;

/// Most events of a call that are shown.
const MOST_EVENTS: usize = 200;

impl Diagnoser {
    /// The question about any call, by the number that front ends show.
    ///
    /// # Errors
    /// There is no such call, it has not ended, or it cannot be read.
    pub async fn at_call(&mut self, call: u32, context: &Context) -> Result<Question, SessionError> {
        let calls = self.trace.calls.count();
        let node = self.nodes.of_call(call);
        let there = usize::try_from(call).is_ok_and(|call| call < calls);
        if !there || node >= self.diagnosis.forest().count() {
            return Err(InspectError::NoSuchCall { node: call, calls }.into());
        }
        if !self.diagnosis.forest().has_ended(node) {
            return Err(SessionError::NoStep(format!(
                "call #{call} has not ended: nothing can be said of it yet"
            )));
        }
        self.question(node, context).await
    }

    /// A stepper at the end of the call of a question, or at the end of its loop.
    ///
    /// # Errors
    /// The recording cannot be read, or a run that would record more of the call fails.
    pub async fn stand(
        &mut self,
        question: &Question,
        context: &Context,
    ) -> Result<Stepper<'_>, SessionError> {
        let (at, node) = (question.at, question.node);
        let later = self.with_more(at, context).await?;
        let ends = self.nodes.part(at).filter(|_| later.is_none()).and_then(|part| part.ends);
        let mut stepper = match later {
            Some(later) => Stepper::new(later, node, &SourcePaths::default())?,
            None => Stepper::new(&mut self.trace, node, &SourcePaths::default())?,
        };
        match ends {
            Some(end) => Ok(stepper.standing_at(end)),
            None => {
                stepper.call(node, true)?;
                Ok(stepper)
            }
        }
    }

    /// The events of the call of a question.
    ///
    /// # Errors
    /// The recording cannot be read, or a run that would record more of the call fails.
    pub async fn events(
        &mut self,
        question: &Question,
        context: &Context,
    ) -> Result<EventsShown, SessionError> {
        let asked = EventsRequest { node: question.node, limit: MOST_EVENTS, level: None };
        match self.with_more(question.at, context).await? {
            Some(mut later) => events(&mut later, &asked, context).await,
            None => events(&mut self.trace, &asked, context).await,
        }
    }

    /// A recording of a further run with all events of a call, if this recording has no writes.
    async fn with_more(&mut self, at: u32, context: &Context) -> Result<Option<RecordedTrace>, SessionError> {
        if self.trace.about.level >= Level::Writes {
            return Ok(None);
        }
        let outermost = self.outermost(self.nodes.call(at));
        detail(&mut self.trace, outermost, Level::All, context).await
    }
}
