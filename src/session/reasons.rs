//! Why a point was not located, in words that say what to do next (DESIGN §5.20).

use super::assemble::Assembly;
use crate::locate::{Located, PointReport, Unlocated};
use crate::model::Value;
use crate::query::{Constraint, Event, Field, PointIndex, TraceQuery};
use crate::run::{Ended, QueryReport};
use std::sync::Arc;

/// Which writes raise no watch event (DESIGN §5.2).
pub const MISSED_WRITES: &str = "Writes by reflection, Unsafe, VarHandle, MethodHandle setters, field updaters, \
                                 deserialisation and native code raise no event";

/// The value that a later point sees of what this one changed.
pub fn value_seen<'l>(
    query: &TraceQuery,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<&'l Value> {
    let (point, slot) = query.compare_at?;
    located(point)?.occurrence.kept.get(slot)
}

/// Why a point was not located.
pub fn unlocated<'l>(
    assembly: &Assembly<'_>,
    index: PointIndex,
    query: Option<&TraceQuery>,
    report: Option<&PointReport>,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> String {
    let is_pending = assembly.round.translation.pending.iter().any(|(p, _)| *p == index);
    let (Some(query), Some(report), false) = (query, report, is_pending) else {
        return pending(assembly, index);
    };
    let ended = ending(&assembly.round.outcome.ended);
    let run = &assembly.round.outcome.report;
    let text = match report.outcome.err() {
        Some(Unlocated::EffectNotLocated(point)) => {
            return format!("{}, which it is asked from, was not located", assembly.id(point));
        }
        Some(Unlocated::NeverOccurred) | None => {
            let empty = QueryReport::default();
            never(assembly, query, run.queries.get(&index.0).unwrap_or(&empty), located)
        }
        Some(Unlocated::NotYet) => "the run ended before it could be decided".to_owned(),
        Some(Unlocated::AllRejected) => {
            let reasons = report
                .rejected
                .iter()
                .map(|(reason, n)| format!("{n} {}", reason.describe(|p| assembly.id(p))));
            let reasons: Vec<String> = reasons.collect();
            let rejected = format!("none of its {} occurrences fits: {}", report.hits, reasons.join(", "));
            let meaning = match &query.event {
                Event::Branched(_) => {
                    Some("no condition led there: it is reached from the entries of its methods".to_owned())
                }
                _ => change_missing(assembly, query, located),
            };
            match meaning {
                Some(text) => format!("{text} ({rejected})"),
                None => rejected,
            }
        }
        Some(Unlocated::IndexOutOfRange { instances }) => {
            format!("it occurred {instances} times, which is not enough for index {}", report.index)
        }
    };
    format!("{text}{ended}")
}

/// Why a point was not asked yet.
pub fn pending(assembly: &Assembly<'_>, index: PointIndex) -> String {
    let need = assembly.round.translation.pending.iter().find(|(p, _)| *p == index);
    match need {
        Some((_, need @ crate::chain::Need::Nothing { .. })) => need.to_string(),
        Some((_, need)) => {
            let effect = assembly.id(need.point());
            if assembly.round.locator.located(need.point()).is_some() {
                format!("it needs {need}, which costs another run: allow more with --max-runs")
            } else {
                format!("it needs {need}, and {effect} was not located")
            }
        }
        None => "it was never asked".to_owned(),
    }
}

