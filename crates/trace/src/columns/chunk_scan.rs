//! Reads the events of one chunk without knowledge of earlier ones. What depends on the calls that are open
//! when the chunk begins becomes a list of steps, which `stitcher` does when it knows them.

use super::met_objects::MetObjects;
use super::site_codes::{Role, SiteCode, place, word_at};
use crate::decode::{Decoder, Event, Value};
use crate::exit::Exit;
use crate::sites::Sites;
use wire::recording::{TextEffect, Traced};

/// A caller with this bit was open before the chunk. The other bits count the earlier steps of the chunk.
pub const OUTER: u32 = 1 << 31;

/// A call that was entered in the chunk.
#[derive(Clone, Copy, Debug)]
pub struct ScannedCall {
    pub method: u32,
    /// Its caller's position in the list of calls, or [`OUTER`] with the number of earlier steps.
    pub parent: u32,
    pub enter_at: u32,
    /// Number of calls with it and below it; 0 if it is open at the end of the chunk.
    pub size: u32,
    /// The byte of its end; `None` if that was not recorded.
    pub exit_at: Option<u32>,
    pub how: Exit,
}

/// What happens to the calls that are open when the chunk begins.
#[derive(Clone, Copy, Debug)]
pub enum OuterStep {
    /// The end of a call of a method was recorded.
    Leave { method: u32, at: u32, how: Exit },
    /// A handler of a method begins.
    Catch { method: u32 },
    /// The innermost call knows the object that it creates.
    Born { this: u32 },
    /// The innermost call writes a field of `this` before `super(…)`.
    Preset(PresetAt),
    /// A thread is started: its object, and the call of this chunk that starts it, or the innermost one.
    Start { thread: u32, inside: Option<u32> },
    /// The thread ends.
    End { turn: Option<u64>, exception: u32 },
}

/// A field write before `super(…)`.
#[derive(Clone, Copy, Debug)]
pub struct PresetAt {
    /// The number of the site.
    pub site: u32,
    /// The turn; `None` for the one in which the chunk begins.
    pub turn: Option<u64>,
    pub at: u32,
}

/// What was found in a chunk.
#[derive(Default)]
pub struct ChunkScan {
    /// The last turn that began in the chunk.
    pub turn: Option<u64>,
    /// The sites with their number of events, in the order of their first events.
    pub sites: Vec<(u32, u32)>,
    /// Number of events without a site: by [`Traced::nth`], then turns, ends and calls that go on.
    pub apart: [u64; APART],
    /// The calls that were entered, in order.
    pub calls: Vec<ScannedCall>,
    /// Those of them that are open at the end, the outermost first.
    pub open: Vec<u32>,
    /// The calls of constructors that were entered, and the objects that they created; 0 if unknown.
    pub born: Vec<(u32, u32)>,
    /// The steps in order, each with the number of calls that were entered before.
    pub steps: Vec<(u32, OuterStep)>,
    /// Writes before `super(…)`, by the objects that were created.
    pub presets: Vec<(u32, PresetAt)>,
    /// The same of calls that are open at the end.
    pub waiting: Vec<(u32, PresetAt)>,
    /// The streams on which something was printed, with the flags of the event.
    pub streams: Vec<(u32, u32)>,
    /// The objects that were met.
    pub objects: MetObjects,
    /// Number of ends without a call.
    pub strays: u64,
}

/// Number of counters of events without a site.
pub const APART: usize = Traced::WORDS.len() + 3;
const TURNS: usize = Traced::WORDS.len();
const ENDS: usize = TURNS + 1;
const AROUNDS: usize = TURNS + 2;

/// The words for events without a site that are no [`Traced`].
pub const APART_WORDS: [&str; 3] = ["turn", "end", "around"];

impl ChunkScan {
    fn clear(&mut self) {
        let ChunkScan {
            turn,
            sites,
            apart,
            calls,
            open,
            born,
            steps,
            presets,
            waiting,
            streams,
            objects,
            strays,
        } = self;
        (*turn, *apart, *strays) = (None, [0; APART], 0);
        sites.clear();
        calls.clear();
        open.clear();
        born.clear();
        steps.clear();
        presets.clear();
        waiting.clear();
        streams.clear();
        objects.clear();
    }
}

