//! `LastRead("A(0):foo")`: where the value that a point sees in a field was last read before.

use super::seen::{self, Seen, Variable};
use super::watch::owner_event;
use super::{Complaint, Rule};
use crate::chain::translate::{Ask, PointContext, Refusal, Stop};
use crate::query::Event;

pub(super) struct LastRead<'a> {
    pub(super) reference: &'a str,
}

impl Rule for LastRead<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        seen::complaints(self.reference, "read")
    }

    fn refers_to(&self) -> Option<(String, String, usize)> {
        seen::refers_to(self.reference)
    }

    fn own_index(&self) -> Option<i64> {
        Some(-1)
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let seen = Seen::new(context, self.reference)?;
        let Variable::Field { field, owner, .. } = seen.variable(context)? else {
            return Err(Refusal::NotReadAsField { text: seen.expr.to_string() }.into());
        };
        let constraints = seen.of_owner(context, owner.as_ref());
        let events = owner_event(&field);
        let sites = context.classes().private_accesses(&field, false);
        Ok(Ask { constraints, ..Ask::plain(Event::Read(field), sites, events) })
    }
}
