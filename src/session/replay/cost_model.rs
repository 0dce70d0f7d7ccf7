//! What hits cost, by back end: the constants that forecasts are made of, and how they add up. Pure.
//!
//! Measured with a release build on a machine of two cores, OpenJDK 17 (`cargo bench`, and programs of one
//! hot loop as in `tests/chains/cost.rs`). Another machine differs by a small factor, a busy one by a larger
//! one: trust the ratios.

use super::probe_policy::{Backend, EAGER};
use crate::query::{Event, TraceQuery};
use crate::run::Gate;
use serde::Serialize;

/// An interruption over JDWP whose frames and values are read: 3,600 in a second.
const JDWP_HIT_S: f64 = 280e-6;
/// The second one of a store or a branch, where the next instruction tells what was stored or which way was
/// taken.
const JDWP_SECOND_S: f64 = 280e-6;
/// One that only tells that a method is entered.
const JDWP_ENTRY_S: f64 = 160e-6;
/// While any field is watched over JDWP, code that computes is slower by this factor at least: 50 to 280 on
/// parsers.
const JDWP_FIELD_WATCH: f64 = 50.0;
/// So much of a run the VM starts, compiles, and runs code that never is fast: a watch does not make that
/// slower.
const START_UP_S: f64 = 0.5;
/// A hit that a probe stops at and that is read over JDWP: through the recorder's frames.
const PROBE_STOP_S: f64 = 700e-6;
/// A hit that a probe counts, and keeps where it may be the last.
const PROBE_COUNT_S: f64 = 2e-9;

/// What it costs besides to log one, where the way of a value is asked for.
const PROBE_LOG_S: f64 = 20e-9;

/// How long something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Forecast {
    /// In seconds.
    pub seconds: f64,
    /// Whether it may be much longer, since not all that costs is known.
    pub at_least: bool,
}

/// The program when nothing is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// How long it takes, in seconds.
    pub seconds: f64,
    /// How much of that it computes, as far as that is known: what waits is not slowed.
    pub busy_s: f64,
}

/// What was counted of one point, and how it is asked.
pub struct Counts<'a> {
    /// What it asks.
    pub query: &'a TraceQuery,
    /// Which of its hits a run by probes stops at.
    pub gate: &'a Gate,
    /// How often its event interrupts; more than its hits where the end of a pass is watched for.
    pub interruptions: u64,
    /// Whether there are more that were not counted.
    pub at_least: bool,
}

/// What a point adds to the time of the program; none where the back end cannot
/// answer it.
pub fn of_point(counts: &Counts<'_>, backend: Backend, program: Program) -> Option<Forecast> {
    let hits = number(counts.interruptions);
    let at_least = counts.at_least;
    if backend == Backend::Probe {
        let stops = match counts.gate.budget() {
            Some(budget) => hits.min(budget.into()),
            None => hits,
        };
        let logged = if matches!(counts.query.event, Event::Copied(_)) { hits } else { 0.0 };
        let seconds = hits * PROBE_COUNT_S + logged * PROBE_LOG_S + stops * PROBE_STOP_S;
        return Some(Forecast { seconds, at_least });
    }
    let each = match &counts.query.event {
        event if event.needs_probes() => return None,
        Event::Stored(_) | Event::Branched(_) => JDWP_HIT_S + JDWP_SECOND_S,
        _ => JDWP_HIT_S,
    };
    let event = &counts.query.event;
    let slower = if watches_a_field(event) { slow_down(program) } else { 0.0 };
    Some(Forecast { seconds: hits * each + slower, at_least: at_least || slows_the_vm(event) })
}