/// Why a chunk was not read.
#[derive(Debug)]
pub enum ScanError {
    /// The byte of an event that cannot be decoded, and why.
    Events(usize, &'static str),
    /// An end or a handler belongs to an earlier call although calls of the chunk are open. Only who knows
    /// the earlier calls can tell what it means.
    NeedsOuter,
}

/// Reads chunks.
pub struct Scanner<'a> {
    sites: &'a Sites,
    codes: &'a [SiteCode<Role>],
    /// By method: whether it is a constructor.
    constructors: &'a [bool],
    /// Number of events of each site, and the sites with events.
    counts: Vec<u32>,
    seen: Vec<u32>,
    /// The open calls of the chunk: method, position, and position in the list of constructors' calls.
    stack: Vec<(u32, u32, u32)>,
    /// The methods of the earlier calls that are open, if they are known.
    outer: Option<Vec<u32>>,
    values: Vec<Value>,
    scan: ChunkScan,
}

/// No position.
const NOWHERE: u32 = u32::MAX;

impl<'a> Scanner<'a> {
    pub fn new(sites: &'a Sites, codes: &'a [SiteCode<Role>], constructors: &'a [bool]) -> Scanner<'a> {
        let (counts, seen, stack) = (vec![0; codes.len()], Vec::new(), Vec::new());
        let (values, scan) = (Vec::new(), ChunkScan::default());
        Scanner { sites, codes, constructors, counts, seen, stack, outer: None, values, scan }
    }

    /// Reads a chunk. `outer` has the methods of the calls that are open as it begins, if they are known;
    /// `buffer` is an earlier result, whose memory is used again.
    ///
    /// # Errors
    /// See [`ScanError`].
    pub fn scan(
        &mut self,
        events: &[u8],
        outer: Option<Vec<u32>>,
        buffer: ChunkScan,
    ) -> Result<ChunkScan, ScanError> {
        self.outer = outer;
        self.scan = buffer;
        self.scan.clear();
        self.stack.clear();
        let read = self.read(events);
        for site in self.seen.drain(..) {
            let count = usize::try_from(site).ok().and_then(|site| self.counts.get_mut(site));
            let count = count.map_or(0, std::mem::take);
            self.scan.sites.push((site.wrapping_add(wire::recording::FIRST_SITE), count));
        }
        read?;
        self.scan.open.extend(self.stack.iter().map(|(_, call, _)| *call));
        Ok(std::mem::take(&mut self.scan))
    }

    fn read(&mut self, events: &[u8]) -> Result<(), ScanError> {
        let codes = self.codes;
        let mut at = 0;
        while let Some(word) = word_at(events, at) {
            let known = place(word).and_then(|place| Some((place, *codes.get(place)?)));
            let known = known.filter(|(_, code)| code.role != Role::Unknown);
            let end = known.map(|(_, code)| at + 4 + usize::from(code.length));
            match (known, end) {
                (Some((place, code)), Some(end)) if end <= events.len() => {
                    self.count(place);
                    if code.role != Role::Other {
                        let this = match code.role {
                            Role::Born => word_at(events, at + 4).unwrap_or(0),
                            _ => 0,
                        };
                        self.go(code.role, code.method, word, this, at)?;
                    }
                    at = end;
                }
                _ => at = self.apart(events, at)?,
            }
        }
        if at < events.len() {
            return Err(ScanError::Events(at, "the data ends inside an event"));
        }
        Ok(())
    }

    #[inline]
    fn count(&mut self, place: usize) {
        if let Some(count) = self.counts.get_mut(place) {
            *count += 1;
            if *count == 1 {
                self.seen.push(u32::try_from(place).unwrap_or(NOWHERE));
            }
        }
    }

    /// Reads an event that needs the whole decoder, and returns the byte after it.
    #[inline(never)]
    fn apart(&mut self, events: &[u8], at: usize) -> Result<usize, ScanError> {
        let mut values = std::mem::take(&mut self.values);
        let mut decoder = Decoder::of_writes_from(self.sites, events, at);
        let event = decoder.next(&mut values, Some(&mut self.scan.objects));
        let behind = decoder.at();
        let event = event.map_err(|what| ScanError::Events(at, what))?;
        match event {
            None => {}
            Some(Event::Turn(turn)) => {
                self.scan.apart[TURNS] += 1;
                self.scan.turn = Some(turn);
            }
            // A thread that calls `System.exit` never leaves its calls.
            Some(Event::End(_)) if !self.stack.is_empty() => {}
            Some(Event::End(exception)) => {
                self.outer_step(OuterStep::End { turn: self.scan.turn, exception });
            }
            Some(Event::Around(site)) => {
                self.scan.apart[AROUNDS] += 1;
                self.go(Role::Enter, site.method, site.id, 0, at)?;
            }
            Some(Event::At(site)) => {
                match place(site.id).filter(|_| site.id != 0) {
                    Some(place) => self.count(place),
                    None => {
                        let count = self.scan.apart.get_mut(site.what.nth());
                        count.into_iter().for_each(|count| *count += 1);
                    }
                }
                let first = match values.first() {
                    Some(Value::Object(first)) => *first,
                    _ => 0,
                };
                match site.what {
                    Traced::Text => {
                        if let Some(Value::Int(what)) = values.get(1) {
                            self.stream(first, what.cast_unsigned());
                        }
                    }
                    Traced::Start => {
                        let inside = self.stack.last().map(|(_, call, _)| *call);
                        self.outer_step(OuterStep::Start { thread: first, inside });
                    }
                    what => match Role::of(what) {
                        Role::Other | Role::Unknown => {}
                        role => self.go(role, site.method, site.id, first, at)?,
                    },
                }
            }
        }
        self.values = values;
        Ok(behind)
    }

    /// Notes a stream on which something is printed.
    fn stream(&mut self, object: u32, what: u32) {
        let is_print = TextEffect::of(what & 0xff) == Some(TextEffect::Print);
        if is_print && !self.scan.streams.contains(&(object, what)) {
            self.scan.streams.push((object, what));
        }
    }

    fn outer_step(&mut self, step: OuterStep) {
        let entered = u32::try_from(self.scan.calls.len()).unwrap_or(NOWHERE);
        self.scan.steps.push((entered, step));
    }

    /// Follows an event of the call tree.
    #[inline]
    fn go(&mut self, role: Role, method: u32, site: u32, this: u32, at: usize) -> Result<(), ScanError> {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        match role {
            Role::Enter => self.enter(method, at),
            Role::Return | Role::Leave => {
                let how = if role == Role::Return { Exit::Returned } else { Exit::Threw };
                match self.stack.last() {
                    Some((of, call, _)) if *of == method => {
                        let call = *call;
                        self.stack.pop();
                        self.close(call, Some(at), how);
                    }
                    _ => self.leave(method, at, how)?,
                }
            }
            Role::Catch => self.catch(method)?,
            Role::Born => self.born(this),
            Role::Preset => {
                let preset = PresetAt { site, turn: self.scan.turn, at };
                match self.stack.last() {
                    Some((_, call, _)) => self.scan.waiting.push((*call, preset)),
                    None => self.outer_step(OuterStep::Preset(preset)),
                }
            }
            Role::Other | Role::Unknown => {}
        }
        Ok(())
    }

    #[inline]
    fn enter(&mut self, method: u32, enter_at: u32) {
        let call = u32::try_from(self.scan.calls.len()).unwrap_or(NOWHERE);
        let parent = match self.stack.last() {
            Some((_, parent, _)) => *parent,
            None => OUTER | u32::try_from(self.scan.steps.len()).unwrap_or(0),
        };
        let (size, exit_at, how) = (0, None, Exit::Open);
        self.scan.calls.push(ScannedCall { method, parent, enter_at, size, exit_at, how });
        let is_constructor = usize::try_from(method).ok().and_then(|method| self.constructors.get(method));
        let mut born = NOWHERE;
        if is_constructor == Some(&true) {
            born = u32::try_from(self.scan.born.len()).unwrap_or(NOWHERE);
            self.scan.born.push((call, 0));
        }
        self.stack.push((method, call, born));
    }

    #[inline]
    fn close(&mut self, call: u32, exit_at: Option<u32>, how: Exit) {
        // The object was never created, so drop the writes to it.
        while self.scan.waiting.pop_if(|(of, _)| *of >= call).is_some() {}
        let entered = u32::try_from(self.scan.calls.len()).unwrap_or(NOWHERE);
        if let Some(row) = usize::try_from(call).ok().and_then(|call| self.scan.calls.get_mut(call)) {
            (row.size, row.exit_at, row.how) = (entered - call, exit_at, how);
        }
    }

    /// Closes calls of the chunk from the innermost down to this depth.
    fn close_inside(&mut self, depth: usize) {
        while self.stack.len() > depth
            && let Some((_, call, _)) = self.stack.pop()
        {
            self.close(call, None, Exit::Unrecorded);
        }
    }

    /// The end of a call of a method that is not the innermost call of the chunk.
    #[cold]
    fn leave(&mut self, method: u32, at: u32, how: Exit) -> Result<(), ScanError> {
        if let Some(depth) = self.stack.iter().rposition(|(of, ..)| *of == method) {
            self.close_inside(depth + 1);
            if let Some((_, call, _)) = self.stack.pop() {
                self.close(call, Some(at), how);
            }
            return Ok(());
        }
        if !self.stack.is_empty() {
            if !self.is_outer(method)? {
                self.scan.strays += 1;
                return Ok(());
            }
            self.close_inside(0);
        }
        self.outer_step(OuterStep::Leave { method, at, how });
        if let Some(outer) = &mut self.outer
            && let Some(depth) = outer.iter().rposition(|of| *of == method)
        {
            outer.truncate(depth);
        }
        Ok(())
    }

    /// A constructor cannot record that the constructor of its superclass threw the exception.
    #[cold]
    fn catch(&mut self, method: u32) -> Result<(), ScanError> {
        if let Some(depth) = self.stack.iter().rposition(|(of, ..)| *of == method) {
            self.close_inside(depth + 1);
            return Ok(());
        }
        if !self.stack.is_empty() {
            if !self.is_outer(method)? {
                return Ok(());
            }
            self.close_inside(0);
        }
        self.outer_step(OuterStep::Catch { method });
        if let Some(outer) = &mut self.outer
            && let Some(depth) = outer.iter().rposition(|of| *of == method)
        {
            outer.truncate(depth + 1);
        }
        Ok(())
    }

    /// Whether an earlier call of this method is open.
    fn is_outer(&self, method: u32) -> Result<bool, ScanError> {
        self.outer.as_ref().map(|outer| outer.contains(&method)).ok_or(ScanError::NeedsOuter)
    }

    /// The innermost call knows the object that it creates.
    fn born(&mut self, this: u32) {
        let Some((_, call, born)) = self.stack.last().copied() else {
            return self.outer_step(OuterStep::Born { this });
        };
        if let Some(row) = usize::try_from(born).ok().and_then(|born| self.scan.born.get_mut(born)) {
            row.1 = this;
        }
        while let Some((_, preset)) = self.scan.waiting.pop_if(|(of, _)| *of == call) {
            self.scan.presets.push((this, preset));
        }
    }
}

/// The count of ends is known only to who knows all open calls.
pub const COUNT_OF_ENDS: usize = ENDS;

#[cfg(test)]
mod tests {
    use super::super::open::OpenCalls;
    use super::super::site_codes::codes;
    use super::super::stitcher::Stitcher;
    use super::super::table::Table;
    use super::super::{CALLS, NONE};
    use super::*;
    use crate::folder::{About, Folder};
    use proptest::prelude::*;

