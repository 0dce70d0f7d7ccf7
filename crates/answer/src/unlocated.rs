//! Explains why a point was not located, and says what to do next (DESIGN §5.20).

use super::answer_facts::AnswerFacts;
use super::false_conditions::{conditions, times};
use super::missed_events::{left_out, missable, missed_writes, unmade, without_constructor};
use super::near_miss::NearMiss;
use crate::facts::Astray;
use chain::Need;
use locate::{Located, PointReport, Unlocated};
use model::{CollectionState, LastHit, Namer, Occurrence, Value};
use query::{Aspect, Constraint, Contents, Event, Key, PointIndex, QueryReport, Slot, TraceQuery};
use run::Ended;

/// The value that the later point observes of what this query's point changed.
pub fn value_seen<'l>(
    query: &TraceQuery,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<&'l Value> {
    let (point, slot) = query.compare_at?;
    let occurrence = &located(point)?.occurrence;
    match &query.event {
        Event::Changed(_) => sight(occurrence, query.point).map(|sight| &sight.value),
        _ => occurrence.kept.get(slot),
    }
}

/// The state of the queried collection that an occurrence observed.
fn sight(occurrence: &Occurrence, point: PointIndex) -> Option<&CollectionState> {
    occurrence.detail.as_ref()?.sights.iter().find(|sight| sight.query == point.0)
}

/// Notes that the key or index came from an earlier run and differs in this one.
fn other_key<'l>(query: &TraceQuery, located: &dyn Fn(PointIndex) -> Option<&'l Located>) -> Option<String> {
    let Event::Changed(Contents { aspect, source: Some((point, slot)), .. }) = &query.event else {
        return None;
    };
    let asked = match aspect {
        Aspect::All => return None,
        Aspect::Element(index) => Key::Boxed('I', (*index).into()),
        Aspect::Key(key) => key.clone(),
    };
    let seen = located(*point)?.occurrence.kept.get(*slot).and_then(Key::of);
    (seen.as_ref() != Some(&asked)).then(|| {
        let seen = seen.map_or_else(|| "another".to_owned(), |seen| seen.to_string());
        format!(
            "an earlier run gave {asked}, but in this run it is {seen}: allow more runs with `--max-runs`"
        )
    })
}

/// Whether the collection's contents are unchanged since the change, as far as both states are known.
pub fn holds_the_same<'l>(
    query: &TraceQuery,
    change: &Occurrence,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> bool {
    let seen = query.compare_at.and_then(|(point, _)| sight(&located(point)?.occurrence, query.point));
    match (sight(change, query.point), seen) {
        (Some(then), Some(seen)) => then.print == seen.print,
        _ => true,
    }
}

/// Explains why a point was not located.
pub fn unlocated<'l>(
    facts: &AnswerFacts<'_>,
    index: PointIndex,
    query: Option<&TraceQuery>,
    report: Option<&PointReport>,
    namer: &mut Namer,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> String {
    let is_pending = facts.run_facts.translation.pending.iter().any(|(p, _)| *p == index);
    let (Some(query), Some(report), false) = (query, report, is_pending) else {
        return pending(facts, index);
    };
    if let Some(astray) = facts.run_facts.astray.get(&index) {
        return astray_because(facts, query, astray, located);
    }
    let miss = NearMiss { facts, query };
    let run = &facts.run_facts.outcome.report;
    let text = match report.outcome.err() {
        Some(Unlocated::EffectNotLocated(point)) => {
            return format!("{}, on which it depends, was not located", facts.id(point));
        }
        Some(Unlocated::NeverOccurred) | None => {
            let empty = QueryReport::default();
            near_miss(facts, query, run.queries.get(&index.0).unwrap_or(&empty), namer, located)
        }
        Some(Unlocated::NotYet) => "the run ended before its answer was certain".to_owned(),
        Some(Unlocated::AllRejected) => {
            let rejected = rejected(facts, report);
            let meaning = match &query.event {
                Event::Branched(_) => {
                    Some("no condition led there: it is reached from the entries of its methods".to_owned())
                }
                Event::Made(making) => Some(unmade(making).to_owned()),
                _ => {
                    not_loaded(facts, query, located).or_else(|| change_missing(facts, query, namer, located))
                }
            };
            match meaning {
                Some(text) => format!("{text} ({rejected})"),
                None => rejected,
            }
        }
        Some(Unlocated::IndexOutOfRange { instances }) => {
            format!("it occurred {}, which is not enough for index {}", times(instances), report.index)
        }
    };
    // The reason is not given twice if the text already contains it.
    let repeated = miss.cut().is_some_and(|cut| text.contains(cut));
    let ended = match &facts.run_facts.outcome.ended {
        Ended::Interrupted if repeated => String::new(),
        ended => ending(ended),
    };
    let border = miss.border().map_or_else(String::new, |border| format!("; {border}"));
    format!("{text}{border}{ended}{}", miss.stale())
}

