//! The recording with all events of a call, if the recording of the diagnosis has no writes. It is made,
//! opened and compared once: all questions read it.

use super::Diagnoser;
use recorded::{RecordedTrace, detail};
use session::{Context, SessionError};
use trace::Level;

impl Diagnoser {
    /// A recording of a call without callers at a level; `None` if that of the diagnosis has that level. Give
    /// it back by [`Diagnoser::keep_detail`].
    ///
    /// # Errors
    /// The program cannot be run again, or the new run differs.
    pub(super) async fn in_detail(
        &mut self,
        outermost: u32,
        level: Level,
        context: &Context,
    ) -> Result<Option<RecordedTrace>, SessionError> {
        match self.known_detail(outermost, level) {
            Some(later) => Ok(Some(later)),
            None => Box::pin(detail(&mut self.trace, outermost, level, context)).await,
        }
    }

    /// The recording that was kept, if it is of this call and of this level.
    pub(super) fn known_detail(&mut self, outermost: u32, level: Level) -> Option<RecordedTrace> {
        let fits = |(of, later): &mut (u32, RecordedTrace)| *of == outermost && later.about.level >= level;
        let is_wanted = self.trace.about.level < level;
        self.later.take_if(|later| is_wanted && fits(later)).map(|(_, later)| later)
    }

    /// Keeps a recording for the next question.
    pub(super) fn keep_detail(&mut self, outermost: u32, later: Option<RecordedTrace>) {
        self.later = later.map(|later| (outermost, later)).or(self.later.take());
    }
}
