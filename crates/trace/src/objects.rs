//! The recorded objects: class, array length, beginning of a string, and other details.

use super::columns::{
    ARRAY, BOX, CLASS, CONSTANT, CONSTANT_WITH_BODY, EXCEPTION, FIELDS, NO_MESSAGE, PLAIN, TEXT, Table,
};
use super::decode;
use super::object_numbers::ObjectNumbers;
use super::sites::Site;
use bytes::Bytes;
use model::{
    ClassKey, ExceptionCause, Fact, JavaString, Namer, ObjectDescription, ObjectId, Tables, Value, boxed,
    causes, message_text, optional, quoted,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use wire::recording::Traced;

/// Separates the host class from the called method in a lambda's class name.
pub(super) const LAMBDA: &str = "$$Lambda/";
/// Maximum nesting of immutable objects that are shown by their fields, such as a `LocalDateTime`.
const DEEP: u32 = 4;

/// Number of characters that are shown of a longer message.
const TEXT_SHOWN: usize = wire::recording::TEXT;

/// A string of the program, possibly truncated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The beginning of the string.
    pub begins: String,
    /// Length of the whole string, in UTF-16 code units.
    pub length: i32,
}

/// The recorded content of an immutable object of a known class. Long strings are compared by their beginning
/// and length.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ImmutableContent<'a> {
    kind: u32,
    bits: u64,
    text: &'a [u8],
}

impl ImmutableContent<'_> {
    /// The field values, if fields identify the object. They can refer to other objects.
    pub fn fields(&self) -> Option<Vec<decode::Value>> {
        (self.kind == FIELDS).then(|| decode::field_values(self.text))
    }

    /// Whether it is only the beginning and the length of a string, or of an exception's message.
    pub fn is_part(&self) -> bool {
        let is_text = self.kind == TEXT || self.kind == EXCEPTION && self.bits != u64::from(NO_MESSAGE);
        let length = String::from_utf8_lossy(self.text).encode_utf16().count();
        is_text && u64::try_from(length) != Ok(self.bits & u64::from(u32::MAX))
    }

    /// Whether the content is that of an exception, which has an identity of its own.
    pub fn is_exception(&self) -> bool {
        self.kind == EXCEPTION
    }
}

/// The recorded objects, by number.
#[derive(Clone)]
pub struct Objects {
    table: Table,
    texts: Bytes,
    /// Class names, by the number of the class object.
    names: HashMap<u32, Arc<str>>,
    /// The numbers by which objects are shown.
    numbers: Arc<ObjectNumbers>,
    /// Texts for lambdas, by class number.
    lambdas: HashMap<u32, String>,
}

impl Objects {
    pub(super) fn new(table: Table, texts: Bytes, names: BTreeMap<u32, String>) -> Objects {
        let names = names.into_iter().map(|(number, name)| (number, name.into())).collect();
        Objects { table, texts, names, numbers: Arc::default(), lambdas: HashMap::new() }
    }

    fn row(&self, object: u32) -> Option<usize> {
        let last = self.table.len().checked_sub(1)?;
        // Few numbers are missing, so the row is often as far from the first row as the numbers say.
        let distance = usize::try_from(object.checked_sub(self.table.word(0, 0))?).ok()?;
        let highest = distance.min(last);
        if self.table.word(0, highest) == object {
            return Some(highest);
        }
        let row = self.table.lower_bound_in(0..highest, &[object.into()]);
        (self.table.word(0, row) == object).then_some(row)
    }

    /// The row of an object, if it has this kind.
    fn kind(&self, object: u32, kind: u32) -> Option<usize> {
        self.row(object).filter(|row| self.table.word(1, *row) == kind)
    }

    /// Whether an object is an array.
    pub fn is_array(&self, object: u32) -> bool {
        self.kind(object, ARRAY).is_some()
    }

    /// All objects with their classes, by number.
    pub fn all(&self) -> impl Iterator<Item = (u32, &Arc<str>)> {
        let rows = 0..self.table.len();
        rows.filter_map(|row| Some((self.table.word(0, row), self.names.get(&self.table.word(2, row))?)))
    }

