//! The question about a call: what it was given and what it did (JHyde §2.2).

use super::change_groups::{JUDGEABLE, change_groups};
use super::changes::{Change, ChangeSpan, all_statics, changes};
use super::generated::is_hidden_field;
use super::initialisers::ClassInitialisers;
use super::tree::nodes::{LoopExecution, LoopExit, LoopPart, ProgramLoop};
use classes::ClassPool;
use indexmap::IndexMap;
use past::PastError;
use past::fields::Fields;
use past::heap::ObjectPart;
use past::locals::{WrittenLocal, WrittenLocals};
use past::snapshot::{Bounds, Shape, Shaper};
use serde::Serialize;
use serde_json::Value as Json;
use session::SessionError;
use std::collections::{HashMap, HashSet};
use trace::{Call, Calls, EventPosition, EventTime, Exit, Level, Method, Traced, Value};

/// A question about a call or a loop.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Question {
    /// The number of the question, from 1.
    pub question: u32,
    /// The call.
    pub node: u32,
    /// The loop that the question is about; `None` if it is about the whole call.
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    pub part: Option<LoopPart>,
    /// The number of the node in the execution trees.
    #[serde(skip)]
    pub at: u32,
    /// Whether the diagnosis asks about loops too.
    #[serde(skip)]
    pub has_loops: bool,
    /// The class of its method.
    pub class: String,
    /// The method's name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// `this` and the arguments at the entry of the call. For a loop, also the local variables at the start
    /// of its iteration.
    pub entry: IndexMap<String, Shape>,
    /// `this`, the arguments and the local variables at the exit.
    pub exit: IndexMap<String, Shape>,
    /// The changes to everything reachable at the entry.
    pub changed: Vec<Change>,
    /// The paths of the changes that the failing run used later, on the way to its failure, in the order in
    /// which it used them first; `None` if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<String>>,
    /// The returned value; `null` if there is none.
    pub result: Option<Shape>,
    /// The exception that left the call.
    pub exception: Option<Shape>,
    /// Objects that were reachable at the entry and are not at the exit, with their values at the exit.
    #[serde(skip)]
    pub unlinked: Vec<Shape>,
    /// The names of the static fields that the program writes: `com.acme.Shop.open`.
    #[serde(skip)]
    pub statics: Vec<String>,
    /// Number of suspicious calls.
    pub remaining: u64,
    /// Number of suspicious calls that influenced the wrong value; `None` if no answer named a wrong value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub influential: Option<u64>,
    /// Number of calls that one answer can be about: those of the method that the same call made.
    #[serde(skip_serializing_if = "is_one")]
    pub run: usize,
    /// Whether the call changed little enough for a person to look at all of it. If it is known which changes
    /// the failing run used later, only these count.
    #[serde(rename = "judgeable", skip_serializing_if = "is_true")]
    pub is_judgeable: bool,
    /// What may be missing from this question, and why assertions and the reference could not answer it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Whether the question shows everything.
    #[serde(skip)]
    pub is_whole: bool,
}

impl Question {
    /// The method as users read it.
    pub fn method_text(&self) -> String {
        model::method_text(&self.class, &self.method)
    }
}

/// Whether a person can look at all these changes.
pub(super) fn is_judgeable<'a>(changed: impl Iterator<Item = &'a Change>) -> bool {
    change_groups(changed.filter(|change| !change.by_initialiser)).len() <= JUDGEABLE
}

fn is_true(whether: &bool) -> bool {
    *whether
}

fn is_one(run: &usize) -> bool {
    *run <= 1
}

/// A call or loop to ask about.
pub struct QuestionSubject<'a> {
    /// The recording that contains the call.
    pub calls: &'a mut Calls,
    /// The number of the call in that recording.
    pub node: u32,
    /// The loop in the call; `None` for the whole call.
    pub part: Option<(&'a LoopExecution, ProgramLoop)>,
    /// The event of the call before which the question ends; `None` for the end of the call or loop.
    pub until: Option<EventPosition>,
    /// Local variables of the call at an event before that, from which reading goes on.
    pub known: Option<WrittenLocals>,
    /// The fields of classes.
    pub fields: &'a mut Fields,
    /// How much of values is shown.
    pub bounds: Bounds,
}

