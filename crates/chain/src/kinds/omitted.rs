//! `Omitted("A:list")`: which operation on the object that A sees should have been executed, and at which
//! jump it was lost (Omission Finder §3). It is asked of a recording, and has no TraceQuery.

use super::target_variable;
use super::{Complaint, Rule};
use crate::translate::{Ask, PointContext, Refusal, Stop};
use expr::Reference;

pub(super) struct Omitted<'a> {
    pub(super) reference: &'a str,
}

impl Rule for Omitted<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        match Reference::parse(self.reference) {
            Ok(Reference { frame, .. }) if frame != 0 => {
                let message = format!("frame {frame}: the object is one that the newest frame sees");
                let help = "write `A:list`, and ask at a line of the calling method for its variables";
                vec![Complaint::about(self.reference, message, help)]
            }
            _ => target_variable::complaints(self.reference, "omitted"),
        }
    }

    fn refers_to(&self) -> Option<(String, String, usize)> {
        target_variable::refers_to(self.reference)
    }

    fn is_of_recording(&self) -> bool {
        true
    }

    fn translate(&self, _: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let why = "it is asked of a recording, and no event is its answer".to_owned();
        Err(Refusal::Chain(why).into())
    }
}