/// Why all occurrences of a point were rejected.
fn rejected(facts: &AnswerFacts<'_>, report: &PointReport) -> String {
    let reasons =
        report.rejected.iter().map(|(reason, n)| format!("{n} {}", reason.describe(|p| facts.id(p))));
    let reasons: Vec<String> = reasons.collect();
    match report.hits {
        1 => format!("its only occurrence does not fit: {}", reasons.join(", ")),
        hits => format!("none of its {hits} occurrences fits: {}", reasons.join(", ")),
    }
}

/// Explains why the located occurrence of a point is not its answer.
fn astray_because<'l>(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    astray: &Astray,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> String {
    match astray {
        Astray::Moved(point) => other_key(query, located).unwrap_or_else(|| {
            format!(
                "{} was at another place in an earlier run, and what leads to this one was not watched: \
                 allow more runs with `--max-runs`",
                facts.id(*point)
            )
        }),
        Astray::Deeper(point) => format!(
            "what leads to {} in its callers was not watched, which costs another run: allow more with \
             `--max-runs`",
            facts.id(*point)
        ),
        Astray::CutOff => {
            format!("not decided: a later hit could be the answer{}", ending(&facts.run_facts.outcome.ended))
        }
        Astray::Follows(point) => format!("{}, on which it depends, was not located", facts.id(*point)),
        Astray::Last(LastHit::At(last)) => {
            let book = facts.code_book();
            format!(
                "its last hit was {}, where the run did not stop; the next run stops there",
                book.hit(last)
            )
        }
        Astray::Last(LastHit::Never | LastHit::Flow(_)) => "its last hit was not kept; run again".to_owned(),
        Astray::Last(LastHit::Unknown(why)) => format!("its last hit is unknown: {why}; run again"),
    }
}

/// Explains why a point was not queried yet.
pub fn pending(facts: &AnswerFacts<'_>, index: PointIndex) -> String {
    let need = facts.run_facts.translation.pending.iter().find(|(p, _)| *p == index);
    match need {
        Some((_, need @ Need::Nothing { .. })) => need.to_string(),
        Some((_, need)) => {
            let effect = facts.id(need.point());
            if let Some(text) = is_null(facts, need) {
                format!("`{text}` is null at {effect}")
            } else if facts.run_facts.locator.located(need.point()).is_some() {
                format!("it needs {need}, which costs another run: allow more with --max-runs")
            } else {
                format!("it needs {need}, and {effect} was not located")
            }
        }
        None => match facts.chain.points.get(usize::from(index.0)) {
            Some(point) if point.at.is_of_recording() => {
                "`omitted` asks it, of a recording of the run".to_owned()
            }
            _ => "it was never asked".to_owned(),
        },
    }
}

/// The expression whose class is needed, if its value is null.
fn is_null<'n>(facts: &AnswerFacts<'_>, need: &'n Need) -> Option<&'n str> {
    let Need::ClassOf { point, frame, expr, .. } = need else { return None };
    let keep = &facts.run_facts.queries.iter().find(|q| q.point == *point)?.keep;
    let place = keep.iter().position(|k| k.frame == *frame && k.expr.text() == &**expr)?;
    let value = facts.run_facts.locator.located(*point)?.occurrence.kept.get(place)?;
    (*value == Value::Null).then_some(&**expr)
}