/// The whole of a replay: the program itself, its points, and `entries` of methods.
/// None where a point cannot be answered.
pub fn of_chain(points: &[Counts<'_>], entries: u64, backend: Backend, program: Program) -> Option<Forecast> {
    let mut whole = Forecast { seconds: program.seconds, at_least: false };
    if backend == Backend::Probe {
        // What came after the first hits is stopped at by a second run.
        let again = |p: &Counts<'_>| p.gate.budget().is_some_and(|budget| p.interruptions > budget.into());
        if points.iter().any(again) {
            whole.seconds += program.seconds;
        }
    } else {
        whole.seconds += of_entries(entries).seconds;
        // The VM is slow once, however many watches make it so.
        if points.iter().any(|p| watches_a_field(&p.query.event)) {
            whole.seconds += slow_down(program);
        }
    }
    let no_time = Program { seconds: 0.0, busy_s: 0.0 };
    for point in points {
        let hits_alone = of_point(point, backend, no_time)?;
        whole.seconds += hits_alone.seconds;
        whole.at_least |= hits_alone.at_least;
    }
    Some(whole)
}

/// What it takes over JDWP to be told of the entries of methods, which tell activations apart.
pub fn of_entries(entries: u64) -> Forecast {
    Forecast { seconds: number(entries) * JDWP_ENTRY_S, at_least: false }
}

/// The program, by a run of it whose hits were counted.
pub fn without_counting(run_s: f64, busy_s: Option<f64>, hits: u64) -> Program {
    // A hit that the compiler has found cheaper to count must not make the program free.
    let less = |time: f64| (time - number(hits) * PROBE_COUNT_S).max(time / 4.0);
    Program { seconds: less(run_s), busy_s: less(busy_s.map_or(run_s, |busy_s| busy_s.min(run_s))) }
}

/// Which hits a run by probes stops at, where nothing is known yet.
pub fn gates(queries: &[TraceQuery]) -> Vec<Gate> {
    super::probe_policy::Probing::default().gates(queries, false, EAGER, &[])
}

/// Whether a watch over JDWP makes the VM slower even where it is not hit, so that a forecast is a lower
/// bound.
pub fn slows_the_vm(event: &Event) -> bool {
    watches_a_field(event) || matches!(event, Event::Returned(_))
}

fn watches_a_field(event: &Event) -> bool {
    matches!(event, Event::Written(_) | Event::Read(_))
}

/// What a field watch over JDWP adds to the time of the program.
fn slow_down(program: Program) -> f64 {
    (program.busy_s - START_UP_S).max(0.0) * (JDWP_FIELD_WATCH - 1.0)
}

#[allow(clippy::cast_precision_loss, reason = "it is multiplied with what is known by one digit")]
fn number(hits: u64) -> f64 {
    hits as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Element, Field, LocalConditions, PointIndex};

    fn query(event: Event) -> TraceQuery {
        TraceQuery {
            point: PointIndex(0),
            id: "A".into(),
            event,
            constraints: Vec::new(),
            index: -1,
            keep: Vec::new(),
            local: LocalConditions::default(),
            collect: None,
            compare_at: None,
        }
    }

    fn busy(seconds: f64) -> Program {
        Program { seconds, busy_s: seconds }
    }

    fn counts<'a>(query: &'a TraceQuery, gate: &'a Gate, interruptions: u64) -> Counts<'a> {
        Counts { query, gate, interruptions, at_least: false }
    }

    #[test]
    fn hits_that_are_kept_cost_nanoseconds_and_a_second_run() {
        let field = Field { class: "C".into(), name: "f".into(), is_static: true };
        let query = query(Event::Written(field));
        let gate = Gate::First { budget: EAGER, armed: Vec::new() };
        let (few, many) = (counts(&query, &gate, u64::from(EAGER)), counts(&query, &gate, 1_000_000_000));
        let seconds = |c: &Counts<'_>, backend| of_point(c, backend, busy(1.0)).unwrap().seconds;
        assert!((seconds(&many, Backend::Probe) - seconds(&few, Backend::Probe) - 2.0).abs() < 0.01);
        let whole = |c, backend| of_chain(&[c], 0, backend, busy(1.0)).unwrap();
        let second_run = whole(many, Backend::Probe).seconds - whole(few, Backend::Probe).seconds;
        assert!((second_run - 3.0).abs() < 0.01, "{second_run}");
        let jdwp = whole(counts(&query, &gate, 1000), Backend::Jdwp);
        assert!(jdwp.at_least && jdwp.seconds > 25.0 && jdwp.seconds < 26.0, "{jdwp:?}");
        let small = of_chain(&[counts(&query, &gate, 0)], 0, Backend::Jdwp, busy(0.3)).unwrap();
        assert!((small.seconds - 0.3).abs() < 0.01, "{small:?}");
        // Two watches do not make the VM slow twice.
        let two = [counts(&query, &gate, 0), counts(&query, &gate, 0)];
        assert!((of_chain(&two, 0, Backend::Jdwp, busy(1.0)).unwrap().seconds - 25.5).abs() < 0.01);
    }

    #[test]
    fn what_a_back_end_cannot_answer_costs_nothing_known() {
        let query = query(Event::ElementWritten(Element { descriptor: "I".into(), index: None }));
        let gate = Gate::All;
        assert_eq!(of_point(&counts(&query, &gate, 7), Backend::Jdwp, busy(1.0)), None);
        assert_eq!(of_chain(&[counts(&query, &gate, 7)], 0, Backend::Jdwp, busy(1.0)), None);
        assert!(of_chain(&[counts(&query, &gate, 7)], 0, Backend::Probe, busy(1.0)).is_some());
    }

    #[test]
    fn a_program_is_never_free() {
        let seconds = |hits| without_counting(1.0, None, hits).seconds;
        assert!((seconds(100_000_000) - 0.8).abs() < 0.001);
        assert!((seconds(100_000_000_000) - 0.25).abs() < 0.001);
        // What waits is not slowed by a watch.
        assert_eq!(without_counting(10.0, Some(0.4), 0), Program { seconds: 10.0, busy_s: 0.4 });
        assert_eq!(without_counting(10.0, Some(19.0), 0), busy(10.0));
    }
}
