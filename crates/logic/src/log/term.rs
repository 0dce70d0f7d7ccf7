//! Events of the log as Prolog terms. docs/jel.md describes them.

use super::event::{DecodedBlock, LogEvent};
use super::kind::Kind;
use super::reader::Log;
use crate::names::{java_name, source_file};
use past::PastError;
use past::heap::{ObjectPart, held};
use std::ops::ControlFlow;
use trace::{BlockStep, Calls, EventTime, Item, Items, TraceError, Traced, TracedEvent, Value};

/// Maximum number of elements of a data structure that its event lists.
const LISTED: usize = 100;
/// Stands for a value that was not recorded.
const UNKNOWN: &str = "?";

/// Builds terms, as text or on a heap.
pub trait TermBuilder {
    /// A term.
    type Term;

    /// An atom.
    fn atom(&mut self, name: &str) -> Self::Term;
    /// An integer.
    fn integer(&mut self, value: i64) -> Self::Term;
    /// A floating-point number.
    fn float(&mut self, value: f64) -> Self::Term;
    /// A string.
    fn string(&mut self, text: &str) -> Self::Term;
    /// A compound term.
    fn compound(&mut self, functor: &str, arguments: &[Self::Term]) -> Self::Term;
    /// A list.
    fn list(&mut self, items: &[Self::Term]) -> Self::Term;
}

/// Where an exception was caught.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Caught {
    /// In a recorded method: its file and line; 0 if it has no lines.
    At(String, u16),
    /// In code that was not recorded, or the recording ends before.
    Elsewhere,
    /// Nowhere: it ended its thread. The place is where a handler for uncaught exceptions began that was
    /// recorded: its file and line, 0 if it has no lines.
    Nowhere(Option<(String, u16)>),
}

/// What terms are made from.
pub struct Terms<'a, B> {
    /// The recording.
    pub calls: &'a mut Calls,
    /// Its log.
    pub log: &'a mut Log,
    /// The builder.
    pub build: &'a mut B,
}

