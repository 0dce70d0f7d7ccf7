//! What was met of objects: their classes, how long arrays are, how texts begin.

use crate::model::{Namer, Tables, Value, quoted};
use std::collections::HashMap;
use std::sync::Arc;

/// A text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// How it begins.
    pub begins: String,
    /// How many characters it has.
    pub length: i32,
}

/// The objects that were met, by number.
#[derive(Debug, Default)]
pub struct Objects {
    /// The class of each.
    classes: HashMap<u32, u32>,
    /// The names of classes, by the numbers of their objects.
    names: HashMap<u32, Arc<str>>,
    lengths: HashMap<u32, i32>,
    texts: HashMap<u32, Text>,
    /// What boxes hold: the bits of a number.
    boxes: HashMap<u32, i64>,
    /// The numbers by which objects are shown, where those are others.
    shown: HashMap<u32, u32>,
}

impl Objects {
    pub(super) fn meet(&mut self, object: u32, class: u32) {
        self.classes.insert(object, class);
    }

    pub(super) fn name(&mut self, class: u32, name: &str) {
        self.names.insert(class, name.into());
    }

    pub(super) fn array(&mut self, object: u32, length: i32) {
        self.lengths.insert(object, length);
    }

    pub(super) fn text(&mut self, object: u32, text: Text) {
        self.texts.insert(object, text);
    }

    pub(super) fn put_in_box(&mut self, object: u32, bits: i64) {
        self.boxes.insert(object, bits);
    }

    /// What an object that is a box holds.
    fn boxed(&self, object: u32, class: &str) -> Option<Value> {
        let bits = *self.boxes.get(&object)?;
        let low = u32::try_from(bits & 0xffff_ffff).ok()?;
        Some(match class {
            "java.lang.Boolean" => Value::Boolean(bits != 0),
            "java.lang.Character" => Value::Char(u16::try_from(bits).ok()?),
            "java.lang.Long" => Value::Long(bits),
            "java.lang.Float" => Value::Float(f32::from_bits(low)),
            "java.lang.Double" => Value::Double(f64::from_bits(bits.cast_unsigned())),
            _ => Value::Int(i32::try_from(bits).ok()?),
        })
    }

    /// Objects are shown by the numbers that they have in another recording; those that it has not met, by numbers behind all of
    /// its own.
    pub fn rename(&mut self, names: HashMap<u32, u32>, other: &Objects) {
        let mut next = other.classes.keys().chain(names.values()).max().copied().unwrap_or(0);
        let mut rest: Vec<u32> =
            self.classes.keys().filter(|object| !names.contains_key(*object)).copied().collect();
        rest.sort_unstable();
        self.shown = names;
        for object in rest {
            next += 1;
            self.shown.insert(object, next);
        }
    }

    /// How many were met.
    pub fn count(&self) -> usize {
        self.classes.len()
    }

    /// The binary name of an object's class, if it was met.
    pub fn class(&self, object: u32) -> Option<&Arc<str>> {
        self.names.get(self.classes.get(&object)?)
    }

    /// The text of an object that is one, if it was met.
    pub fn text_of(&self, object: u32) -> Option<&Text> {
        self.texts.get(&object)
    }

    /// An object as `Rec@7`, `int[3]@9`, what a box holds, or a text in quotes; `null` for 0.
    pub fn show(&self, object: u32) -> String {
        if object == 0 {
            return "null".to_owned();
        }
        if let Some(text) = self.texts.get(&object) {
            let whole = i32::try_from(text.begins.encode_utf16().count()) == Ok(text.length);
            return match whole {
                true => quoted(&text.begins, '"'),
                false => format!("{}… ({} characters)", quoted(&text.begins, '"'), text.length),
            };
        }
        let number = self.shown.get(&object).copied().unwrap_or(object);
        let Some(class) = self.class(object) else { return format!("?@{number}") };
        if let Some(value) = self.boxed(object, class) {
            return Namer::default().text(&value, &Tables::default());
        }
        let name = shown_class(class);
        match (self.lengths.get(&object), name.strip_suffix("[]")) {
            (Some(length), Some(of)) => {
                // The outermost dimension stands first.
                let (element, more) = of.split_at(of.find("[]").unwrap_or(of.len()));
                format!("{element}[{length}]{more}@{number}")
            }
            _ => format!("{name}@{number}"),
        }
    }
}

/// A class without its package, as Java writes it: `[I` is `int[]`.
pub fn shown_class(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match (dimensions, element) {
        (0, class) => crate::model::short_class_name(class).to_owned(),
        (_, primitive) if primitive.len() == 1 => match primitive {
            "I" => "int",
            "J" => "long",
            "Z" => "boolean",
            "B" => "byte",
            "C" => "char",
            "S" => "short",
            "F" => "float",
            _ => "double",
        }
        .to_owned(),
        (_, class) => {
            crate::model::short_class_name(class.trim_start_matches('L').trim_end_matches(';')).to_owned()
        }
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_shown_by_their_classes() {
        let mut objects = Objects::default();
        for (class, name) in
            [(1, "com.acme.Shop"), (2, "[I"), (3, "[[Ljava.lang.String;"), (4, "java.lang.String")]
        {
            objects.name(class, name);
            objects.meet(class + 10, class);
        }
        objects.array(12, 3);
        objects.array(13, 2);
        objects.text(14, Text { begins: "a\"b".into(), length: 3 });
        let shown: Vec<String> = [0, 11, 12, 13, 14, 99].map(|object| objects.show(object)).into();
        assert_eq!(shown, ["null", "Shop@11", "int[3]@12", "String[2][]@13", "\"a\\\"b\"", "?@99"]);
        for (class, name, bits) in
            [(5, "java.lang.Integer", -3), (6, "java.lang.Character", 99), (7, "java.lang.Long", 8)]
        {
            objects.name(class, name);
            objects.meet(class + 10, class);
            objects.put_in_box(class + 10, bits);
        }
        assert_eq!([15, 16, 17].map(|object| objects.show(object)), ["-3", "'c'", "8L"]);
        objects.text(14, Text { begins: "abc".into(), length: 300 });
        assert_eq!(objects.show(14), "\"abc\"… (300 characters)");
    }
}
