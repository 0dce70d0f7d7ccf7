//! The class that probes call, as JDWP sees it: where it stops, and which frames belong to it.

use super::log_pipe::LogPipe;
use super::tested_hits::TestedHits;
use crate::error::RunError;
use crate::vm::Vm;
use jdwp::commands::thread_reference::Frame;
use jdwp::commands::{event_request, reference_type, thread_reference};
use jdwp::{EventKind, Location, MethodId, Modifier, ReferenceTypeId, SuspendPolicy, ThreadId, TypeTag};
use model::Coordinate;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Its binary name.
pub const NAME: &str = "java.lang.QuerypointProbe";

/// The recorder in the VM of one run.
pub struct Recorder {
    /// Number of first hits of each query that interrupt. All hits of queries without an entry interrupt.
    pub budgets: HashMap<u16, u32>,
    /// Number of hits of each query that have interrupted.
    pub stopped: HashMap<u16, u32>,
    /// Hits that have become candidates, of queries with numbered hits.
    pub numbered: HashSet<Coordinate>,
    /// The queries with numbered hits.
    pub varied: HashSet<u16>,
    /// The hits at tested sites.
    pub tested: TestedHits,
    /// The file to which the agent writes the log of copies.
    pub log: PathBuf,
    /// The pipe with the lines of log points, until the watcher takes it.
    pub lines: Option<LogPipe>,
    class: Option<RecorderClass>,
    /// Threads whose stack is too deep to read at each stop.
    deep: HashSet<ThreadId>,
    /// Number of stops of each thread so far.
    stops: HashMap<ThreadId, u32>,
}

/// The recorder's class and methods in the VM.
#[derive(Clone, Copy)]
pub struct RecorderClass {
    pub id: ReferenceTypeId,
    stop: MethodId,
    pub last: MethodId,
    pub seen: MethodId,
    pub quiet: MethodId,
    pub now: MethodId,
    pub logged: MethodId,
    pub named: MethodId,
}

/// Nearly always enough for the recorder's five frames and one frame of the program.
const OWN_FRAMES: i32 = 8;
impl Recorder {
    /// The state before the VM runs.
    pub fn new(
        budgets: HashMap<u16, u32>,
        varied: HashSet<u16>,
        tested: TestedHits,
        log: PathBuf,
    ) -> Recorder {
        let (stopped, numbered, deep, stops) =
            (HashMap::new(), HashSet::new(), HashSet::new(), HashMap::new());
        Recorder { budgets, stopped, numbered, varied, tested, log, lines: None, class: None, deep, stops }
    }

    /// Its class, once prepared.
    pub fn class(&self) -> Option<RecorderClass> {
        self.class
    }

    /// Whether the stack of a thread is too deep to read at each stop.
    pub fn is_deep(&self, thread: ThreadId) -> bool {
        self.deep.contains(&thread)
    }

    /// Marks the stack of a thread as too deep to read at each stop.
    pub fn mark_deep(&mut self, thread: ThreadId) {
        self.deep.insert(thread);
    }

    /// Counts a stop of a thread. `nth` is its number as the recorder counts, if known. False if stops before
    /// it were not reported, so that their hits are unknown.
    pub fn count_stop(&mut self, thread: ThreadId, nth: Option<u32>) -> bool {
        let stops = self.stops.entry(thread).or_default();
        let next = stops.saturating_add(1);
        *stops = nth.unwrap_or(next);
        *stops == next
    }

    /// Whether a location is the recorder's stop method.
    pub fn is_stop(&self, location: Location) -> bool {
        self.class.is_some_and(|c| c.id == location.class && c.stop == location.method)
    }

    /// Sets the breakpoint when the class is prepared.
    pub async fn prepared(&mut self, conn: &jdwp::Connection, id: ReferenceTypeId) -> Result<(), RunError> {
        let methods = conn.send(reference_type::Methods { ref_type: id }).await?;
        let named = |name: &str| methods.iter().find(|m| m.name == name).map(|m| m.method_id);
        let (stop, last, now, seen) = (named("stop"), named("last"), named("now"), named("seen"));
        let of_log = (named("logged"), named("named"));
        let (Some(stop), Some(last), Some(quiet), Some(now), Some(seen), (Some(logged), Some(named))) =
            (stop, last, named("quiet"), now, seen, of_log)
        else {
            return Ok(());
        };
        let at = Location { type_tag: TypeTag::Class, class: id, method: stop, index: 0 };
        let set = event_request::Set {
            event_kind: EventKind::Breakpoint,
            suspend_policy: SuspendPolicy::EventThread,
            modifiers: vec![Modifier::LocationOnly(at)],
        };
        conn.send(set).await?;
        self.class = Some(RecorderClass { id, stop, last, seen, quiet, now, logged, named });
        Ok(())
    }
}

/// The newest frames of a thread, and the number of recorder frames among them.
pub async fn newest_frames(vm: &mut Vm, thread: ThreadId) -> Result<(Vec<Frame>, usize), RunError> {
    let mut length = OWN_FRAMES;
    loop {
        let ask = thread_reference::Frames { thread, start_frame: 0, length };
        let frames = match vm.conn().send(ask).await {
            Ok(frames) => frames,
            // The stack has fewer frames.
            Err(e) if !e.is_fatal() && length > 0 => {
                length = -1;
                continue;
            }
            Err(e) => return Err(e.into()),
        };
        let hidden = own_frames(vm, &frames).await?;
        if hidden < frames.len() || length < 0 {
            return Ok((frames, hidden));
        }
        length = -1;
    }
}

/// Number of newest frames that belong to the recorder.
pub async fn own_frames(vm: &mut Vm, frames: &[Frame]) -> Result<usize, RunError> {
    for (place, frame) in frames.iter().enumerate() {
        if !is_own(vm, frame.location).await? {
            return Ok(place);
        }
    }
    Ok(frames.len())
}

/// Whether a location is in the recorder.
pub async fn is_own(vm: &mut Vm, location: Location) -> Result<bool, RunError> {
    Ok(vm.class(location.class).await?.name.starts_with(NAME))
}

/// The program's location in a thread whose newest frames belong to the recorder, and the number of those
/// frames.
pub async fn program_below(vm: &mut Vm, thread: ThreadId) -> Result<Option<(Location, usize)>, RunError> {
    let (frames, hidden) = newest_frames(vm, thread).await?;
    Ok(frames.get(hidden).map(|frame| (frame.location, hidden)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_that_was_not_reported_is_noticed_at_the_next_one_of_its_thread() {
        let new = || Recorder::new(HashMap::new(), HashSet::new(), TestedHits::default(), PathBuf::new());
        let (mut recorder, one, other) = (new(), ThreadId::new(1), ThreadId::new(2));
        assert!(recorder.count_stop(one, Some(1)) && recorder.count_stop(other, Some(1)));
        // During a call by `qp`, stops are not read.
        assert!(recorder.count_stop(one, None) && recorder.count_stop(one, Some(3)));
        assert!(!recorder.count_stop(one, Some(5)) && recorder.count_stop(one, Some(6)));
        assert!(!recorder.count_stop(other, Some(3)));
        assert!(!new().count_stop(one, Some(2)), "the first stop is counted too");
    }
}
