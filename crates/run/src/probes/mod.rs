//! Watching by probes: the agent in the VM counts, stores and filters hits, and only selected hits interrupt
//! the program. JDWP then reads those like any other stop.
//!
//! - `plan` writes the agent's plan: which code to insert where. `watched_method` finds the sites in one
//!   method, `site_events` says what the agent does at a site.
//! - `gate` says which hits interrupt.
//! - `agent_report` reads the agent's report, and translates code indices between the original and the
//!   rewritten code.
//! - `recorder` communicates with the class that the probes call; `hit` turns its stops into occurrences.
//! - `conditions` compiles conditions that the VM tests; `tested_hits` counts the hits that do not satisfy
//!   them.
//! - `stack_values` has values of the operand stack kept, and reads them.
//! - `log_pipe` reads the lines of log points.
//! - `collection` turns stops into occurrences for changes of the JDK's collections.
//! - `tracing` reads the log of copies, through which `query` traces a value flow backwards.
//! - `count` collects the counts of a run that only counts.
//! - `forecast` asks, at a candidate, for the last earlier hits of the points that depend on it.

mod activation_ids;
pub(super) mod agent_report;
mod ask;
mod collection;
mod conditions;
mod count;
mod field_names;
mod forecast;
mod gate;
mod hit;
mod jdk_write;
mod kept_hit;
mod log_pipe;
mod plan;
mod recorder;
mod site_events;
mod sites;
mod stack_values;
mod tested_hits;
mod tracing;
mod values;
mod visit;
mod watched_method;

pub(super) use activation_ids::{added_local, update_by_ids};
pub use ask::{identity, quiet};
pub(super) use count::counted;
pub use count::{HitCounts, SiteHits};
pub(super) use forecast::{forecasts, sights};
pub use gate::Gate;
pub(super) use hit::probed;
pub(super) use log_pipe::LogPipe;
pub(super) use recorder::{NAME, Recorder, is_own, program_below};
pub(super) use stack_values::kept_values;
pub use wire::HitWindow;

use super::watches::Watches;
use agent_report::AgentReport;
use classes::ClassPool;
use debuggee::Agent;
use model::Site;
use query::{Event, TraceQuery};
use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use tested_hits::TestedHits;
use wire::Plan;

fn is_copied(event: &Event) -> bool {
    matches!(event, Event::Copied(_))
}

/// Writes the plan for the VM suspended at its start.
///
/// # Errors
/// The reason why the run is watched without probes.
pub(super) fn begin(
    agent: &Agent,
    process: Option<u32>,
    queries: &[TraceQuery],
    gates: &[Gate],
    watches: &Watches,
    users: &BTreeSet<Site>,
    pool: &ClassPool,
) -> Result<Option<(AgentReport, Recorder)>, String> {
    let (mut planned, conditions) = plan::plan(queries, gates, watches, pool)?;
    if !planned.counts {
        planned.methods.extend(stack_values::planned(users, pool));
    }
    planned.tells_loaded = !pool.java_agents().is_empty();
    planned.report = agent.folder().join("report");
    planned.log = agent.folder().join("log");
    let log = planned.log.clone();
    let unwritable = |error: std::io::Error| format!("the agent's plan cannot be written: {error}");
    File::create(&planned.report).map_err(unwritable)?;
    let report = AgentReport::open(&planned.report).map_err(unwritable)?;
    planned.lines = agent.folder().join("lines");
    let logs = gates.iter().any(|gate| matches!(gate, Gate::Log(_)));
    let lines = logs.then(|| LogPipe::create(&planned.lines)).transpose().map_err(unwritable)?;
    planned.write(&Plan::path(agent.folder(), process)).map_err(|error| error.to_string())?;
    let budget = |(query, gate): (&TraceQuery, &Gate)| match gate {
        // The value flow is already known.
        Gate::First { armed, .. } if is_copied(&query.event) && !armed.is_empty() => None,
        gate => Some((query.point.0, gate.budget()?)),
    };
    let budgets: HashMap<u16, u32> = queries.iter().zip(gates).filter_map(budget).collect();
    let is_varied =
        |(query, gate): (&TraceQuery, &Gate)| matches!(gate, Gate::Varied(_)).then_some(query.point.0);
    let varied = queries.iter().zip(gates).filter_map(is_varied).collect();
    let mut recorder = Recorder::new(budgets, varied, TestedHits::new(conditions), log);
    recorder.lines = lines;
    Ok(Some((report, recorder)))
}
