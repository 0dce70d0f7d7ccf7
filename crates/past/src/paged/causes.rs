//! Why something is as it is at the selected event.

use crate::cause::Cause;
use crate::error::PastError;
use crate::event_ref::EventRef;
use crate::recording::Recording;

/// A cause, and where it can be selected.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseShown {
    /// The cause.
    pub cause: Cause,
    /// Its event.
    pub selection: EventRef,
    /// When it happened, as a fraction of the run.
    pub at: f64,
    /// When the effect happened.
    pub effect_at: f64,
}

impl Recording {
    /// What last wrote a variable, as it is after an event; or, without a variable, which condition or
    /// exception led to the event.
    ///
    /// # Errors
    /// There is no such variable, nothing wrote it, or the events cannot be read.
    pub fn why_event(&mut self, event: EventRef, variable: Option<&str>) -> Result<CauseShown, PastError> {
        let at = match variable {
            Some(_) => self.position_after(event)?,
            None => self.position(event)?,
        };
        self.resume_locals(at)?;
        let moment = self.moment(at)?;
        let cause = match variable {
            Some(variable) => self.why(moment, variable)?,
            None => self.why_here(moment)?,
        };
        let selection = cause.selection;
        let (effect_at, at) = (self.fraction(at)?, self.fraction(cause.at)?);
        Ok(CauseShown { cause, selection, at, effect_at })
    }
}
