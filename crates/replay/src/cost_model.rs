//! The cost of hits by back end: the constants of the forecasts, and how they add up. Pure.
//!
//! Measured with a release build on a machine with two cores and OpenJDK 17 (`cargo bench`, and programs with
//! one hot loop as in `tests/chains/cost.rs`). Another machine differs by a small factor, a busy one by a
//! larger one. Trust the ratios.

use super::probe_policy::{Backend, EAGER};
use query::{Event, TraceQuery};
use run::Gate;
use serde::Serialize;

/// A JDWP event at which frames and values are read: 3,600 per second.
const JDWP_HIT_S: f64 = 280e-6;
/// The second event of a store or branch: the next instruction shows the stored value or the branch taken.
const JDWP_SECOND_S: f64 = 280e-6;
/// A JDWP event that only reports a method entry.
const JDWP_ENTRY_S: f64 = 160e-6;
/// Minimum slowdown of computing code while any field is watched over JDWP: 50 to 280 on parsers.
const JDWP_FIELD_WATCH: f64 = 50.0;
/// The part of a run in which the VM starts, compiles and runs code that is never fast. A watch does not slow
/// it down.
const START_UP_S: f64 = 0.5;
/// A hit at which a probe stops; it is read over JDWP, through the recorder's frames.
const PROBE_STOP_S: f64 = 700e-6;
/// A hit that a probe counts, and keeps if it may be the last.
const PROBE_COUNT_S: f64 = 2e-9;

/// Additional cost of logging a hit, for value flows.
const PROBE_LOG_S: f64 = 20e-9;

/// A forecast duration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Forecast {
    /// In seconds.
    pub seconds: f64,
    /// Whether it may be much longer, because some costs are unknown.
    pub at_least: bool,
}

/// The program without watching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// Its run time, in seconds.
    pub seconds: f64,
    /// The time it computes, as far as known. A watch does not slow down waiting.
    pub busy_s: f64,
}

/// The counts of one point.
pub struct Counts<'a> {
    /// Its TraceQuery.
    pub query: &'a TraceQuery,
    /// The hits at which a run by probes stops.
    pub gate: &'a Gate,
    /// Number of suspensions by its event; more than its hits if the ends of passes are watched too.
    pub interruptions: u64,
    /// If the VM has tested its hits: how many of them interrupt a run by probes.
    pub asked: Option<u64>,
    /// Whether there are more than were counted.
    pub at_least: bool,
}

/// The time that a point adds to the program; `None` if the back end cannot answer it.
pub fn of_point(counts: &Counts<'_>, backend: Backend, program: Program) -> Option<Forecast> {
    let hits = number(counts.interruptions);
    let at_least = counts.at_least;
    if backend == Backend::Probe {
        let stops = match (counts.gate.budget(), counts.asked) {
            (Some(budget), _) => hits.min(budget.into()),
            // Some false hits interrupt too: those at powers of two.
            (None, Some(asked)) => {
                number(asked.saturating_add(u64::from(counts.interruptions.checked_ilog2().unwrap_or(0))))
            }
            (None, None) => hits,
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

/// The whole replay: the program itself, its points and the watched method entries. `None` if the back end
/// cannot answer a point.
pub fn of_chain(points: &[Counts<'_>], entries: u64, backend: Backend, program: Program) -> Option<Forecast> {
    let mut whole = Forecast { seconds: program.seconds, at_least: false };
    if backend == Backend::Probe {
        // A second run stops at hits after the first ones.
        let again = |p: &Counts<'_>| p.gate.budget().is_some_and(|budget| p.interruptions > budget.into());
        if points.iter().any(again) {
            whole.seconds += program.seconds;
        }
    } else {
        whole.seconds += of_entries(entries).seconds;
        // Several watches slow the VM down no more than one.
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

/// The cost of method entries over JDWP, which tell activations apart.
pub fn of_entries(entries: u64) -> Forecast {
    Forecast { seconds: number(entries) * JDWP_ENTRY_S, at_least: false }
}

/// The program's own time, computed from a run with counted hits.
pub fn without_counting(run_s: f64, busy_s: Option<f64>, hits: u64) -> Program {
    // The compiler may make counting cheaper than assumed; the program's time must not become zero.
    let less = |time: f64| (time - number(hits) * PROBE_COUNT_S).max(time / 4.0);
    Program { seconds: less(run_s), busy_s: less(busy_s.map_or(run_s, |busy_s| busy_s.min(run_s))) }
}

/// The hits at which the first run by probes stops.
pub fn gates(queries: &[TraceQuery]) -> Vec<Gate> {
    super::probe_policy::ProbePolicy::default().gates(queries, false, EAGER, &[])
}

/// Whether a watch over JDWP slows the VM down even without hits, so that a forecast is a lower bound.
pub fn slows_the_vm(event: &Event) -> bool {
    watches_a_field(event) || matches!(event, Event::Returned(_))
}

fn watches_a_field(event: &Event) -> bool {
    matches!(event, Event::Written(_) | Event::Read(_))
}

/// The time that a field watch over JDWP adds to the program.
fn slow_down(program: Program) -> f64 {
    (program.busy_s - START_UP_S).max(0.0) * (JDWP_FIELD_WATCH - 1.0)
}

#[allow(clippy::cast_precision_loss, reason = "it is multiplied by a constant of one significant digit")]
fn number(hits: u64) -> f64 {
    hits as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use query::{Element, Field, LocalConditions, PointIndex};

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
            text: None,
            compare_at: None,
        }
    }

    fn busy(seconds: f64) -> Program {
        Program { seconds, busy_s: seconds }
    }

    fn counts<'a>(query: &'a TraceQuery, gate: &'a Gate, interruptions: u64) -> Counts<'a> {
        Counts { query, gate, interruptions, asked: None, at_least: false }
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
    fn hits_that_the_vm_tests_do_not_interrupt() {
        let query = query(Event::Reached(Vec::new()));
        let hits = counts(&query, &Gate::All, 100_000);
        let tested = Counts { asked: Some(2), ..counts(&query, &Gate::All, 100_000) };
        let seconds = |c: &Counts<'_>, backend| of_point(c, backend, busy(1.0)).unwrap().seconds;
        assert!(seconds(&hits, Backend::Probe) > 10.0 && seconds(&tested, Backend::Probe) < 0.1);
        assert_eq!(seconds(&hits, Backend::Jdwp).to_bits(), seconds(&tested, Backend::Jdwp).to_bits());
    }

    #[test]
    fn a_program_is_never_free() {
        let seconds = |hits| without_counting(1.0, None, hits).seconds;
        assert!((seconds(100_000_000) - 0.8).abs() < 0.001);
        assert!((seconds(100_000_000_000) - 0.25).abs() < 0.001);
        // A watch does not slow down waiting.
        assert_eq!(without_counting(10.0, Some(0.4), 0), Program { seconds: 10.0, busy_s: 0.4 });
        assert_eq!(without_counting(10.0, Some(19.0), 0), busy(10.0));
    }
}