    /// Three methods. Method n has its entry, return, leave and catch at the sites from 16 + 4n on.
    fn sites() -> Sites {
        let folder = tempfile::tempdir().unwrap();
        let folder = Folder::create(&folder.path().join("trace"), &About::default()).unwrap();
        let method = |n: u32| {
            let site = |more: u32, what: &str| {
                let id = 16 + 4 * n + more;
                format!(r#"{{"id":{id},"bci":0,"line":null,"what":"{what}","written":null}}"#)
            };
            let sites =
                [(0, "Enter"), (1, "Return"), (2, "Leave"), (3, "Catch")].map(|(n, what)| site(n, what));
            let sites = sites.join(",");
            let facts = r#""descriptor":"()V","access":8,"level":"calls","parameters":[]"#;
            format!(r#"{{"name":"m{n}",{facts},"sites":[{sites}]}}"#)
        };
        let methods = [0, 1, 2].map(method).join(",");
        let facts = r#""source":null,"superclass":null,"access":1,"interfaces":[],"fields":[],"left":[]"#;
        let report = format!(r#"{{"Traced":{{"class":"A",{facts},"methods":[{methods}]}}}}"#);
        std::fs::write(folder.sites(), report + "\n").unwrap();
        Sites::read(&folder, None).unwrap()
    }

    /// The rows of the table of calls, by following all events in order.
    fn by_brute_force(chunks: &[Vec<(u32, u32)>]) -> Vec<[u32; 7]> {
        let (mut rows, mut open) = (Vec::<[u32; 7]>::new(), OpenCalls::<usize>::default());
        for (chunk, events) in (0..).zip(chunks) {
            let mut at = 0;
            for (method, what) in events {
                let next = rows.len();
                let mut close = |call: usize, place: (u32, u32), how: u32| {
                    let size = u32::try_from(next - call).unwrap();
                    (rows[call][3], rows[call][4], rows[call][5], rows[call][6]) =
                        (size, place.0, place.1, how);
                };
                match what {
                    0 => {
                        let parent = open.innermost().map_or(NONE, |call| u32::try_from(*call).unwrap());
                        open.enter(*method, next);
                        rows.push([*method, parent, at, 0, 0, 0, 0]);
                    }
                    1 | 2 => {
                        if let Some(left) = open.leave(*method) {
                            left.unseen.into_iter().for_each(|call| close(call, (0, 0), 3));
                            close(left.call, (chunk, at), *what);
                        }
                    }
                    _ => open.return_to(*method).into_iter().for_each(|call| close(call, (0, 0), 3)),
                }
                at += if *what < 2 { 4 } else { 8 };
            }
        }
        let next = u32::try_from(rows.len()).unwrap();
        for call in open.all() {
            rows[call][3] = next - u32::try_from(call).unwrap();
        }
        rows
    }

    /// The kind of an event: entries are the most frequent.
    fn kind() -> impl Strategy<Value = u32> {
        prop::sample::select(vec![0_u32, 0, 0, 1, 1, 2, 3])
    }

    proptest! {
        #[test]
        fn chunks_that_were_read_alone_give_the_calls_of_the_whole(
            chunks in prop::collection::vec(prop::collection::vec((0_u32..3, kind()), 0..12), 1..6)
        ) {
            let (sites, folder) = (sites(), tempfile::tempdir().unwrap());
            let codes = codes(&sites, Role::Unknown, |site| Role::of(site.what));
            let mut scanner = Scanner::new(&sites, &codes, &[false; 3]);
            let mut stitcher = Stitcher::new(1, folder.path(), 1 << 20).unwrap();
            stitcher.choose(1);
            for (number, events) in (0..).zip(&chunks) {
                let mut bytes = Vec::new();
                for (method, what) in events {
                    bytes.extend((16 + 4 * method + what).to_le_bytes());
                    bytes.extend(if *what < 2 { &[][..] } else { &[0; 4] });
                }
                let scan = match scanner.scan(&bytes, None, ChunkScan::default()) {
                    Err(ScanError::NeedsOuter) => {
                        scanner.scan(&bytes, Some(stitcher.open_methods()), ChunkScan::default())
                    }
                    scan => scan,
                };
                stitcher.add(&sites, number, &mut scan.unwrap()).unwrap();
            }
            assert!(stitcher.finish(&sites).unwrap().is_some());
            let table = Table::open(&folder.path().join("calls.arrow"), CALLS).unwrap();
            let row = |row| [0, 1, 2, 3, 4, 5, 6].map(|column| table.word(column, row));
            let found: Vec<[u32; 7]> = (0..table.len()).map(row).collect();
            prop_assert_eq!(found, by_brute_force(&chunks));
        }
    }
}
