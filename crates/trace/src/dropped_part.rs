//! Writes what the rest of a recording needs of its first part, when that is dropped: for each thread a head.
//! It has descriptions of objects, the last writes to what the rest can reach, and the calls in progress.
//!
//! A head consists of events of the dropped part as they are, but for turns and calls in progress. So readers
//! need no code for it. The writes of a head belong to no call.

use super::chunks::ChunkAt;
use super::columns::{Fields, OpenCalls};
use super::decode::{Decoder, Event, ObjectDetail, ObjectObserver, Value, field_values};
use super::error::TraceError;
use super::event_time::{ChunkOffset, EventTime};
use super::last_state::{LastState, ReachedState, reference};
use super::object_set::ObjectSet;
use super::parts::CREATION;
use super::pieces::{Piece, PieceReader};
use super::sites::{Site, Sites};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use wire::recording::{AROUND, Level, TURN, Traced};

/// Size at which a head goes on in a further chunk, in bytes.
const LONG: usize = 1 << 20;

/// A recording whose first part is to be dropped.
pub struct DroppedPart<'a> {
    /// Reads the chunks.
    pub reader: PieceReader,
    /// The meaning of the events.
    pub sites: &'a Sites,
    /// All events, those of the dropped part first.
    pub pieces: &'a [Piece],
    /// Number of dropped pieces.
    pub dropped: usize,
    /// Memory for the state that the dropped part left, in bytes.
    pub memory: usize,
    /// Maximum number of events of that state.
    pub most: usize,
    /// Set to stop the work.
    pub stop: &'a AtomicBool,
}

/// What was dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DroppedCount {
    /// Number of events, without those of earlier heads.
    pub events: u64,
    /// Size of these events, in bytes.
    pub bytes: u64,
    /// Whether the heads lack some of the values that the rest can reach.
    pub is_limited: bool,
}

/// Writes a chunk with its events.
type ChunkSink<'w> = &'w mut dyn FnMut(&ChunkAt, &[u8]) -> Result<(), TraceError>;

/// A call in progress.
struct OpenCall {
    /// The site of its entry.
    site: u32,
    /// The place of its entry; `None` if that was dropped before.
    entered: Option<ChunkOffset>,
    /// The object that its constructor makes, 0 if unknown.
    born: u32,
    /// Writes to that object before it was known.
    presets: Vec<ChunkOffset>,
}

/// A thread at the end of what was read of its dropped part.
#[derive(Default)]
struct ThreadEnd {
    turn: u64,
    open: OpenCalls<OpenCall>,
    /// Number of bytes the thread had written.
    at: u64,
    /// The events of its end.
    end: Vec<u8>,
}

/// An object that is described.
#[derive(Default)]
struct MetObject {
    object: u32,
    /// The objects that the description names.
    names: Vec<u32>,
    /// Later descriptions count on this one: it names a class or a constant.
    is_name: bool,
}

impl ObjectObserver for MetObject {
    fn class(&mut self, _: u32, _: String) {
        self.is_name = true;
    }

    fn object(&mut self, object: u32, _: u32, met: ObjectDetail) {
        self.object = object;
        match met {
            ObjectDetail::Exception { cause, .. } => self.names.push(cause),
            ObjectDetail::Fields(values) => {
                self.names.extend(field_values(&values).iter().map(|value| reference(Some(value))));
            }
            ObjectDetail::Constant { .. } => self.is_name = true,
            _ => {}
        }
    }
}

