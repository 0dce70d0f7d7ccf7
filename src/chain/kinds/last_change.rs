//! `LastChange("A(0):foo")`: where a field or variable got the value that a point sees (paper §4.1.1, §4.1.2;
//! DESIGN §5.1 to §5.5).

use super::watch::write_events;
use super::{Complaint, Rule};
use crate::chain::translate::{Ask, PointContext, Refusal, Stop};
use crate::expr::{self, EventPart, EventTypes, Expr, Node, Place, Reference, Type};
use crate::model::Site;
use crate::query::{Constraint, Element, Event, Field, FrameSelector, Keep, PointIndex, Slot, StoreSite};
use bytecode::stores::stores_to;
use std::sync::Arc;

pub(super) struct LastChange<'a> {
    pub(super) reference: &'a str,
}

impl Rule for LastChange<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        match Reference::parse(self.reference) {
            Err(error) => vec![Complaint::of_parse(error)],
            Ok(Reference { point: None, expr, .. }) => {
                let message = format!("`{expr}` needs a point: changed before what?");
                vec![Complaint::about(
                    self.reference,
                    message,
                    format!("write `A:{expr}` with the id of a point above"),
                )]
            }
            Ok(_) => Vec::new(),
        }
    }

    fn refers_to(&self) -> Option<(String, String, usize)> {
        let point = Reference::parse(self.reference).ok()?.point?;
        Some((point, self.reference.to_owned(), 1))
    }

    fn own_index(&self) -> Option<i64> {
        Some(-1)
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let Reference { point, frame, expr } = Reference::parse(self.reference)?;
        let point = context.earlier(&point.unwrap_or_default())?;
        let seen = Seen { point, frame, expr };
        let places = seen.places(context)?;
        let variable = one_variable(&seen.expr, &places)?;
        // The point keeps the value it sees, so that a write nobody was told of can be noticed (DESIGN §5.2).
        let ask = match variable {
            Place::Local { name, .. } => seen.stores(context, &name, &places)?,
            Place::Static { class, name, descriptor } => {
                let field = Field { class: class.into(), name: name.into(), is_static: true };
                seen.writes(context, field, &descriptor, None)
            }
            Place::Field { owner, class, name, descriptor } => {
                let field = Field { class: class.into(), name: name.into(), is_static: false };
                seen.writes(context, field, &descriptor, Some(&owner))
            }
            Place::Unknown { owner, field } => {
                let (field, descriptor) = seen.field_of(context, &owner, &field, &places)?;
                let owner = (!field.is_static).then_some(&owner);
                seen.writes(context, field, &descriptor, owner)
            }
            Place::Element { array, index, descriptor } => {
                let descriptor = match descriptor {
                    Some(descriptor) => descriptor,
                    None => seen.element_of(context, &array)?,
                };
                seen.elements(context, &array, &index, &descriptor)
            }
        };
        let kept = context.keep(point, frame, &seen.expr);
        Ok(Ask { compare_at: Some((point, kept)), ..ask })
    }
}

/// What the point sees: an expression in one of its frames.
struct Seen {
    point: PointIndex,
    frame: i32,
    expr: Expr,
}

type Places = Vec<(Site, Place)>;

impl Seen {
    /// The variable the expression names at each site where the frame can stand.
    fn places(&self, context: &mut PointContext<'_, '_>) -> Result<Places, Stop> {
        let mut sites = context.sites_of(self.point, self.frame)?;
        let at = |context: &mut PointContext<'_, '_>, sites: &[Site]| {
            context.at_sites(sites, |_, scope, classes| expr::place(&self.expr, scope, classes))
        };
        let mut places = at(context, &sites);
        // The user means what it is at one site. Where that depends on which, a run tells.
        if places.as_ref().is_ok_and(|p| !is_one(p)) {
            sites = context.learned_site(self.point, self.frame)?;
            places = at(context, &sites);
        }
        let Node::Name(name) = self.expr.node() else { return Ok(places?) };
        let unclear =
            places.as_ref().map_or(true, |p| p.iter().any(|(_, p)| matches!(p, Place::Unknown { .. })));
        if unclear {
            // Without a variable table a name may be a local's: say what would tell.
            for site in &sites {
                let told = context.classes().at(&site.method, |_, method| stores_to(method, name, site.bci));
                if let Some(Err(error @ bytecode::StoreError::NoVariableTable { .. })) = told {
                    return Err(error.into());
                }
            }
        }
        Ok(places?)
    }

