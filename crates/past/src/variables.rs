//! The variables of a frame and the parts of objects, as they were at a moment: one lazy tree.

use crate::error::PastError;
use crate::event::{EventShown, event};
use crate::heap::held;
use crate::moment::Moment;
use crate::recording::Recording;
use crate::snapshot::{Bounds, Shaper};
use crate::text::end as end_of_text;
use crate::values::{shown, shown_item};
use indexmap::IndexMap;
use model::quoted;
use trace::{EventPosition, EventTime, Items, Level, Traced, Value, WalkControl};

/// Maximum number of variables of a list that is not divided.
pub const UNDIVIDED: usize = 100;
/// Maximum number of variables of one answer.
const MOST: usize = 10_000;
/// Maximum number of events that are read for what a call has changed.
const EVENTS: u64 = 5_000_000;
/// Maximum number of calls of a line whose results are shown.
const RESULTS: usize = 20;

/// A list of variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableGroup {
    /// The arguments of a frame.
    Arguments(EventPosition),
    /// The local variables of a frame, and `this`.
    Locals(EventPosition),
    /// The static fields of a frame's class that the run wrote.
    Statics(EventPosition),
    /// The fields and elements that were written since the frame's call began.
    Changed(EventPosition),
    /// The results of the calls that the frame's last line made, and the frame's own at its end.
    Returned(EventPosition),
    /// The fields, elements or contents of an object, by its number.
    Parts(u32),
    /// A section of these: the first, and how many.
    Section(u32, usize, usize),
}

/// A variable, field or element and its value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct HeldVariable {
    /// Its name.
    pub name: String,
    /// Its value as text; `None` if it is not known.
    pub value: Option<String>,
    /// Its type: the class of the object that it refers to, or a primitive type.
    pub type_name: Option<String>,
    /// The list that it leads to.
    pub leads_to: Option<VariableGroup>,
    /// The number of elements of that list, if they are many.
    pub elements: Option<usize>,
    /// Whether its value differs from that at the entry of the call.
    pub changed: bool,
    /// An expression that means this variable in its frame, if there is one.
    pub expression: Option<String>,
    /// What selects this part of an object, appended to an expression for the object: `.name` or `[3]`; empty
    /// for a group of the object's parts. `None` if no expression does.
    pub selector: Option<String>,
}

impl Recording {
    /// The variables of a group at a moment: `many` from `first` on, all by default. Long lists without these
    /// are divided into groups of [`UNDIVIDED`].
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn variables(
        &mut self,
        moment: Moment,
        group: VariableGroup,
        range: Option<(usize, usize)>,
    ) -> Result<Vec<HeldVariable>, PastError> {
        match group {
            VariableGroup::Arguments(at) => self.locals(at, true),
            VariableGroup::Locals(at) => self.locals(at, false),
            VariableGroup::Statics(at) => self.statics(at, moment.when),
            VariableGroup::Changed(at) => self.changed(at, moment.at),
            VariableGroup::Returned(at) => self.returned(at),
            VariableGroup::Parts(object) => self.parts(moment, object, range),
            VariableGroup::Section(object, first, many) if range.is_none() && many > UNDIVIDED => {
                Ok(divided(object, first, many))
            }
            VariableGroup::Section(object, first, many) => {
                let (from, many) = match range {
                    Some((from, wanted)) => (first + from.min(many), wanted.min(many.saturating_sub(from))),
                    None => (first, many),
                };
                self.parts(moment, object, Some((from, many)))
            }
        }
    }

    fn locals(&mut self, at: EventPosition, arguments: bool) -> Result<Vec<HeldVariable>, PastError> {
        let calls = &mut self.calls;
        let Some(call) = calls.call(at.node)? else { return Ok(Vec::new()) };
        let listed = self.all_locals_at(at)?.into_iter().enumerate();
        let unknown = self.unrecorded_parameters(at);
        let visible = match self.code.index(&mut self.calls, at)? {
            Some(index) => self.code.visible(&self.calls, index),
            None => None,
        };
        let mut held = Vec::new();
        if let Some(this) = call.this.filter(|this| *this != 0 && !arguments) {
            held.push(self.with_value("this".to_owned(), Some(Value::Object(this)), false)?);
        }
        // A variable is known on after its scope has ended.
        let is_visible = |name: &String| visible.as_ref().is_none_or(|names| names.contains(name));
        for (position, local) in listed {
            if local.is_parameter == arguments && (arguments || is_visible(&local.name)) {
                let value = (!unknown.contains(&position)).then_some(local.value);
                held.push(self.with_value(local.name, value, local.changed)?);
            }
        }
        for variable in &mut held {
            variable.expression = Some(variable.name.clone());
        }
        Ok(held)
    }