fn ending(ended: &Ended) -> String {
    match ended {
        Ended::Stopped | Ended::Exited(Some(0)) => String::new(),
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

/// A change that no write was seen for.
fn change_missing<'l>(
    assembly: &Assembly<'_>,
    query: &TraceQuery,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> Option<String> {
    let Event::Written(field) = &query.event else { return None };
    if is_constant(assembly, field) {
        return Some(format!(
            "{}.{} is a constant: the class file holds its value and no code writes it",
            field.class, field.name
        ));
    }
    let (effect, _) = query.compare_at?;
    let base = "no write was seen since the class was prepared; it has its default value".to_owned();
    let seen = value_seen(query, located)?;
    if is_default(seen) {
        return Some(base);
    }
    let tables = &assembly.round.outcome.tables;
    let text = crate::model::Namer::default().text(seen, tables);
    let id = assembly.id(effect);
    Some(format!("a write was missed: no write was seen, yet its value at {id} is {text}. {MISSED_WRITES}"))
}

fn is_constant(assembly: &Assembly<'_>, field: &Field) -> bool {
    let Ok(Some(class)) = assembly.round.pool.find(&field.class) else { return false };
    let declared = class.file.fields.iter().find(|f| f.name == *field.name);
    field.is_static && declared.is_some_and(|f| f.has_constant_value)
}

fn is_default(value: &Value) -> bool {
    match value {
        Value::Null | Value::Boolean(false) => true,
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

fn never<'l>(
    assembly: &Assembly<'_>,
    query: &TraceQuery,
    run: &QueryReport,
    located: &dyn Fn(PointIndex) -> Option<&'l Located>,
) -> String {
    if run.events > 0 {
        return conditions(query, run);
    }
    let classes = &assembly.round.outcome.report.classes;
    let watched = watched_classes(&query.event);
    let refused: Vec<&String> =
        watched.iter().filter_map(|c| classes.get(c)).flat_map(|c| &c.refused).collect();
    if let Some(reason) = refused.first() {
        return (*reason).clone();
    }
    let unseen: Vec<String> = watched
        .iter()
        .filter(|c| classes.get(*c).is_none_or(|c| c.prepared == 0))
        .map(ToString::to_string)
        .collect();
    if !watched.is_empty() && unseen.len() == watched.len() {
        let effect = query.constraints.iter().find_map(|c| match c {
            Constraint::Before(p) => Some(assembly.id(*p)),
            _ => None,
        });
        let unseen = unseen.join(", ");
        return match effect {
            Some(id) => format!("class {unseen} was not loaded before {id}"),
            None => format!("class {unseen} was never loaded in this run"),
        };
    }
    if let Some(text) = change_missing(assembly, query, located) {
        return text;
    }
    match &query.event {
        Event::Reached(passes) => {
            let methods: Vec<String> = passes.iter().map(|p| p.method.to_string()).collect();
            format!("{} was never reached there", unique(methods).join(", "))
        }
        Event::Returned(methods) => {
            let methods: Vec<String> = methods.iter().map(ToString::to_string).collect();
            format!("{} never returned normally; an exceptional exit is an Exception point", methods.join(", "))
        }
        Event::Written(field) => format!("{}.{} was never written", field.class, field.name),
        Event::Read(field) => format!("{}.{} was never read", field.class, field.name),
        Event::Thrown { class, .. } => {
            format!("no {} was thrown", class.as_deref().unwrap_or("exception"))
        }
        Event::Skipped(_) => "no exception bypassed the line".to_owned(),
        Event::Stored(_) => "the variable was never assigned".to_owned(),
        Event::Branched(branches) if branches.is_empty() => {
            "nothing in the methods on its stack decides whether it is reached: it runs whenever its thread does"
                .to_owned()
        }
        Event::Branched(_) => "none of the conditions it depends on was decided before it".to_owned(),
    }
}

fn unique(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

fn conditions(query: &TraceQuery, run: &QueryReport) -> String {
    let mut parts = vec![format!("it occurred {} times", run.events)];
    if run.other_thread > 0 {
        let thread = query.local.thread.as_deref().unwrap_or("?");
        parts.push(format!("{} times in another thread than {thread}", run.other_thread));
    }
    if run.other_caller > 0 {
        let from = query.local.from.as_deref().unwrap_or("?");
        parts.push(format!("{} times without {from} on the stack", run.other_caller));
    }
    if run.condition_false > 0 {
        let samples = if run.samples.is_empty() {
            String::new()
        } else {
            format!(" (for instance {})", run.samples.join("; "))
        };
        parts.push(format!("its condition was false {} times{samples}", run.condition_false));
    }
    if let Some(failure) = &run.failure {
        parts.push(format!("its condition could not be evaluated {} times: {failure}", run.condition_failed));
    }
    parts.join(", ")
}

fn watched_classes(event: &Event) -> Vec<Arc<str>> {
    let mut classes: Vec<Arc<str>> = match event {
        Event::Reached(passes) => passes.iter().map(|p| p.method.class.clone()).collect(),
        Event::Returned(methods) => methods.iter().map(|m| m.class.clone()).collect(),
        Event::Written(field) | Event::Read(field) => vec![field.class.clone()],
        Event::Thrown { class, .. } => class.iter().cloned().collect(),
        Event::Skipped(lines) => lines.iter().map(|l| l.method.class.clone()).collect(),
        Event::Stored(stores) => stores.iter().map(|s| s.site.method.class.clone()).collect(),
        Event::Branched(branches) => branches.iter().map(|b| b.site.method.class.clone()).collect(),
    };
    classes.sort();
    classes.dedup();
    classes
}
