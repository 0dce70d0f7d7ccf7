//! Values at a given time with their parts, in the form in which questions contain them
//! (docs/declarative.md).

use super::error::PastError;
use super::fields::Fields;
use super::heap::{ObjectPart, held};
use super::text;
use indexmap::IndexMap;
use model::Value as Plain;
use std::collections::HashSet;
use std::ops::Range;
use trace::{Calls, CollectionContents as Contents, EventTime, Items, TraceError, Value, shown_class};

pub use super::shape::{Shape, type_name};

/// Limits on the displayed parts of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Maximum nesting of objects.
    pub depth: usize,
    /// Maximum number of elements of one array.
    pub elements: usize,
    /// Maximum number of fields and elements of one value.
    pub parts: usize,
}

/// Describes values of a recording.
pub struct Shaper<'a> {
    /// The recording.
    pub calls: &'a mut Calls,
    /// The fields of classes.
    pub fields: &'a mut Fields,
    /// The limits.
    pub bounds: Bounds,
}

impl Shaper<'_> {
    /// The parts of an object, at most `limit`, and whether these are all.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn parts(&mut self, object: u32, limit: usize) -> Result<(Vec<ObjectPart>, bool), TraceError> {
        let Some(class) = self.calls.objects.class(object).cloned() else { return Ok((Vec::new(), false)) };
        let was_made = self.calls.was_made(object)?;
        if let Some(length) = self.calls.objects.length_of(object) {
            let shown = length.min(u32::try_from(limit).unwrap_or(u32::MAX));
            return Ok((self.elements(object, 0..shown)?, shown == length));
        }
        let of = self.fields.of(&class, self.calls);
        let mut parts: Vec<ObjectPart> =
            of.fields.iter().map(|field| ObjectPart::of_field(field, was_made)).collect();
        if of.fields.is_empty() && !of.is_whole {
            // Without its class file: the fields that are ever written.
            let mut next = self.calls.part_from(object, 0)?;
            while let Some(number) = next.filter(|_| parts.len() < limit) {
                let at = usize::try_from(number).ok();
                let name = at.and_then(|at| self.calls.fields().get(at)).map(|(_, name)| name.clone());
                parts.push(ObjectPart { name, part: Some(number), ..ObjectPart::default() });
                next = match number.checked_add(1) {
                    Some(number) => self.calls.part_from(object, number)?,
                    None => None,
                };
            }
        }
        let is_whole = of.is_whole && parts.len() <= limit;
        parts.truncate(limit);
        Ok((parts, is_whole))
    }

    /// Elements of an array.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn elements(&mut self, array: u32, indices: Range<u32>) -> Result<Vec<ObjectPart>, TraceError> {
        let Some(class) = self.calls.objects.class(array).cloned() else { return Ok(Vec::new()) };
        let was_made = self.calls.was_made(array)?;
        Ok(indices.map(|index| ObjectPart::of_element(&class, index, was_made)).collect())
    }

    /// The value of a part at a given time; `None` if unknown.
    pub fn held(
        &mut self,
        object: u32,
        part: &ObjectPart,
        when: EventTime,
    ) -> Result<Option<Value>, PastError> {
        Ok(held(self.calls, object, part, when)?.value())
    }

    /// Describes a value at a given time.
    pub fn shape(
        &mut self,
        value: Option<Value>,
        type_of: &str,
        when: EventTime,
    ) -> Result<Shape, PastError> {
        let mut walk = Walk { when, left: self.bounds.parts, shown: HashSet::new() };
        self.inner(value, type_of, self.bounds.depth, &mut walk)
    }

    fn inner(
        &mut self,
        value: Option<Value>,
        descriptor: &str,
        depth: usize,
        walk: &mut Walk,
    ) -> Result<Shape, PastError> {
        let Some(value) = value else { return Ok(Shape::Unknown { unknown: true }) };
        let object = match value {
            Value::Object(0) => return Ok(Shape::Null),
            Value::Object(object) => object,
            plain => return Ok(primitive(plain, descriptor)),
        };
        let Some(class) = self.calls.objects.class(object).cloned() else {
            return Ok(Shape::Unknown { unknown: true });
        };
        if let Some(plain) = self.text_or_box(object, &class) {
            return Ok(plain);
        }
        let of = type_name(&class);
        if !walk.shown.insert(object) {
            let shown_as = self.shown_as(object);
            let content = self.calls.objects.identifying(object);
            return Ok(Shape::Again { of, object: self.calls.objects.number(object), shown_as, content });
        }
        if let Some(inside) = self.calls.objects.inside_optional(object) {
            let inside = self.inner(Some(inside), "", depth.saturating_sub(1), walk)?;
            let fields = IndexMap::from([("value".to_owned(), inside)]);
            return Ok(Shape::Object {
                of,
                object: self.calls.objects.number(object),
                shown_as: self.shown_as(object),
                is_record: false,
                content: None,
                fields,
                truncated: false,
            });
        }
        if let Some(text) = text::builder(self.calls, object, walk.when)? {
            return Ok(text);
        }
        if let Some(held) = self.contents(object, walk.when)? {
            return self.collection(held, of, self.calls.objects.number(object), depth, walk);
        }
        match self.calls.objects.is_array(object) {
            true => self.array(object, of, depth, walk),
            false => self.plain_object(object, &class, depth, walk),
        }
    }

    /// A string or a box as its value; `None` for other objects.
    fn text_or_box(&self, object: u32, class: &str) -> Option<Shape> {
        let objects = &self.calls.objects;
        if let Some(text) = objects.text_of(object) {
            let truncated = !text.is_whole();
            return Some(Shape::Plain { of: type_name(class), value: text.begins.into(), truncated });
        }
        Some(match primitive(unboxed(&objects.boxed(object, class)?), "") {
            Shape::Plain { value, .. } => Shape::Plain { of: type_name(class), value, truncated: false },
            _ => Shape::Null,
        })
    }

    fn array(&mut self, array: u32, of: String, depth: usize, walk: &mut Walk) -> Result<Shape, PastError> {
        let DescribedParts { elements, is_whole, .. } =
            self.describe_parts(array, self.bounds.elements, depth, walk)?;
        let object = self.calls.objects.number(array);
        Ok(Shape::Array { of, object, elements, truncated: !is_whole })
    }

    /// An object with its fields.
    fn plain_object(
        &mut self,
        object: u32,
        class: &str,
        depth: usize,
        walk: &mut Walk,
    ) -> Result<Shape, PastError> {
        let DescribedParts { fields, is_whole, .. } = self.describe_parts(object, usize::MAX, depth, walk)?;
        // The message of an exception does not replace its fields.
        let shown_as = self.shown_as(object).filter(|_| fields.is_empty() || !self.has_message(object));
        let is_record = self.fields.of(class, self.calls).is_record;
        let content = self.calls.objects.identifying(object);
        // Nothing is missing from an immutable object of the JDK.
        let truncated = !(is_whole || content.is_some() && fields.is_empty());
        let (of, object) = (type_name(class), self.calls.objects.number(object));
        Ok(Shape::Object { of, object, shown_as, is_record, content, fields, truncated })
    }

    /// Describes the fields or elements of an object: at most `limit`, and as many as the walk still allows.
    fn describe_parts(
        &mut self,
        object: u32,
        limit: usize,
        depth: usize,
        walk: &mut Walk,
    ) -> Result<DescribedParts, PastError> {
        let limit = if depth == 0 { 0 } else { walk.left.min(limit) };
        let (parts, is_whole) = self.parts(object, limit)?;
        walk.left -= parts.len().min(walk.left);
        let mut described = DescribedParts { is_whole, ..DescribedParts::default() };
        for part in parts {
            let held = self.held(object, &part, walk.when)?;
            let shape = self.inner(held, &part.descriptor, depth.saturating_sub(1), walk)?;
            match part.name {
                Some(name) => drop(described.fields.insert(name, shape)),
                None => described.elements.push(shape),
            }
        }
        Ok(described)
    }
}

