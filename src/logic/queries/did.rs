//! Questions about statements, with the answer *yes* or *no* (JavaTA §4.2, *Query about Statement
//! Execution*). *No* says whether something did not happen, or was not recorded.

use super::asked::{Asked, Choice, Query, Word};
use super::lines::{Part, Place, executed};
use super::names::of_method;
use super::object::needs_writes;
use super::subtypes::Subtypes;
use crate::logic::answer::{Answer, AnswerRow};
use crate::logic::error::LogicError;
use crate::logic::log::{Caught, Kind};
use crate::logic::names::{class_fits, java_name, source_file};
use crate::logic::search::{Candidates, Found, Owner, Pattern, Source, Wanted};
use crate::trace::{BlockStep, Level, Traced, Value};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// The questions: word and meaning.
const QUESTIONS: &str = "`line Intro:24` was a line, or the condition on it, executed; `call Shop.pay`; \
                         `set Rec.bar true`; `create Rec`; `catch IOException`; `run worker` does a thread \
                         still run; `exit worker`";

/// A question about a statement.
pub const DID: Query = Query {
    name: "did",
    about: "Whether something happened: yes or no, and whether *no* is certain",
    words: &[
        Word::new("WHAT", QUESTIONS),
        Word::new("NAME", "the line, method, field, class or thread"),
        Word::optional("VALUE", "for `set`: the value"),
    ],
    choices: &[Choice::Thread, Choice::Range, Choice::Argument],
    example: "did line Intro:24",
    ask: did,
};

fn did(source: &mut Source, asked: &Asked) -> Result<Answer, LogicError> {
    let name = asked.word(1).unwrap_or_default();
    match asked.word(0).unwrap_or_default() {
        "line" => line(source, asked, name),
        "call" => called(source, asked, name),
        "set" => set(source, asked, name),
        "create" => created(source, asked, name),
        "catch" => caught(source, asked, name),
        "run" => thread(source, asked, name, false),
        "exit" => thread(source, asked, name, true),
        other => Err(LogicError::NotThis {
            given: other.to_owned(),
            expected: "a question: line, call, set, create, catch, run or exit".to_owned(),
        }),
    }
}

fn line(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    let place = Place::parse(name)?;
    let passes = executed(source, &place, asked)?;
    let mut answer = Answer { yes: Some(!passes.is_empty()), ..Answer::default() };
    for ((file, line), passes) in passes {
        let first = source.event_before(passes.first.0, passes.first.1)?;
        let last = source.event_before(passes.last.0, passes.last.1)?;
        let what = format!("{file}:{line}");
        answer.rows.push(AnswerRow::Count { what, count: passes.count, first, last });
    }
    ways(source, asked, &place, &mut answer)?;
    if answer.yes == Some(false) {
        answer.notes.push(no_line(source, &place));
    }
    Ok(answer)
}

/// Adds the ways that conditions on a line took.
fn ways(source: &mut Source, asked: &Asked, place: &Place, answer: &mut Answer) -> Result<(), LogicError> {
    let part = Part::of(source, asked)?;
    let calls = &mut source.recording.calls;
    let mut of_sites: BTreeMap<u32, u16> = BTreeMap::new();
    for site in calls.sites.all() {
        let (Traced::Branch(_), Some(to)) = (site.what, site.to) else { continue };
        let Some(method) = calls.sites.method(site.method) else { continue };
        if place.line.is_some() && site.line == place.line && place.is_of(&source_file(method)) {
            of_sites.insert(site.id, to);
        }
    }
    let mut counts: BTreeMap<u16, u64> = of_sites.values().map(|to| (*to, 0)).collect();
    let index = source.log.index().clone();
    for number in (0..index.blocks()).filter(|_| !of_sites.is_empty()) {
        let Some(block) = index.events(number).filter(|block| part.has_thread(calls, block.thread)) else {
            continue;
        };
        calls.walk_block(block, &mut |_, step| {
            if let BlockStep::Event(seen) = step
                && let Some(to) = of_sites.get(&seen.site.id)
                && part.has_time(seen.when())
            {
                *counts.entry(*to).or_default() += 1;
            }
            ControlFlow::Continue(())
        })?;
    }
    for (to, count) in counts {
        let what = format!("went on at line {to}");
        answer.rows.push(AnswerRow::Count { what, count, first: None, last: None });
    }
    Ok(())
}

