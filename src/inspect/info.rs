//! What a recorded run holds, and what is missing.

use super::recording::Recording;
use super::values::shown;
use crate::trace::{Level, Value};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a recorded run holds.
#[derive(Clone, Debug, Serialize)]
pub struct Holds {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// How much was recorded.
    pub level: Level,
    /// The places between which it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<PlacesHeld>,
    /// How it ended; none while it is recorded, or where that was cut off.
    pub ended: Option<String>,
    /// How long the run took, in seconds.
    pub seconds: Option<f64>,
    /// The threads, with their calls.
    pub threads: Vec<ThreadHolds>,
    /// How many events there are of each kind.
    pub events: BTreeMap<String, u64>,
    /// How many calls.
    pub calls: usize,
    /// How many methods are recorded.
    pub methods: usize,
    /// How many objects were met.
    pub objects: usize,
    /// Bytes of events.
    pub bytes: u64,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// Methods that are recorded at a lower level: with more they would be too long.
    pub lower: Vec<(String, Level)>,
    /// Methods and hidden classes that are not recorded, and why.
    pub left: Vec<(String, String)>,
}

/// Where a recording begins and ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlacesHeld {
    /// None: with the program.
    pub from: Option<String>,
    /// None: with the program.
    pub to: Option<String>,
    /// Those that were not reached.
    pub unreached: Vec<String>,
}

/// A thread of a recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadHolds {
    /// Its name.
    pub name: String,
    /// How many calls it has.
    pub calls: u32,
    /// The call in which it was started, where that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_in: Option<u32>,
    /// Whether it has ended.
    pub ended: bool,
    /// The exception by which it has ended, since nobody caught it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncaught: Option<String>,
}

/// Tells what a recorded run holds.
pub fn holds(trace: &Recording) -> Holds {
    let Recording { about, calls, .. } = trace;
    let recorded = about.recorded.clone();
    let threads = calls.threads().into_iter().map(|(number, name, count)| {
        let end = calls.ends.get(&number);
        let uncaught = end.filter(|end| end.exception != 0);
        let uncaught = uncaught.map(|end| shown(&Value::Object(end.exception), &calls.objects));
        ThreadHolds {
            name,
            calls: count,
            started_in: calls.started_in(number),
            ended: end.is_some(),
            uncaught,
        }
    });
    let threads = threads.collect();
    let lower = calls.sites.methods().iter().filter(|method| method.level < about.level);
    let lower = lower.map(|method| (format!("{}.{}", method.class, method.name), method.level)).collect();
    Holds {
        lower,
        command: about.command.clone(),
        level: about.level,
        places: about.places.as_ref().map(|places| PlacesHeld {
            from: places.from.as_ref().map(ToString::to_string),
            to: places.to.as_ref().map(ToString::to_string),
            unreached: recorded.as_ref().map(|recorded| recorded.unreached.clone()).unwrap_or_default(),
        }),
        ended: recorded.as_ref().map(|recorded| recorded.ended.clone()),
        seconds: recorded.map(|recorded| recorded.seconds),
        threads,
        events: calls.events.clone(),
        calls: calls.count(),
        methods: calls.sites.methods().len(),
        objects: calls.objects.count(),
        bytes: calls.bytes,
        missing: trace.missing(),
        left: calls.sites.left.clone(),
    }
}