impl<B: TermBuilder> Terms<'_, B> {
    /// The third argument of `event/3`: what happened. `locals` are the visible variables at a step.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn event(
        &mut self,
        block: &DecodedBlock,
        event: &LogEvent,
        locals: &[(String, Value)],
    ) -> Result<B::Term, PastError> {
        let values = block.values(event);
        let functor = event.kind.functor();
        let arguments = match event.kind {
            Kind::ThreadStart | Kind::ThreadDeath => vec![self.group(block.thread)],
            Kind::MemberFields => self.member_fields(event.site),
            Kind::MethodCall => {
                let (place, owner, name) = self.call(event, values);
                let arguments = match event.is_around {
                    false => {
                        let all: Vec<_> = values.iter().skip(1).map(|value| self.value(value)).collect();
                        self.build.list(&all)
                    }
                    true => self.build.atom("unrecorded"),
                };
                vec![place, owner, name, arguments]
            }
            Kind::MethodExit => {
                let id = match self.id_of_call(block.thread, event)? {
                    Some(id) => self.build.integer(i64::try_from(id).unwrap_or(i64::MAX)),
                    None => self.build.atom(UNKNOWN),
                };
                let (place, owner, name) = self.call(event, values);
                let result = match values.get(1) {
                    Some(value) => self.value(value),
                    None => self.build.atom("void"),
                };
                vec![id, place, owner, name, result]
            }
            Kind::SetField => {
                let place = self.place(event);
                let [owner, name] = self.written(event, values);
                let value = self.known(values.get(1));
                vec![place, owner, name, value]
            }
            Kind::DataStructure => {
                let contents = self.contents(values, event.when)?;
                vec![self.place(event), contents]
            }
            Kind::Step => {
                let one = |terms: &mut Self, (name, value): &(String, Value)| {
                    let pair = [terms.build.atom(name), terms.value(value)];
                    terms.build.compound("lv", &pair)
                };
                let locals: Vec<_> = locals.iter().map(|local| one(self, local)).collect();
                vec![self.place(event), self.build.list(&locals)]
            }
            Kind::Exception => {
                let exception = match values.first() {
                    Some(Value::Object(exception)) => *exception,
                    _ => 0,
                };
                let message = self.message(exception);
                let caught = match self.log.caught(self.calls, block.thread, event, exception)? {
                    Caught::At(file, line) => self.line_of(&file, line),
                    Caught::Elsewhere => self.build.atom("unrecorded"),
                    Caught::Nowhere(_) => self.build.atom("uncaught"),
                };
                vec![self.place(event), self.object(exception), message, caught]
            }
        };
        Ok(self.build.compound(functor, &arguments))
    }

    /// The owner and the name of a written field.
    fn written(&mut self, event: &LogEvent, values: &[Value]) -> [B::Term; 2] {
        let written = self.calls.sites.site(event.site).and_then(|site| site.written.clone());
        let name = written.as_ref().map_or(UNKNOWN, |written| &written.name);
        let name = self.build.atom(name);
        let owner = match values.first() {
            Some(Value::Object(object)) if *object != 0 => self.object(*object),
            _ => {
                let class = written.map(|written| self.calls.sites.declares(&written));
                self.class(class.as_deref().unwrap_or(UNKNOWN))
            }
        };
        [owner, name]
    }

    fn message(&mut self, exception: u32) -> B::Term {
        match self.calls.objects.message(exception) {
            Some(text) if text.is_whole() => self.build.string(&text.begins),
            Some(text) => self.cut_off(&text.begins, text.length),
            None => self.build.atom("null"),
        }
    }

    /// A recorded value. Strings and boxes are their values; other objects are `o(Class, Number)`.
    pub fn value(&mut self, value: &Value) -> B::Term {
        match *value {
            Value::Boolean(value) => self.build.atom(if value { "true" } else { "false" }),
            Value::Char(unit) => self.unit(unit),
            Value::Int(value) => self.build.integer(value.into()),
            Value::Long(value) => self.build.integer(value),
            Value::Float(value) => self.build.float(float(value)),
            Value::Double(value) => self.build.float(value),
            Value::Object(0) => self.build.atom("null"),
            Value::Object(object) => {
                let objects = &self.calls.objects;
                if let Some(text) = objects.text_of(object) {
                    return match text.is_whole() {
                        true => self.build.string(&text.begins),
                        false => self.cut_off(&text.begins, text.length),
                    };
                }
                let boxed = objects.class(object).and_then(|class| objects.boxed(object, class));
                match boxed {
                    Some(boxed) => self.boxed(&boxed),
                    None => self.object(object),
                }
            }
        }
    }

    fn known(&mut self, value: Option<&Value>) -> B::Term {
        match value {
            Some(value) => self.value(value),
            None => self.build.atom(UNKNOWN),
        }
    }

    fn boxed(&mut self, value: &model::Value) -> B::Term {
        use model::Value as Plain;
        match *value {
            Plain::Boolean(value) => self.value(&Value::Boolean(value)),
            Plain::Char(unit) => self.unit(unit),
            Plain::Byte(value) => self.build.integer(value.into()),
            Plain::Short(value) => self.build.integer(value.into()),
            Plain::Int(value) => self.build.integer(value.into()),
            Plain::Long(value) => self.build.integer(value),
            Plain::Float(value) => self.build.float(float(value)),
            Plain::Double(value) => self.build.float(value),
            _ => self.build.atom(UNKNOWN),
        }
    }

    /// A character. A surrogate alone is no character, so it is its code.
    fn unit(&mut self, unit: u16) -> B::Term {
        match char::from_u32(unit.into()) {
            Some(c) => self.build.atom(c.encode_utf8(&mut [0; 4])),
            None => {
                let code = self.build.integer(unit.into());
                self.build.compound("char", &[code])
            }
        }
    }

    /// The recorded beginning of a text, and the length of the whole text.
    fn cut_off(&mut self, begins: &str, length: i32) -> B::Term {
        let parts = [self.build.string(begins), self.build.integer(length.into())];
        self.build.compound("text", &parts)
    }

    /// `o(Class, Number)`
    pub fn object(&mut self, object: u32) -> B::Term {
        let class = self.calls.objects.class(object).map(|class| java_name(class));
        let number = self.calls.objects.number(object);
        let class = self.build.atom(class.as_deref().unwrap_or(UNKNOWN));
        let parts = [class, self.build.integer(number.into())];
        self.build.compound("o", &parts)
    }

    /// `c(Class)`
    fn class(&mut self, class: &str) -> B::Term {
        let name = self.build.atom(&java_name(class));
        self.build.compound("c", &[name])
    }

    /// Place, owner and name of a call.
    fn call(&mut self, event: &LogEvent, values: &[Value]) -> (B::Term, B::Term, B::Term) {
        let place = self.place(event);
        let number = event.call().and_then(|node| self.calls.method_number(node));
        let owner = match values.first() {
            Some(Value::Object(this)) if *this != 0 => self.object(*this),
            _ => {
                let method = number.and_then(|number| self.calls.sites.method(number));
                let class = method.map_or_else(|| UNKNOWN.into(), |method| java_name(&method.class));
                let class = self.build.atom(&class);
                match method.is_none_or(|method| method.is_static) {
                    true => self.build.compound("c", &[class]),
                    false => {
                        // The constructor of the superclass has not returned, so the object has no number.
                        let none = self.build.integer(0);
                        self.build.compound("o", &[class, none])
                    }
                }
            }
        };
        let method = number.and_then(|number| self.calls.sites.method(number));
        let name = self.build.atom(method.map_or(UNKNOWN, |method| &method.name));
        (place, owner, name)
    }

    /// `l(File, Line)`
    fn place(&mut self, event: &LogEvent) -> B::Term {
        let file = event.method(self.calls).map(source_file);
        let file = self.build.atom(file.as_deref().unwrap_or(UNKNOWN));
        self.line_in(file, event.line)
    }

    fn line_of(&mut self, file: &str, line: u16) -> B::Term {
        let file = self.build.atom(file);
        self.line_in(file, line)
    }

    fn line_in(&mut self, file: B::Term, line: u16) -> B::Term {
        let line = match line {
            0 => self.build.atom(UNKNOWN),
            line => self.build.integer(line.into()),
        };
        self.build.compound("l", &[file, line])
    }

    fn group(&mut self, thread: u32) -> B::Term {
        let name = self.calls.sites.thread_group(thread).unwrap_or(UNKNOWN).to_owned();
        self.build.atom(&name)
    }

    fn member_fields(&mut self, number: u32) -> Vec<B::Term> {
        let class =
            usize::try_from(number).ok().and_then(|number| self.log.facts().first_calls.classes.get(number));
        let Some(class) = class.cloned() else { return Vec::new() };
        let mut terms = Vec::new();
        for field in self.calls.sites.fields(&class) {
            let name = self.build.atom(&field.name);
            terms.push(self.build.compound(if field.is_static { "cf" } else { "of" }, &[name]));
        }
        vec![self.class(&class), self.build.list(&terms)]
    }

    /// `contents(Object, Items)`; with the number of elements if not all are listed.
    fn contents(&mut self, values: &[Value], when: EventTime) -> Result<B::Term, PastError> {
        let object = match values.first() {
            Some(Value::Object(object)) => *object,
            _ => 0,
        };
        let (items, length) = self.items(object, when)?;
        let mut parts = vec![self.object(object)];
        let is_whole = items.len() == length;
        parts.push(self.build.list(&items));
        if !is_whole {
            parts.push(self.build.integer(i64::try_from(length).unwrap_or(i64::MAX)));
        }
        Ok(self.build.compound("contents", &parts))
    }

    /// The first elements of an array or collection, and the number of all.
    fn items(&mut self, object: u32, when: EventTime) -> Result<(Vec<B::Term>, usize), PastError> {
        let mut items = Vec::new();
        if let Some(length) = self.calls.objects.length_of(object) {
            let class = self.calls.objects.class(object).cloned().unwrap_or_default();
            let was_made = self.calls.was_made(object)?;
            for index in 0..length.min(u32::try_from(LISTED).unwrap_or(u32::MAX)) {
                let part = ObjectPart::of_element(&class, index, was_made);
                items.push(match held(self.calls, object, &part, when)?.value() {
                    Some(value) => self.value(&value),
                    None => self.build.atom(UNKNOWN),
                });
            }
            return Ok((items, usize::try_from(length).unwrap_or(usize::MAX)));
        }
        let cursor = self.log.contents(self.calls, object, when)?;
        if let Some(length) = cursor.recorded_count() {
            let first: Vec<Item> = cursor.items().take(LISTED).collect();
            for (one, other) in first {
                let [one, other] = [Some(one), other].map(|of| of.map(|of| self.value(&Value::Object(of))));
                items.extend(match (one, other) {
                    (Some(key), Some(value)) => Some(self.build.compound("-", &[key, value])),
                    (element, _) => element,
                });
            }
            return Ok((items, length));
        }
        // It is a view of another one.
        let Some(held) = self.calls.contents(object, when)? else { return Ok((items, 0)) };
        let length = held.items.len();
        match held.items {
            Items::Elements(all) => {
                items.extend(all.iter().take(LISTED).map(|value| self.known(value.as_ref())));
            }
            Items::Pairs(pairs) => {
                for (key, value) in pairs.iter().take(LISTED) {
                    let pair = [self.value(key), self.value(value)];
                    items.push(self.build.compound("-", &pair));
                }
            }
        }
        Ok((items, length))
    }

    fn id_of_call(&mut self, thread: u32, event: &LogEvent) -> Result<Option<u64>, TraceError> {
        let Some(node) = event.call() else { return Ok(None) };
        self.log.id_of_call(self.calls, thread, node)
    }
}

