//! The history of a field, element, local variable, or of the contents of an array or collection (JavaTA
//! §4.2, Figure 8).

use super::asked::{Asked, Choice, Query, Word};
use super::events::listed;
use super::lines::Part;
use super::members::{of_field, of_method};
use super::names;
use super::object::needs_writes;
use crate::answer::{Answer, AnswerRow, ValueRow};
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{Owner, Pattern, Source, Wanted};
use past::history::NamedVariable;
use past::values::{shown, shown_item};
use std::collections::{BTreeMap, BTreeSet};
use trace::{
    CONTENTS, ContentsCursor, EventTime, Item, Items, Level, TEXT, TextContents, Traced, Value, WalkControl,
};

/// Most elements of a collection that a row lists.
const LISTED: usize = 20;
/// Number of characters at the ends of texts that are compared first.
const COMPARED: usize = 16;

/// The history of a variable.
pub const HISTORY: Query = Query {
    name: "history",
    about: "The values of a field, element, local variable or collection, one after another",
    words: &[Word::new(
        "VARIABLE",
        "`Rec@43.bar`, `com.acme.Shop.open` (static), `int[]@9[3]`, `ArrayList@5`, or `Shop.pay:sum` (local)",
    )],
    choices: &[Choice::Thread, Choice::Range, Choice::Value],
    example: "history Rec@43.bar --from 10 --to 900",
    ask: history,
};

fn history(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let text = asked.word(0).unwrap_or_default();
    if let Some((method, local)) = text.rsplit_once(':') {
        return local_history(source, asked, method, local);
    }
    needs_writes(source)?;
    let pattern = Pattern { value: asked.wanted(), ..asked.pattern(&[Kind::SetField]) };
    match NamedVariable::parse(text)? {
        NamedVariable::Field(_, field) => {
            let (owner, name) = text.rsplit_once('.').unwrap_or(("", &field));
            let pattern = of_field(pattern, owner, name, source)?;
            listed(source, asked, pattern)
        }
        NamedVariable::Static(field) => {
            let (class, name) = field.rsplit_once('.').unwrap_or(("", &field));
            let pattern = of_field(Pattern { owner: Owner::Class(None), ..pattern }, class, name, source)?;
            names::check_static(class, name, source)?;
            listed(source, asked, pattern)
        }
        NamedVariable::Element(_, index) => {
            let object = names::object(names::object_in(text), &source.recording.calls)?;
            part_history(source, asked, object, text, index.cast_unsigned())
        }
        NamedVariable::Contents(_) => {
            let object = names::object(text, &source.recording.calls)?;
            let calls = &mut source.recording.calls;
            if calls.objects.is_array(object) {
                return array_history(source, asked, object, text);
            }
            let object = calls.text_owner(object)?;
            let part = if calls.is_ever_written(object, CONTENTS)? { CONTENTS } else { TEXT };
            part_history(source, asked, object, text, part)
        }
    }
}

/// A write: its time, the number of its thread, and the new value.
struct Write {
    when: EventTime,
    thread: Option<u32>,
    part: u32,
    value: Option<Value>,
}

/// The writes to a part of an object that are asked for, in order.
fn writes(
    source: &mut Source,
    asked: &Asked,
    object: u32,
    part: u32,
    into: &mut Vec<Write>,
) -> Result<(), LogicError> {
    let wanted = Part::of(source, asked)?;
    let calls = &mut source.recording.calls;
    for row in calls.write_rows(object, part)? {
        calls.each_write(calls.writes_in(row), |calls, seen| {
            let thread = calls.thread_at(seen.when());
            let is_of_it = asked.thread.is_none() || thread.is_some_and(|of| wanted.has_thread(calls, of));
            if wanted.has_time(seen.when()) && is_of_it {
                into.push(Write { when: seen.when(), thread, part, value: seen.values.last().copied() });
            }
            WalkControl::Next
        })?;
    }
    Ok(())
}

/// A row for a write, at the last event before it.
fn row_of(
    source: &mut Source,
    write: &Write,
    name: String,
    value: Option<String>,
) -> Result<AnswerRow, LogicError> {
    let event = match write.thread {
        Some(thread) => source.event_before(thread, write.when)?,
        None => None,
    };
    Ok(AnswerRow::Value(ValueRow { name, value, event, is_default: false }))
}

