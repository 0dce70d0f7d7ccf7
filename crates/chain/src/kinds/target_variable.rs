//! The variable that a reference names in a frame of a point. Shared by the kinds that ask for the last event
//! of such a variable.

use super::Complaint;
use crate::translate::{PointContext, Refusal, Stop};
use bytecode::stores::stores_to;
use expr::{Expr, Node, Reference, Type, VariableRef};
use model::Site;
use query::{Constraint, Field, PointIndex, Slot};

/// The expression that a reference names in a frame of a point.
pub(super) struct TargetExpression {
    pub(super) point: PointIndex,
    pub(super) frame: i32,
    pub(super) expr: Expr,
}

pub(super) type Places = Vec<(Site, VariableRef)>;

/// The variable that an expression names.
pub(super) enum Variable {
    /// A local variable or parameter, with the sites that see it.
    Local { name: String, places: Places },
    /// A field; with the owner's expression if it is not static.
    Field { field: Field, descriptor: String, owner: Option<Expr> },
    /// An element of an array.
    Element { array: Expr, index: Expr, descriptor: String },
}

/// Mistakes in a reference. `what` is the verb for the message about a missing point.
pub(super) fn complaints(reference: &str, what: &str) -> Vec<Complaint> {
    match Reference::parse(reference) {
        Err(error) => vec![Complaint::of_parse(error)],
        Ok(Reference { point: None, expr, .. }) => vec![Complaint::about(
            reference,
            format!("`{expr}` needs a point: {what} before what?"),
            format!("write `A:{expr}` with the id of a point above"),
        )],
        Ok(_) => Vec::new(),
    }
}

/// The point from which a reference asks backwards.
pub(super) fn refers_to(reference: &str) -> Option<(String, String, usize)> {
    let point = Reference::parse(reference).ok()?.point?;
    Some((point, reference.to_owned(), 1))
}

impl TargetExpression {
    /// Parses a reference.
    pub(super) fn new(context: &PointContext<'_, '_>, reference: &str) -> Result<TargetExpression, Stop> {
        let Reference { point, frame, expr } = Reference::parse(reference)?;
        let point = context.earlier(&point.unwrap_or_default())?;
        Ok(TargetExpression { point, frame, expr })
    }

    /// The variable that the expression names.
    pub(super) fn variable(&self, context: &mut PointContext<'_, '_>) -> Result<Variable, Stop> {
        let places = self.places(context)?;
        let of_class = |class: String, name: String, is_static: bool| Field {
            class: class.into(),
            name: name.into(),
            is_static,
        };
        Ok(match one_variable(&self.expr, &places)? {
            VariableRef::Local { name, .. } => Variable::Local { name, places },
            VariableRef::Static { class, name, descriptor } => {
                Variable::Field { field: of_class(class, name, true), descriptor, owner: None }
            }
            VariableRef::Field { owner, class, name, descriptor } => {
                Variable::Field { field: of_class(class, name, false), descriptor, owner: Some(owner) }
            }
            VariableRef::Unknown { owner, field } => {
                let (field, descriptor) = self.field_of(context, &owner, &field, &places)?;
                let owner = (!field.is_static).then_some(owner);
                Variable::Field { field, descriptor, owner }
            }
            VariableRef::Element { array, index, descriptor } => {
                let descriptor = match descriptor {
                    Some(descriptor) => descriptor,
                    None => self.element_of(context, &array)?,
                };
                Variable::Element { array, index, descriptor }
            }
        })
    }

    /// Constraints: before the point, and for the object that it sees.
    pub(super) fn of_owner(
        &self,
        context: &mut PointContext<'_, '_>,
        owner: Option<&Expr>,
    ) -> Vec<Constraint> {
        let point = self.point;
        let mut constraints = vec![Constraint::Before(point)];
        if let Some(owner) = owner {
            let theirs = Slot::Kept(context.keep(point, self.frame, owner));
            constraints.push(Constraint::Sameness { mine: Slot::Owner, point, theirs });
        }
        constraints
    }

    /// The same for a field: several loaders can define its class, so a static field is that of the class
    /// object that the point sees.
    pub(super) fn of_field(
        &self,
        context: &mut PointContext<'_, '_>,
        field: &Field,
        owner: Option<&Expr>,
    ) -> Vec<Constraint> {
        let class = field.is_static.then(|| Expr::class_object(&field.class));
        self.of_owner(context, owner.or(class.as_ref()))
    }

    /// The variable that the expression names, at each possible site of the frame.
    fn places(&self, context: &mut PointContext<'_, '_>) -> Result<Places, Stop> {
        let mut sites = context.sites_of(self.point, self.frame)?;
        let at = |context: &mut PointContext<'_, '_>, sites: &[Site]| {
            context.at_sites(sites, |_, scope, classes| expr::place(&self.expr, scope, classes))
        };
        let mut places = at(context, &sites);
        if self.frame == 0
            && let Ok(places) = &places
        {
            context.only_where_known(self.point, places);
        }
        // The user means the variable at one site. If the variable differs between sites, a run must tell the
        // site.
        if places.as_ref().is_ok_and(|p| !is_one(p)) {
            sites = context.learned_site(self.point, self.frame)?;
            places = at(context, &sites);
        }
        let Node::Name(name) = self.expr.node() else { return Ok(places?) };
        let unclear =
            places.as_ref().map_or(true, |p| p.iter().any(|(_, p)| matches!(p, VariableRef::Unknown { .. })));
        if unclear {
            // Without a variable table the name may be that of a local, so report the missing table.
            for site in &sites {
                let stores =
                    context.classes().at(&site.method, |_, method| stores_to(method, name, site.bci));
                if let Some(Err(error @ bytecode::StoreError::NoVariableTable { .. })) = stores {
                    return Err(error.into());
                }
            }
        }
        Ok(places?)
    }

    /// The element descriptor of an array whose class only a run can tell.
    fn element_of(&self, context: &mut PointContext<'_, '_>, array: &Expr) -> Result<String, Stop> {
        let class = context.class_of(self.point, self.frame, array)?;
        let element = class.strip_suffix("[]").ok_or_else(|| Refusal::NoArray { text: array.to_string() })?;
        let primitive = ["Z", "B", "C", "S", "I", "J", "F", "D"];
        let named = |d: &&&str| Type::of_descriptor(d).to_string() == element;
        Ok(primitive.iter().find(named).map_or_else(|| "Ljava/lang/Object;".to_owned(), |d| (*d).to_owned()))
    }

    /// The field of an object whose class is not known from the expression alone. Uses the types of the
    /// event, or else a run.
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

/// Whether all sites name the same variable. A local can have several slots but has one name.
fn is_one(places: &Places) -> bool {
    let Some((_, first)) = places.first() else { return true };
    places.iter().all(|(_, place)| match (first, place) {
        (VariableRef::Local { name: a, .. }, VariableRef::Local { name: b, .. }) => a == b,
        (a, b) => a == b,
    })
}

fn one_variable(expr: &Expr, places: &Places) -> Result<VariableRef, Stop> {
    let first = places.first().map(|(_, place)| place.clone());
    first.ok_or_else(|| {
        Refusal::Chain(format!("`{expr}`: no class file holds the method of its point")).into()
    })
}