    fn statics(&mut self, at: EventPosition, when: EventTime) -> Result<Vec<HeldVariable>, PastError> {
        let calls = &mut self.calls;
        let Some(class) = calls.method(at.node).map(|method| method.class.clone()) else {
            return Ok(Vec::new());
        };
        let of_class = (0..).zip(calls.fields()).filter(|(_, (declares, _))| **declares == *class);
        let fields: Vec<(u32, String)> = of_class.map(|(number, (_, name))| (number, name.clone())).collect();
        let began = self.began(at)?;
        let mut shown = Vec::new();
        for (number, name) in fields {
            let calls = &mut self.calls;
            if !calls.is_ever_written(0, number)? {
                continue;
            }
            let (value, before) = (calls.part_at(0, number, when)?, calls.part_at(0, number, began)?);
            let expression = Some(format!("{class}.{name}"));
            shown.push(HeldVariable { expression, ..self.with_value(name, value, value != before)? });
        }
        Ok(shown)
    }

    fn changed(&mut self, at: EventPosition, here: EventPosition) -> Result<Vec<HeldVariable>, PastError> {
        let calls = &mut self.calls;
        let Some(thread) = calls.thread_number(at.node) else { return Ok(Vec::new()) };
        let mut left = EVENTS;
        let mut written: IndexMap<String, (EventShown, Option<Value>)> = IndexMap::new();
        let mut is_cut = false;
        calls.walk(thread, Some(at.node), |calls, seen| {
            left = left.saturating_sub(1);
            is_cut = left == 0 || written.len() > MOST;
            if seen.is_at(here) || seen.is_at(at) || is_cut {
                return WalkControl::Stop;
            }
            if matches!(seen.site.what, Traced::Put | Traced::Preset | Traced::PutStatic | Traced::Element(_))
            {
                let shown = event(calls, seen);
                let of = shown.object.clone().or_else(|| shown.declared_by.clone()).unwrap_or_default();
                let name = match (&shown.name, shown.index) {
                    (Some(name), _) => format!("{of}.{name}"),
                    (None, index) => format!("{of}[{}]", index.unwrap_or(0)),
                };
                let first = written.swap_remove(&name).map(|(first, _)| first);
                let old = first.map_or_else(|| shown.old.clone(), |first| first.old);
                written.insert(name, (EventShown { old, ..shown }, seen.values.last().copied()));
            }
            WalkControl::Next
        })?;
        let mut held = Vec::new();
        for (name, (shown, value)) in written {
            let was = shown.old.map(|old| format!("  (was {old})")).unwrap_or_default();
            let value = self.with_value(name, value, true)?;
            held.push(HeldVariable { value: value.value.map(|value| format!("{value}{was}")), ..value });
        }
        if is_cut {
            held.push(note("the call changes more; only its first events were read"));
        }
        Ok(held)
    }

    fn returned(&mut self, at: EventPosition) -> Result<Vec<HeldVariable>, PastError> {
        let calls = &mut self.calls;
        // The calls since the last line began: at the beginning of a line, those of the line before.
        let mut made = Vec::new();
        calls.events_until(at, |_, seen| match seen.site.what {
            Traced::Line(_) if seen.node == Some(at.node) => made.clear(),
            Traced::Enter if seen.node != Some(at.node) => made.extend(seen.node),
            _ => {}
        })?;
        let mut held = Vec::new();
        for node in made.iter().rev().take(RESULTS).rev() {
            let calls = &mut self.calls;
            let Some(call) = calls.call(*node)? else { continue };
            let Some(result) = call.result else { continue };
            let name = calls.method(*node).map(|m| m.shown() + "()").unwrap_or_default();
            held.push(self.with_value(name, Some(result), false)?);
        }
        let calls = &mut self.calls;
        let own = calls.event_at(at, |_, seen| {
            (seen.site.what == Traced::Return && seen.node == Some(at.node))
                .then(|| seen.values.first().copied())
        })?;
        if let Some(Some(Some(own))) = own {
            held.push(self.with_value("return".to_owned(), Some(own), false)?);
        }
        Ok(held)
    }