/// The writes to one part of an object. The answer calls the part by its name.
fn part_history(
    source: &mut Source,
    asked: &Asked,
    object: u32,
    name: &str,
    part: u32,
) -> Result<Answer, LogicError> {
    let (mut all, wanted) = (Vec::new(), asked.wanted());
    writes(source, asked, object, part, &mut all)?;
    let texts = match part {
        TEXT => texts_after(source, object, &all, wanted.as_ref(), asked.limit)?,
        _ => BTreeMap::new(),
    };
    let mut contents = ContentsHistory::of(object);
    let mut answer = Answer::default();
    for write in all {
        let objects = &source.recording.calls.objects;
        let is_it = |value: &Value| wanted.as_ref().is_none_or(|wanted| wanted.is(value, objects));
        let value = match part {
            CONTENTS => match contents.after(source, write.when, wanted.as_ref())? {
                Some(None) => continue,
                contents => contents.flatten(),
            },
            TEXT => {
                let Some(text) = texts.get(&write.when) else { continue };
                Some(model::quoted(text, '"'))
            }
            _ if !write.value.as_ref().map_or(wanted.is_none(), is_it) => continue,
            _ => write.value.map(|value| shown(&value, objects)),
        };
        if answer.rows.len() >= asked.limit {
            answer.more = true;
            break;
        }
        let row = row_of(source, &write, name.to_owned(), value)?;
        answer.rows.push(row);
    }
    Ok(answer)
}

/// The writes to all elements of an array, in order. The answer calls the array by its name.
fn array_history(source: &mut Source, asked: &Asked, array: u32, name: &str) -> Result<Answer, LogicError> {
    let (mut all, wanted) = (Vec::new(), asked.wanted());
    let mut next = source.recording.calls.part_from(array, 0)?;
    while let Some(index) = next {
        writes(source, asked, array, index, &mut all)?;
        next = match index.checked_add(1) {
            Some(index) => source.recording.calls.part_from(array, index)?,
            None => None,
        };
    }
    all.sort_by_key(|write| write.when);
    let objects = &source.recording.calls.objects;
    let is_it = |value: &Value| wanted.as_ref().is_none_or(|wanted| wanted.is(value, objects));
    all.retain(|write| write.value.as_ref().map_or(wanted.is_none(), is_it));
    let mut answer = Answer { more: all.len() > asked.limit, ..Answer::default() };
    for write in all.into_iter().take(asked.limit) {
        let value = write.value.map(|value| shown(&value, &source.recording.calls.objects));
        let row = row_of(source, &write, format!("{name}[{}]", write.part), value)?;
        answer.rows.push(row);
    }
    Ok(answer)
}

/// The ends of a text after some of its writes, in one pass: where it is the wanted one, and not many more
/// than an answer shows.
fn texts_after(
    source: &mut Source,
    object: u32,
    writes: &[Write],
    wanted: Option<&Wanted>,
    limit: usize,
) -> Result<BTreeMap<EventTime, String>, LogicError> {
    let calls = &mut source.recording.calls;
    let times: BTreeSet<EventTime> = writes.iter().map(|write| write.when).collect();
    let (mut held, mut found) = (TextContents::default(), BTreeMap::new());
    let wanted = match wanted {
        Some(Wanted::Text(wanted)) => Some(wanted),
        // A text is no number.
        Some(_) => return Ok(BTreeMap::new()),
        None => None,
    };
    let is_it = |text: &String| wanted.is_none_or(|wanted| text == wanted);
    // Most texts end otherwise, so few are built whole.
    let may_be_it = |held: &TextContents| {
        let last = |text: &str| text.chars().rev().take(COMPARED).collect::<String>();
        wanted.is_none_or(|wanted| last(&held.end(2 * COMPARED)) == last(wanted))
    };
    let mut elsewhere = Vec::new();
    calls.each_text_change(object, EventTime::BEGIN..EventTime::END, |change, when| {
        held.take(change);
        if found.len() <= limit && times.contains(&when) {
            if change.same_as != 0 {
                elsewhere.push(when);
            } else if may_be_it(&held) {
                let text = past::text::end(&held);
                found.extend(Some((when, text)).filter(|(_, text)| is_it(text)));
            }
        }
    })?;
    // Another object has the text, such as the buffer of a `StringWriter`.
    for when in elsewhere {
        let text = calls.text(object, when.after())?.map(|held| past::text::end(&held));
        found.extend(text.filter(is_it).map(|text| (when, text)));
    }
    Ok(found)
}

/// The contents of a collection at later and later times.
struct ContentsHistory {
    collection: u32,
    cursor: ContentsCursor,
    /// The number of items that have the wanted value.
    found: usize,
}

impl ContentsHistory {
    fn of(collection: u32) -> ContentsHistory {
        ContentsHistory { collection, cursor: ContentsCursor::new(collection), found: 0 }
    }

