//! Methods, fields and objects as users write them in queries.

use crate::inspect::history;
use crate::logic::error::LogicError;
use crate::logic::names::class_fits;
use crate::logic::search::{Pattern, Source};
use crate::trace::Calls;

/// Sets the method of a pattern: `pay`, `Shop.pay` or `com.acme.Shop.pay`.
///
/// # Errors
/// No recorded method has this name.
pub(super) fn of_method(pattern: Pattern, text: &str, source: &Source) -> Result<Pattern, LogicError> {
    let (class, name) = match text.rsplit_once('.') {
        Some((class, name)) => (Some(class.to_owned()), name.to_owned()),
        None => (None, text.to_owned()),
    };
    let all = source.recording.calls.sites.methods();
    let fits = |method: &&crate::trace::Method| {
        method.name == name && class.as_ref().is_none_or(|class| class_fits(&method.class, class))
    };
    if !all.iter().any(|method| fits(&method)) {
        let shown = |method: &crate::trace::Method| {
            let class = crate::trace::shown_class(&method.class);
            if text.contains('.') { format!("{class}.{}", method.name) } else { method.name.clone() }
        };
        let nearest = nearest(all.iter().map(shown), text);
        return Err(LogicError::NoSuchMethod { name: text.to_owned(), nearest });
    }
    Ok(Pattern { name: Some(name), declared_by: class, ..pattern })
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
    if all.iter().any(|(of, field)| field == name && (class.is_empty() || class_fits(of, class))) {
        return Ok(());
    }
    let shown = |(of, field): &(String, String)| match class {
        "" => field.clone(),
        _ => format!("{}.{field}", crate::trace::shown_class(of)),
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
    let classes = source.recording.calls.sites.classes().filter(|(of, _)| class_fits(of, class));
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
    history::check_object(calls, number, class)?;
    Ok(calls.objects.own(number))
}
