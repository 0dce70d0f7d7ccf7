//! The methods, constructors and fields that a user's words mean in Java: also inherited ones, and methods
//! that override the named one.

use super::asked::Asked;
use super::events::listed;
use super::names::{check_field, no_method, object, object_in};
use super::subtypes::Subtypes;
use crate::answer::Answer;
use crate::error::LogicError;
use crate::search::{Found, Owner, Pattern, Source};
use bytecode::class::{ACC_ABSTRACT, ACC_INTERFACE, ACC_STATIC};
use model::written;
use past::declaring_class;
use std::collections::BTreeSet;
use trace::{Method, Value, class_fits, shown_class};

const ACC_PRIVATE: u16 = 0x0002;
/// `public` or `protected`: methods without these flags are overridden in their package only.
const ACC_WIDE: u16 = 0x0005;

/// The events that a user's words mean.
pub(super) struct Meant {
    /// What is asked of an event.
    pub pattern: Pattern,
    /// What the words include or leave out.
    pub notes: Vec<String>,
}

impl Meant {
    /// The list of the events.
    ///
    /// # Errors
    /// The events cannot be read.
    pub(super) fn listed(self, source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
        let mut answer = listed(source, asked, self.pattern)?;
        answer.notes.extend(self.notes);
        Ok(answer)
    }
}

/// The calls of a method: `pay`, `Shop.pay` or `com.acme.Shop.pay`. A call of a method that overrides it is a
/// call of the method.
///
/// # Errors
/// No recorded method has this name.
pub(super) fn of_method(pattern: Pattern, text: &str, source: &mut Source) -> Result<Meant, LogicError> {
    let (class, name) = text.rsplit_once('.').unwrap_or(("", text));
    if !source.recording.calls.sites.methods().iter().any(|method| method.name == name)
        && let Some(meant) = as_written(&pattern, text, source)
    {
        return meant;
    }
    let pattern = Pattern { name: Some(name.to_owned()), ..pattern };
    let all = (0..).zip(source.recording.calls.sites.methods());
    let named: Vec<(u32, Method)> = all
        .filter(|(_, method)| method.name == name)
        .map(|(number, method)| (number, method.clone()))
        .collect();
    if class.is_empty() {
        return match named.is_empty() {
            true => Err(no_method(text, source)),
            false => Ok(Meant { pattern, notes: Vec::new() }),
        };
    }
    let mut of_class = Methods::of(class, name, &named, source);
    of_class.add_direct();
    if !name.starts_with('<') {
        of_class.add_inherited(source);
        of_class.add_overriding(source);
        of_class.add_unrecorded(source);
    }
    if of_class.numbers.is_empty() && !(of_class.is_known && of_class.unrecorded.is_empty()) {
        return Err(no_method(text, source));
    }
    let receivers = of_class.is_inherited.then(|| classes_of(class, source));
    let notes = of_class.notes(text, source);
    let methods = Some(of_class.numbers);
    Ok(Meant { pattern: Pattern { methods, receivers, ..pattern }, notes })
}

/// The calls of the methods whose language writes them so: `Shop.+=`, `core/grant!`. `None` if there are
/// none.
fn as_written(pattern: &Pattern, text: &str, source: &mut Source) -> Option<Result<Meant, LogicError>> {
    let all = (0..).zip(source.recording.calls.sites.methods());
    let found = all.filter(|(_, method)| written::is_method(&method.class, &method.name, text));
    let (numbers, names): (BTreeSet<u32>, BTreeSet<String>) =
        found.map(|(number, method)| (number, method.name.clone())).unzip();
    let class = text.rsplit_once('.').map(|(class, _)| class);
    // With the VM's name, calls of overriding methods are found too.
    let vm_name = names.iter().next().filter(|name| names.len() == 1 && written::member(name) != **name);
    match (vm_name, class) {
        (Some(name), Some(class)) => Some(of_method(pattern.clone(), &format!("{class}.{name}"), source)),
        (Some(name), None) => Some(of_method(pattern.clone(), name, source)),
        _ if numbers.is_empty() => None,
        _ => Some(Ok(Meant {
            pattern: Pattern { methods: Some(numbers), ..pattern.clone() },
            notes: Vec::new(),
        })),
    }
}

/// The constructors of a class and its subtypes, and the subtypes.
pub(super) fn constructors<'w>(
    pattern: Pattern,
    class: &'w str,
    source: &mut Source,
) -> (Pattern, Subtypes<'w>) {
    let mut subtypes = Subtypes::of(class);
    let all = (0..).zip(source.recording.calls.sites.methods());
    let all: Vec<(u32, String)> = all
        .filter(|(_, method)| method.name == "<init>")
        .map(|(number, method)| (number, method.class.to_string()))
        .collect();
    let of_it = all.into_iter().filter(|(_, class)| subtypes.include(source, class));
    let methods = Some(of_it.map(|(number, _)| number).collect());
    (Pattern { name: Some("<init>".to_owned()), methods, ..pattern }, subtypes)
}

