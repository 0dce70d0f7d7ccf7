//! `Origin("A(0):foo")`: the first point that computed the value that a point sees. It traces the value back
//! through everything that only copied it: assignments, parameters, results, fields and elements.

use super::Rule;
use super::target_variable::{TargetExpression, Variable};
use crate::copies::{Finder, TooMany};
use crate::translate::{Ask, PointContext, Refusal, Stop};
use bytecode::stores::stores_to;
use expr::{EventTypes, Type};
use model::Site;
use query::{Constraint, Copies, Event, SeenCopy, SiteSet};
use std::sync::Arc;

pub(super) struct Origin<'a> {
    pub(super) reference: &'a str,
}

impl Rule for Origin<'_> {
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        Some((self.reference, "computed"))
    }

    fn own_index(&self) -> Option<i64> {
        Some(0)
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        refuse_fields(context)?;
        let target = TargetExpression::new(context, self.reference)?;
        let (point, frame) = (target.point, target.frame);
        let variable = target.variable(context)?;
        let (copy, found, descriptor) = {
            // Request the kept values before the finder exists, because it borrows the classes.
            let kept = match &variable {
                Variable::Local { .. } | Variable::Field { owner: None, .. } => Vec::new(),
                Variable::Field { owner: Some(owner), .. } => vec![context.keep(point, frame, owner)],
                Variable::Element { array, index, .. } => {
                    vec![context.keep(point, frame, array), context.keep(point, frame, index)]
                }
            };
            let mut finder = Finder::new(context.classes());
            let (copy, descriptor) = match variable {
                Variable::Local { name, places } => {
                    let mut stores: Vec<(Site, SiteSet)> = Vec::new();
                    let mut descriptor = String::new();
                    for (site, _) in &places {
                        let variable_stores = context
                            .classes()
                            .at(&site.method, |_, method| stores_to(method, &name, site.bci));
                        let Some(variable_stores) = variable_stores.transpose()? else { continue };
                        let pairs: Vec<_> = variable_stores.stores.iter().map(|s| (s.pc, s.kind)).collect();
                        stores
                            .push((site.clone(), finder.stores(&site.method, variable_stores.slot, &pairs)));
                        descriptor = variable_stores.descriptor;
                    }
                    (SeenCopy::Local { frame, stores }, descriptor)
                }
                Variable::Field { field, descriptor, .. } => {
                    let puts = finder.puts(&field.class, &field.name, &descriptor);
                    (SeenCopy::Field { owner: kept.first().copied(), puts }, descriptor)
                }
                Variable::Element { descriptor, .. } => {
                    let puts = finder.element_puts(descriptor.chars().next().unwrap_or('L'));
                    let place = |n: usize| kept.get(n).copied().unwrap_or_default();
                    (SeenCopy::Element { array: place(0), index: place(1), puts }, descriptor)
                }
            };
            let found = finder.finish().map_err(|TooMany(most)| {
                Refusal::Chain(format!(
                    "more than {most} places of the program can pass such a value on; ask for its LastChange, and so \
                     go back step by step"
                ))
            })?;
            (copy, found, descriptor)
        };
        let value = context.keep(point, frame, &target.expr);
        let copies = Copies { sites: found, seen: copy };
        let events = EventTypes { new: Some(Type::of_descriptor(&descriptor)), ..EventTypes::default() };
        let constraints = vec![Constraint::Before(point)];
        let ask = Ask::plain(Event::Copied(Arc::new(copies)), None, events);
        Ok(Ask { constraints, compare_at: Some((point, value)), ..ask })
    }
}

/// Refuses fields that choose among several occurrences, because a value has one origin.
fn refuse_fields(context: &PointContext<'_, '_>) -> Result<(), Stop> {
    let point = context.point();
    let chooses = [
        ("index", point.index.is_some()),
        ("when", point.when.is_some()),
        ("before", point.before.is_some()),
        ("after", point.after.is_some()),
        ("within", point.within.is_some()),
        ("thread", point.thread.is_some()),
        ("from", point.from.is_some()),
    ];
    match chooses.iter().find(|(_, given)| *given) {
        Some((name, _)) => Err(Refusal::Chain(format!(
            "`{name}` chooses among several occurrences, and a value has one origin; ask from another point instead"
        ))
        .into()),
        None => Ok(()),
    }
}
