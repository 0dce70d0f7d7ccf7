//! JDK methods that conditions can call. qp computes their results from recorded values and runs no code.

use super::synthetic_object::SyntheticObject;
use super::unread::{Unread, not_known};
use expr::{Machine, MethodInfo, Primitive};
use jdk::Finds;
use model::{ObjectId, Value};
use std::sync::Arc;
use trace::{CollectionContents, Items};

/// The methods that conditions can call, with their numbers of arguments.
const CALLED: [(&str, usize); 18] = [
    ("size", 0),
    ("isEmpty", 0),
    ("get", 1),
    ("contains", 1),
    ("containsKey", 1),
    ("containsValue", 1),
    ("length", 0),
    ("charAt", 1),
    ("equals", 1),
    ("toString", 0),
    ("getMessage", 0),
    ("compareTo", 1),
    ("startsWith", 1),
    ("endsWith", 1),
    ("indexOf", 1),
    ("abs", 1),
    ("min", 2),
    ("max", 2),
];

/// The classes of the JDK whose objects build a text of characters.
const BUILDERS: [&str; 4] =
    ["java.lang.StringBuilder", "java.lang.StringBuffer", "java.io.StringWriter", "java.io.CharArrayWriter"];

/// The objects of a recorded call, as the library reads them.
pub trait RecordedObjects: Machine<Class = Arc<str>, Error = Unread> {
    /// The binary name of an object's class.
    ///
    /// # Errors
    /// It was not recorded.
    fn class_name(&self, object: ObjectId) -> Result<Arc<str>, Unread>;

    /// Whether a class belongs to the JDK.
    fn is_of_jdk(&self, class: &str) -> bool;

    /// A recorded value, of the type with this descriptor.
    ///
    /// # Errors
    /// Its class or text was not recorded.
    fn value(&mut self, value: trace::Value, descriptor: &str) -> Result<Value, Unread>;

    /// The value that refers to an object.
    ///
    /// # Errors
    /// Its class or text was not recorded.
    fn value_of(&mut self, object: ObjectId) -> Result<Value, Unread>;

    /// The primitive value in a box; `None` if the object is not a box.
    ///
    /// # Errors
    /// It was not recorded.
    fn boxed(&self, object: ObjectId) -> Result<Option<Value>, Unread>;

    /// The contents of a JDK collection.
    ///
    /// # Errors
    /// They were not recorded.
    fn contents(&mut self, object: ObjectId) -> Result<CollectionContents, Unread>;

    /// The text that a builder holds.
    ///
    /// # Errors
    /// Not all of it was recorded.
    fn built(&mut self, object: ObjectId) -> Result<String, Unread>;

    /// Creates an object for the condition.
    fn create(&mut self, object: SyntheticObject) -> Value;

    /// The message of an exception, as it was when the recorder met it.
    ///
    /// # Errors
    /// It is no exception, or not all of its message was recorded.
    fn message(&mut self, exception: ObjectId) -> Result<Value, Unread>;
}

/// Whether conditions can call a method with this name and number of arguments.
pub fn can_be_called(name: &str, arguments: usize) -> bool {
    CALLED.contains(&(name, arguments))
}

/// The names of the methods that conditions can call.
pub fn called() -> String {
    CALLED.map(|(name, _)| name).join(", ")
}

/// The result of a method; `class` declares it.
///
/// # Errors
/// The method is not one of the library, or the recording lacks a value that it reads.
pub async fn invoke<M: RecordedObjects>(
    machine: &mut M,
    target: Option<ObjectId>,
    class: &Arc<str>,
    method: &MethodInfo,
    arguments: Vec<Value>,
) -> Result<Value, Unread> {
    let Some(target) = target else { return of_class(machine, class, method, arguments) };
    let runtime = machine.class_name(target)?;
    let declared = declares(machine, &runtime, method).await?;
    if !machine.is_of_jdk(&declared) {
        return not_known(format!(
            "{declared}.{} is code of the program, which conditions cannot run",
            method.name
        ));
    }
    let name = method.name.as_str();
    if let ("equals", [other]) = (name, arguments.as_slice()) {
        let own = machine.value_of(target)?;
        return are_equal(machine, &own, other).await.map(Value::Boolean);
    }
    if let Value::Str(text) = machine.value_of(target)? {
        if matches!((name, arguments.as_slice()), ("toString", [])) {
            return Ok(Value::Str(text));
        }
        return of_text(&text.text, name, &arguments).map_or_else(|| unsupported(&runtime, name), Ok);
    }
    if machine.boxed(target)?.is_some() {
        return unsupported(&runtime, name);
    }
    if BUILDERS.contains(&&*runtime) {
        let text = machine.built(target)?;
        if matches!((name, arguments.as_slice()), ("toString", [])) {
            return Ok(machine.create(SyntheticObject::Text(text)));
        }
        return of_text(&text, name, &arguments).map_or_else(|| unsupported(&runtime, name), Ok);
    }
    if let ("getMessage", [], "java.lang.Throwable") = (name, arguments.as_slice(), &*declared) {
        return machine.message(target);
    }
    of_collection(machine, target, &runtime, name, &arguments).await
}