impl QuestionSubject<'_> {
    /// Builds the question with this number, while so many calls remain and are influential.
    ///
    /// # Errors
    /// There is no such call, or the recording cannot be read.
    pub fn question(
        self,
        number: u32,
        remaining: u64,
        influential: Option<u64>,
    ) -> Result<Question, SessionError> {
        let QuestionSubject { calls, node, part, until, known, fields, bounds } = self;
        let known = known.as_ref();
        let NamedCall { call, method, this, arguments, result } = NamedCall::of(calls, node)?;
        let statics = statics(calls, fields.pool());
        let span = match (part, until) {
            (None, None) => whole(calls, node, &arguments, known)?,
            (None, Some(until)) => beginning(calls, node, &arguments, until, known)?,
            (Some((part, of)), _) => between(calls, part, &of, &arguments)?,
        };
        let mut shaper = Shaper { calls, fields, bounds };
        let States { entry, exit } = states(&mut shaper, this, &span, &statics)?;
        let QuestionSpan { begins, ends, given, left, thrown, .. } = span;
        let returned = call.exit == Exit::Returned && left == LoopExit::Return;
        let shaped = |shaper: &mut Shaper<'_>, value: Option<Value>| {
            value.map(|value| shaper.shape(Some(value), &result, ends)).transpose()
        };
        let result = shaped(&mut shaper, call.result.filter(|_| returned))?;
        let exception = shaped(&mut shaper, thrown)?;
        let reachable_at_exit: Vec<&Shape> = exit.values().chain(&result).chain(&exception).collect();
        let unlinked = unlinked(&mut shaper, entry.values(), &reachable_at_exit, ends)?;
        let roots = roots(this.flatten(), &given);
        let initialisers = ClassInitialisers::inside(shaper.calls, node);
        let span = ChangeSpan { begins, ends, initialisers: &initialisers };
        let (changed, is_whole) = changes(&mut shaper, roots, &span)?;
        let notes = notes(is_whole, method.level);
        let is_judgeable = is_judgeable(changed.iter());
        Ok(Question {
            question: number,
            node: shaper.calls.shown(node),
            part: None,
            at: node,
            has_loops: false,
            class: method.class.to_string(),
            method: method.name,
            descriptor: method.descriptor,
            entry,
            exit,
            changed,
            used: None,
            result,
            exception,
            unlinked,
            statics: all_statics(shaper.calls)?.into_iter().map(|(_, name)| name).collect(),
            run: 1,
            is_judgeable,
            remaining,
            is_whole: notes.is_empty(),
            influential,
            notes,
        })
    }
}

/// `this`, the variables and static fields at the beginning and at the end of what is asked about.
struct States {
    entry: IndexMap<String, Shape>,
    exit: IndexMap<String, Shape>,
}

fn states(
    shaper: &mut Shaper<'_>,
    this: Option<Option<Value>>,
    span: &QuestionSpan,
    statics: &[(ObjectPart, String)],
) -> Result<States, SessionError> {
    let (begins, ends) = (span.begins, span.ends);
    let mut entry = IndexMap::new();
    let mut exit = IndexMap::new();
    if let Some(this) = this {
        entry.insert("this".to_owned(), shaper.shape(this, "", begins)?);
        exit.insert("this".to_owned(), shaper.shape(this, "", ends)?);
    }
    for (name, value, of) in &span.given {
        entry.insert(name.clone(), shaper.shape(Some(*value), of, begins)?);
    }
    for (name, value, of) in &span.at_exit {
        exit.insert(name.clone(), shaper.shape(Some(*value), of, ends)?);
    }
    for (part, name) in statics {
        for (of, when) in [(&mut entry, begins), (&mut exit, ends)] {
            let held = shaper.held(0, part, when)?;
            of.insert(name.clone(), shaper.shape(held, "", when)?);
        }
    }
    Ok(States { entry, exit })
}

/// The objects that were given, by name.
fn roots(this: Option<Value>, given: &[VariableValue]) -> Vec<(String, u32)> {
    let named = this.map(|this| ("this".to_owned(), this));
    let given = given.iter().map(|(name, value, _)| (name.clone(), *value));
    let object = |(name, value): (String, Value)| match value {
        Value::Object(object) if object != 0 => Some((name, object)),
        _ => None,
    };
    named.into_iter().chain(given).filter_map(object).collect()
}

/// What may be missing from a question. `is_whole` says whether all changes are known.
fn notes(is_whole: bool, level: Level) -> Vec<String> {
    let mut notes = Vec::new();
    if !is_whole {
        notes.push(
            "it may have changed more: too many values are reachable from what it was given".to_owned(),
        );
    }
    if level < Level::Writes {
        notes.push("its writes were not recorded: the method would become too long".to_owned());
    }
    notes
}