/// The parts of an object.
#[derive(Default)]
struct DescribedParts {
    fields: IndexMap<String, Shape>,
    elements: Vec<Shape>,
    /// Whether these are all.
    is_whole: bool,
}

impl Shaper<'_> {
    /// The text of an object whose content identifies it: an enum constant, a class, a lambda, an immutable
    /// value of the JDK, or an exception with its message; `None` for other objects.
    fn shown_as(&self, object: u32) -> Option<String> {
        let objects = &self.calls.objects;
        let class = objects.class(object)?;
        let name = format!("{}@{}", shown_class(class), objects.number(object));
        Some(objects.show(object)).filter(|shown| *shown != name)
    }

    fn has_message(&self, object: u32) -> bool {
        self.calls.objects.message(object).is_some()
    }

    /// The contents of a JDK collection; `None` if they are unknown, or if the object is no collection.
    pub fn contents(&mut self, object: u32, when: EventTime) -> Result<Option<Contents>, PastError> {
        match self.calls.has_contents(object)? {
            true => Ok(self.calls.contents(object, when)?),
            false => Ok(None),
        }
    }

    fn collection(
        &mut self,
        held: Contents,
        of: String,
        object: u32,
        depth: usize,
        walk: &mut Walk,
    ) -> Result<Shape, PastError> {
        let limit = if depth == 0 { 0 } else { walk.left.min(self.bounds.elements) };
        let truncated = held.unsure || held.items.len() > limit;
        walk.left -= held.items.len().min(limit).min(walk.left);
        let inner = depth.saturating_sub(1);
        let mut elements = Vec::new();
        match held.items {
            Items::Elements(all) => {
                for value in all.into_iter().take(limit) {
                    elements.push(self.inner(value, "", inner, walk)?);
                }
            }
            Items::Pairs(pairs) => {
                for (key, value) in pairs.into_iter().take(limit) {
                    let key = Box::new(self.inner(Some(key), "", inner, walk)?);
                    let value = Box::new(self.inner(Some(value), "", inner, walk)?);
                    elements.push(Shape::Pair { key, value });
                }
            }
        }
        Ok(Shape::Array { of, object, elements, truncated })
    }

    /// The display form of a map key or set element in a path.
    pub fn key(&self, value: Value) -> String {
        match value {
            Value::Object(object) => self.calls.objects.item(object),
            plain => match primitive(plain, "") {
                Shape::Plain { value, .. } => value.to_string(),
                _ => "?".to_owned(),
            },
        }
    }
}