    fn parts(
        &mut self,
        moment: Moment,
        object: u32,
        range: Option<(usize, usize)>,
    ) -> Result<Vec<HeldVariable>, PastError> {
        let (when, began) = (moment.when, self.began(moment.at)?);
        let calls = &mut self.calls;
        if calls.has_text(object)? {
            let text = calls.text(object, when)?.map(|text| quoted(&end_of_text(&text), '"'));
            return Ok(vec![HeldVariable {
                name: "text".to_owned(),
                value: text,
                ..HeldVariable::default()
            }]);
        }
        if calls.has_contents(object)? {
            return self.contents(object, when, range);
        }
        let length = calls.objects.length_of(object).and_then(|length| usize::try_from(length).ok());
        if let (Some(length), None) = (length, range)
            && length > UNDIVIDED
        {
            return Ok(divided(object, 0, length));
        }
        let (first, many) = range.unwrap_or((0, MOST));
        let (first, many) = (first.min(MOST * MOST), many.min(MOST));
        let bounds = Bounds { depth: 1, elements: MOST, parts: MOST };
        let mut shaper = Shaper { calls, fields: &mut self.code.fields, bounds };
        let (parts, is_whole) = match length {
            Some(length) => {
                let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                (shaper.elements(object, index(first)..index(length.min(first + many)))?, true)
            }
            None => {
                let (parts, is_whole) = shaper.parts(object, first + many)?;
                (parts.into_iter().skip(first).collect(), is_whole)
            }
        };
        let mut shown = Vec::new();
        for part in parts {
            let calls = &mut self.calls;
            let value = held(calls, object, &part, when)?.value();
            let before = held(calls, object, &part, began)?.value();
            let selector = part.path("");
            let name = selector.trim_start_matches('.').to_owned();
            let shown_part = self.with_value(name, value, before.is_some() && value != before)?;
            shown.push(HeldVariable { selector: Some(selector), ..shown_part });
        }
        if !is_whole && range.is_none() {
            shown.push(note("there are more fields, which were not recorded"));
        }
        Ok(shown)
    }

    fn contents(
        &mut self,
        object: u32,
        when: EventTime,
        range: Option<(usize, usize)>,
    ) -> Result<Vec<HeldVariable>, PastError> {
        let calls = &mut self.calls;
        let Some(held) = calls.contents(object, when)? else {
            return Ok(vec![note("its contents were not recorded")]);
        };
        let length = held.items.len();
        if range.is_none() && length > UNDIVIDED {
            return Ok(divided(object, 0, length));
        }
        let (first, many) = range.unwrap_or((0, UNDIVIDED));
        let objects = &calls.objects;
        let items: Vec<(String, Option<Value>)> = match held.items {
            Items::Elements(all) => (0..)
                .zip(all)
                .skip(first)
                .take(many)
                .map(|(at, value): (usize, _)| (format!("[{at}]"), value))
                .collect(),
            Items::Pairs(pairs) => pairs
                .into_iter()
                .skip(first)
                .take(many)
                .map(|(key, value)| (format!("[{}]", shown_item(&key, objects)), Some(value)))
                .collect(),
        };
        let mut shown = Vec::new();
        for (name, value) in items {
            shown.push(self.with_value(name, value, false)?);
        }
        if held.unsure {
            shown.push(note("the contents may have changed where it was not recorded"));
        }
        Ok(shown)
    }

    /// A variable with this value.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn with_value(
        &mut self,
        name: String,
        value: Option<Value>,
        changed: bool,
    ) -> Result<HeldVariable, PastError> {
        let leads_to = self.with_parts(value)?.map(VariableGroup::Parts);
        let calls = &self.calls;
        let elements = match leads_to {
            Some(VariableGroup::Parts(object)) => calls.objects.length_of(object),
            _ => None,
        };
        let elements = elements.and_then(|n| usize::try_from(n).ok()).filter(|n| *n > UNDIVIDED);
        let type_name = value.and_then(|value| self.type_of(value));
        let value = value.map(|value| shown(&value, &calls.objects));
        Ok(HeldVariable { name, value, type_name, leads_to, elements, changed, ..HeldVariable::default() })
    }

    fn type_of(&self, value: Value) -> Option<String> {
        Some(match value {
            Value::Boolean(_) => "boolean".to_owned(),
            Value::Char(_) => "char".to_owned(),
            Value::Int(_) => "int".to_owned(),
            Value::Long(_) => "long".to_owned(),
            Value::Float(_) => "float".to_owned(),
            Value::Double(_) => "double".to_owned(),
            Value::Object(object) => crate::snapshot::type_name(self.calls.objects.class(object)?),
        })
    }

    /// The object of a value, if it has fields, elements or contents that can be shown.
    fn with_parts(&mut self, value: Option<Value>) -> Result<Option<u32>, PastError> {
        let Some(Value::Object(object)) = value.filter(|value| *value != Value::Object(0)) else {
            return Ok(None);
        };
        if self.about.level < Level::Writes {
            return Ok(None);
        }
        let calls = &self.calls;
        let has_parts = calls.part_from(object, 0)?.is_some()
            || calls.has_contents(object)?
            || calls.has_text(object)?
            || calls.objects.length_of(object).is_some_and(|length| length > 0);
        Ok(has_parts.then_some(object))
    }

    /// The time at which the call of a position began.
    fn began(&mut self, at: EventPosition) -> Result<EventTime, PastError> {
        Ok(self.calls.span(at.node)?.0)
    }
}