/// A call with its arguments by name.
pub struct NamedCall {
    /// The call.
    pub call: Call,
    /// Its method.
    pub method: Method,
    /// The receiver; the inner value is `None` if it is not known. `None` for a static method.
    pub this: Option<Option<Value>>,
    /// The arguments: names, values, and type descriptors.
    pub arguments: Vec<(String, Value, String)>,
    /// The descriptor of the result type.
    pub result: String,
}

impl NamedCall {
    /// Reads a call.
    ///
    /// # Errors
    /// There is no such call, or the recording cannot be read.
    pub fn of(calls: &mut Calls, node: u32) -> Result<NamedCall, SessionError> {
        let (call, method) = (calls.call(node)?, calls.method(node).cloned());
        let Some((call, method)) = call.zip(method) else {
            return Err(PastError::NoSuchCall { node, calls: calls.count() }.into());
        };
        let types = bytecode::descriptor::parse_method(&method.descriptor);
        let (parameters, result) = types.map(|t| (t.parameters, t.result)).unwrap_or_default();
        let arguments = (1..)
            .zip(call.arguments.iter().zip(&parameters))
            .map(|(at, (value, of))| {
                let name = method.parameters.get(at - 1).cloned().flatten();
                (name.unwrap_or_else(|| format!("argument {at}")), *value, of.clone())
            })
            .collect();
        let this = call.this.map(|this| (this != 0).then_some(Value::Object(this)));
        Ok(NamedCall { call, method, this, arguments, result })
    }
}

/// A variable's name, value and type descriptor.
type VariableValue = (String, Value, String);

/// The time span of a call or loop, with the values at both ends.
struct QuestionSpan {
    begins: EventTime,
    ends: EventTime,
    /// The arguments at the start; for a loop, also the local variables.
    given: Vec<VariableValue>,
    /// The arguments and local variables at the end.
    at_exit: Vec<VariableValue>,
    left: LoopExit,
    /// The exception that left it.
    thrown: Option<Value>,
}

fn whole(
    calls: &mut Calls,
    node: u32,
    arguments: &[VariableValue],
    known: Option<&WrittenLocals>,
) -> Result<QuestionSpan, SessionError> {
    let (begins, ends) = calls.span(node)?;
    let thrown = match (calls.exit(node), calls.end(node)) {
        (Exit::Threw, Some(end)) => calls.event_at(end, |_, seen| seen.values.first().copied())?.flatten(),
        _ => None,
    };
    let (given, at_exit) = (arguments.to_vec(), locals_from(calls, node, arguments, None, known)?);
    let at_exit = at_exit.into_iter().map(|(held, _)| held).collect();
    Ok(QuestionSpan { begins, ends, given, at_exit, left: LoopExit::Return, thrown })
}

/// The part of a call before an event.
fn beginning(
    calls: &mut Calls,
    node: u32,
    arguments: &[VariableValue],
    until: EventPosition,
    known: Option<&WrittenLocals>,
) -> Result<QuestionSpan, SessionError> {
    let (begins, _) = calls.span(node)?;
    let ends = calls.when_at(until)?;
    let at_exit = locals_from(calls, node, arguments, Some(until), known)?;
    let at_exit = at_exit.into_iter().map(|(held, _)| held).collect();
    // Nothing was returned yet.
    let left = LoopExit::Normally;
    Ok(QuestionSpan { begins, ends, given: arguments.to_vec(), at_exit, left, thrown: None })
}

fn between(
    calls: &mut Calls,
    part: &LoopExecution,
    of: &ProgramLoop,
    arguments: &[VariableValue],
) -> Result<QuestionSpan, SessionError> {
    let begins = calls.when_at(part.begins)?;
    let (mut ends, mut thrown) = (EventTime::END, None);
    if let Some(end) = part.ends {
        ends = calls.when_at(end)?;
        thrown = calls.event_at(end, |_, seen| seen.values.first().copied())?.flatten();
    }
    let has_value = |(name, ..): &VariableValue| {
        arguments.iter().any(|(argument, ..)| argument == name) || of.variables.contains(name)
    };
    let before = locals(calls, part.call, arguments, Some(part.begins))?.into_iter().map(|(held, _)| held);
    let given: Vec<VariableValue> = before.filter(has_value).collect();
    let behind = locals(calls, part.call, arguments, part.ends)?.into_iter();
    let is_its = |(held, written): &(VariableValue, Option<EventPosition>)| {
        given.iter().any(|(name, ..)| *name == held.0) || written.is_some_and(|at| part.begins.is_before(at))
    };
    let at_exit = behind.filter(is_its).map(|(held, _)| held).collect();
    let thrown = thrown.filter(|_| part.left == LoopExit::Exception);
    Ok(QuestionSpan { begins, ends, given, at_exit, left: part.left, thrown })
}

