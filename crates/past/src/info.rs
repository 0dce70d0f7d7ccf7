//! What a recording contains, and what is missing.

use super::recording::Recording;
use super::values::shown;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trace::{Level, Value};

/// What a recording contains.
#[derive(Clone, Debug, Serialize)]
pub struct RecordingInfo {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The level of recording.
    pub level: Level,
    /// What counts as whose code, if that decided which classes were recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whose_code: Option<String>,
    /// The places between which the run was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub places: Option<RecordedPlaces>,
    /// The recordings of the other VMs of the command.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vms: Vec<PathBuf>,
    /// The jump that went another way than the program says, and how often.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steered: Option<String>,
    /// How the run ended; `None` while it is being recorded, or if the recording was cut off.
    pub ended: Option<String>,
    /// The duration of the run, in seconds.
    pub seconds: Option<f64>,
    /// How often the program's stack overflowed, as far as recorded code met that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overflows: Option<u64>,
    /// The threads, with the number of their calls.
    pub threads: Vec<ThreadInfo>,
    /// Number of events of each kind.
    pub events: BTreeMap<String, u64>,
    /// Number of calls.
    pub calls: usize,
    /// Number of recorded methods.
    pub methods: usize,
    /// Number of objects that the recorder has met.
    pub objects: usize,
    /// Size of the events, in bytes.
    pub bytes: u64,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// Methods recorded at a lower level; at the full level their code would be too long.
    pub lower: Vec<(String, Level)>,
    /// Unrecorded methods and hidden classes, and the reasons.
    pub left: Vec<(String, String)>,
}

/// The places at which a recording begins and ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedPlaces {
    /// Where it begins; `None` for the start of the program.
    pub from: Option<String>,
    /// Where it ends; `None` for the end of the program.
    pub to: Option<String>,
    /// The places that were not reached.
    pub unreached: Vec<String>,
}

/// A thread of a recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ThreadInfo {
    /// Its name.
    pub name: String,
    /// Number of its calls.
    pub calls: u32,
    /// The call in which it was started, if recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_in: Option<u32>,
    /// Whether it has ended.
    pub ended: bool,
    /// The uncaught exception that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncaught: Option<String>,
}

/// Summarises what a recording contains, without the recordings of other VMs.
pub fn holds(trace: &Recording) -> RecordingInfo {
    let Recording { about, calls, .. } = trace;
    let recorded = about.recorded.clone();
    let threads = calls.threads().into_iter().map(|(number, name, count)| {
        let end = calls.ends.get(&number);
        let uncaught = end.filter(|end| end.exception != 0);
        let uncaught = uncaught.map(|end| shown(&Value::Object(end.exception), &calls.objects));
        ThreadInfo {
            name,
            calls: count,
            started_in: calls.started_in(number),
            ended: end.is_some(),
            uncaught,
        }
    });
    let threads = threads.collect();
    let lower = calls.sites.methods().iter().filter(|method| method.level < about.level);
    let lower = lower.map(|method| (method.shown(), method.level)).collect();
    RecordingInfo {
        lower,
        command: about.command.clone(),
        level: about.level,
        whose_code: about.whose_code.clone(),
        places: about.places.as_ref().map(|places| RecordedPlaces {
            from: places.from.as_ref().map(ToString::to_string),
            to: places.to.as_ref().map(ToString::to_string),
            unreached: recorded.as_ref().map(|recorded| recorded.unreached.clone()).unwrap_or_default(),
        }),
        vms: Vec::new(),
        steered: about.steering.as_ref().map(|steering| {
            let counts = recorded.as_ref().and_then(|recorded| recorded.steered).unwrap_or_default();
            format!("{steering}: {} of {} executions", counts.steered, counts.executed)
        }),
        ended: recorded.as_ref().map(|recorded| recorded.ended.clone()),
        overflows: recorded.as_ref().map(|recorded| recorded.overflows).filter(|count| *count > 0),
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
