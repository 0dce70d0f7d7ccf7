//! Why something is as it is at the selected event.

use super::{RecordedViewer, Selection};
use crate::error::SessionError;
use crate::recorded::debugger::Cause;

/// A cause, and where it can be selected.
#[derive(Clone, Debug, PartialEq)]
pub struct CauseShown {
    /// The cause.
    pub cause: Cause,
    /// Its event.
    pub selection: Selection,
    /// When it happened, as a fraction of the run.
    pub at: f64,
    /// When the effect happened.
    pub effect_at: f64,
}

impl RecordedViewer {
    /// What last wrote a variable, as it is after the selected event; or, without a variable, which condition
    /// or exception led to the selected event.
    ///
    /// # Errors
    /// There is no such variable, nothing wrote it, or the events cannot be read.
    pub fn why(&mut self, selection: Selection, variable: Option<&str>) -> Result<CauseShown, SessionError> {
        let at = match variable {
            Some(_) => self.position_after(selection)?,
            None => self.position(selection)?,
        };
        self.resume_locals(at)?;
        // The debugger stands there, so that objects have the values of that time.
        self.debugger.to_event(at)?;
        let cause = match variable {
            Some(variable) => self.debugger.why(at, variable)?,
            None => self.debugger.why_here(at)?,
        };
        let selection = self.selection_of(cause.at)?;
        let axis = self.axis()?;
        let (effect_at, at) = (axis.fraction(at), axis.fraction(cause.at));
        Ok(CauseShown { cause, selection, at, effect_at })
    }
}