/// A variable with its last write.
type WrittenValue = (VariableValue, Option<EventPosition>);

/// The arguments and local variables of a call before an event, or at the exit if `until` is `None`. Each
/// comes with its last write.
///
/// # Errors
/// The events cannot be read.
pub fn locals(
    calls: &mut Calls,
    node: u32,
    arguments: &[VariableValue],
    until: Option<EventPosition>,
) -> Result<Vec<WrittenValue>, SessionError> {
    locals_from(calls, node, arguments, until, None)
}

/// The same. Reading goes on from those that are known.
fn locals_from(
    calls: &mut Calls,
    node: u32,
    arguments: &[VariableValue],
    until: Option<EventPosition>,
    known: Option<&WrittenLocals>,
) -> Result<Vec<WrittenValue>, SessionError> {
    let mut held: Vec<WrittenValue> = arguments.iter().map(|held| (held.clone(), None)).collect();
    let has_locals = calls.method(node).is_some_and(|method| method.level == Level::All);
    if let (true, Some(entry)) = (has_locals, calls.entry(node)) {
        let mut locals = known.cloned().unwrap_or_else(|| WrittenLocals::at_entry(entry));
        let until = until.unwrap_or_else(|| EventPosition::new(node, EventTime::END));
        calls.events_between(locals.at, until, |_, seen| locals.see(seen))?;
        for WrittenLocal { name, descriptor, value, at } in locals.written {
            match held.iter_mut().find(|((known, ..), _)| *known == name) {
                Some(((_, known, _), last)) => (*known, *last) = (value, Some(at)),
                None => held.push(((name, value, descriptor), Some(at))),
            }
        }
    }
    Ok(held)
}

/// The static fields that are written outside of class initialisers, with their names.
fn statics(calls: &Calls, pool: Option<&ClassPool>) -> Vec<(ObjectPart, String)> {
    let mut found: Vec<(ObjectPart, String)> = Vec::new();
    for site in calls.sites.all().filter(|site| site.what == Traced::PutStatic) {
        let is_initial = calls.sites.method(site.method).is_none_or(|method| method.name == "<clinit>");
        let Some(written) = site.written.as_ref().filter(|_| !is_initial) else { continue };
        let class = calls.sites.declares(written);
        if is_hidden_field(&class, &written.name, pool) {
            continue;
        }
        let number = (0..)
            .zip(calls.fields())
            .find(|(_, (of, name))| *of == class && *name == written.name)
            .map(|(number, _)| number);
        let name = format!("{class}.{}", written.name);
        // A field that no event writes keeps its initial value, so it is left out.
        if let Some(number) = number.filter(|_| found.iter().all(|(_, other)| *other != name)) {
            found.push((ObjectPart::of_static(number), name));
        }
    }
    found
}

/// The objects shown at the entry of a call and not at its exit, each once.
fn unlinked<'a>(
    shaper: &mut Shaper<'_>,
    entry: impl Iterator<Item = &'a Shape>,
    exit: &[&Shape],
    ends: EventTime,
) -> Result<Vec<Shape>, SessionError> {
    let (mut given, mut reachable_at_exit) = (Vec::new(), Vec::new());
    entry.for_each(|shape| shape.objects(&mut given));
    exit.iter().for_each(|shape| shape.objects(&mut reachable_at_exit));
    let mut reachable_at_exit: HashSet<u32> = reachable_at_exit.into_iter().collect();
    let mut found = Vec::new();
    for object in given {
        if !reachable_at_exit.contains(&object) {
            let shape = shaper.shape(Some(Value::Object(object)), "", ends)?;
            let mut inside = vec![object];
            shape.objects(&mut inside);
            reachable_at_exit.extend(inside);
            found.push(shape);
        }
    }
    Ok(found)
}

/// Renumbers the objects of a question in the order in which they appear. Equal questions of different runs
/// thus become equal.
pub fn renumbered(value: Json, numbers: &mut HashMap<u64, usize>) -> Json {
    match value {
        Json::Object(fields) => {
            let one = |(name, value): (String, Json)| match value.as_u64().filter(|_| name == "object") {
                Some(number) => {
                    let next = numbers.len();
                    (name, (*numbers.entry(number).or_insert(next)).into())
                }
                None => {
                    let value = renumbered(value, numbers);
                    (name, value)
                }
            };
            Json::Object(fields.into_iter().map(one).collect())
        }
        Json::Array(values) => values.into_iter().map(|value| renumbered(value, numbers)).collect(),
        plain => plain,
    }
}