/// The result of a method of a collection or map of this class.
async fn of_collection<M: RecordedObjects>(
    machine: &mut M,
    target: ObjectId,
    class: &str,
    name: &str,
    arguments: &[Value],
) -> Result<Value, Unread> {
    let is_null = arguments.first() == Some(&Value::Null);
    let known = jdk::class(class);
    if is_null && known.is_some_and(|known| known.refuses_null) {
        return not_known(format!("{class}.{name} does not accept null"));
    }
    let held = machine.contents(target)?;
    let finds = known.and_then(|known| known.finds);
    let (is_list, is_hashed) = (finds == Some(Finds::ByEquals), finds == Some(Finds::ByHash));
    let len = i32::try_from(held.items.len()).unwrap_or(i32::MAX);
    match (name, arguments, held.items) {
        ("size", [], _) => Ok(Value::Int(len)),
        ("isEmpty", [], _) => Ok(Value::Boolean(len == 0)),
        ("get", [Value::Int(at)], Items::Elements(elements)) => {
            let element = usize::try_from(*at).ok().and_then(|at| elements.get(at).copied());
            match element {
                Some(Some(element)) => machine.value(element, ""),
                Some(None) => not_known(format!("element {at} of a list was not recorded")),
                None => not_known(format!("a list of {len} has no element {at}")),
            }
        }
        ("contains", [wanted], Items::Elements(elements)) if is_list || is_hashed => {
            let all = elements.into_iter();
            find(machine, all, wanted).await.map(|at| Value::Boolean(at.is_some()))
        }
        ("indexOf", [wanted], Items::Elements(elements)) if is_list => {
            let at = find(machine, elements.into_iter(), wanted).await?;
            Ok(Value::Int(at.and_then(|at| i32::try_from(at).ok()).unwrap_or(-1)))
        }
        ("containsKey", [wanted], Items::Pairs(pairs)) if is_hashed => {
            let keys = pairs.into_iter().map(|(key, _)| Some(key));
            find(machine, keys, wanted).await.map(|at| Value::Boolean(at.is_some()))
        }
        ("containsValue", [wanted], Items::Pairs(pairs)) if is_hashed => {
            let values = pairs.into_iter().map(|(_, value)| Some(value));
            find(machine, values, wanted).await.map(|at| Value::Boolean(at.is_some()))
        }
        ("get", [wanted], Items::Pairs(pairs)) if is_hashed => {
            let keys = pairs.clone().into_iter().map(|(key, _)| Some(key));
            match find(machine, keys, wanted).await?.and_then(|at| pairs.get(at).copied()) {
                Some((_, value)) => machine.value(value, ""),
                None => Ok(Value::Null),
            }
        }
        _ => unsupported(class, name),
    }
}

fn unsupported<T>(class: &str, name: &str) -> Result<T, Unread> {
    not_known(format!("the result of {class}.{name} cannot be computed from a recording"))
}

/// The class whose code runs when the method is called on an object.
async fn declares<M: RecordedObjects>(
    machine: &mut M,
    class: &Arc<str>,
    method: &MethodInfo,
) -> Result<Arc<str>, Unread> {
    let mut at = Some(class.clone());
    while let Some(name) = at {
        let info = machine.class_info(&name).await?;
        let is_it = |other: &MethodInfo| {
            (&other.name, &other.descriptor, other.is_abstract) == (&method.name, &method.descriptor, false)
        };
        if info.methods.iter().any(is_it) {
            return Ok(name);
        }
        at = info.superclass.clone();
    }
    // A default method of an interface.
    not_known(format!("the code that {class}.{} runs is not known", method.name))
}

/// The position of the first element equal to `wanted`.
async fn find<M: RecordedObjects>(
    machine: &mut M,
    among: impl Iterator<Item = Option<trace::Value>>,
    wanted: &Value,
) -> Result<Option<usize>, Unread> {
    let mut unread = None;
    for (at, value) in among.enumerate() {
        let Some(value) = value else {
            unread.get_or_insert_with(|| {
                Unread::NotKnown("the contents of a collection were not recorded completely".to_owned())
            });
            continue;
        };
        let equal = match machine.value(value, "") {
            Ok(value) => are_equal(machine, wanted, &value).await,
            Err(error) => Err(error),
        };
        match (equal, &unread) {
            (Ok(true), None) => return Ok(Some(at)),
            (Ok(true), Some(_)) => break,
            (Ok(false), _) => {}
            (Err(error), _) => drop(unread.get_or_insert(error)),
        }
    }
    unread.map_or(Ok(None), Err)
}

