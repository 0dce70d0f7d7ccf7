//! Reads a value flow from the log of copies, at the point that sees the value. The next run stops at each of
//! its steps.

use super::activation_ids::activation_id;
use super::ask::{self, LogState};
use super::site_events::copied;
use crate::error::RunError;
use crate::stop::Stop;
use crate::vm::{bci, to_wire};
use crate::watched::Watched;
use model::{Coordinate, FlowStep, LastHit, Occurrence, Site, ThreadIdentity, Value, ValueFlow, Way};
use query::{Copies, CopyHit, CopyLog, FlowHit, SeenCopy, SoughtVariable, TraceQuery, walk_back};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io;
use std::sync::Arc;
use wire::{LogReader, LoggedHit};

/// The flow of the value that a candidate sees.
pub async fn value_flow(
    watched: &mut Watched,
    stop: &mut Stop,
    candidate: &Occurrence,
    query: &Arc<TraceQuery>,
    copies: &Copies,
) -> Result<LastHit, RunError> {
    // Null has no fields.
    let Some(owner) = seen_owner(candidate, copies) else { return Ok(LastHit::Never) };
    let log_state = match ask::logged(watched, stop, owner).await? {
        Ok(log_state) => log_state,
        Err(why) => return Ok(LastHit::Unknown(why)),
    };
    let sought = match sought_variable(watched, stop, candidate, copies, &log_state).await? {
        Ok(sought) => sought,
        Err(unknown) => return Ok(unknown),
    };
    let places = places(watched, query, copies);
    let Some(log) = watched.recorder.as_ref().map(|recorder| recorder.log.clone()) else {
        return Ok(LastHit::Unknown("there is no log".to_owned()));
    };
    // If nothing was logged, there is no file.
    let mut kept = KeptLog { reader: LogReader::open(&log).ok(), places };
    let walked = match log_state.marked {
        true => kept.skip_others(log_state.thread.into()),
        false => Ok(()),
    };
    let (steps, end) = match walked.and_then(|()| walk_back(copies, sought, &mut kept)) {
        Ok(Some(walked)) => walked,
        Ok(None) => return Ok(LastHit::Never),
        Err(error) => return Ok(LastHit::Unknown(format!("the log cannot be read: {error}"))),
    };
    let threads = threads_of(watched, stop, &steps).await?;
    let steps = steps.iter().map(|step| flow_step(query, copies, step, &threads));
    Ok(match steps.collect::<Option<Vec<FlowStep>>>() {
        Some(steps) => LastHit::Flow(ValueFlow { steps, end: end.map(|why| why.to_string()) }),
        None => LastHit::Unknown("the log names an unknown place".to_owned()),
    })
}

/// The object or array in which the candidate sees the value; null for a local variable and a static field,
/// `None` if the expression for the object is null.
fn seen_owner(candidate: &Occurrence, copies: &Copies) -> Option<jdwp::Value> {
    let kept = match &copies.seen {
        SeenCopy::Local { .. } | SeenCopy::Field { owner: None, .. } => return Some(jdwp::Value::NULL),
        SeenCopy::Field { owner: Some(kept), .. } | SeenCopy::Element { array: kept, .. } => *kept,
    };
    match candidate.kept.get(kept) {
        Some(value @ (Value::Object { .. } | Value::Str(_))) => Some(to_wire(value)),
        _ => None,
    }
}

/// The variable in which the candidate sees the value; without it, the result of the search for its flow.
async fn sought_variable(
    watched: &mut Watched,
    stop: &mut Stop,
    candidate: &Occurrence,
    copies: &Copies,
    log_state: &LogState,
) -> Result<Result<SoughtVariable, LastHit>, RunError> {
    let owner = log_state.owner;
    Ok(Ok(match &copies.seen {
        SeenCopy::Local { frame, stores } => {
            let frames = stop.frames(&mut watched.vm).await?.to_vec();
            let index = stop.frame_index(&mut watched.vm, *frame).await?;
            let Some(at) = index.and_then(|index| frames.get(index)) else { return Ok(Err(LastHit::Never)) };
            let activation = u64::try_from(activation_id(watched, stop, at).await?).unwrap_or(0);
            let method = watched.vm.method(at.location.class, at.location.method).await?.name.clone();
            let here = Site { method, bci: bci(at.location.index) };
            let Some((_, stores)) = stores.iter().find(|(site, _)| *site == here) else {
                let why = format!("{here} is not one of the requested places");
                return Ok(Err(LastHit::Unknown(why)));
            };
            SoughtVariable::Local { thread: log_state.thread.into(), activation, stores: stores.clone() }
        }
        SeenCopy::Field { puts, .. } => SoughtVariable::Heap { owner, index: 0, puts: puts.clone() },
        SeenCopy::Element { index, puts, .. } => {
            let index = candidate.kept.get(*index).and_then(Value::identity);
            let index = index.and_then(|i| u32::try_from(i).ok()).map_or(0, u32::cast_signed);
            SoughtVariable::Heap { owner, index, puts: puts.clone() }
        }
    }))
}