    /// The last store to a local variable or parameter (paper §4.1.2).
    fn stores(&self, context: &mut PointContext<'_, '_>, name: &str, places: &Places) -> Result<Ask, Stop> {
        let mut found: Vec<StoreSite> = Vec::new();
        for (asked_at, _) in places {
            let told =
                context.classes().at(&asked_at.method, |_, method| stores_to(method, name, asked_at.bci));
            let Some(stores) = told.transpose()? else { continue };
            for store in &stores.stores {
                let site = Site { method: asked_at.method.clone(), bci: store.pc };
                // A parameter's entry and an instruction at index 0 are two stores.
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

    /// The last write to a field of the object that the point sees (paper §4.1.1). Other threads count.
    fn writes(
        &self,
        context: &mut PointContext<'_, '_>,
        field: Field,
        descriptor: &str,
        owner: Option<&Expr>,
    ) -> Ask {
        let point = self.point;
        let mut constraints = vec![Constraint::Before(point)];
        if let Some(owner) = owner {
            let theirs = Slot::Kept(context.keep(point, self.frame, owner));
            constraints.push(Constraint::Sameness { mine: Slot::Owner, point, theirs });
        }
        let events = write_events(&field, descriptor);
        let sites = context.classes().private_accesses(&field, true);
        Ask { constraints, ..Ask::plain(Event::Written(field), sites, events) }
    }

    /// The last write to the element that the point sees of an array. Other threads count.
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
        let event = Event::ElementWritten(Element { descriptor: descriptor.into() });
        let keep = vec![Keep { frame: 0, expr: Arc::new(Expr::event(EventPart::Index)) }];
        Ask { constraints, keep, ..Ask::plain(event, None, events) }
    }

    /// The descriptor of the elements of an array whose class only a run tells.
    fn element_of(&self, context: &mut PointContext<'_, '_>, array: &Expr) -> Result<String, Stop> {
        let class = context.class_of(self.point, self.frame, array)?;
        let element = class.strip_suffix("[]").ok_or_else(|| Refusal::NoArray { text: array.to_string() })?;
        let primitive = ["Z", "B", "C", "S", "I", "J", "F", "D"];
        let named = |d: &&&str| Type::of_descriptor(d).to_string() == element;
        Ok(primitive.iter().find(named).map_or_else(|| "Ljava/lang/Object;".to_owned(), |d| (*d).to_owned()))
    }

    /// The field of an object whose class the expression alone does not tell: the event's types may, else a run must.
    fn field_of(
        &self,
        context: &mut PointContext<'_, '_>,
        owner: &Expr,
        name: &str,
        places: &Places,
    ) -> Result<(Field, String), Stop> {
        let events = context.events_of(self.point);
        let sites: Vec<Site> = places.iter().map(|(site, _)| site.clone()).collect();
        let types =
            context.at_sites(&sites, |_, scope, classes| expr::check(owner, scope, classes, &events))?;
        if let Some((_, Type::Class(class))) = types.first()
            && types.iter().all(|(_, of)| *of == Type::Class(class.clone()))
        {
            let known = context.classes().named(class)?.file.clone();
            if let Ok(found) = context.classes().field(&known, name) {
                return Ok(found);
            }
        }
        let class = context.class_of(self.point, self.frame, owner)?;
        let known = context.classes().named(&class)?.file.clone();
        Ok(context.classes().field(&known, name)?)
    }
}

/// Whether all sites mean one variable. A local can have several slots, but has one name.
fn is_one(places: &Places) -> bool {
    let Some((_, first)) = places.first() else { return true };
    places.iter().all(|(_, place)| match (first, place) {
        (Place::Local { name: a, .. }, Place::Local { name: b, .. }) => a == b,
        (a, b) => a == b,
    })
}

fn one_variable(expr: &Expr, places: &Places) -> Result<Place, Stop> {
    let first = places.first().map(|(_, place)| place.clone());
    first.ok_or_else(|| {
        Refusal::Chain(format!("`{expr}`: no class file holds the method of its point")).into()
    })
}