impl Recording {
    /// The value of an expression at a moment, as a variable of the tree.
    ///
    /// # Errors
    /// It has no value there, or the events cannot be read.
    pub fn evaluated(&mut self, moment: Moment, text: &str) -> Result<HeldVariable, PastError> {
        let name = text.trim().to_owned();
        let value = self.evaluate(moment, &name)?;
        let shown = match value.object {
            Some(object) => self.with_value(name.clone(), Some(Value::Object(object)), false)?,
            None => HeldVariable { name: name.clone(), ..HeldVariable::default() },
        };
        let expression = (!name.contains('@')).then_some(name);
        Ok(HeldVariable { value: Some(value.text), expression, ..shown })
    }

    /// The names of the fields that the value of a path has at a moment; empty if it has none.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn fields_of(&mut self, moment: Moment, path: &str) -> Result<Vec<String>, PastError> {
        let object = match self.evaluate(moment, path) {
            Ok(value) => value.object,
            Err(PastError::Trace(error)) => return Err(error.into()),
            Err(_) => None,
        };
        let Some(object) = object else { return Ok(Vec::new()) };
        let Some(class) = self.calls.objects.class(object).cloned() else { return Ok(Vec::new()) };
        let fields = self.code.fields.of(&class, &self.calls);
        Ok(fields.fields.iter().map(|field| field.name.clone()).collect())
    }

    /// The name by which a variable of a list can be asked for, and the frame in which it has that name.
    ///
    /// # Errors
    /// The list has no such variable.
    pub fn name_of(
        &mut self,
        moment: Moment,
        group: VariableGroup,
        name: &str,
    ) -> Result<(EventPosition, String), PastError> {
        let calls = &self.calls;
        let of_object = |object: u32| {
            let shown = calls.objects.name(object);
            let is_array = calls.objects.is_array(object);
            match name.strip_prefix('[') {
                Some(_) if is_array => format!("{shown}{name}"),
                Some(_) => shown,
                None if name == "text" && calls.objects.class(object).is_some() && !is_array => shown,
                None => format!("{shown}.{name}"),
            }
        };
        Ok(match group {
            VariableGroup::Locals(at) | VariableGroup::Arguments(at) => (at, name.to_owned()),
            VariableGroup::Statics(at) => {
                let class = calls.method(at.node).map(|method| method.class.to_string()).unwrap_or_default();
                (at, format!("{class}.{name}"))
            }
            VariableGroup::Changed(at) => (at, name.to_owned()),
            VariableGroup::Returned(_) => {
                return Err(PastError::NoStep("a result is no variable".to_owned()));
            }
            VariableGroup::Parts(object) | VariableGroup::Section(object, ..) => {
                (moment.at, of_object(object))
            }
        })
    }
}

fn note(text: &str) -> HeldVariable {
    HeldVariable { name: "…".to_owned(), value: Some(text.to_owned()), ..HeldVariable::default() }
}

/// The groups of a part of a long list, at most [`UNDIVIDED`] of them. They are divided again.
fn divided(object: u32, first: usize, many: usize) -> Vec<HeldVariable> {
    let mut size = UNDIVIDED;
    while many.div_ceil(size) > UNDIVIDED {
        size *= UNDIVIDED;
    }
    let group = |at: usize| {
        let many = size.min(first + many - at);
        HeldVariable {
            name: format!("[{at} … {}]", at + many - 1),
            value: Some(String::new()),
            leads_to: Some(VariableGroup::Section(object, at, many)),
            selector: Some(String::new()),
            ..HeldVariable::default()
        }
    };
    (first..first + many).step_by(size).map(group).collect()
}