/// A description of an object, or an event with its values.
enum Step<'a> {
    Met(&'a MetObject),
    Event(&'a Event<'a>, &'a [Value]),
}

/// Visits the events of a chunk, each with its bytes and where they begin. With `only_writes`, other events
/// have no values.
fn each_step(
    sites: &Sites,
    events: &[u8],
    only_writes: bool,
    mut visit: impl FnMut(Step<'_>, &[u8], u32) -> Result<(), TraceError>,
) -> Result<(), (usize, Result<&'static str, TraceError>)> {
    let mut decoder = match only_writes {
        true => Decoder::of_writes(sites, events),
        false => Decoder::new(sites, events),
    };
    let (mut values, mut met) = (Vec::new(), MetObject::default());
    loop {
        let at = decoder.at();
        let begin = u32::try_from(at).unwrap_or(u32::MAX);
        (met.is_name, met.object) = (false, 0);
        met.names.clear();
        let visited = if decoder.meet(&mut met).map_err(|what| (at, Ok(what)))? {
            visit(Step::Met(&met), events.get(at..decoder.at()).unwrap_or_default(), begin)
        } else {
            let Some(event) = decoder.next(&mut values, None).map_err(|what| (at, Ok(what)))? else {
                return Ok(());
            };
            let raw = events.get(at..decoder.at()).unwrap_or_default();
            visit(Step::Event(&event, &values), raw, begin)
        };
        visited.map_err(|error| (at, Err(error)))?;
    }
}

impl DroppedPart<'_> {
    /// Writes the heads: calls `write` with chunks and their events. Returns what is dropped.
    ///
    /// # Errors
    /// Events cannot be read or written; [`TraceError::Interrupted`] when it was stopped.
    pub fn write_heads(mut self, write: ChunkSink<'_>) -> Result<DroppedCount, TraceError> {
        let (kept, early) = self.kept()?;
        let mut state = LastState::new(early, kept, self.memory);
        state.keep(self.sites.of_objects.keys().copied());
        let (mut threads, mut count) = self.read_dropped(&mut state)?;
        if state.has_lost(born(&threads)) {
            // Another thread wrote to an object that is still being made, and whose creation was read later.
            self.memory = self.memory.saturating_mul(4);
            return self.write_heads(write);
        }
        let open: Vec<ChunkOffset> =
            threads.values().flat_map(|thread| thread.open.each()).filter_map(|call| call.entered).collect();
        for place in open {
            state.keep(self.values_at(place)?.iter().map(|value| reference(Some(value))));
        }
        let reached = state.reached(self.most, born(&threads));
        count.is_limited = reached.is_limited;
        for piece in self.pieces.iter().skip(self.dropped).rev() {
            // The first of the kept pieces comes last.
            threads.entry(piece.chunk.thread).and_modify(|thread| thread.at = piece.at());
        }
        self.copy(&reached, threads, write)?;
        Ok(count)
    }

    /// Reads a piece, and visits its events.
    fn visit(
        &mut self,
        number: usize,
        mut visit: impl FnMut(Step<'_>, &[u8], u32) -> Result<(), TraceError>,
    ) -> Result<(), TraceError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(TraceError::Interrupted);
        }
        let Some(piece) = self.pieces.get(number) else { return Ok(()) };
        let events = self.reader.events(&piece.chunk)?;
        let visit = |step: Step<'_>, raw: &[u8], at: u32| visit(step, raw, piece.from.saturating_add(at));
        // Of dropped events, only writes are kept.
        let only_writes = number < self.dropped;
        each_step(self.sites, piece.of(&events), only_writes, visit).map_err(|(at, error)| match error {
            Ok(what) => {
                let at = piece.at() + u64::try_from(at).unwrap_or(0);
                TraceError::Broken { thread: piece.chunk.thread, at, what }
            }
            Err(error) => error,
        })
    }

    /// The objects that the kept part names, and the last turn whose dropped events come before all of it.
    fn kept(&mut self) -> Result<(ObjectSet, u64), TraceError> {
        let (mut objects, mut early) = (ObjectSet::default(), u64::MAX);
        // By thread: whether the kept part begins with a turn.
        let mut begun: BTreeMap<u32, bool> = BTreeMap::new();
        for number in self.dropped..self.pieces.len() {
            let Some(Piece { chunk, .. }) = self.pieces.get(number).copied() else { break };
            let mut first = begun.get(&chunk.thread).copied();
            self.visit(number, |step, _, _| {
                match step {
                    Step::Met(met) => met.names.iter().for_each(|name| _ = objects.insert(*name)),
                    Step::Event(Event::Turn(turn), _) => {
                        early = early.min(*turn);
                        first = first.or(Some(true));
                    }
                    Step::Event(event, values) => {
                        first = first.or(Some(false));
                        let values = values.iter().map(|value| reference(Some(value)));
                        let end = if let Event::End(exception) = event { *exception } else { 0 };
                        values.chain([end]).for_each(|object| _ = objects.insert(object));
                    }
                }
                Ok(())
            })?;
            begun.extend(first.map(|first| (chunk.thread, first)));
        }
        let mut inside: Vec<u32> =
            begun.into_iter().filter(|(_, begins)| !begins).map(|(of, _)| of).collect();
        for number in (0..self.dropped).rev() {
            let Some(thread) = self.pieces.get(number).map(|piece| piece.chunk.thread) else { continue };
            let mut last = None;
            if inside.contains(&thread) {
                self.visit(number, |step, _, _| {
                    if let Step::Event(Event::Turn(turn), _) = step {
                        last = Some(*turn);
                    }
                    Ok(())
                })?;
            }
            if let Some(turn) = last {
                early = early.min(turn);
                inside.retain(|of| *of != thread);
            }
        }
        Ok((objects, if inside.is_empty() { early } else { 0 }))
    }

    /// Follows the calls of the dropped part, and collects what it left.
    fn read_dropped(
        &mut self,
        state: &mut LastState,
    ) -> Result<(BTreeMap<u32, ThreadEnd>, DroppedCount), TraceError> {
        let (sites, mut fields, mut count) = (self.sites, Fields::default(), DroppedCount::default());
        let mut threads: BTreeMap<u32, ThreadEnd> = BTreeMap::new();
        for (number, row) in (0..self.dropped).zip(0..) {
            let Some(piece) = self.pieces.get(number).copied() else { break };
            let chunk = piece.chunk;
            let mut thread = threads.remove(&chunk.thread).unwrap_or_default();
            thread.at = piece.next();
            self.visit(number, |step, raw, at| {
                let place = (row, at);
                match step {
                    Step::Met(met) => state.describe(met.object, met.names.iter().copied()),
                    Step::Event(event, values) => {
                        let is_counted = !chunk.is_head && !matches!(event, Event::Turn(_));
                        count.events += u64::from(is_counted);
                        match event {
                            Event::Turn(turn) => thread.turn = *turn,
                            Event::End(exception) => {
                                thread.end = raw.to_vec();
                                state.keep([*exception]);
                            }
                            Event::Around(site) => thread.enter(site, None),
                            Event::At(site) => {
                                thread.follow(site, values, place, state);
                                let when = EventTime { turn: thread.turn, place };
                                note(state, sites, &mut fields, site, values, when);
                            }
                        }
                    }
                }
                Ok(())
            })?;
            count.bytes += piece.next() - piece.at();
            threads.insert(chunk.thread, thread);
            state.fit(born(&threads));
        }
        Ok((threads, count))
    }

    /// The values of the event at a place.
    fn values_at(&mut self, (chunk, at): ChunkOffset) -> Result<Vec<Value>, TraceError> {
        let mut values = Vec::new();
        let number = usize::try_from(chunk).unwrap_or(usize::MAX);
        if let Some(piece) = self.pieces.get(number) {
            let events = self.reader.events(&piece.chunk)?;
            let mut decoder = Decoder::from(self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
            // The event was decoded before.
            drop(decoder.next(&mut values, None));
        }
        Ok(values)
    }

    /// Copies what is kept into the heads, and adds the calls in progress.
    fn copy(
        &mut self,
        reached: &ReachedState,
        threads: BTreeMap<u32, ThreadEnd>,
        write: ChunkSink<'_>,
    ) -> Result<(), TraceError> {
        let presets = threads.values().flat_map(|thread| thread.open.each()).flat_map(|call| &call.presets);
        let mut presets: BTreeMap<ChunkOffset, Vec<u8>> = presets.map(|at| (*at, Vec::new())).collect();
        let mut heads: BTreeMap<u32, Head> = BTreeMap::new();
        let mut left = reached.events.as_slice();
        for (number, row) in (0..self.dropped).zip(0..) {
            let Some(Piece { chunk, .. }) = self.pieces.get(number).copied() else { break };
            let head = heads.entry(chunk.thread).or_default();
            head.at = threads.get(&chunk.thread).map_or(0, |thread| thread.at);
            self.visit(number, |step, raw, at| {
                match step {
                    Step::Met(met) => {
                        if met.is_name || reached.objects.contains(met.object) {
                            head.events.extend_from_slice(raw);
                        }
                    }
                    Step::Event(Event::Turn(turn), _) => head.turn = *turn,
                    Step::Event(..) => {
                        if left.first() == Some(&(row, at)) {
                            left = left.get(1..).unwrap_or_default();
                            head.begin_turn();
                            head.events.extend_from_slice(raw);
                        }
                        if !presets.is_empty()
                            && let Some(preset) = presets.get_mut(&(row, at))
                        {
                            *preset = raw.to_vec();
                        }
                    }
                }
                head.write(chunk.thread, LONG, write)
            })?;
        }
        for (thread, ThreadEnd { open, end, .. }) in threads {
            let Some(mut head) = heads.remove(&thread) else { continue };
            head.begin_turn();
            for call in open.each() {
                head.words(&[AROUND, call.site]);
                for preset in call.presets.iter().filter_map(|at| presets.get(at)) {
                    head.events.extend_from_slice(preset);
                }
                head.write(thread, LONG, write)?;
            }
            head.events.extend(end);
            // Also without events, since what follows does not begin at byte 0.
            head.write(thread, 0, write)?;
        }
        Ok(())
    }
}

/// The objects that are being made.
fn born(threads: &BTreeMap<u32, ThreadEnd>) -> impl Iterator<Item = u32> {
    threads.values().flat_map(|thread| thread.open.each()).map(|call| call.born)
}

/// Notes what an event writes.
fn note(
    state: &mut LastState,
    sites: &Sites,
    fields: &mut Fields,
    site: &Site,
    values: &[Value],
    when: EventTime,
) {
    let first = reference(values.first());
    let mut field = || site.written.as_ref().map(|written| fields.number(written, sites));
    let is_recorded = || sites.method(site.method).is_some_and(|method| method.level >= Level::Writes);
    let (object, part) = match site.what {
        Traced::Put => (first, field()),
        Traced::PutStatic => (0, field()),
        Traced::Element(_) => match values.get(1) {
            Some(Value::Int(index)) => (first, Some(index.cast_unsigned())),
            _ => (0, None),
        },
        Traced::Array => (first, Some(CREATION)),
        Traced::Born if is_recorded() => (first, Some(CREATION)),
        Traced::Contents => return state.contents(when, values),
        Traced::Text => return state.text(when, values),
        _ => (0, None),
    };
    if let Some(part) = part {
        state.write(object, part, when, values);
    }
}

impl ThreadEnd {
    fn enter(&mut self, site: &Site, entered: Option<ChunkOffset>) {
        let call = OpenCall { site: site.id, entered, born: 0, presets: Vec::new() };
        self.open.enter(site.method, call);
    }

    /// Follows an event of the call tree.
    fn follow(&mut self, site: &Site, values: &[Value], place: ChunkOffset, state: &mut LastState) {
        match site.what {
            Traced::Enter => self.enter(site, Some(place)),
            Traced::Return | Traced::Leave => {
                let left = self.open.leave_innermost(site.method).map(|_| ());
                left.or_else(|| self.open.leave(site.method).map(|_| ())).unwrap_or_default();
            }
            Traced::Catch => drop(self.open.return_to(site.method)),
            Traced::Born => {
                if let Some(call) = self.open.innermost_mut() {
                    call.born = reference(values.first());
                    if !std::mem::take(&mut call.presets).is_empty() {
                        state.preset(call.born);
                    }
                }
            }
            Traced::Preset => {
                if let Some(call) = self.open.innermost_mut() {
                    call.presets.push(place);
                }
            }
            _ => {}
        }
    }
}

/// The head of a thread, as far as it was not written yet.
#[derive(Default)]
struct Head {
    events: Vec<u8>,
    /// The turn of the dropped part, and the one that was written last.
    turn: u64,
    written: u64,
    /// Number of bytes the thread had written when its dropped part ended.
    at: u64,
}

impl Head {
    /// Adds the current turn, unless it is there.
    fn begin_turn(&mut self) {
        if self.written != self.turn {
            self.written = self.turn;
            self.words(&[TURN]);
            self.events.extend(self.turn.to_le_bytes());
        }
    }

    /// Writes a chunk of the events that are there, if they have at least `least` bytes.
    fn write(&mut self, thread: u32, least: usize, write: ChunkSink<'_>) -> Result<(), TraceError> {
        if self.events.len() >= least {
            write(&ChunkAt::head(thread, self.at, self.events.len()), &self.events)?;
            self.events.clear();
        }
        Ok(())
    }

    fn words(&mut self, words: &[u32]) {
        self.events.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }
}