/// The class of the object that a call of a constructor creates. `None` if another constructor makes the
/// call, by `super(…)` or `this(…)`.
///
/// # Errors
/// The events cannot be read.
pub(super) fn created_by(source: &mut Source, found: &Found) -> Result<Option<String>, LogicError> {
    let receiver = |found: &Found| match found.block.values(&found.event).first() {
        Some(Value::Object(object)) => *object,
        _ => 0,
    };
    let class = |source: &Source, found: &Found| {
        found
            .event
            .method(&source.recording.calls)
            .filter(|of| of.name == "<init>")
            .map(|of| of.class.clone())
    };
    let (object, of) = (receiver(found), class(source, found));
    let around = source.enclosing(&found.event).map(|node| source.entry_of(node)).transpose()?.flatten();
    if let Some(around) = around
        && let Some(outer) = class(source, &around)
        && receiver(&around) == object
    {
        // An object has no number if its constructor throws.
        let above = source.recording.calls.sites.superclass(&outer);
        if object != 0 || of.as_ref() == Some(&outer) || of.as_deref() == above {
            return Ok(None);
        }
    }
    Ok(source.recording.calls.objects.class(object).or(of.as_ref()).map(|class| class.to_string()))
}

/// The writes to a field. `owner` is a class that declares or inherits it, an object, as in `Rec@43` or
/// `Rec@43.Base`, or empty.
///
/// # Errors
/// There is no such field or object.
pub(super) fn of_field(
    mut pattern: Pattern,
    owner: &str,
    name: &str,
    source: &mut Source,
) -> Result<Pattern, LogicError> {
    let nearest;
    let mut class = owner;
    if owner.contains('@') {
        let written = object_in(owner);
        let object = object(written, &source.recording.calls)?;
        let number = Some(source.recording.calls.objects.number(object));
        pattern.owner = Owner::Object { class: None, number };
        class = owner.get(written.len()..).unwrap_or_default().trim_start_matches('.');
        if class.is_empty() {
            // The nearest field of this name hides others.
            nearest = declaring_class(&source.recording.calls, object, name).unwrap_or_default();
            class = &nearest;
        }
    }
    check_field(class, name, source)?;
    let of_objects = !class.is_empty() && pattern.owner == Owner::Any;
    let is_inherited = of_objects && source.recording.calls.sites.field_owners(class, name).are_above();
    let receivers = is_inherited.then(|| classes_of(class, source));
    let declared_by = Some(class.to_owned()).filter(|class| !class.is_empty());
    Ok(Pattern { name: Some(name.to_owned()), declared_by, receivers, ..pattern })
}

/// The classes of recorded objects that are instances of a class.
fn classes_of(class: &str, source: &mut Source) -> BTreeSet<String> {
    let mut subtypes = Subtypes::of(class);
    let all: BTreeSet<String> =
        source.recording.calls.objects.classes().map(|class| class.to_string()).collect();
    all.into_iter().filter(|class| subtypes.include(source, class)).collect()
}

/// The methods of a name that a class name means.
struct Methods<'m> {
    class: &'m str,
    name: &'m str,
    /// The recorded methods of that name.
    named: &'m [(u32, Method)],
    /// For each of these, its class with the supertypes.
    above: Vec<Vec<String>>,
    /// The classes that the class name means, each with its supertypes.
    classes: Vec<Vec<String>>,
    numbers: BTreeSet<u32>,
    overriding: Vec<(u32, String)>,
    /// Whether a class inherits one of the methods.
    is_inherited: bool,
    /// Whether a recorded class has such a method, with or without recorded code.
    is_known: bool,
    /// The classes that declare such a method, and whose code was not recorded.
    unrecorded: BTreeSet<String>,
}