    /// The classes that objects of the run may have, in no particular order.
    pub fn classes(&self) -> impl Iterator<Item = &Arc<str>> {
        self.names.values()
    }

    /// The arrays with their lengths.
    pub fn arrays(&self) -> impl Iterator<Item = (u32, u32)> {
        let rows = (0..self.table.len()).filter(|row| self.table.word(1, *row) == ARRAY);
        rows.map(|row| (self.table.word(0, row), self.table.word(3, row)))
    }

    /// Whether an object is a box of a primitive value.
    pub fn is_box(&self, object: u32) -> bool {
        self.kind(object, BOX).is_some()
    }

    /// Whether an object is an exception.
    pub fn is_exception(&self, object: u32) -> bool {
        self.kind(object, EXCEPTION).is_some()
    }

    /// The length of an array; `None` for other objects.
    pub fn length_of(&self, array: u32) -> Option<u32> {
        self.kind(array, ARRAY).map(|row| self.table.word(3, row))
    }

    /// The content that identifies an immutable object, or an exception's message; `None` for other objects.
    pub fn content(&self, object: u32) -> Option<ImmutableContent<'_>> {
        let row = self.row(object)?;
        let kind = self.table.word(1, row);
        let bits = match kind {
            TEXT | BOX => self.table.get(3, row),
            // Its cause does not identify it.
            EXCEPTION => u64::from(self.message_length(row)),
            CONSTANT | CONSTANT_WITH_BODY | FIELDS => 0,
            CLASS => {
                let text = self.names.get(&object)?.as_bytes();
                return Some(ImmutableContent { kind, bits: 0, text });
            }
            _ => return None,
        };
        Some(ImmutableContent { kind, bits, text: self.bytes(row)? })
    }

    /// The value in a box of the given class; `None` for other objects.
    pub fn boxed(&self, object: u32, class: &str) -> Option<Value> {
        let bits = self.table.get(3, self.kind(object, BOX)?).cast_signed();
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

    /// Shows objects by their numbers in another recording. Objects unknown there get numbers above all of
    /// its own.
    pub fn rename(&mut self, names: Vec<(u32, u32)>, other: &Objects) {
        let last = other.table.len().checked_sub(1).map_or(0, |row| other.table.word(0, row));
        let all = (0..self.table.len()).map(|row| self.table.word(0, row));
        self.numbers = ObjectNumbers::new(names, all, last).into();
    }

    /// The own number of the object with this shown number; 0 if there is none.
    pub fn own(&self, number: u32) -> u32 {
        self.numbers.own(number)
    }

    /// The name of an enum constant, such as `Level.HIGH`; `None` for other objects.
    pub fn constant(&self, object: u32) -> Option<String> {
        let row = self.row(object)?;
        let class = self.names.get(&self.table.word(2, row))?;
        let of = match self.table.word(1, row) {
            CONSTANT => class,
            // The compiler gives a constant with a body a nested class of the enum.
            CONSTANT_WITH_BODY => class.rsplit_once('$').map_or(&**class, |(of, _)| of),
            _ => return None,
        };
        Some(format!("{}.{}", shown_class(of), self.begins(row)?))
    }

    /// The message that was passed to an exception's constructor, which may be empty, and is truncated
    /// ([`Text::is_whole`]) after 1,000 UTF-16 code units. `None` without a message, and for other objects:
    /// [`Objects::is_exception`] tells them apart.
    pub fn message(&self, object: u32) -> Option<Text> {
        let row = self.kind(object, EXCEPTION)?;
        let length = Some(self.message_length(row)).filter(|length| *length != NO_MESSAGE)?;
        Some(Text { begins: self.begins(row)?, length: length.cast_signed() })
    }

    /// The length of an exception's message.
    fn message_length(&self, row: usize) -> u32 {
        u32::try_from(self.table.get(3, row) & u64::from(u32::MAX)).unwrap_or(NO_MESSAGE)
    }

    /// The causes that an exception had when it was met, each the cause of the one before it.
    pub fn causes(&self, exception: u32) -> Vec<ExceptionCause> {
        let cause = |object: &u32| self.cause_of(*object).filter(|cause| *cause > 0);
        let told = |cause: u32| ExceptionCause {
            object: self.name(cause),
            class: self.class(cause).map(|class| class.to_string()).unwrap_or_default(),
            message: self.message(cause).map(|text| text.begins),
        };
        causes(exception, cause).into_iter().map(told).collect()
    }

    /// Numbers and names of the lambda classes.
    pub(super) fn lambda_classes(&self) -> impl Iterator<Item = (u32, &Arc<str>)> {
        let classes = self.names.iter().map(|(number, name)| (*number, name));
        classes.filter(|(_, name)| name.contains(LAMBDA))
    }

    /// Shows the instances of a lambda class by a text.
    pub fn name_lambda(&mut self, class: u32, text: String) {
        self.lambdas.insert(class, text);
    }

    /// The class of an object of which [`Objects::name`] has nothing but the class and the number.
    pub fn named_by_class(&self, object: u32) -> Option<&Arc<str>> {
        let kind = self.row(object).map(|row| self.table.word(1, row))?;
        matches!(kind, PLAIN | EXCEPTION | FIELDS).then(|| self.class(object)).flatten()
    }

    /// The number by which an object is shown.
    pub fn number(&self, object: u32) -> u32 {
        self.numbers.shown(object)
    }

    /// Number of recorded objects.
    pub fn count(&self) -> usize {
        self.table.len()
    }

    fn class_number(&self, object: u32) -> Option<u32> {
        Some(self.table.word(2, self.row(object)?))
    }

    /// The binary name of an object's class, if the object was recorded.
    pub fn class(&self, object: u32) -> Option<&Arc<str>> {
        self.names.get(&self.class_number(object)?)
    }

    /// Turns the values of a `boolean[]` store into booleans. `bastore` writes both `byte[]` and `boolean[]`
    /// (JVMS §6.5.bastore), so the array's class decides.
    pub fn distinguish(&self, site: &Site, values: &mut [decode::Value]) {
        if let (Traced::Element('B'), [decode::Value::Object(array), _, elements @ ..]) = (site.what, values)
            && self.class(*array).is_some_and(|class| **class == *"[Z")
        {
            for element in elements {
                if let decode::Value::Int(bits) = element {
                    *element = decode::Value::Boolean(*bits & 1 != 0);
                }
            }
        }
    }

    /// The text bytes of a row.
    fn bytes(&self, row: usize) -> Option<&[u8]> {
        let at = usize::try_from(self.table.get(4, row)).ok()?;
        let end = at.checked_add(usize::try_from(self.table.word(5, row)).ok()?)?;
        self.texts.get(at..end)
    }

    /// The beginning of a row's text.
    fn begins(&self, row: usize) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes(row)?).into_owned())
    }

    /// The content of an immutable JDK object. `depth` limits how many objects may be nested.
    fn description(&self, object: u32, depth: u32) -> Option<ObjectDescription> {
        let row = self.kind(object, FIELDS)?;
        let class = self.class(object)?;
        let value = |value| match value {
            decode::Value::Object(0) => Value::Null,
            decode::Value::Object(object) => self.as_value(object),
            decode::Value::Boolean(v) => Value::Boolean(v),
            decode::Value::Char(v) => Value::Char(v),
            decode::Value::Int(v) => Value::Int(v),
            decode::Value::Long(v) => Value::Long(v),
            decode::Value::Float(v) => Value::Float(v),
            decode::Value::Double(v) => Value::Double(v),
        };
        let values: Vec<Value> = decode::field_values(self.bytes(row)?).into_iter().map(value).collect();
        let known = |id: ObjectId| self.description(u32::try_from(id.0).ok()?, depth.checked_sub(1)?);
        Fact::of(std::slice::from_ref(class))?.description(class, &values, known)
    }

    /// The text of an immutable object: an enum constant, a class, a lambda, or an object of the JDK with its
    /// content; `None` for other objects.
    pub fn fixed_text(&self, object: u32) -> Option<String> {
        let lambda = self.class_number(object).and_then(|class| self.lambdas.get(&class)).cloned();
        let constant =
            || self.constant(object).or_else(|| self.kind(object, CLASS).map(|_| self.name(object)));
        lambda.or_else(constant).or_else(|| self.fact(object, DEEP))
    }

    /// The cause that an exception had when it was met, by its number; 0 if it had none.
    pub fn cause_of(&self, exception: u32) -> Option<u32> {
        u32::try_from(self.table.get(3, self.kind(exception, EXCEPTION)?) >> 32).ok()
    }

    /// The text that identifies an object among those of its class: the name of an enum constant, the Java
    /// name of a class, or the text of an immutable JDK object without its class (`2024-02-29`; `empty` for
    /// an empty `Optional`). `None` for other objects.
    pub fn identifying(&self, object: u32) -> Option<String> {
        let row = self.row(object)?;
        match self.table.word(1, row) {
            CONSTANT | CONSTANT_WITH_BODY => self.begins(row),
            CLASS => self.names.get(&object).map(|of| match of.starts_with('[') {
                true => bytecode::descriptor::java_type(&of.replace('.', "/")),
                false => of.to_string(),
            }),
            FIELDS => match self.description(object, DEEP)? {
                ObjectDescription::Text(text) => {
                    let text = text.strip_prefix(&model::short_class_name(self.class(object)?))?;
                    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
                    Some(bare.unwrap_or(text.trim_start_matches([' ', '.'])).to_owned())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The value in an `Optional`; `None` for an empty one and for other objects.
    pub fn inside_optional(&self, object: u32) -> Option<decode::Value> {
        let row = self
            .kind(object, FIELDS)
            .filter(|_| self.class(object).is_some_and(|class| **class == *"java.util.Optional"))?;
        match decode::field_values(self.bytes(row)?).as_slice() {
            [value] if *value != decode::Value::Object(0) => Some(*value),
            _ => None,
        }
    }

    /// An object as a value of the model. The class key is unused here.
    fn as_value(&self, object: u32) -> Value {
        let id = ObjectId(object.into());
        match self.text_of(object).filter(Text::is_whole) {
            Some(text) => Value::Str(Arc::new(JavaString { id, text: text.begins })),
            None => Value::Object { id, class: ClassKey(0) },
        }
    }

    /// The text of an immutable JDK object, from its content.
    fn fact(&self, object: u32, depth: u32) -> Option<String> {
        match self.description(object, depth)? {
            ObjectDescription::Text(text) => Some(text.to_string()),
            ObjectDescription::Optional(inside) => {
                let inside = u32::try_from(inside.object_id()?.0).ok()?;
                // A damaged recording can hold an object that contains itself.
                let text = match depth.checked_sub(1) {
                    Some(depth) => self.inside(inside, depth),
                    None => self.name(inside),
                };
                Some(optional(&text))
            }
            _ => None,
        }
    }

    /// The string that an object is; `None` for other objects.
    pub fn text_of(&self, object: u32) -> Option<Text> {
        let row = self.kind(object, TEXT)?;
        Some(Text { begins: self.begins(row)?, length: self.table.word(3, row).cast_signed() })
    }

    /// Shows an object as a live value is shown ([`Namer`]): `Rec@7`, `int[3]@9`, `Integer 5`, an enum
    /// constant, a lambda's place, an exception with its message, or a quoted string; `null` for 0.
    pub fn show(&self, object: u32) -> String {
        self.shown(object, DEEP)
    }

    fn shown(&self, object: u32, depth: u32) -> String {
        let class = self.class_number(object);
        if let Some(lambda) = class.and_then(|class| self.lambdas.get(&class)) {
            return lambda.clone();
        }
        if let Some(fact) = self.fact(object, depth) {
            return fact;
        }
        let name = self.name(object);
        match self.message(object) {
            Some(message) if message.is_whole() => format!("{name} {}", message_text(&message.begins)),
            Some(message) => format!("{name} {}", message.shortened(TEXT_SHOWN).quoted()),
            None => name,
        }
    }

    /// Shows an element of a collection: a box appears as its value.
    pub fn item(&self, object: u32) -> String {
        self.inside(object, DEEP)
    }

    fn inside(&self, object: u32, depth: u32) -> String {
        match self.class(object).and_then(|class| self.boxed(object, class)) {
            Some(value) => Namer::default().identity(&value, &Tables::default()),
            None => self.shown(object, depth),
        }
    }

    /// Shows an object by class and number, as questions name it. Strings, boxes, classes and enum constants
    /// are shown by their content.
    pub fn name(&self, object: u32) -> String {
        if object == 0 {
            return "null".to_owned();
        }
        let number = self.number(object);
        let kind = self.row(object).map(|row| self.table.word(1, row));
        let known = match kind {
            Some(TEXT) => self.text_of(object).map(|text| text.quoted()),
            Some(CONSTANT | CONSTANT_WITH_BODY) => self.constant(object),
            Some(CLASS) => self.names.get(&object).map(|of| format!("{}.class", shown_class(of))),
            Some(BOX) => self.class(object).and_then(|of| Some(boxed(of, &self.boxed(object, of)?))),
            _ => None,
        };
        if let Some(known) = known {
            return known;
        }
        let Some(class) = self.class(object) else { return format!("?@{number}") };
        let name = shown_class(class);
        let length = self.length_of(object);
        match (length, name.strip_suffix("[]")) {
            (Some(length), Some(of)) => {
                // Java writes the outermost dimension first.
                let (element, more) = of.split_at(of.find("[]").unwrap_or(of.len()));
                format!("{element}[{length}]{more}@{number}")
            }
            _ => format!("{name}@{number}"),
        }
    }
}

impl Text {
    /// Whether the string was not truncated.
    pub fn is_whole(&self) -> bool {
        i32::try_from(self.begins.encode_utf16().count()) == Ok(self.length)
    }

    /// The same string with at most so many characters.
    fn shortened(&self, most: usize) -> Text {
        Text { begins: self.begins.chars().take(most).collect(), length: self.length }
    }

    /// The string in quotes, with its full length if it was truncated.
    fn quoted(&self) -> String {
        match self.is_whole() {
            true => quoted(&self.begins, '"'),
            false => format!("{}… ({} characters)", quoted(&self.begins, '"'), self.length),
        }
    }
}

/// The name of a class without its package, as Java source writes it: `[I` is `int[]`.
pub fn shown_class(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match (dimensions, element) {
        (0, class) => model::short_class_name(class).to_owned(),
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
            let class = class.strip_prefix('L').unwrap_or(class).trim_end_matches(';');
            model::short_class_name(class).to_owned()
        }
    };
    format!("{element}{}", "[]".repeat(dimensions))
}

#[cfg(test)]
pub(super) fn no_objects() -> Objects {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("objects.arrow");
    super::columns::objects(&path).unwrap().finish().unwrap();
    Objects::new(super::columns::opened_objects(&path).unwrap(), Bytes::new(), BTreeMap::new())
}

#[cfg(test)]
mod tests {
    use super::super::columns;
    use super::*;

    #[test]
    fn classes_are_shown_by_their_short_names() {
        let shown = ["Log", "log.Log$Line", "[Llog.Line;", "[[LLog$Line;", "[J"].map(shown_class);
        assert_eq!(shown, ["Log", "Log.Line", "Line[]", "Log.Line[][]", "long[]"]);
    }

    /// Objects with kind, class, bits and text.
    fn met(rows: &[(u32, u32, u32, i64, &str)], names: &[(u32, &str)]) -> Objects {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("objects.arrow");
        let mut texts = String::new();
        let mut table = columns::objects(&path).unwrap();
        for (object, kind, class, bits, text) in rows {
            let half = |bits: u64| u32::try_from(bits & 0xffff_ffff).unwrap();
            let bits = bits.cast_unsigned();
            let (at, length) = (texts.len().try_into().unwrap(), text.len().try_into().unwrap());
            table.push([*object, *kind, *class, half(bits >> 32), half(bits), 0, at, length]).unwrap();
            texts.push_str(text);
        }
        table.finish().unwrap();
        let names = names.iter().map(|(number, name)| (*number, (*name).to_owned())).collect();
        Objects::new(columns::opened_objects(&path).unwrap(), texts.into(), names)
    }

    #[test]
    fn objects_are_shown_by_their_classes() {
        let names = [
            (1, "com.acme.Shop"),
            (2, "[I"),
            (3, "[[Ljava.lang.String;"),
            (4, "java.lang.String"),
            (5, "java.lang.Integer"),
            (6, "java.lang.Character"),
            (7, "java.lang.Long"),
        ];
        let rows = [
            (11, 0, 1, 0, ""),
            (12, ARRAY, 2, 3, ""),
            (13, ARRAY, 3, 2, ""),
            (14, TEXT, 4, 3, "a\"b"),
            (15, BOX, 5, -3, ""),
            (16, BOX, 6, 99, ""),
            (17, BOX, 7, 8, ""),
            (18, TEXT, 4, 300, "abc"),
        ];
        let objects = met(&rows, &names);
        let shown: Vec<String> = [0, 11, 12, 13, 14, 99].map(|object| objects.show(object)).into();
        assert_eq!(shown, ["null", "Shop@11", "int[3]@12", "String[2][]@13", "\"a\\\"b\"", "?@99"]);
        assert_eq!(
            [15, 16, 17].map(|object| objects.show(object)),
            ["Integer -3", "Character 'c'", "Long 8"]
        );
        assert_eq!([15, 16, 17].map(|object| objects.item(object)), ["-3", "'c'", "8L"]);
        assert_eq!(objects.show(18), "\"abc\"… (300 characters)");
    }

    #[test]
    fn constants_exceptions_and_classes_are_shown_by_their_content() {
        let names =
            [(1, "com.acme.Shop$Level"), (2, "com.acme.Shop$Level$1"), (3, "com.acme.Failure"), (4, "[I")];
        let rows = [
            (4, CLASS, 9, 0, ""),
            (11, CONSTANT, 1, 0, "LOW"),
            (12, CONSTANT_WITH_BODY, 2, 0, "HIGH"),
            (13, EXCEPTION, 3, 8, "no stock"),
            (14, EXCEPTION, 3, 700, "no"),
            (15, EXCEPTION, 3, 14 << 32 | i64::from(NO_MESSAGE), ""),
            (16, EXCEPTION, 3, 0, ""),
        ];
        let objects = met(&rows, &names);
        assert_eq!(
            [4, 11, 12].map(|object| objects.show(object)),
            ["int[].class", "Shop.Level.LOW", "Shop.Level.HIGH"]
        );
        let shown = [13, 14, 15, 16].map(|object| objects.show(object));
        let failures = [
            "Failure@13 \"no stock\"",
            "Failure@14 \"no\"… (700 characters)",
            "Failure@15",
            "Failure@16 \"\"",
        ];
        assert_eq!(shown, failures);
        assert_eq!(objects.name(13), "Failure@13");
        assert!(objects.is_exception(15) && !objects.is_exception(11));
        assert_eq!([15, 11].map(|object| objects.message(object)), [None, None]);
        let causes = [15, 14].map(|object| objects.causes(object).len());
        assert_eq!(causes, [1, 0]);
        let empty = objects.message(16).filter(Text::is_whole).map(|message| message.begins);
        assert_eq!(empty, Some(String::new()));
        assert!(objects.message(14).is_some_and(|message| !message.is_whole()));
        assert_eq!(objects.message(13).map(|message| message.begins), Some("no stock".to_owned()));
    }
}
