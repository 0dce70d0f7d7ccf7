//! Views of a call while a question about it is open (JHyde §3): its values, histories and events, and the
//! questions of other calls.

use super::{Diagnoser, Question};
use classes::SourcePaths;
use past::{EventsShown, History, MemberShown, Moment, PastError};
use recorded::{EventsRequest, RecordedTrace, events};
use session::{Context, SessionError};
use trace::Level;

/// Maximum number of writes of a history.
const WRITES: usize = 200;
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
            return Err(PastError::NoSuchCall { node: call, calls }.into());
        }
        if !self.diagnosis.forest().has_ended(node) {
            return Err(SessionError::NoStep(format!(
                "call #{call} has not ended: nothing can be said of it yet"
            )));
        }
        self.question(node, context).await
    }

    /// A variable or object at the end of the call of a question, or at the end of its loop.
    ///
    /// # Errors
    /// There is no such variable, the recording cannot be read, or a run that would record more of the call
    /// fails.
    pub async fn show(
        &mut self,
        question: &Question,
        name: &str,
        context: &Context,
    ) -> Result<MemberShown, SessionError> {
        self.at_end(question, context, |trace, moment| trace.show(moment, name)).await
    }

    /// The writes to a variable as it is named at the end of the call of a question, or of its loop; the last
    /// ones.
    ///
    /// # Errors
    /// As [`Diagnoser::show`].
    pub async fn history(
        &mut self,
        question: &Question,
        name: &str,
        context: &Context,
    ) -> Result<History, SessionError> {
        self.at_end(question, context, |trace, moment| trace.history(moment, name, WRITES)).await
    }

    async fn at_end<T>(
        &mut self,
        question: &Question,
        context: &Context,
        work: impl FnOnce(&mut RecordedTrace, Moment) -> Result<T, PastError>,
    ) -> Result<T, SessionError> {
        let (at, node) = (question.at, question.node);
        let outermost = self.outermost(self.nodes.call(at));
        let later = self.with_more(outermost, context).await?;
        let ends = self.nodes.part(at).filter(|_| later.is_none()).and_then(|part| part.ends);
        let mut later = later.map(|later| later.with_code(&SourcePaths::default()));
        let trace = match &mut later {
            Some(later) => later,
            None => &mut self.trace,
        };
        let end = match ends {
            Some(end) => end,
            None => {
                let entry = trace.entry_of(node)?;
                trace.end_of_call(entry)?
            }
        };
        let shown = trace.moment(end).and_then(|moment| work(trace, moment));
        self.keep_detail(outermost, later);
        Ok(shown?)
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
        let outermost = self.outermost(self.nodes.call(question.at));
        let Some(mut later) = self.with_more(outermost, context).await? else {
            return events(&mut self.trace, &asked, context).await;
        };
        let shown = events(&mut later, &asked, context).await;
        self.keep_detail(outermost, Some(later));
        shown
    }

    /// A recording of a further run with all events of a call without callers, if this recording has no
    /// writes.
    async fn with_more(
        &mut self,
        outermost: u32,
        context: &Context,
    ) -> Result<Option<RecordedTrace>, SessionError> {
        if self.trace.about.level >= Level::Writes {
            return Ok(None);
        }
        self.in_detail(outermost, Level::All, context).await
    }
}
