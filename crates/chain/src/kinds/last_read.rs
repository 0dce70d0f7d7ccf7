//! `LastRead("A(0):foo")`: the last earlier read of the field that a point sees.

use super::Rule;
use super::target_variable::{TargetExpression, Variable};
use super::watch::owner_event;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use query::Event;

pub(super) struct LastRead<'a> {
    pub(super) reference: &'a str,
}

impl Rule for LastRead<'_> {
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        Some((self.reference, "read"))
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let target = TargetExpression::new(context, self.reference)?;
        let Variable::Field { field, owner, .. } = target.variable(context)? else {
            return Err(Refusal::NotReadAsField { text: target.expr.to_string() }.into());
        };
        let constraints = target.of_field(context, &field, owner.as_ref());
        let events = owner_event(&field);
        let sites = context.classes().private_accesses(&field, false);
        Ok(Ask { constraints, ..Ask::plain(Event::Read(field), sites, events) })
    }
}
