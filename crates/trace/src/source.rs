//! Reads the events of a recording: the chunks of its file and, after an interrupted recording, what is left
//! in the rings.

use super::chunks::{ChunkAt, ChunkReader};
use super::collector;
use super::columns::{Checksum, Stamp};
use super::error::TraceError;
use super::folder::{About, Folder};
use super::sites::Sites;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

/// Maximum number of attempts to read a recording that still grows.
const LOOKS: u32 = 20;

/// The events of a recording.
pub struct Source {
    /// The chunks, by number.
    pub chunks: Vec<ChunkAt>,
    /// Reasons why events are missing.
    pub missing: Vec<String>,
    /// Identifies the state of the recording.
    pub stamp: Stamp,
    reader: ChunkReader,
    /// Events left in rings, by thread.
    left: BTreeMap<u32, Vec<u8>>,
}

impl Source {
    /// Opens what has been recorded so far, with the meaning of its sites.
    ///
    /// # Errors
    /// A file cannot be read; [`TraceError::SitesChanged`] when the report of sites is empty or was changed.
    pub fn open(folder: &Folder, about: &About) -> Result<(Source, Sites), TraceError> {
        let recorded = about.recorded.as_ref().and_then(|recorded| recorded.sites);
        let mut again = LOOKS;
        loop {
            let (reader, chunks, rest) = ChunkReader::open(&folder.events())?;
            let begun = Sites::read(folder, recorded)?;
            let changed = reader.changed().map_err(TraceError::at(&folder.events()))?;
            let stamp = Stamp { chunks: chunks.len(), changed, sites: Checksum::default() };
            let mut source = Source { chunks, missing: Vec::new(), stamp, reader, left: BTreeMap::new() };
            if rest {
                source.missing.push("the file of events ends inside a chunk".to_owned());
            }
            let has_moved = source.take_leftovers(folder, &begun);
            source.stamp.chunks = source.chunks.len();
            again -= 1;
            // While the collector runs, events may move from a ring to the file between the two reads: read
            // again.
            if !has_moved || again == 0 {
                let has_events = !source.chunks.is_empty();
                // The agent reports sites before their events, so this report covers the rings' events too.
                let sites = Sites::read(folder, recorded)?;
                if has_events && sites.checksum.bytes == 0 {
                    return Err(TraceError::SitesChanged(folder.sites()));
                }
                source.stamp.sites = sites.checksum;
                return Ok((source, sites));
            }
        }
    }

    /// The same events, for another thread.
    pub fn again(&self) -> Source {
        Source {
            chunks: self.chunks.clone(),
            missing: self.missing.clone(),
            stamp: self.stamp,
            reader: self.reader.again(),
            left: self.left.clone(),
        }
    }

    /// Whether events are stored uncompressed although they may shrink.
    pub fn is_loose(&self) -> bool {
        self.chunks.iter().any(ChunkAt::may_shrink)
    }

    /// Whether the first events were dropped.
    pub fn has_dropped(&self) -> bool {
        self.chunks.first().is_some_and(|chunk| chunk.is_head)
    }

    /// The file of events.
    pub fn path(&self) -> &Path {
        self.reader.path()
    }

    /// The location of a chunk.
    pub fn chunk(&self, number: u32) -> Option<ChunkAt> {
        self.chunks.get(usize::try_from(number).ok()?).copied()
    }

    /// Reads the events of a chunk into a reusable buffer; `None` when the checksum differs.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_into(&mut self, number: u32, mut buffer: Vec<u8>) -> Result<Option<Vec<u8>>, TraceError> {
        let Some(chunk) = self.chunk(number) else { return Ok(None) };
        match self.left.get(&chunk.thread) {
            Some(events) if chunk.is_left() => Ok(Some(events.clone())),
            _ if self.reader.read_into(&chunk, &mut buffer)? => Ok(Some(buffer)),
            _ => {
                // A compressor may have moved the events to its file.
                let (mut reader, chunks, _) = ChunkReader::open(self.reader.path())?;
                let place = usize::try_from(number).unwrap_or(usize::MAX);
                let Some(now) = chunks.get(place).filter(|now| now.is_same(&chunk)) else {
                    return Ok(None);
                };
                let is_read = reader.read_into(now, &mut buffer)?;
                for (known, now) in self.chunks.iter_mut().zip(&chunks) {
                    if known.is_same(now) {
                        *known = *now;
                    }
                }
                self.reader = reader;
                Ok(is_read.then_some(buffer))
            }
        }
    }

    /// Adds the events left in the rings as further chunks. Returns true when the collector moved some of
    /// them meanwhile.
    fn take_leftovers(&mut self, folder: &Folder, sites: &Sites) -> bool {
        let mut has_moved = false;
        if !folder.rings().exists() {
            return has_moved;
        }
        let mut known: BTreeMap<u32, u64> = BTreeMap::new();
        for chunk in &self.chunks {
            let end = chunk.next();
            known.entry(chunk.thread).and_modify(|known| *known = end.max(*known)).or_insert(end);
        }
        let mut files: BTreeMap<u32, std::io::Result<File>> = BTreeMap::new();
        for (ring, place) in &sites.rings {
            let open = || files::open_regular(&folder.rings().join(place.name()), false);
            let left = match files.entry(place.file).or_insert_with(open) {
                Ok(file) => collector::left_in(file, *ring, place.at),
                Err(error) => Err(std::io::Error::new(error.kind(), error.to_string())),
            };
            match left {
                Ok(Some((from, events))) => {
                    let known = known.get(ring).copied().unwrap_or(0);
                    if from > known {
                        has_moved = true;
                        continue;
                    }
                    // The collector had moved these bytes but not yet updated the ring.
                    let skip = usize::try_from(known.saturating_sub(from)).unwrap_or(usize::MAX);
                    let Some(events) = events.get(skip..).filter(|events| !events.is_empty()) else {
                        continue;
                    };
                    self.chunks.push(ChunkAt::left(*ring, from.max(known), events.len()));
                    self.left.insert(*ring, events.to_vec());
                }
                Ok(None) => {}
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(error) => {
                    let name = sites.threads.get(ring).map_or("", |(name, _)| name.as_str());
                    self.missing.push(format!("the ring of thread {name} cannot be read: {error}"));
                }
            }
        }
        has_moved
    }
}