impl Log {
    /// The id of a call's `methodcall` event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn id_of_call(
        &mut self,
        calls: &mut Calls,
        thread: u32,
        node: u32,
    ) -> Result<Option<u64>, TraceError> {
        match calls.time_of_entry(node) {
            Some(when) => self.id_of(calls, thread, when, Kind::MethodCall),
            None => Ok(None),
        }
    }

    /// Where an exception was caught that was thrown at an event.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn caught(
        &mut self,
        calls: &mut Calls,
        thread: u32,
        event: &LogEvent,
        exception: u32,
    ) -> Result<Caught, TraceError> {
        let Some(first) = self.index().at(thread, event.when) else { return Ok(Caught::Elsewhere) };
        let index = self.index().clone();
        // What follows an uncaught exception is its handler's, unless the exception is thrown once more.
        let ends_thread = calls.ends.get(&thread).is_some_and(|end| end.exception == exception);
        let mut search = CatchSearch { when: event.when, exception, ends_thread, handler: None, found: None };
        for number in index.of_thread_from(thread, first) {
            let Some(indexed) = usize::try_from(*number).ok().and_then(|number| index.block(number)) else {
                break;
            };
            calls.walk_block(&indexed.block, &mut |calls, step| {
                match step {
                    BlockStep::Event(seen) => return search.see(calls, seen),
                    BlockStep::Ends(_, last) => search.end(last),
                    BlockStep::Begins { .. } => {}
                }
                ControlFlow::Continue(())
            })?;
            if search.found.is_some() {
                break;
            }
        }
        Ok(search.found.unwrap_or(Caught::Elsewhere))
    }
}