/// Whether `equals` of the JDK returns true: for strings, boxes, and objects compared by identity.
async fn are_equal<M: RecordedObjects>(machine: &mut M, one: &Value, other: &Value) -> Result<bool, Unread> {
    let (Some(one_id), Some(other_id)) = (one.object_id(), other.object_id()) else {
        return Ok(one.object_id() == other.object_id());
    };
    if let Value::Str(text) = one {
        return Ok(matches!(other, Value::Str(other) if other.text == text.text));
    }
    if let Some(held) = machine.boxed(one_id)? {
        let is_same = machine.class_name(one_id)? == machine.class_name(other_id)?;
        return Ok(is_same && machine.boxed(other_id)?.is_some_and(|other| held.same(&other)));
    }
    let class = machine.class_name(one_id)?;
    let object = machine.class_info(&"java.lang.Object".into()).await?;
    for name in ["equals", "hashCode"] {
        let Some(method) = object.methods.iter().find(|method| method.name == name) else {
            return not_known("there is no class file of java.lang.Object");
        };
        let declared = declares(machine, &class, method).await?;
        if !matches!(&*declared, "java.lang.Object" | "java.lang.Enum") {
            return not_known(format!("{declared}.{name} decides equality, and conditions cannot run it"));
        }
    }
    Ok(one_id == other_id)
}

/// The result of a method of `String`; `None` for a method that is not listed here, or one that throws.
fn of_text(text: &str, name: &str, arguments: &[Value]) -> Option<Value> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let int = |number: usize| i32::try_from(number).ok().map(Value::Int);
    Some(match (name, arguments) {
        ("length", []) => int(units.len())?,
        ("isEmpty", []) => Value::Boolean(units.is_empty()),
        ("charAt", [Value::Int(at)]) => Value::Char(*units.get(usize::try_from(*at).ok()?)?),
        ("startsWith", [Value::Str(other)]) => Value::Boolean(text.starts_with(&other.text)),
        ("endsWith", [Value::Str(other)]) => Value::Boolean(text.ends_with(&other.text)),
        ("contains", [Value::Str(other)]) => Value::Boolean(text.contains(&other.text)),
        ("indexOf", [Value::Str(other)]) => match text.find(&other.text) {
            Some(at) => int(text.get(..at)?.encode_utf16().count())?,
            None => Value::Int(-1),
        },
        ("compareTo", [Value::Str(other)]) => {
            let others: Vec<u16> = other.text.encode_utf16().collect();
            let differ = units.iter().zip(&others).find(|(one, other)| one != other);
            Value::Int(match differ {
                Some((one, other)) => i32::from(*one) - i32::from(*other),
                None => i32::try_from(units.len()).ok()? - i32::try_from(others.len()).ok()?,
            })
        }
        _ => return None,
    })
}

/// The result of a static method: one of `Math`, or the box of a value.
fn of_class<M: RecordedObjects>(
    machine: &mut M,
    class: &str,
    method: &MethodInfo,
    arguments: Vec<Value>,
) -> Result<Value, Unread> {
    let name = method.name.as_str();
    let is_box = Primitive::from_box(class).is_some() && name == "valueOf";
    let found = match (is_box, class, arguments.as_slice()) {
        (true, _, [value]) => Some(machine.create(SyntheticObject::Box(value.clone()))),
        (false, "java.lang.Math", [value]) if name == "abs" => match value {
            Value::Int(value) => Some(Value::Int(value.wrapping_abs())),
            Value::Long(value) => Some(Value::Long(value.wrapping_abs())),
            Value::Float(value) => Some(Value::Float(value.abs())),
            Value::Double(value) => Some(Value::Double(value.abs())),
            _ => None,
        },
        (false, "java.lang.Math", [one, other]) => of_two(name, one, other),
        _ => None,
    };
    found.map_or_else(|| unsupported(class, name), Ok)
}

fn of_two(name: &str, one: &Value, other: &Value) -> Option<Value> {
    let least = name == "min";
    // As in Java, a `NaN` argument gives `NaN`, and -0.0 is less than 0.0.
    let floating = |one: f64, other: f64| match () {
        () if one.is_nan() || other.is_nan() => f64::NAN,
        () if (one.total_cmp(&other).is_lt()) == least => one,
        () => other,
    };
    Some(match (name, one, other) {
        ("min", Value::Int(one), Value::Int(other)) => Value::Int(*one.min(other)),
        ("max", Value::Int(one), Value::Int(other)) => Value::Int(*one.max(other)),
        ("min", Value::Long(one), Value::Long(other)) => Value::Long(*one.min(other)),
        ("max", Value::Long(one), Value::Long(other)) => Value::Long(*one.max(other)),
        ("min" | "max", Value::Float(one), Value::Float(other)) => {
            Value::Float(floating((*one).into(), (*other).into()) as f32)
        }
        ("min" | "max", Value::Double(one), Value::Double(other)) => Value::Double(floating(*one, *other)),
        _ => return None,
    })
}
