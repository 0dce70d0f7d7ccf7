//! The events of a recorded run: the chunks in its file, and what a recording that was cut off has left in
//! its rings.

use super::chunks::{ChunkAt, ChunkReader};
use super::collector;
use super::columns::{Checksum, Stamp};
use super::error::TraceError;
use super::folder::{About, Folder};
use super::sites::Sites;
use std::collections::BTreeMap;
use std::fs::File;

/// So often it is looked what there is, while more comes.
const LOOKS: u32 = 20;

/// Where events are read.
pub struct Source {
    /// The chunks, by number.
    pub chunks: Vec<ChunkAt>,
    /// What is missing, and why.
    pub missing: Vec<String>,
    /// Tells this file from another one.
    pub stamp: Stamp,
    reader: ChunkReader,
    /// What is left in rings, by thread.
    left: BTreeMap<u32, Vec<u8>>,
}

impl Source {
    /// Opens what was recorded so far, and tells what its sites mean.
    ///
    /// # Errors
    /// A file cannot be read.
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
                source.missing.push("the file of events was cut off inside of a chunk".to_owned());
            }
            let has_moved = source.take_leftovers(folder, &begun);
            source.stamp.chunks = source.chunks.len();
            again -= 1;
            // Where events are taken out just now, what is between the file and the rings was not seen.
            if !has_moved || again == 0 {
                let has_events = !source.chunks.is_empty();
                // Sites are told before their events are written: these are known now, those of the rings
                // too.
                let sites = Sites::read(folder, recorded)?;
                if has_events && sites.checksum.bytes == 0 {
                    return Err(TraceError::SitesChanged(folder.sites()));
                }
                source.stamp.sites = sites.checksum;
                return Ok((source, sites));
            }
        }
    }

    /// Reads the same chunks where they are now.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn reopen(&mut self, folder: &Folder) -> Result<(), TraceError> {
        let (reader, chunks, _) = ChunkReader::open(&folder.events())?;
        let of = |chunk: &ChunkAt| (chunk.thread, chunk.at, chunk.length);
        if chunks.iter().map(of).eq(self.chunks.iter().map(of)) {
            (self.reader, self.chunks) = (reader, chunks);
        }
        Ok(())
    }

    /// Where a chunk is.
    pub fn chunk(&self, number: u32) -> Option<ChunkAt> {
        self.chunks.get(usize::try_from(number).ok()?).copied()
    }

    /// The events of a chunk; none where its bytes are not those that were written.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&mut self, number: u32) -> Result<Option<Vec<u8>>, TraceError> {
        self.read_into(number, Vec::new())
    }

    /// The same, in a buffer that may have held others.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read_into(&mut self, number: u32, mut buffer: Vec<u8>) -> Result<Option<Vec<u8>>, TraceError> {
        let Some(chunk) = self.chunk(number) else { return Ok(None) };
        match self.left.get(&chunk.thread) {
            Some(events) if chunk.is_left() => Ok(Some(events.clone())),
            _ => Ok(self.reader.read_into(&chunk, &mut buffer)?.then_some(buffer)),
        }
    }

    /// What is left in the rings of a recording that goes on or was cut off, as further chunks. Whether some
    /// of it was put into the file after that was looked at.
    fn take_leftovers(&mut self, folder: &Folder, sites: &Sites) -> bool {
        let mut has_moved = false;
        if !folder.rings().exists() {
            return has_moved;
        }
        let mut known: BTreeMap<u32, u64> = BTreeMap::new();
        for chunk in &self.chunks {
            let end = chunk.at.saturating_add(chunk.length.into());
            known.entry(chunk.thread).and_modify(|known| *known = end.max(*known)).or_insert(end);
        }
        let mut files: BTreeMap<u32, std::io::Result<File>> = BTreeMap::new();
        for (ring, place) in &sites.rings {
            let open = || File::open(folder.rings().join(place.name()));
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
                    // What was put into the file, and the ring was not told.
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