/// Why a line was not executed, as far as the recording tells.
fn no_line(source: &Source, place: &Place) -> String {
    let calls = &source.recording.calls;
    let in_file = |site: &&crate::trace::Site| {
        calls.sites.method(site.method).is_some_and(|method| place.is_of(&source_file(method)))
    };
    let lines: Vec<u16> = calls.sites.all().filter(in_file).filter_map(|site| site.line).collect();
    let Some(wanted) = place.line.filter(|_| !lines.is_empty()) else {
        return format!("not recorded: {}", not_in_scope(source, "no class of this source file"));
    };
    if lines.contains(&wanted) {
        return format!("not executed{}", unless_lost(source));
    }
    let nearest = lines.iter().min_by_key(|line| line.abs_diff(wanted));
    let nearest = nearest.map(|line| format!("; the nearest line with code is {line}")).unwrap_or_default();
    format!("line {wanted} has no code in the classes that were loaded{nearest}")
}

fn called(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    let pattern = match of_method(asked.pattern(&[Kind::MethodCall]), name, source) {
        Ok(pattern) => pattern,
        Err(error @ LogicError::NoSuchMethod { .. }) => {
            let note = format!("not recorded: {error}; {}", not_in_scope(source, "no class with it"));
            return Ok(Answer { yes: Some(false), notes: vec![note], ..Answer::default() });
        }
        Err(error) => return Err(error),
    };
    first(source, super::calls::with_arguments(pattern, asked), |_, _| Ok(true))
}

fn set(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    needs_writes(source)?;
    let (owner, field) = name.rsplit_once('.').unwrap_or(("", name));
    let mut pattern = Pattern {
        name: Some(field.to_owned()),
        value: asked.word(2).map(Wanted::parse),
        ..asked.pattern(&[Kind::SetField])
    };
    if owner.contains('@') {
        let object = super::names::object(owner, &source.recording.calls)?;
        let number = Some(source.recording.calls.objects.number(object));
        pattern.owner = Owner::Object { class: None, number };
    } else if !owner.is_empty() {
        pattern.declared_by = Some(owner.to_owned());
    }
    let mut answer = first(source, pattern, |_, _| Ok(true))?;
    let sites = &source.recording.calls.sites;
    let is_of_class = |class: &str| owner.is_empty() || owner.contains('@') || class_fits(class, owner);
    let is_declared = sites.all().any(|site| {
        let written = site.written.as_ref();
        let written = written.filter(|written| written.name == field && !written.class.is_empty());
        written.is_some_and(|written| is_of_class(&sites.declares(written)))
    });
    if answer.yes == Some(false) && !is_declared {
        let why =
            not_in_scope(source, "no recorded method has code that writes such a field: no class with it");
        answer.notes = vec![format!("not recorded: {why}")];
    }
    Ok(answer)
}

fn created(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    let objects = &source.recording.calls.objects;
    let is_seen = objects.all().any(|(_, class)| class_fits(&java_name(class), name));
    let pattern = of_method(asked.pattern(&[Kind::MethodCall]), &format!("{name}.<init>"), source);
    match pattern {
        Ok(pattern) => {
            let (wanted, mut subclass) = (name.to_owned(), None);
            let pattern = super::calls::with_arguments(pattern, asked);
            // The constructor of a superclass runs for an instance of a subclass too.
            let mut answer = first(source, pattern, |source, found| {
                let Some(class) = class_of(source, found) else { return Ok(true) };
                let is_it = class_fits(&class, &wanted);
                if !is_it {
                    subclass.get_or_insert(class);
                }
                Ok(is_it)
            })?;
            if let Some(class) = subclass.filter(|_| answer.yes == Some(false)) {
                let class = crate::trace::shown_class(&class);
                answer.notes.push(format!("instances of subclasses were created, such as {class}"));
            }
            Ok(answer)
        }
        Err(_) if is_seen => {
            let note = "an instance was seen; its constructor was not recorded".to_owned();
            Ok(Answer { yes: Some(true), notes: vec![note], ..Answer::default() })
        }
        Err(_) => {
            let note = format!("not recorded: {}", not_in_scope(source, "no constructor of the class"));
            Ok(Answer { yes: Some(false), notes: vec![note], ..Answer::default() })
        }
    }
}

/// The class of the first value of an event, the receiver or the exception.
fn class_of(source: &Source, found: &Found) -> Option<String> {
    let Some(Value::Object(object)) = found.block.values(&found.event).first() else { return None };
    source.recording.calls.objects.class(*object).map(|class| class.to_string())
}

