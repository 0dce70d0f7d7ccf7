//! The contents of a collection as a point sees them: an element of a list (`list[3]`), the value for a key
//! of a map (`map{"x"}`), or all contents (`contents(set)`). Asks for the last call that changed them.

use super::collections;
use super::target_variable::TargetExpression;
use crate::translate::{Ask, PointContext, Refusal, Stop};
use expr::{self, EventTypes, Expr, Literal, Node, Primitive, Type};
use jdk::{Asked, Class, Keeps};
use query::{Aspect, Contents, Counts, Event, Key};

/// Maximum nesting of wrapper collections.
const DEEPEST: usize = 8;

impl TargetExpression {
    /// The last change of queried contents; `None` if the reference does not query a collection.
    pub(super) fn contents(&self, context: &mut PointContext<'_, '_>) -> Result<Option<Ask>, Stop> {
        let (collection, part) = match self.expr.node() {
            Node::Call { owner: None, name, arguments } if name == "contents" && arguments.len() == 1 => {
                (arguments.first().map(Expr::of_node), None)
            }
            Node::Index { array, index } => {
                let list = Expr::of_node(array);
                let is_list = self.is_no_array(context, &list)?;
                (is_list.then_some(list), Some(Expr::of_node(index)))
            }
            Node::Mapped { map, key } => (Some(Expr::of_node(map)), Some(Expr::of_node(key))),
            _ => (None, None),
        };
        let Some(collection) = collection else { return Ok(None) };
        self.types(context, &collection)?;
        let (owner, class, offered, is_set) = self.kept_by(context, collection.clone())?;
        let (asked, aspect) = match (&part, self.expr.node()) {
            (None, _) => (Asked::All, Aspect::All),
            (Some(index), Node::Index { .. }) => (Asked::List, self.index(context, index)?),
            (Some(key), _) => (Asked::Map, Aspect::Key(self.key(context, key)?)),
        };
        if asked != Asked::All && asked != offered {
            let wanted = if asked == Asked::List { "elements by index" } else { "keys" };
            let (text, class) = (collection.to_string(), class.name.to_owned());
            return Err(Refusal::NotInCollection { text, class, wanted }.into());
        }
        let named = part.filter(|part| !matches!(part.node(), Node::Literal(_)));
        let source = match named {
            Some(part) => {
                let read = self.read(context, &part)?;
                Some((self.point, context.keep(self.point, self.frame, &read)))
            }
            None => None,
        };
        let mut calls = collections::calls(class, context.classes());
        for call in calls.iter_mut().filter(|call| is_set && matches!(call.counts, Counts::Put(..))) {
            call.counts = Counts::No;
        }
        let constraints = self.of_owner(context, Some(&owner));
        let events = EventTypes {
            owner: Some(Type::Unknown),
            old: Some(Type::Unknown),
            new: Some(Type::Unknown),
            ..EventTypes::default()
        };
        let (class, is_stream) = (class.name.into(), offered == Asked::Printed);
        let event = Event::Changed(Contents { class, aspect, is_stream, source, calls });
        Ok(Some(Ask { constraints, ..Ask::plain(event, None, events) }))
    }

    fn types(&self, context: &mut PointContext<'_, '_>, expr: &Expr) -> Result<Vec<Type>, Stop> {
        let sites = context.sites_of(self.point, self.frame)?;
        let events = context.events_of(self.point);
        let types =
            context.at_sites(&sites, |_, scope, classes| expr::check(expr, scope, classes, &events))?;
        if self.frame == 0 {
            context.only_where_known(self.point, &types);
        }
        Ok(types.into_iter().map(|(_, of)| of).collect())
    }

    /// Whether the indexed expression is not an array. Sometimes only a run can tell.
    fn is_no_array(&self, context: &mut PointContext<'_, '_>, list: &Expr) -> Result<bool, Stop> {
        let types = self.types(context, list)?;
        if types.iter().any(|of| matches!(of, Type::Array(_) | Type::Primitive(_))) {
            return Ok(false);
        }
        let class = context.class_of(self.point, self.frame, list)?;
        Ok(!class.ends_with("[]"))
    }

    /// Follows wrappers to the collection that stores the contents. Returns it with its class and its
    /// possible queries, and whether the outer collection is a set of that map's keys.
    fn kept_by(
        &self,
        context: &mut PointContext<'_, '_>,
        collection: Expr,
    ) -> Result<(Expr, &'static Class, Asked, bool), Stop> {
        let (mut owner, mut class) = (collection, None);
        let mut is_keys = false;
        for _ in 0..DEEPEST {
            let of = match class.take() {
                Some(known) => known,
                None => context.class_of(self.point, self.frame, &owner)?.to_string(),
            };
            match collections::keeper(context.classes(), &of) {
                Some((class, Keeps::Itself(asked))) => return Ok((owner, class, asked, is_keys)),
                Some((_, Keeps::Around { field, inner, is_set })) => {
                    is_keys |= is_set;
                    owner = owner.field(field);
                    class = inner.map(ToOwned::to_owned);
                }
                None => {
                    let (text, known) = (owner.to_string(), collections::names());
                    return Err(Refusal::NoCollection { text, class: of, known }.into());
                }
            }
        }
        let (text, known) = (owner.to_string(), collections::names());
        Err(Refusal::NoCollection { text, class: "(too many nested wrappers)".to_owned(), known }.into())
    }

    fn index(&self, context: &mut PointContext<'_, '_>, index: &Expr) -> Result<Aspect, Stop> {
        match self.key(context, index)? {
            Key::Boxed('I', index) => i32::try_from(index).ok().filter(|i| *i >= 0).map(Aspect::Element),
            _ => None,
        }
        .ok_or_else(|| Refusal::NoIndex { text: index.to_string() }.into())
    }

    /// The value of a key: of a literal, or as read in an earlier run.
    fn key(&self, context: &mut PointContext<'_, '_>, key: &Expr) -> Result<Key, Stop> {
        if let Node::Literal(literal) = key.node() {
            let known = match literal {
                Literal::Null => Some(Key::Null),
                Literal::Text(text) => Some(Key::Text(text.clone())),
                Literal::Int(n) => Some(Key::Boxed('I', (*n).into())),
                Literal::Long(n) => Some(Key::Boxed('J', *n)),
                Literal::Char(c) => Some(Key::Boxed('C', (*c).into())),
                Literal::Boolean(b) => Some(Key::Boxed('Z', (*b).into())),
                Literal::Float(_) | Literal::Double(_) => None,
            };
            return known
                .ok_or_else(|| Refusal::NoKey { text: key.to_string(), of: "a number".into() }.into());
        }
        let read = self.read(context, key)?;
        match context.value_of(self.point, self.frame, &read)? {
            Some(found) => Ok(found),
            None => {
                let types = self.types(context, key)?;
                let of = types.first().map_or_else(|| "an object".to_owned(), ToString::to_string);
                Err(Refusal::NoKey { text: key.to_string(), of }.into())
            }
        }
    }

    /// The expression that reads a key. It reads the field of a box, to avoid a method call.
    fn read(&self, context: &mut PointContext<'_, '_>, key: &Expr) -> Result<Expr, Stop> {
        let types = self.types(context, key)?;
        let is_box =
            matches!(types.first(), Some(Type::Class(class)) if Primitive::from_box(class).is_some());
        Ok(if is_box { key.field("value") } else { key.clone() })
    }
}
