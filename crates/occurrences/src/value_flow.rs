//! The flow of a value to an occurrence: which hits passed it on, from its origin.

use super::Merged;
use super::asked::Asked;
use super::copy_log::{TimedHit, WORDS};
use super::hit::Hit;
use super::part_read::{PartReader, index_number, object_number};
use model::{Coordinate, FlowStep, LastHit, Occurrence, Site, Tables, ValueFlow, Way};
use past::{PastError, Recording};
use query::{Copies, CopyHit, CopyLog, FlowHit, PartRead, SeenCopy, SoughtVariable, TraceQuery, walk_back};
use std::io;
use trace::{EventTime, SpoolReader, SpoolWriter};

/// The flow of the value that an occurrence sees, as one of these TraceQueries asks for it.
///
/// # Errors
/// The recording cannot be read, or the user interrupted.
pub fn value_flow(
    recording: &mut Recording,
    asked: Asked<'_>,
    effect: &Occurrence,
    query: &TraceQuery,
    copies: &Copies,
    tables: &mut Tables,
    is_interrupted: &dyn Fn() -> bool,
) -> Result<LastHit, PastError> {
    let mut merged = Merged::new(asked, recording);
    let mut log = SpoolWriter::<WORDS>::new().map_err(unwritten)?;
    let mut number = 0;
    let found = loop {
        let Some(hit) = merged.next(recording, tables, is_interrupted)? else { return Ok(LastHit::Never) };
        number += 1;
        if number == effect.sequence {
            break hit;
        }
        if hit.query == query.point.0
            && let Some(copy) = hit.copy()
        {
            log.add(TimedHit { hit: copy, when: hit.when }.record()).map_err(unwritten)?;
        }
    };
    let look = match sought(recording, &found, effect, copies, tables) {
        Ok(look) => look,
        Err(last) => return Ok(last),
    };
    let reader = log.read().map_err(unwritten)?;
    let mut log = RecordedLog {
        reader,
        recording,
        parts: PartReader::new(copies, tables),
        when: EventTime::END,
        is_interrupted,
    };
    let Some((steps, end)) = walk_back(copies, look, &mut log)? else { return Ok(LastHit::Never) };
    let step = |step: &FlowHit| {
        let got = match &step.got {
            Some(got) => Some(coordinate(recording, query, copies, got)?),
            None => None,
        };
        let caller = step.caller.and_then(|caller| copies.site(caller)).map(|place| place.site.clone());
        Some(FlowStep { at: coordinate(recording, query, copies, &step.hit)?, caller, got })
    };
    Ok(match steps.iter().map(step).collect::<Option<Vec<FlowStep>>>() {
        Some(steps) => LastHit::Flow(ValueFlow { steps, end: end.map(|why| why.to_string()) }),
        None => LastHit::Unknown("a step is at an unknown place".to_owned()),
    })
}

fn unwritten(error: io::Error) -> PastError {
    PastError::NoStep(format!("the copies before the point cannot be kept in a temporary file: {error}"))
}

/// The variable that the point reads; or why there is nothing to look for.
fn sought(
    recording: &Recording,
    found: &Hit,
    effect: &Occurrence,
    copies: &Copies,
    tables: &Tables,
) -> Result<SoughtVariable, LastHit> {
    // Null has no fields.
    let object = |kept: usize| effect.kept.get(kept).and_then(object_number).ok_or(LastHit::Never);
    match &copies.seen {
        SeenCopy::Local { frame, stores } => {
            let calls = std::iter::successors(Some(found.at), |at| recording.calls.made_at(at.node));
            let frames: Vec<_> = tables.frame_keys(effect.stack).zip(calls).collect();
            let place = usize::try_from(*frame).ok();
            let place =
                place.or_else(|| frames.len().checked_sub(usize::try_from(frame.unsigned_abs()).ok()?));
            let at = place.and_then(|place| frames.get(place));
            let Some((Some(frame), at)) = at.map(|(key, at)| (tables.frame(*key), at)) else {
                return Err(LastHit::Never);
            };
            let here: &Site = &frame.site;
            let Some((_, stores)) = stores.iter().find(|(site, _)| site == here) else {
                return Err(LastHit::Unknown(format!("{here} is not one of the requested places")));
            };
            let (thread, activation) = (found.thread, at.node.into());
            Ok(SoughtVariable::Local { thread, activation, stores: stores.clone() })
        }
        SeenCopy::Field { owner, puts } => {
            let owner = owner.map_or(Ok(0), object)?;
            Ok(SoughtVariable::Heap { owner, index: 0, puts: puts.clone() })
        }
        SeenCopy::Element { array, index, puts } => {
            let index = effect.kept.get(*index).and_then(index_number).ok_or(LastHit::Never)?;
            Ok(SoughtVariable::Heap { owner: object(*array)?, index, puts: puts.clone() })
        }
    }
}

fn coordinate(
    recording: &Recording,
    query: &TraceQuery,
    copies: &Copies,
    hit: &CopyHit,
) -> Option<Coordinate> {
    Some(Coordinate {
        query: query.point.0,
        site: copies.site(hit.site)?.site.clone(),
        thread: recording.calls.identity(hit.thread),
        ordinal: u32::try_from(hit.ordinal).ok()?,
        way: Way::new(hit.site),
    })
}

/// The copies of a recording. It has no reads: which object was read follows from the state there.
struct RecordedLog<'a> {
    reader: SpoolReader<WORDS>,
    recording: &'a mut Recording,
    parts: PartReader<'a>,
    /// The time of the last hit that was read.
    when: EventTime,
    is_interrupted: &'a dyn Fn() -> bool,
}

impl CopyLog for RecordedLog<'_> {
    type Error = PastError;

    fn back(&mut self) -> Result<Option<CopyHit>, PastError> {
        let timed = self.reader.back().map_err(unwritten)?.map(TimedHit::of);
        if timed.is_some_and(|timed| timed.hit.ordinal % 1024 == 0) && (self.is_interrupted)() {
            return Err(PastError::Interrupted);
        }
        self.when = timed.map_or(self.when, |timed| timed.when);
        Ok(timed.map(|timed| timed.hit))
    }

    fn part_read(&mut self, got: &CopyHit) -> Result<PartRead, PastError> {
        self.parts.part_read(self.recording, got, self.when)
    }
}