fn caught(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    // A `catch` clause catches subclasses too.
    let (mut wanted, mut is_unknown) = (Subtypes::of(name), false);
    let mut answer = first(source, asked.pattern(&[Kind::Exception]), |source, found| {
        if !class_of(source, found).is_some_and(|of| wanted.include(source, &of)) {
            return Ok(false);
        }
        let exception = match found.block.values(&found.event).first() {
            Some(Value::Object(exception)) => *exception,
            _ => 0,
        };
        let (calls, log) = source.parts();
        let caught = log.caught(calls, found.block.thread, &found.event, exception)?;
        is_unknown |= caught == Caught::Elsewhere;
        Ok(matches!(caught, Caught::At(..)))
    })?;
    if answer.yes == Some(false) && is_unknown {
        let note =
            "not recorded: such an exception left the recorded code, which may have caught it elsewhere";
        answer.notes = vec![note.to_owned()];
    }
    answer.notes.extend(wanted.note().filter(|_| answer.yes == Some(false)));
    Ok(answer)
}

fn thread(source: &mut Source, asked: &Asked, name: &str, exited: bool) -> Result<Answer, LogicError> {
    let calls = &source.recording.calls;
    let of_name: Vec<u32> =
        calls.sites.threads.keys().copied().filter(|thread| calls.is_named(*thread, name)).collect();
    if of_name.is_empty() {
        let there: Vec<String> = calls.threads().into_iter().map(|(_, name, _)| name).collect();
        let note = format!("not recorded: no thread has this name; there are {}", there.join(", "));
        return Ok(Answer { yes: Some(false), notes: vec![note], ..Answer::default() });
    }
    // Several threads can have the name.
    let mut events = Vec::new();
    let pattern = asked.pattern(&[Kind::ThreadStart, Kind::ThreadDeath]);
    let mut candidates = Candidates::of(
        Pattern { ids: 0..pattern.ids.end, thread: Some(name.to_owned()), ..pattern },
        source,
    )?;
    while let Some(found) = candidates.next(source)? {
        events.push(found);
    }
    let of_kind = |kind: Kind| events.iter().filter(move |found| found.event.kind == kind);
    let (started, ended) = (of_kind(Kind::ThreadStart).count(), of_kind(Kind::ThreadDeath).count());
    let runs = started > ended;
    let has_exited = started > 0 && !runs;
    let shown = of_kind(if has_exited { Kind::ThreadDeath } else { Kind::ThreadStart }).next_back().cloned();
    let mut answer = Answer { yes: Some(if exited { has_exited } else { runs }), ..Answer::default() };
    if let Some(found) = shown {
        answer.rows.push(AnswerRow::Event(source.row(&found)?));
    }
    if started == 0 {
        answer.notes.push("it had not started at that event".to_owned());
    } else if runs {
        let when = if asked.to.is_some() { "at that event" } else { "when the recording ended" };
        answer.notes.push(format!("it had not exited {when}"));
    }
    Ok(answer)
}

/// *Yes* with the first event that fits, or *no*.
fn first(
    source: &mut Source,
    pattern: Pattern,
    mut is_wanted: impl FnMut(&mut Source, &Found) -> Result<bool, LogicError>,
) -> Result<Answer, LogicError> {
    let mut candidates = Candidates::of(pattern, source)?;
    let plan = vec![candidates.access().to_string()];
    while let Some(found) = candidates.next(source)? {
        if is_wanted(source, &found)? {
            let row = source.row(&found)?;
            return Ok(Answer { yes: Some(true), plan, ..Answer::of_events(vec![row]) });
        }
    }
    let note = format!("not executed{}", unless_lost(source));
    Ok(Answer { yes: Some(false), notes: vec![note], plan, ..Answer::default() })
}

/// What *not recorded* can mean here.
fn not_in_scope(source: &Source, what: &str) -> String {
    let about = &source.recording.about;
    let scope = match about.scope.is_empty() {
        true => "was loaded".to_owned(),
        false => format!("was loaded in the scope {}", about.scope.join(", ")),
    };
    let part = if about.is_whole().is_err() { ", and only a part of the run was recorded" } else { "" };
    format!("{what} {scope}{part}")
}

/// Restricts *not executed* where events are missing.
fn unless_lost(source: &Source) -> String {
    let about = &source.recording.about;
    let missing = source.recording.missing();
    let level = about.level;
    match (about.is_whole().is_err(), missing.first()) {
        (true, _) => " in the part of the run that was recorded".to_owned(),
        (false, Some(why)) => format!(", as far as was recorded: {why}"),
        (false, None) if level < Level::Writes => format!(" (recorded at level {level})"),
        (false, None) => String::new(),
    }
}
