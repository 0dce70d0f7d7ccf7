//! The tree of calls: a node for each, by thread, in the order in which they were entered.

use super::chunks::{ChunkAt, ChunkReader};
use super::collector;
use super::decode::{Decoder, Event, Value};
use super::error::TraceError;
use super::folder::Folder;
use super::objects::Objects;
use super::open::OpenCalls;
use super::sites::{Method, Sites};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use wire::recording::{RingReport, Traced};

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// It had not when the recording ended.
    Open,
    /// It returned.
    Returned,
    /// An exception left it.
    Threw,
    /// That was not recorded: near the end of the stack there is no room to record.
    Unseen,
}

/// A place in the events: a chunk, and where in it.
pub(super) type Place = (u32, u32);

/// A node.
#[derive(Clone, Copy, Debug)]
struct Node {
    method: u32,
    parent: u32,
    /// How many calls it is with all below it.
    size: u32,
    enter: Place,
    exit: Place,
    how: Exit,
}

/// No node.
const NONE: u32 = u32::MAX;

/// A recorded run, read.
pub struct Calls {
    /// What sites mean.
    pub sites: Sites,
    /// What was met.
    pub objects: Objects,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// How many events there are of each kind.
    pub events: BTreeMap<&'static str, u64>,
    /// Bytes of events.
    pub bytes: u64,
    nodes: Vec<Node>,
    /// The first node of each thread and how many it has.
    threads: BTreeMap<u32, (u32, u32)>,
    /// The objects that constructors have made.
    born: HashMap<u32, u32>,
    chunks: Vec<ChunkAt>,
    reader: ChunkReader,
    /// What a recording that was cut off has left in its rings, by thread.
    left: BTreeMap<u32, Vec<u8>>,
    /// The chunks of each thread that follow each other without a gap.
    rows: BTreeMap<u32, Vec<u32>>,
    /// The chunk that was read last.
    recent: Option<(u32, Rc<[u8]>)>,
}

/// A call.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Its number: calls of a thread follow each other in the order of their entries.
    pub node: u32,
    /// The number of its method.
    pub method: u32,
    /// What it was called on; 0 where that is not known, none for a static method.
    pub this: Option<u32>,
    /// Its arguments.
    pub arguments: Vec<Value>,
    /// How it ended.
    pub exit: Exit,
    /// What it returned, or the exception that left it.
    pub result: Option<Value>,
    /// How many calls are below it.
    pub below: u32,
}

