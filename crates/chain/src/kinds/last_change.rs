//! `LastChange("A(0):foo")`: where a field or variable got the value that a point sees (paper §4.1.1, §4.1.2;
//! DESIGN §5.1 to §5.5).

use super::Rule;
use super::target_variable::{Places, TargetExpression, Variable};
use super::watch::write_events;
use crate::translate::{Ask, PointContext, Stop};
use bytecode::stores::stores_to;
use expr::{EventPart, EventTypes, Expr, Literal, Node, Type};
use model::Site;
use query::{Constraint, Element, Event, Field, FrameSelector, Keep, Slot, StoreSite};
use std::sync::Arc;

pub(super) struct LastChange<'a> {
    pub(super) reference: &'a str,
}

impl Rule for LastChange<'_> {
    fn asks_of(&self) -> Option<(&str, &'static str)> {
        Some((self.reference, "changed"))
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let target = TargetExpression::new(context, self.reference)?;
        // The point keeps the value that it sees, so that a missed write can be noticed (DESIGN §5.2).
        if let Some(ask) = target.contents(context)? {
            // The recorder reports at the point what it sees of the collection. Of a stream it sees nothing.
            let is_seen = !matches!(&ask.event, Event::Changed(contents) if contents.is_stream);
            return Ok(Ask { compare_at: is_seen.then_some((target.point, usize::MAX)), ..ask });
        }
        let mut is_cleared = false;
        let ask = match target.variable(context)? {
            Variable::Local { name, places } => target.stores(context, &name, &places, &mut is_cleared)?,
            Variable::Field { field, descriptor, owner } => {
                target.writes(context, field, &descriptor, owner.as_ref())
            }
            Variable::Element { array, index, descriptor } => {
                target.elements(context, &array, &index, &descriptor)
            }
        };
        let kept = context.keep(target.point, target.frame, &target.expr);
        if is_cleared {
            context.warn(format!(
                "the compiler sets `{}` to null after its last use, which counts as no change; to see its \
                 value longer, compile with -Dclojure.compiler.disable-locals-clearing=true",
                target.expr.text()
            ));
            return Ok(ask);
        }
        Ok(Ask { compare_at: Some((target.point, kept)), ..ask })
    }
}

impl TargetExpression {
    /// The last store to a local variable or parameter (paper §4.1.2).
    fn stores(
        &self,
        context: &mut PointContext<'_, '_>,
        name: &str,
        places: &Places,
        is_cleared: &mut bool,
    ) -> Result<Ask, Stop> {
        let mut found: Vec<StoreSite> = Vec::new();
        for (asked_at, _) in places {
            let variable_stores =
                context.classes().at(&asked_at.method, |_, method| stores_to(method, name, asked_at.bci));
            let Some(stores) = variable_stores.transpose()? else { continue };
            *is_cleared |= stores.is_cleared;
            for store in &stores.stores {
                let site = Site { method: asked_at.method.clone(), bci: store.pc };
                // The assignment of a parameter at entry and an instruction at index 0 are two stores.
                let same = |s: &&mut StoreSite| {
                    s.site == site && s.slot == stores.slot && s.value_at == store.value_pc
                };
                match found.iter_mut().find(same) {
                    Some(known) => known.asked_at.push(asked_at.clone()),
                    None => found.push(StoreSite {
                        site,
                        value_at: store.value_pc,
                        old_readable: store.in_range_before,
                        slot: stores.slot,
                        descriptor: stores.descriptor.as_str().into(),
                        asked_at: vec![asked_at.clone()],
                    }),
                }
            }
        }
        let of = found.first().map(|s| Type::of_descriptor(&s.descriptor));
        let events = EventTypes { old: of.clone(), new: of, ..EventTypes::default() };
        let sites = found.iter().map(|s| s.site.clone()).collect();
        let (point, frame) = (self.point, self.frame);
        let constraints = vec![
            Constraint::Before(point),
            Constraint::MayAffect { point, frame: FrameSelector::Nth(frame) },
            Constraint::SameThread(point),
            Constraint::StoresFor { point, frame },
        ];
        Ok(Ask { constraints, ..Ask::plain(Event::Stored(found), Some(sites), events) })
    }

    /// The last write to a field of the object that the point sees (paper §4.1.1), in any thread.
    fn writes(
        &self,
        context: &mut PointContext<'_, '_>,
        field: Field,
        descriptor: &str,
        owner: Option<&Expr>,
    ) -> Ask {
        let constraints = self.of_field(context, &field, owner);
        let events = write_events(&field, descriptor);
        let sites = context.classes().private_accesses(&field, true);
        Ask { constraints, ..Ask::plain(Event::Written(field), sites, events) }
    }

    /// The last write to the array element that the point sees, in any thread.
    fn elements(
        &self,
        context: &mut PointContext<'_, '_>,
        array: &Expr,
        index: &Expr,
        descriptor: &str,
    ) -> Ask {
        let point = self.point;
        let same = |mine, theirs| Constraint::Sameness { mine, point, theirs: Slot::Kept(theirs) };
        let constraints = vec![
            Constraint::Before(point),
            same(Slot::Owner, context.keep(point, self.frame, array)),
            same(Slot::Kept(0), context.keep(point, self.frame, index)),
        ];
        let of = Type::of_descriptor(descriptor);
        let events = EventTypes {
            owner: Some(Type::Array(Box::new(of.clone()))),
            old: Some(of.clone()),
            new: Some(of),
            index: Some(Type::of_descriptor("I")),
            ..EventTypes::default()
        };
        let known = match index.node() {
            Node::Literal(Literal::Int(index)) => Some(*index),
            _ => None,
        };
        let event = Event::ElementWritten(Element { descriptor: descriptor.into(), index: known });
        let keep = vec![Keep { frame: 0, expr: Arc::new(Expr::event(EventPart::Index)) }];
        Ask { constraints, keep, ..Ask::plain(event, None, events) }
    }
}