impl<'m> Methods<'m> {
    fn of(class: &'m str, name: &'m str, named: &'m [(u32, Method)], source: &mut Source) -> Methods<'m> {
        let recorded = source.recording.calls.sites.classes().map(|(name, _)| name.to_string());
        let mut fitting: BTreeSet<String> = recorded.filter(|name| class_fits(name, class)).collect();
        let above: Vec<Vec<String>> =
            named.iter().map(|(_, method)| Subtypes::above(source, &method.class).0).collect();
        fitting.extend(above.iter().flatten().filter(|name| class_fits(name, class)).cloned());
        let classes = fitting.into_iter().map(|name| Subtypes::above(source, &name).0).collect();
        Methods {
            class,
            name,
            named,
            above,
            classes,
            numbers: BTreeSet::new(),
            overriding: Vec::new(),
            is_inherited: false,
            is_known: false,
            unrecorded: BTreeSet::new(),
        }
    }

    fn add_direct(&mut self) {
        let direct = self.named.iter().filter(|(_, method)| class_fits(&method.class, self.class));
        self.numbers.extend(direct.map(|(number, _)| *number));
    }

    fn add_inherited(&mut self, source: &mut Source) {
        for line in &self.classes {
            for (number, method) in self.named {
                let declared = declared(line, method, source);
                let is_it = line.first().is_some_and(|class| *class != *method.class)
                    && declared.is_some_and(|(class, _)| class == *method.class);
                if is_it && self.numbers.insert(*number) {
                    self.is_inherited |= !method.is_static;
                }
            }
        }
    }

    fn add_overriding(&mut self, source: &mut Source) {
        for line in &self.classes {
            let Some(class) = line.first() else { continue };
            for (of, above) in self.named.iter().zip(&self.above) {
                let (number, method) = of;
                if method.access & (ACC_STATIC | ACC_PRIVATE) != 0
                    || !above.iter().skip(1).any(|name| name == class)
                {
                    continue;
                }
                let Some((declares, access)) = declared(line, method, source) else { continue };
                let is_overridable = access & (ACC_STATIC | ACC_PRIVATE) == 0
                    && (access & ACC_WIDE != 0 || package(&declares) == package(&method.class));
                if !is_overridable || self.numbers.contains(number) {
                    continue;
                }
                let bridged = source.recording.lines.bridged(method);
                let target = self.named.iter().find(|(_, other)| {
                    other.class == method.class && Some(&other.descriptor) == bridged.as_ref()
                });
                let (number, method) = target.unwrap_or(of);
                if self.numbers.insert(*number) {
                    self.overriding.push((*number, method.short()));
                }
            }
        }
    }

    /// Finds the classes that declare such a method in code that was not recorded.
    fn add_unrecorded(&mut self, source: &mut Source) {
        for line in &self.classes {
            let mut declared = BTreeSet::new();
            for of in line {
                for (descriptor, access) in source.recording.methods(of, self.name) {
                    let is_recorded = self
                        .named
                        .iter()
                        .any(|(_, method)| *method.class == **of && method.descriptor == descriptor);
                    if declared.insert(descriptor) && access & ACC_ABSTRACT == 0 && !is_recorded {
                        self.unrecorded.insert(shown_class(of));
                    }
                }
            }
            self.is_known |= !declared.is_empty();
        }
    }

    fn notes(&self, text: &str, source: &Source) -> Vec<String> {
        let calls = &source.recording.calls;
        let mut notes = Vec::new();
        let ran = |number: u32| calls.threads().iter().any(|(of, ..)| calls.count_of_method(number, *of) > 0);
        let ran: BTreeSet<&str> = self
            .overriding
            .iter()
            .filter(|(number, _)| ran(*number))
            .map(|(_, name)| name.as_str())
            .collect();
        if !ran.is_empty() {
            let names = ran.into_iter().collect::<Vec<_>>().join(", ");
            notes.push(format!("calls of the methods that override `{text}` are included: {names}"));
        }
        if !self.unrecorded.is_empty() {
            let names = self.unrecorded.iter().cloned().collect::<Vec<_>>().join(", ");
            notes.push(format!("the method as {names} declares it was not recorded"));
        }
        let is_interface = |line: &Vec<String>| {
            let class = line.first().and_then(|class| calls.sites.class_of(class));
            class.is_some_and(|class| class.access & ACC_INTERFACE != 0)
        };
        let has_lambdas = || calls.sites.methods().iter().any(|method| method.name.starts_with("lambda$"));
        if self.classes.iter().any(is_interface) && has_lambdas() {
            let note = "lambdas are not included: they run as methods of their own, such as `lambda$main$0`";
            notes.push(note.to_owned());
        }
        notes
    }
}

/// The class in a line of supertypes that declares a method with the name and descriptor of another one, and
/// its access flags there.
fn declared(line: &[String], method: &Method, source: &mut Source) -> Option<(String, u16)> {
    for (at, class) in line.iter().enumerate() {
        let all = source.recording.methods(class, &method.name);
        let same = all.into_iter().find(|(descriptor, _)| *descriptor == method.descriptor);
        // Private methods are not inherited.
        if let Some((_, access)) = same.filter(|(_, access)| at == 0 || access & ACC_PRIVATE == 0) {
            return Some((class.clone(), access));
        }
    }
    None
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}
