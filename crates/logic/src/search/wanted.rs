//! A value that is asked for.

use model::unquoted;
use trace::{Objects, Value};

/// A value that is asked for, as its term in the log says it.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A character: an atom of one character.
    Char(char),
    /// An integer of any width, or a box of one.
    Integer(i64),
    /// A floating-point number, or a box of one.
    Float(f64),
    /// A string.
    Text(String),
    /// A string that contains this one.
    Containing(String),
    /// An object, by its number as it is shown.
    Object(u32),
    /// No value has this term.
    Nothing,
}

impl Wanted {
    /// Whether a recorded value is this one.
    pub fn is(&self, value: &Value, objects: &Objects) -> bool {
        match (*value, self) {
            (_, Wanted::Nothing) => false,
            (Value::Object(0), wanted) => *wanted == Wanted::Null,
            (Value::Boolean(value), Wanted::Boolean(wanted)) => value == *wanted,
            (Value::Char(unit), Wanted::Char(wanted)) => u32::from(unit) == u32::from(*wanted),
            (Value::Int(value), Wanted::Integer(wanted)) => i64::from(value) == *wanted,
            (Value::Long(value), Wanted::Integer(wanted)) => value == *wanted,
            (Value::Float(value), Wanted::Float(wanted)) => decimal(value).total_cmp(wanted).is_eq(),
            (Value::Double(value), Wanted::Float(wanted)) => value.total_cmp(wanted).is_eq(),
            (Value::Object(object), wanted) => wanted.is_object(object, objects),
            _ => false,
        }
    }

    /// Whether a text is this one, or contains it.
    pub fn is_text(&self, text: &str) -> bool {
        match self {
            Wanted::Text(wanted) => text == wanted,
            Wanted::Containing(part) => text.contains(part.as_str()),
            _ => false,
        }
    }

    fn is_object(&self, object: u32, objects: &Objects) -> bool {
        use model::Value as Plain;
        match self {
            Wanted::Object(number) => objects.own(*number) == object,
            Wanted::Text(_) => {
                objects.text_of(object).is_some_and(|text| text.is_whole() && self.is_text(&text.begins))
            }
            Wanted::Containing(_) => objects.text_of(object).is_some_and(|text| self.is_text(&text.begins)),
            Wanted::Boolean(_) | Wanted::Char(_) | Wanted::Integer(_) | Wanted::Float(_) => {
                let boxed = objects.class(object).and_then(|class| objects.boxed(object, class));
                match (boxed, self) {
                    (Some(Plain::Boolean(value)), Wanted::Boolean(wanted)) => value == *wanted,
                    (Some(Plain::Char(unit)), Wanted::Char(wanted)) => u32::from(unit) == u32::from(*wanted),
                    (Some(Plain::Byte(value)), Wanted::Integer(wanted)) => i64::from(value) == *wanted,
                    (Some(Plain::Short(value)), Wanted::Integer(wanted)) => i64::from(value) == *wanted,
                    (Some(Plain::Int(value)), Wanted::Integer(wanted)) => i64::from(value) == *wanted,
                    (Some(Plain::Long(value)), Wanted::Integer(wanted)) => value == *wanted,
                    (Some(Plain::Float(value)), Wanted::Float(wanted)) => {
                        decimal(value).total_cmp(wanted).is_eq()
                    }
                    (Some(Plain::Double(value)), Wanted::Float(wanted)) => value.total_cmp(wanted).is_eq(),
                    _ => false,
                }
            }
            Wanted::Null | Wanted::Nothing => false,
        }
    }

    /// Parses a value as Java writes it: `null`, `true`, `'c'`, `4711`, `2.5`, `"text"`, `Rec@43`. Another
    /// word is a string.
    pub fn parse(text: &str) -> Wanted {
        if let Some(text) = unquoted(text, '"') {
            return Wanted::Text(text);
        }
        if let Some(c) = unquoted(text, '\'').and_then(|c| c.chars().next()) {
            return Wanted::Char(c);
        }
        match text {
            "null" => return Wanted::Null,
            "true" => return Wanted::Boolean(true),
            "false" => return Wanted::Boolean(false),
            _ => {}
        }
        if let Ok(number) = text.trim_end_matches(['L', 'l']).parse() {
            return Wanted::Integer(number);
        }
        if let Ok(number) = text.trim_end_matches(['f', 'F', 'd', 'D']).parse() {
            return Wanted::Float(number);
        }
        match text.rsplit_once('@').and_then(|(_, number)| number.parse().ok()) {
            Some(number) => Wanted::Object(number),
            None => Wanted::Text(text.to_owned()),
        }
    }
}

/// A `float` as the double with the same decimal text.
fn decimal(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_as_in_java() {
        let cases = [
            ("null", Wanted::Null),
            ("true", Wanted::Boolean(true)),
            ("'c'", Wanted::Char('c')),
            ("4711", Wanted::Integer(4711)),
            ("-8L", Wanted::Integer(-8)),
            ("2.5", Wanted::Float(2.5)),
            ("\"a b\"", Wanted::Text("a b".to_owned())),
            (r#""a\"b\n""#, Wanted::Text("a\"b\n".to_owned())),
            (r"'\''", Wanted::Char('\'')),
            ("Rec@43", Wanted::Object(43)),
            ("@43", Wanted::Object(43)),
            ("Berlin", Wanted::Text("Berlin".to_owned())),
        ];
        for (text, wanted) in cases {
            assert_eq!(Wanted::parse(text), wanted, "{text}");
        }
    }
}