/// The threads that executed the steps, by their numbers in the log.
async fn threads_of(
    watched: &mut Watched,
    stop: &mut Stop,
    steps: &[FlowHit],
) -> Result<HashMap<u32, ThreadIdentity>, RunError> {
    let mut threads: HashMap<u32, ThreadIdentity> = HashMap::new();
    for hit in steps.iter().flat_map(|step| [Some(step.hit), step.got]).flatten() {
        if let (Entry::Vacant(unknown), Ok(number)) = (threads.entry(hit.thread), u16::try_from(hit.thread)) {
            unknown.insert(ask::named(watched, stop, number).await?.unwrap_or_default());
        }
    }
    Ok(threads)
}

/// A step of the flow; `None` if the log names an unknown place or thread.
fn flow_step(
    query: &TraceQuery,
    copies: &Copies,
    step: &FlowHit,
    threads: &HashMap<u32, ThreadIdentity>,
) -> Option<FlowStep> {
    let at = coordinate(query, copies, &step.hit, threads)?;
    let got = match &step.got {
        Some(got) => Some(coordinate(query, copies, got, threads)?),
        None => None,
    };
    let caller = step.caller.and_then(|caller| copies.site(caller)).map(|place| place.site.clone());
    Some(FlowStep { at, caller, got })
}

/// The log that the agent has written.
struct KeptLog {
    reader: Option<LogReader>,
    /// The positions of the sites in the query's event, by their numbers in the log.
    places: HashMap<u32, u32>,
}

impl KeptLog {
    fn next(&mut self) -> io::Result<Option<LoggedHit>> {
        self.reader.as_mut().map_or(Ok(None), LogReader::back)
    }

    /// Skips the records that other threads wrote after this thread stopped, and the mark of its stop.
    fn skip_others(&mut self, thread: u32) -> io::Result<()> {
        while self.next()?.is_some_and(|hit| u32::from(hit.thread) != thread) {}
        Ok(())
    }
}

impl CopyLog for KeptLog {
    type Error = io::Error;

    fn back(&mut self) -> io::Result<Option<CopyHit>> {
        while let Some(hit) = self.next()? {
            if let Some(site) = self.places.get(&hit.site) {
                let LoggedHit { ordinal, activation, owner, index, .. } = hit;
                let thread = hit.thread.into();
                return Ok(Some(CopyHit { site: *site, ordinal, thread, activation, owner, index }));
            }
        }
        Ok(None)
    }
}

/// Maps the site numbers of the log to positions in the query's event.
fn places(watched: &mut Watched, query: &TraceQuery, copies: &Copies) -> HashMap<u32, u32> {
    let by_site: HashMap<(&Site, Option<u32>), u32> =
        (0..).zip(&copies.sites).map(|(n, place)| ((&place.site, copied(place).way()), n)).collect();
    let Some(report) = watched.vm.agent_report.as_mut() else { return HashMap::new() };
    let numbered = report.sites_of(query.point.0);
    let known =
        numbered.iter().filter_map(|(number, at)| Some((*number, *by_site.get(&(&at.site, at.way))?)));
    known.collect()
}

fn coordinate(
    query: &TraceQuery,
    copies: &Copies,
    hit: &CopyHit,
    threads: &HashMap<u32, ThreadIdentity>,
) -> Option<Coordinate> {
    Some(Coordinate {
        query: query.point.0,
        site: copies.site(hit.site)?.site.clone(),
        thread: threads.get(&hit.thread)?.clone(),
        ordinal: u32::try_from(hit.ordinal).ok()?,
        way: Way::new(hit.site),
    })
}