impl Calls {
    /// Reads all that was recorded so far.
    ///
    /// # Errors
    /// A file cannot be read, or holds something else.
    pub fn read(folder: &Folder) -> Result<Calls, TraceError> {
        // Sites are told before their events are written: what is read of those now is known.
        let (mut reader, mut chunks, rest) = ChunkReader::open(&folder.events())?;
        let sites = Sites::read(folder)?;
        let mut missing = Vec::new();
        if rest {
            missing.push("the file of events was cut off inside of a chunk".to_owned());
        }
        let left = leftovers(folder, &sites, &mut chunks, &mut missing);
        let mut building = Building::default();
        let mut objects = Objects::default();
        let mut bytes = 0;
        let mut by_thread: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, chunk) in (0..).zip(&chunks) {
            by_thread.entry(chunk.thread).or_default().push(number);
        }
        let mut threads = BTreeMap::new();
        let mut rows: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (thread, numbers) in by_thread {
            let first = building.begin();
            let mut expected = 0;
            let row: &mut Vec<u32> = rows.entry(thread).or_default();
            for number in numbers {
                let Some(chunk) = usize::try_from(number).ok().and_then(|n| chunks.get(n)) else { continue };
                let events = match left.get(&thread) {
                    Some(events) if chunk.is_left() => Some(events.clone()),
                    _ => reader.read(chunk)?,
                };
                let name = sites.threads.get(&thread).map_or("?", String::as_str);
                let Some(events) = events.filter(|_| chunk.at == expected) else {
                    missing.push(format!("events of thread {name} are missing from byte {expected} on"));
                    break;
                };
                row.push(number);
                expected = chunk.at + u64::from(chunk.length);
                bytes += u64::from(chunk.length);
                let mut decoder = Decoder::new(&sites, &events);
                loop {
                    let at = u32::try_from(decoder.at()).unwrap_or(u32::MAX);
                    let broken = |what| TraceError::Broken { thread, at: chunk.at + u64::from(at), what };
                    match decoder.next(&mut objects).map_err(broken)? {
                        None => break,
                        Some(event) => building.take(&event, (number, at)),
                    }
                }
            }
            let count = building.end(first);
            threads.insert(thread, (first, count));
        }
        if building.strays > 0 {
            missing.push(format!("{} calls ended whose beginning was not recorded", building.strays));
        }
        let Building { nodes, born, events, .. } = building;
        Ok(Calls {
            sites,
            objects,
            missing,
            events,
            bytes,
            nodes,
            threads,
            born,
            chunks,
            reader,
            left,
            rows,
            recent: None,
        })
    }

    /// How many calls there are.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The threads by number: their names, and how many calls each has.
    pub fn threads(&self) -> Vec<(u32, String, u32)> {
        let name = |thread: &u32| self.sites.threads.get(thread).cloned().unwrap_or_default();
        self.threads.iter().map(|(thread, (_, count))| (*thread, name(thread), *count)).collect()
    }

    /// All calls of a thread.
    pub fn of_thread(&self, thread: u32) -> std::ops::Range<u32> {
        self.threads.get(&thread).map_or(0..0, |(first, count)| *first..first + count)
    }

    /// The name of the thread of a call; none if there is no such call.
    pub fn thread_of(&self, node: u32) -> Option<String> {
        let (thread, _) =
            self.threads.iter().find(|(_, (first, count))| (*first..first + count).contains(&node))?;
        Some(self.sites.threads.get(thread).cloned().unwrap_or_default())
    }

    /// The calls of a thread that no recorded one has made.
    pub fn roots(&self, thread: u32) -> Vec<u32> {
        let Some((first, count)) = self.threads.get(&thread) else { return Vec::new() };
        self.siblings(*first, first + count)
    }

    /// The calls that a call has made.
    pub fn children(&self, node: u32) -> Vec<u32> {
        self.node(node).map_or_else(Vec::new, |parent| self.siblings(node + 1, node + parent.size))
    }

    fn siblings(&self, first: u32, end: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut at = first;
        while at < end {
            found.push(at);
            at += self.node(at).map_or(1, |node| node.size.max(1));
        }
        found
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get(usize::try_from(node).ok()?)
    }

    /// The method of a call.
    pub fn method(&self, node: u32) -> Option<&Method> {
        self.sites.method(self.node(node)?.method)
    }

    /// How many calls are below one.
    pub fn below(&self, node: u32) -> u32 {
        self.node(node).map_or(0, |node| node.size.saturating_sub(1))
    }

    /// The call that made this one.
    pub fn parent(&self, node: u32) -> Option<u32> {
        self.node(node).map(|node| node.parent).filter(|parent| *parent != NONE)
    }

    /// A call with its arguments and its result; none if there is no such call.
    ///
    /// # Errors
    /// Its events cannot be read.
    pub fn call(&mut self, node: u32) -> Result<Option<Call>, TraceError> {
        let Some(Node { method, enter, exit, how, size, .. }) = self.node(node).copied() else {
            return Ok(None);
        };
        let mut arguments = self.values(enter)?;
        let (is_static, is_constructor) =
            self.sites.method(method).map_or((true, false), |m| (m.is_static, m.name == "<init>"));
        let this = match (is_static, is_constructor) {
            (true, _) => None,
            (false, true) => Some(self.born.get(&node).copied().unwrap_or(0)),
            (false, false) => {
                let this = (!arguments.is_empty()).then(|| arguments.remove(0));
                Some(match this {
                    Some(Value::Object(this)) => this,
                    _ => 0,
                })
            }
        };
        let result = match how {
            Exit::Returned | Exit::Threw => self.values(exit)?.first().copied(),
            Exit::Open | Exit::Unseen => None,
        };
        Ok(Some(Call { node, method, this, arguments, exit: how, result, below: size.saturating_sub(1) }))
    }

    /// The values of the event at a place.
    fn values(&mut self, (chunk, at): Place) -> Result<Vec<Value>, TraceError> {
        let events = self.chunk(chunk)?;
        let mut decoder = Decoder::from(&self.sites, &events, usize::try_from(at).unwrap_or(usize::MAX));
        // It was read before: the objects are known.
        match decoder.next(&mut Objects::default()) {
            Ok(Some(Event::At { values, .. })) => Ok(values),
            _ => Ok(Vec::new()),
        }
    }

    /// The events of a chunk; none where there is no such chunk.
    pub(super) fn chunk(&mut self, number: u32) -> Result<Rc<[u8]>, TraceError> {
        if let Some((_, events)) = self.recent.as_ref().filter(|(recent, _)| *recent == number) {
            return Ok(events.clone());
        }
        let found = usize::try_from(number).ok().and_then(|n| self.chunks.get(n));
        let Some(found) = found else { return Ok([].into()) };
        let events = match self.left.get(&found.thread) {
            Some(events) if found.is_left() => Some(events.clone()),
            _ => self.reader.read(found)?,
        };
        let events: Rc<[u8]> = events.unwrap_or_default().into();
        self.recent = Some((number, events.clone()));
        Ok(events)
    }

    /// The chunks of a thread.
    pub(super) fn row(&self, thread: u32) -> Vec<u32> {
        self.rows.get(&thread).cloned().unwrap_or_default()
    }

    /// The number of the thread of a call, and where that begins; none if there is no such call.
    pub(super) fn begins(&self, node: u32) -> Option<(u32, Place)> {
        let holds = |(first, count): &(u32, u32)| (*first..first + count).contains(&node);
        let thread = self.threads.iter().find(|(_, calls)| holds(calls)).map(|(thread, _)| *thread)?;
        Some((thread, self.node(node)?.enter))
    }

    /// Where a call ends, if that was recorded.
    pub(super) fn ends(&self, node: u32) -> Option<Place> {
        let node = self.node(node)?;
        matches!(node.how, Exit::Returned | Exit::Threw).then_some(node.exit)
    }

    /// The object that a constructor's call has made.
    pub fn born(&self, node: u32) -> Option<u32> {
        self.born.get(&node).copied()
    }
}