    /// The contents after an event; `Some(None)` if the wanted value is not among them.
    fn after(
        &mut self,
        source: &mut Source,
        when: EventTime,
        wanted: Option<&Wanted>,
    ) -> Result<Option<Option<String>>, LogicError> {
        let calls = &mut source.recording.calls;
        calls.advance(&mut self.cursor, when.after())?;
        let changes = self.cursor.take_changes();
        let (cursor, objects) = (&self.cursor, &calls.objects);
        let is_it = |(first, second): &Item| {
            let mut values = [Some(*first), *second].into_iter().flatten().map(Value::Object);
            values.any(|value| wanted.is_none_or(|wanted| wanted.is(&value, objects)))
        };
        if changes.all {
            self.found = cursor.items().filter(is_it).count();
        } else {
            let come = changes.come.iter().filter(|item| is_it(item)).count();
            let gone = changes.gone.iter().filter(|item| is_it(item)).count();
            self.found = (self.found + come).saturating_sub(gone);
        }
        let Some(count) = cursor.item_count() else {
            let contents = contents_after(source, self.collection, when, wanted)?;
            return Ok(contents.map(|(text, has_it)| has_it.then_some(text)));
        };
        if wanted.is_some() && self.found == 0 {
            return Ok(Some(None));
        }
        let item = |of: u32| shown_item(&Value::Object(of), objects);
        let shown = cursor.items().take(LISTED).map(|(key, value)| match value {
            Some(value) => format!("{}={}", item(key), item(value)),
            None => item(key),
        });
        let mut texts: Vec<String> = shown.collect();
        if count > LISTED {
            texts.push(format!("… {count} in all"));
        }
        Ok(Some(Some(format!("[{}]", texts.join(", ")))))
    }
}

/// The contents of a collection after an event, and whether the wanted value is among them.
fn contents_after(
    source: &mut Source,
    collection: u32,
    when: EventTime,
    wanted: Option<&Wanted>,
) -> Result<Option<(String, bool)>, LogicError> {
    let calls = &mut source.recording.calls;
    let Some(contents) = calls.contents(collection, when.after())? else { return Ok(None) };
    let (objects, count) = (&calls.objects, contents.items.len());
    let item = |value: &Value| shown_item(value, objects);
    let is_it = |value: &Value| wanted.is_none_or(|wanted| wanted.is(value, objects));
    let (mut texts, has_it): (Vec<String>, bool) = match contents.items {
        Items::Elements(all) => (
            all.iter().take(LISTED).map(|value| value.as_ref().map_or("?".to_owned(), item)).collect(),
            all.iter().flatten().any(is_it),
        ),
        Items::Pairs(all) => (
            all.iter().take(LISTED).map(|(key, value)| format!("{}={}", item(key), item(value))).collect(),
            all.iter().any(|(key, value)| is_it(key) || is_it(value)),
        ),
    };
    if count > LISTED {
        texts.push(format!("… {count} in all"));
    }
    Ok(Some((format!("[{}]", texts.join(", ")), has_it || wanted.is_none())))
}

/// The values of a local variable in all calls of a method, in the order in which it got them.
fn local_history(
    source: &mut Source,
    asked: &Asked,
    method: &str,
    local: &str,
) -> Result<Answer, LogicError> {
    let level = source.recording.about.level;
    if level < Level::All {
        let (what, level) = ("local variables", level.to_string());
        return Err(LogicError::NotRecorded { what, level, needs: "all" });
    }
    // A call that began before the events in question can go on among them.
    let meant = of_method(asked.pattern(&[Kind::MethodCall]), method, source)?;
    let pattern = Pattern { ids: 0..meant.pattern.ids.end, ..meant.pattern };
    let part = Part::of(source, asked)?;
    let mut candidates = crate::search::Candidates::of(pattern, source)?;
    let (mut found_values, wanted) = (Vec::new(), asked.wanted());
    while let Some(found) = candidates.next(source)? {
        let Some(node) = found.event.call() else { continue };
        let calls = &mut source.recording.calls;
        let mut values: Vec<(EventTime, Value)> = Vec::new();
        let parameter = calls
            .method(node)
            .and_then(|of| of.parameters.iter().position(|name| name.as_deref() == Some(local)));
        let given = parameter.and_then(|at| found.block.values(&found.event).get(at + 1).copied());
        values.extend(given.map(|value| (found.event.when, value)));
        if let Some(entry) = calls.entry(node) {
            calls.events_after(entry, |_, seen| {
                let is_it = seen.site.written.as_ref().is_some_and(|written| written.name == local);
                if matches!(seen.site.what, Traced::Local { .. })
                    && is_it
                    && let Some(value) = seen.values.first()
                {
                    values.push((seen.when(), *value));
                }
                true
            })?;
        }
        let objects = &source.recording.calls.objects;
        let is_it = |value: &Value| wanted.as_ref().is_none_or(|wanted| wanted.is(value, objects));
        let values = values.into_iter().filter(|(when, value)| part.has_time(*when) && is_it(value));
        found_values.extend(values.map(|(when, value)| (when, found.block.thread, node, value)));
    }
    found_values.sort_by_key(|(when, ..)| *when);
    let mut answer =
        Answer { more: found_values.len() > asked.limit, notes: meant.notes, ..Answer::default() };
    for (when, thread, node, value) in found_values.into_iter().take(asked.limit) {
        let event = source.event_before(thread, when)?;
        let calls = &source.recording.calls;
        let value = Some(shown(&value, &calls.objects));
        let name = format!("{local} in call #{}", calls.shown(node));
        answer.rows.push(AnswerRow::Value(ValueRow { name, value, event, is_default: false }));
    }
    Ok(answer)
}