/// The state of describing one value.
struct Walk {
    /// The time at which it is described.
    when: EventTime,
    /// Number of further parts that may be described.
    left: usize,
    /// The objects that were described.
    shown: HashSet<u32>,
}

/// The value in a box.
fn unboxed(value: &Plain) -> Value {
    match *value {
        Plain::Boolean(value) => Value::Boolean(value),
        Plain::Char(value) => Value::Char(value),
        Plain::Long(value) => Value::Long(value),
        Plain::Float(value) => Value::Float(value),
        Plain::Double(value) => Value::Double(value),
        Plain::Int(value) => Value::Int(value),
        Plain::Byte(value) => Value::Int(value.into()),
        Plain::Short(value) => Value::Int(value.into()),
        _ => Value::Object(0),
    }
}

fn primitive(value: Value, descriptor: &str) -> Shape {
    let real = |number: f64| match serde_json::Number::from_f64(number) {
        Some(number) => serde_json::Value::Number(number),
        // JSON has no representation for these numbers.
        None => serde_json::Value::String(if number.is_nan() {
            "NaN".to_owned()
        } else if number > 0.0 {
            "Infinity".to_owned()
        } else {
            "-Infinity".to_owned()
        }),
    };
    let (of, value) = match value {
        Value::Boolean(value) => ("boolean", value.into()),
        Value::Char(value) => ("char", String::from_utf16_lossy(&[value]).into()),
        Value::Int(value) => (
            match descriptor {
                "B" => "byte",
                "S" => "short",
                _ => "int",
            },
            value.into(),
        ),
        Value::Long(value) => ("long", value.into()),
        // The shortest number that is this `float`, and not the `double` nearest to it.
        Value::Float(value) => ("float", real(value.to_string().parse().unwrap_or_else(|_| value.into()))),
        Value::Double(value) => ("double", real(value)),
        Value::Object(_) => return Shape::Null,
    };
    Shape::Plain { of: of.to_owned(), value, truncated: false }
}
