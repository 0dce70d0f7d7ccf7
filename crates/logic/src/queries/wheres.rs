//! Where an event occurred: the event, with the call that encloses it (JavaTA §4.1, Figure 5).

use super::asked::{Asked, Choice, Query, Word};
use super::members::{constructors, created_by, of_field, of_method};
use super::names::no_method;
use super::subtypes::Subtypes;
use crate::answer::{Answer, EventRow};
use crate::error::LogicError;
use crate::log::{Caught, Kind};
use crate::search::{Candidates, Found, Pattern, Source};
use std::collections::BTreeSet;
use trace::{Value, class_fits, shown_class};

/// Where exceptions were thrown.
pub const THROWN: Query = Query {
    name: "where-thrown",
    about: "Where exceptions were thrown that nobody caught; with --all, or of a class, also caught ones",
    words: &[Word::optional("CLASS", "the class of the exceptions, or the end of its name")],
    choices: &[Choice::Thread, Choice::Range, Choice::All],
    example: "where-thrown --thread main",
    ask: thrown,
};

/// Where a field was set.
pub const SET: Query = Query {
    name: "where-set",
    about: "Where a field was set, of any object or class",
    words: &[Word::new("FIELD", "the field: `bar`, `Rec.bar`, or `Rec@43.bar` for one object")],
    choices: &[Choice::Thread, Choice::Range, Choice::Value, Choice::Part],
    example: "where-set Rec.bar --value true",
    ask: set,
};

/// Where a method was called.
pub const CALLED: Query = Query {
    name: "where-called",
    about: "Where a method was called",
    words: &[Word::new("METHOD", "the method: `pay`, `Shop.pay`")],
    choices: &[Choice::Thread, Choice::Range, Choice::Argument],
    example: "where-called Shop.pay",
    ask: called,
};

/// Where instances of a class were created.
pub const CREATED: Query = Query {
    name: "where-created",
    about: "Where instances of a class were created",
    words: &[Word::new("CLASS", "the class, or the end of its name")],
    choices: &[Choice::Thread, Choice::Range, Choice::Argument],
    example: "where-created Rec",
    ask: created,
};

fn thrown(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let class = asked.word(0);
    let only_uncaught = class.is_none() && !asked.all;
    let pattern = Pattern { uncaught: only_uncaught, ..asked.pattern(&[Kind::Exception]) };
    let mut wanted = class.map(Subtypes::of);
    let mut answer = with_environment(source, asked, pattern, |source, found| {
        let Some(Value::Object(exception)) = found.block.values(&found.event).first().copied() else {
            return Ok(false);
        };
        if let Some(wanted) = &mut wanted {
            let of = source.recording.calls.objects.class(exception).map(ToString::to_string);
            return Ok(of.is_some_and(|of| wanted.include(source, &of)));
        }
        let (calls, log) = source.parts();
        Ok(!only_uncaught
            || matches!(log.caught(calls, found.block.thread, &found.event, exception)?, Caught::Nowhere(_)))
    })?;
    answer.notes.extend(wanted.and_then(|wanted| wanted.note()));
    if only_uncaught && answer.rows.is_empty() {
        let all = Candidates::of(asked.pattern(&[Kind::Exception]), source)?.next(source)?;
        let note = "no exception was left uncaught; with `--all`, those that were caught are shown too";
        answer.notes.extend(all.map(|_| note.to_owned()));
    }
    Ok(answer)
}

fn set(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    super::object::needs_writes(source)?;
    let text = asked.word(0).unwrap_or_default();
    let pattern = Pattern { value: asked.wanted(), ..asked.pattern(&[Kind::SetField]) };
    let (owner, name) = text.rsplit_once('.').unwrap_or(("", text));
    let pattern = of_field(pattern, owner, name, source)?;
    with_environment(source, asked, pattern, |_, _| Ok(true))
}

fn called(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let meant = of_method(asked.pattern(&[Kind::MethodCall]), asked.word(0).unwrap_or_default(), source)?;
    let pattern = super::calls::with_arguments(meant.pattern, asked);
    let mut answer = with_environment(source, asked, pattern, |_, _| Ok(true))?;
    answer.notes.extend(meant.notes);
    Ok(answer)
}

fn created(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let class = asked.word(0).unwrap_or_default();
    let (pattern, subtypes) = constructors(asked.pattern(&[Kind::MethodCall]), class, source);
    if pattern.methods.as_ref().is_none_or(BTreeSet::is_empty) {
        return Err(no_method(&format!("{class}.<init>"), source));
    }
    let pattern = super::calls::with_arguments(pattern, asked);
    let mut of_subtypes = BTreeSet::new();
    let mut answer = with_environment(source, asked, pattern, |source, found| {
        let Some(of) = created_by(source, found)? else { return Ok(false) };
        if !class_fits(&of, class) {
            of_subtypes.insert(shown_class(&of));
        }
        Ok(true)
    })?;
    if !of_subtypes.is_empty() {
        let names = of_subtypes.into_iter().collect::<Vec<_>>().join(", ");
        answer.notes.push(format!("instances of subtypes of {class} are included: {names}"));
    }
    answer.notes.extend(subtypes.note());
    Ok(answer)
}

/// The events that fit, each after the call that encloses it.
fn with_environment(
    source: &mut Source,
    asked: &Asked,
    pattern: Pattern,
    mut is_wanted: impl FnMut(&mut Source, &Found) -> Result<bool, LogicError>,
) -> Result<Answer, LogicError> {
    let mut candidates = Candidates::of(pattern, source)?;
    let plan = vec![candidates.access().to_string()];
    let (mut rows, mut count, mut more): (Vec<EventRow>, usize, bool) = (Vec::new(), 0, false);
    while let Some(found) = candidates.next(source)? {
        if !is_wanted(source, &found)? {
            continue;
        }
        if count == asked.limit {
            more = true;
            break;
        }
        count += 1;
        let around = source.enclosing(&found.event);
        let mut row = source.row(&found)?;
        if let Some(around) = around.map(|node| source.entry_of(node)).transpose()?.flatten() {
            rows.push(source.row(&around)?);
            row.depth = 1;
        }
        rows.push(row);
    }
    Ok(Answer { plan, more, ..Answer::of_events(rows) })
}
