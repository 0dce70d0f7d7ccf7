//! Questions about statements, with the answer *yes* or *no* (JavaTA §4.2, *Query about Statement
//! Execution*). *No* says whether something did not happen, or was not recorded.

use super::asked::{Asked, Choice, Query, Word};
use super::lines::{Part, Place, executed};
use super::members::{constructors, created_by, of_field, of_method};
use super::object::needs_writes;
use super::subtypes::Subtypes;
use crate::answer::{Answer, AnswerRow};
use crate::error::LogicError;
use crate::log::{Caught, Kind};
use crate::names::java_name;
use crate::search::{Candidates, Found, Pattern, Source, Wanted};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use trace::{BlockStep, Level, Traced, Value, class_fits, shown_class};

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
        if place.line.is_some() && site.line == place.line && place.is_of(method) {
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
    let in_file =
        |site: &&trace::Site| calls.sites.method(site.method).is_some_and(|method| place.is_of(method));
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
    let meant = match of_method(asked.pattern(&[Kind::MethodCall]), name, source) {
        Ok(meant) => meant,
        Err(error) => return no_member(source, error),
    };
    let mut answer = first(source, super::calls::with_arguments(meant.pattern, asked), |_, _| Ok(true))?;
    answer.notes.extend(meant.notes);
    Ok(answer)
}

/// *No*, if the error is that no recorded class has the member.
fn no_member(source: &Source, error: LogicError) -> Result<Answer, LogicError> {
    match error {
        LogicError::NoSuchMethod { .. } | LogicError::NoSuchField { .. } => {
            let note = format!("not recorded: {error}; {}", not_in_scope(source, "no class with it"));
            Ok(Answer { yes: Some(false), notes: vec![note], ..Answer::default() })
        }
        error => Err(error),
    }
}

fn set(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    needs_writes(source)?;
    let (owner, field) = name.rsplit_once('.').unwrap_or(("", name));
    let pattern = Pattern { value: asked.word(2).map(Wanted::parse), ..asked.pattern(&[Kind::SetField]) };
    let pattern = match of_field(pattern, owner, field, source) {
        Ok(pattern) => pattern,
        Err(error) => return no_member(source, error),
    };
    let class = pattern.declared_by.clone().unwrap_or_default();
    let mut answer = first(source, pattern, |_, _| Ok(true))?;
    let sites = &source.recording.calls.sites;
    let owners = sites.field_owners(&class, field);
    let is_written = sites.all().filter_map(|site| site.written.as_ref()).any(|written| {
        written.name == field && !written.class.is_empty() && owners.include(&sites.declares(written))
    });
    if answer.yes == Some(false) && !is_written {
        answer.notes.push("no recorded method has code that writes this field".to_owned());
    }
    Ok(answer)
}

fn created(source: &mut Source, asked: &Asked, name: &str) -> Result<Answer, LogicError> {
    let (pattern, mut subtypes) = constructors(asked.pattern(&[Kind::MethodCall]), name, source);
    let is_recorded = pattern.methods.as_ref().is_some_and(|methods| !methods.is_empty());
    // As `instanceof` says, instances of subclasses are instances. One of the class itself is shown first.
    let mut of_subtype = None;
    let mut answer = first(source, super::calls::with_arguments(pattern, asked), |source, found| {
        let Some(class) = created_by(source, found)? else { return Ok(false) };
        let is_it = class_fits(&class, name);
        if !is_it && of_subtype.is_none() {
            of_subtype = Some((class, found.clone()));
        }
        Ok(is_it)
    })?;
    if answer.yes == Some(true) {
        return Ok(answer);
    }
    if let Some((class, found)) = of_subtype {
        let row = source.row(&found)?;
        let note = format!("it is an instance of {}, a subtype of {name}", shown_class(&class));
        let answer = Answer { plan: answer.plan, ..Answer::of_events(vec![row]) };
        return Ok(Answer { yes: Some(true), notes: vec![note], ..answer });
    }
    let seen = source.recording.calls.objects.all().map(|(_, class)| class.to_string());
    let seen: BTreeSet<String> = seen.filter(|_| !is_recorded).collect();
    if seen.iter().any(|class| subtypes.include(source, &java_name(class))) {
        let note = "an instance was seen; its constructor was not recorded".to_owned();
        return Ok(Answer { yes: Some(true), notes: vec![note], ..Answer::default() });
    }
    let is_known = source.recording.calls.sites.classes().any(|(class, _)| class_fits(class, name));
    if !is_recorded && !is_known {
        answer.notes = vec![format!("not recorded: {}", not_in_scope(source, "no constructor of the class"))];
    }
    answer.notes.extend(subtypes.note());
    Ok(answer)
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
        answer.rows.push(AnswerRow::Event(Box::new(source.row(&found)?)));
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
        true => "was recorded".to_owned(),
        false => format!("was recorded in the scope {}", about.scope.join(", ")),
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