/// Looks for the place where an exception was caught.
struct CatchSearch {
    /// When it was thrown.
    when: EventTime,
    exception: u32,
    /// Whether its thread ended with it.
    ends_thread: bool,
    /// Where a handler for uncaught exceptions began.
    handler: Option<(String, u16)>,
    found: Option<Caught>,
}

impl CatchSearch {
    /// The thread ended, with this exception if it is not 0.
    fn end(&mut self, exception: u32) {
        let is_it = exception == self.exception;
        self.found = Some(if is_it { Caught::Nowhere(self.handler.take()) } else { Caught::Elsewhere });
    }

    fn see(&mut self, calls: &Calls, seen: &TracedEvent<'_>) -> ControlFlow<()> {
        if seen.when().place_in_thread() < self.when.place_in_thread() {
            return ControlFlow::Continue(());
        }
        let thrown = Value::Object(self.exception);
        let is_it = seen.values.first() == Some(&thrown);
        let place = || {
            let file = seen.method(calls).map(source_file).unwrap_or_default().into_owned();
            (file, seen.site.line.unwrap_or(0))
        };
        self.found = Some(match seen.site.what {
            // The event itself, and the calls that the exception leaves.
            _ if seen.when() == self.when && seen.site.what != Traced::Catch => {
                return ControlFlow::Continue(());
            }
            Traced::Leave if is_it && self.handler.is_none() => return ControlFlow::Continue(()),
            // Monitors are released on the way, and contents may be reported.
            Traced::Unlock | Traced::Contents | Traced::Text => return ControlFlow::Continue(()),
            Traced::Enter if self.ends_thread && seen.values.contains(&thrown) => {
                self.handler.get_or_insert_with(place);
                return ControlFlow::Continue(());
            }
            Traced::Throw | Traced::Leave | Traced::Catch if is_it && self.handler.is_some() => {
                Caught::Elsewhere
            }
            _ if self.handler.is_some() => return ControlFlow::Continue(()),
            Traced::Catch if is_it => {
                let (file, line) = place();
                Caught::At(file, line)
            }
            _ => Caught::Elsewhere,
        });
        ControlFlow::Break(())
    }
}

/// A `float` as the double with the same decimal text, as Java prints it.
fn float(value: f32) -> f64 {
    value.to_string().parse().unwrap_or_else(|_| value.into())
}
