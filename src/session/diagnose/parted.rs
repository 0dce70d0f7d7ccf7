//! Where two recorded runs part: the innermost call that was given the same in both, made calls that are the same, and did something else.

use super::question::{Question, renumbered};
use super::{Buggy, Diagnoser};
use crate::run::Interrupt;
use crate::session::error::SessionError;
use crate::session::progress::Progress;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Where two runs part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parted {
    /// The call in which they do, and its method's place; none where already the first calls of a thread are others.
    #[serde(flatten)]
    pub call: Option<Buggy>,
    /// What it was given and what became of that, here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub here: Option<Box<Question>>,
    /// The same in the other run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub there: Option<Box<Question>>,
    /// What it does otherwise.
    pub differs: Vec<Departure>,
    /// So many calls that were compared do the same.
    pub same: usize,
}

/// Something that is otherwise in the other run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Departure {
    /// What: a call that it makes, its result or exception, or something that it changes.
    pub what: String,
    /// Here.
    pub here: String,
    /// There.
    pub there: String,
}

/// Finds where two runs part; none where all calls do the same.
///
/// # Errors
/// They cannot be read.
pub async fn parted(
    here: &mut Diagnoser,
    there: &mut Diagnoser,
    progress: &mut dyn Progress,
    interrupt: &mut Interrupt,
) -> Result<Option<Parted>, SessionError> {
    let threads = here.trace.calls.threads();
    let others = there.trace.calls.threads();
    let mut same = 0;
    for (number, name, _) in &threads {
        let nth = threads.iter().filter(|(of, other, _)| of < number && other == name).count();
        let other = others.iter().filter(|(_, other, _)| other == name).nth(nth);
        let ours = here.trace.calls.roots(*number);
        let theirs = other.map_or_else(Vec::new, |(of, ..)| there.trace.calls.roots(*of));
        // The calls that are open, the outermost first: what is around them all has no question.
        let mut open = vec![Pair { of: None, ours, theirs, next: 0 }];
        while let Some(pair) = open.last_mut() {
            let at = pair.next;
            pair.next += 1;
            let (one, other) = (pair.ours.get(at).copied(), pair.theirs.get(at).copied());
            if one.is_none() && other.is_none() {
                // All that it has made do the same.
                match open.pop().and_then(|pair| pair.of) {
                    Some(of) if told(&of.0) != told(&of.1) => {
                        return Ok(Some(found(here, Some(*of), None, same)));
                    }
                    Some(_) => same += 1,
                    None => {}
                }
                continue;
            }
            let one = match one {
                Some(node) => Some(here.question(node, progress, interrupt).await?),
                None => None,
            };
            let other = match other {
                Some(node) => Some(there.question(node, progress, interrupt).await?),
                None => None,
            };
            match (one, other) {
                (Some(one), Some(other)) if is_given_the_same(&one, &other) => {
                    let ours = here.trace.calls.children(here.trace.calls.own(one.node));
                    let theirs = there.trace.calls.children(there.trace.calls.own(other.node));
                    open.push(Pair { of: Some(Box::new((one, other))), ours, theirs, next: 0 });
                }
                (one, other) => {
                    let what = format!("its call {}", at + 1);
                    let first = Departure { what, here: call(one.as_ref()), there: call(other.as_ref()) };
                    let around = open.pop().and_then(|pair| pair.of);
                    return Ok(Some(found(here, around.map(|around| *around), Some(first), same)));
                }
            }
            if interrupt.is_set() {
                return Err(SessionError::Interrupted);
            }
        }
    }
    Ok(None)
}

/// A call in both runs, with those that it has made there, and which of these comes next.
struct Pair {
    of: Option<Box<(Question, Question)>>,
    ours: Vec<u32>,
    theirs: Vec<u32>,
    next: usize,
}

fn found(
    here: &Diagnoser,
    around: Option<(Question, Question)>,
    first: Option<Departure>,
    same: usize,
) -> Parted {
    let Some((one, other)) = around else {
        return Parted { call: None, here: None, there: None, differs: first.into_iter().collect(), same };
    };
    let mut differs: Vec<Departure> = first.into_iter().collect();
    let (ours, theirs) = (outcomes(&one), outcomes(&other));
    let nothing = || "as it was".to_owned();
    for (what, value) in &ours {
        let there = theirs.iter().find(|(other, _)| other == what).map(|(_, value)| value.clone());
        if there.as_ref() != Some(value) {
            differs.push(Departure {
                what: what.clone(),
                here: value.clone(),
                there: there.unwrap_or_else(nothing),
            });
        }
    }
    for (what, value) in theirs {
        if ours.iter().all(|(other, _)| *other != what) {
            differs.push(Departure { what, here: nothing(), there: value });
        }
    }
    let call = here.buggy(here.trace.calls.own(one.node));
    Parted { call: Some(call), here: Some(Box::new(one)), there: Some(Box::new(other)), differs, same }
}

/// A call as one is told of it.
fn call(question: Option<&Question>) -> String {
    let Some(question) = question else { return "none".to_owned() };
    let given: Vec<String> =
        question.entry.iter().map(|(name, shape)| format!("{name} = {}", shape.text(1))).collect();
    format!("#{} {}.{}({})", question.node, question.class, question.method, given.join(", "))
}

/// What became of what a call was given.
fn outcomes(question: &Question) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> =
        question.changed.iter().map(|change| (change.path.clone(), change.new.text(1))).collect();
    found.extend(question.result.iter().map(|result| ("its result".to_owned(), result.text(1))));
    found.extend(question.exception.iter().map(|thrown| ("its exception".to_owned(), thrown.text(1))));
    found
}

fn is_given_the_same(one: &Question, other: &Question) -> bool {
    let given = |question: &Question| {
        let given = json!({ "method": question.full_method(), "entry": question.entry });
        renumbered(given, &mut HashMap::new())
    };
    given(one) == given(other)
}

/// What a call was given and what became of that, but for its own variables, with objects numbered as they come.
fn told(question: &Question) -> Value {
    let exit: HashMap<_, _> =
        question.exit.iter().filter(|(name, _)| question.entry.contains_key(*name)).collect();
    let refers = |(name, shape): (&String, &super::Shape)| -> Option<Value> {
        let value = serde_json::to_value(shape).ok()?;
        value.get("object").is_some().then(|| json!([name, value]))
    };
    let objects: Vec<Value> =
        question.entry.keys().filter_map(|name| refers((name, exit.get(name)?))).collect();
    let told = json!({
        "entry": question.entry, "exit": objects, "changed": question.changed,
        "result": question.result, "exception": question.exception,
    });
    renumbered(told, &mut HashMap::new())
}