/// What is left in the rings of a recording that was cut off, as further chunks.
fn leftovers(
    folder: &Folder,
    sites: &Sites,
    chunks: &mut Vec<ChunkAt>,
    missing: &mut Vec<String>,
) -> BTreeMap<u32, Vec<u8>> {
    let mut left = BTreeMap::new();
    for (ring, name) in &sites.threads {
        let path = folder.rings().join(RingReport::file(*ring));
        match collector::left_in(&path) {
            Ok(Some((from, events))) => {
                let known = chunks.iter().filter(|chunk| chunk.thread == *ring);
                let known = known.map(|chunk| chunk.at + u64::from(chunk.length)).max().unwrap_or(0);
                if from > known {
                    // They were put into the file after that was looked at.
                    continue;
                }
                // What was put into the file, and the ring was not told.
                let skip = usize::try_from(known.saturating_sub(from)).unwrap_or(usize::MAX);
                let Some(events) = events.get(skip..).filter(|events| !events.is_empty()) else { continue };
                chunks.push(ChunkAt::left(*ring, from.max(known), events.len()));
                left.insert(*ring, events.to_vec());
            }
            Ok(None) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => missing.push(format!("the ring of thread {name} cannot be read: {error}")),
        }
    }
    left
}

/// The tree as it grows.
#[derive(Default)]
struct Building {
    nodes: Vec<Node>,
    born: HashMap<u32, u32>,
    events: BTreeMap<&'static str, u64>,
    open: OpenCalls,
    strays: u64,
}

impl Building {
    fn begin(&mut self) -> u32 {
        self.open = OpenCalls::default();
        u32::try_from(self.nodes.len()).unwrap_or(NONE)
    }

    /// The thread's events are over: how many calls it has.
    fn end(&mut self, first: u32) -> u32 {
        for node in std::mem::take(&mut self.open).all() {
            self.close(node, (0, 0), Exit::Open);
        }
        u32::try_from(self.nodes.len()).unwrap_or(NONE) - first
    }

    fn close(&mut self, node: u32, exit: Place, how: Exit) {
        let end = u32::try_from(self.nodes.len()).unwrap_or(NONE);
        if let Some(closed) = usize::try_from(node).ok().and_then(|n| self.nodes.get_mut(n)) {
            closed.size = end - node;
            closed.exit = exit;
            closed.how = how;
        }
    }

    fn take(&mut self, event: &Event<'_>, place: Place) {
        let Event::At { site, values } = event else {
            *self.events.entry("turn").or_default() += 1;
            return;
        };
        *self.events.entry(site.what.word()).or_default() += 1;
        match site.what {
            Traced::Enter => {
                let node = u32::try_from(self.nodes.len()).unwrap_or(NONE);
                let parent = self.open.innermost().unwrap_or(NONE);
                let method = site.method;
                self.nodes.push(Node {
                    method,
                    parent,
                    size: 1,
                    enter: place,
                    exit: (0, 0),
                    how: Exit::Open,
                });
                self.open.enter(node, method);
            }
            Traced::Born => {
                if let (Some(node), Some(Value::Object(this))) = (self.open.innermost(), values.first()) {
                    self.born.insert(node, *this);
                }
            }
            Traced::Return => self.leave(site.method, place, Exit::Returned),
            Traced::Leave => self.leave(site.method, place, Exit::Threw),
            _ => {}
        }
    }

    /// A call of a method ends.
    fn leave(&mut self, method: u32, place: Place, how: Exit) {
        let Some(left) = self.open.leave(method) else {
            self.strays += 1;
            return;
        };
        for node in left.unseen {
            self.close(node, (0, 0), Exit::Unseen);
        }
        self.close(left.node, place, how);
    }
}