fn ending(ended: &Ended) -> String {
    match ended {
        Ended::Stopped | Ended::Exited(Some(0)) => String::new(),
        Ended::Recorded { how, .. } => format!(" (how the recorded run ended: {how})"),
        Ended::Driven => " (`drive` had finished, and the program was asked to end)".to_owned(),
        Ended::Exited(Some(code)) => format!(" (the program ended with exit code {code})"),
        Ended::Exited(None) => " (the program ended)".to_owned(),
        Ended::Killed(signal) => format!(" (the program was killed by signal {signal})"),
        Ended::TimedOut(limit) => {
            format!(" (the run was ended after {} s: raise `timeout_s` or --timeout)", limit.as_secs())
        }
        Ended::Interrupted => " (the run was interrupted)".to_owned(),
        Ended::Lost(why) => format!(" (the connection was lost: {why})"),
    }
}

/// States that a static field's class was not loaded when the effect was located.
fn not_loaded<'l>(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<String> {
    let (Event::Written(field) | Event::Read(field)) = &query.event else { return None };
    let class = query.constraints.iter().find_map(|constraint| match constraint {
        Constraint::Sameness { mine: Slot::Owner, point, theirs: Slot::Kept(slot) } => Some((*point, *slot)),
        _ => None,
    });
    let (effect, slot) = class.filter(|_| field.is_static)?;
    let seen = located(effect)?.occurrence.kept.get(slot)?;
    matches!(seen, Value::Failed(_))
        .then(|| format!("class {} was not loaded before {}", field.class, facts.id(effect)))
}

/// Explains a change for which no write was observed.
fn change_missing<'l>(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    namer: &mut Namer,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<String> {
    let base = match &query.event {
        Event::Written(field) => {
            let book = facts.code_book();
            if field.is_static && book.is_constant(field) {
                return Some(format!(
                    "{}.{} is a constant: the class file holds its value and no code writes it",
                    field.class, field.name
                ));
            }
            "no write was seen since the class was prepared; it has its default value".to_owned()
        }
        Event::Copied(_) => {
            "no write was seen since its class was prepared, or its array made; it has its default value"
                .to_owned()
        }
        Event::ElementWritten(_) => {
            "no write was seen since the array was made; it has its default value".to_owned()
        }
        Event::Changed(_) => "no call that changed it was seen; it has its initial contents".to_owned(),
        _ => return None,
    };
    let (effect, _) = query.compare_at?;
    let seen = value_seen(query, located)?;
    let at = &located(effect)?.occurrence;
    let written = if let Event::Written(field) = &query.event { Some(field) } else { None };
    let unmade = written.and_then(|field| without_constructor(facts, field, at));
    if is_default(seen) {
        let why =
            unmade.map(|text| format!(". {text}")).or_else(|| left_out(facts, written?)).unwrap_or_default();
        return Some(format!("{base}{why}"));
    }
    // It is unknown what the point sees, so nothing was missed as far as known.
    if matches!(seen, Value::Failed(_) | Value::Unassigned) {
        return None;
    }
    let tables = &facts.run_facts.outcome.tables;
    let text = namer.text(seen, tables);
    let (id, what) = (facts.id(effect), missable(&query.event));
    let why = unmade.unwrap_or_else(|| missed_writes(facts, &query.event));
    Some(format!("a {what} was missed: no {what} was seen, yet its value at {id} is {text}. {why}"))
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Absent | Value::Boolean(false) => true,
        Value::Byte(v) => *v == 0,
        Value::Char(v) => *v == 0,
        Value::Short(v) => *v == 0,
        Value::Int(v) => *v == 0,
        Value::Long(v) => *v == 0,
        Value::Float(v) => v.to_bits() == 0,
        Value::Double(v) => v.to_bits() == 0,
        _ => false,
    }
}

fn near_miss<'l>(
    facts: &AnswerFacts<'_>,
    query: &TraceQuery,
    run: &QueryReport,
    namer: &mut Namer,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> String {
    if run.events > 0 {
        return conditions(facts, query, run, namer);
    }
    let near_miss = NearMiss { facts, query };
    let class = near_miss.class().or_else(|| not_loaded(facts, query, located));
    let class = class.or_else(|| change_missing(facts, query, namer, located));
    match class {
        Some(class) => class,
        None => near_miss.event(namer),
    }
}
