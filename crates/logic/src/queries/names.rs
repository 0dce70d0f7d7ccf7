//! Methods, fields and objects as users write them in queries.

use crate::error::LogicError;
use crate::search::Source;
use model::written;
use past::check_object;
use trace::Calls;

/// The error for a method that was not recorded: `pay`, `Shop.pay` or `com.acme.Shop.pay`.
pub(super) fn no_method(text: &str, source: &Source) -> LogicError {
    let shown = |method: &trace::Method| {
        if text.contains(['.', '/']) { method.short() } else { written::member(&method.name).into_owned() }
    };
    let nearest = nearest(source.recording.calls.sites.methods().iter().map(shown), text);
    LogicError::NoSuchMethod { name: text.to_owned(), nearest }
}

/// The name that is most like a text.
fn nearest(names: impl Iterator<Item = String>, text: &str) -> Option<String> {
    let likeness = |name: &str| strsim::jaro_winkler(name, text);
    names.max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

/// Checks that a recorded class declares a field with this name, or that a recorded method writes one.
///
/// # Errors
/// There is no such field.
pub(super) fn check_field(class: &str, name: &str, source: &Source) -> Result<(), LogicError> {
    let sites = &source.recording.calls.sites;
    let declared = sites
        .classes()
        .flat_map(|(class, of)| of.fields.iter().map(move |field| (class.to_string(), field.name.clone())));
    let written = sites.all().filter_map(|site| site.written.as_ref());
    let written = written.filter(|written| !written.class.is_empty());
    let written = written.map(|written| (sites.declares(written), written.name.to_string()));
    let all: Vec<(String, String)> = declared.chain(written).collect();
    let owners = sites.field_owners(class, name);
    if all.iter().any(|(of, field)| field == name && owners.include(of)) {
        return Ok(());
    }
    let shown = |(of, field): &(String, String)| match class {
        "" => field.clone(),
        _ => format!("{}.{field}", trace::shown_class(of)),
    };
    let text = if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") };
    let nearest = nearest(all.iter().map(shown), &text);
    Err(LogicError::NoSuchField { name: text, nearest })
}

/// Checks that `Class.name` is a static field, as far as the recording knows the class.
///
/// # Errors
/// It is a field of the objects of that class.
pub(super) fn check_static(class: &str, name: &str, source: &Source) -> Result<(), LogicError> {
    let sites = &source.recording.calls.sites;
    let owners = sites.field_owners(class, name);
    let classes = sites.classes().filter(|(of, _)| owners.include(of));
    let fields = classes.flat_map(|(_, of)| of.fields.iter().filter(|field| field.name == name));
    let mut of_objects = fields.map(|field| !field.is_static).peekable();
    if of_objects.peek().is_some() && of_objects.all(|of_object| of_object) {
        return Err(LogicError::NotThis {
            given: format!("{class}.{name}"),
            expected: format!(
                "a static field; each object has its own `{name}`: ask `where-set {name}`, or name an object \
                 as in `{class}@43.{name}`"
            ),
        });
    }
    Ok(())
}

/// The number of a recorded object: `Rec@43`, `@43`, or `43`.
///
/// # Errors
/// There is no such object, or it has another class.
pub(super) fn object(text: &str, calls: &Calls) -> Result<u32, LogicError> {
    let (class, number) = text.rsplit_once('@').unwrap_or(("", text));
    let number: u32 = number.parse().map_err(|_| LogicError::NotThis {
        given: text.to_owned(),
        expected: "an object as the log shows it, such as Rec@43".to_owned(),
    })?;
    check_object(calls, number, class)?;
    Ok(calls.objects.own(number))
}

/// The object of a variable: `Outer.Rec@43` of `Outer.Rec@43.bar`, `int[3]@9` of `int[3]@9[2]`.
pub(super) fn object_in(text: &str) -> &str {
    let number = text.find('@').map_or(text.len(), |at| at + 1);
    let digits = text.get(number..).unwrap_or_default();
    let end = digits.find(|c: char| !c.is_ascii_digit()).map_or(text.len(), |end| number + end);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_object_of_a_variable_ends_with_its_number() {
        let all =
            ["Rec@43.bar", "com.acme.Outer.Rec@43.Base.bar", "int[3]@9[2]", "int[]@9[2]", "ArrayList@5"];
        let found = ["Rec@43", "com.acme.Outer.Rec@43", "int[3]@9", "int[]@9", "ArrayList@5"];
        assert_eq!(all.map(object_in), found);
    }
}
