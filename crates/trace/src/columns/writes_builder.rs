//! Builds the table of writes in a pass of its own. It needs no open calls, only the turn in which each chunk
//! begins, so several threads read the chunks.

use super::WRITES;
use super::chunk_workers::{ChunkWork, each_chunk};
use super::external_sort::Sorter;
use super::fields::Fields;
use super::index_builder::{IndexOptions, write};
use super::site_codes::{SiteCode, codes, place, word_at};
use super::table::{Table, halves};
use crate::TraceError;
use crate::decode::{Decoder, Event, Value};
use crate::parts::{CONTENTS, CREATION, TEXT};
use crate::sites::{Site, Sites};
use crate::source::Source;
use wire::recording::{Level, Traced};

/// What the events of a site write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Writes {
    /// No site has this number.
    Unknown,
    Nothing,
    /// A field of an object.
    Field(u32),
    /// A static field.
    Static(u32),
    Element,
    /// An array or object is made.
    Creation,
}

/// The rows of a chunk in ascending order, or the byte of an event that cannot be decoded, and why.
#[derive(Default)]
struct ChunkWrites {
    rows: Vec<[u32; 7]>,
    error: Option<(usize, &'static str)>,
}

struct WriteScanner<'a> {
    sites: &'a Sites,
    codes: &'a [SiteCode<Writes>],
    chunks: &'a Table,
    /// The writes of the current turn: object, part, byte.
    written: Vec<(u64, u32)>,
    values: Vec<Value>,
}

impl ChunkWork for WriteScanner<'_> {
    type Result = ChunkWrites;

    fn work(&mut self, number: u32, events: &[u8], mut buffer: ChunkWrites) -> ChunkWrites {
        buffer.rows.clear();
        self.written.clear();
        let row = usize::try_from(number).unwrap_or(usize::MAX);
        buffer.error = self.read(number, events, self.chunks.get(0, row), &mut buffer.rows).err();
        buffer.rows.sort_unstable();
        buffer
    }
}

impl WriteScanner<'_> {
    fn read(
        &mut self,
        chunk: u32,
        events: &[u8],
        mut turn: u64,
        rows: &mut Vec<[u32; 7]>,
    ) -> Result<(), (usize, &'static str)> {
        let codes = self.codes;
        let mut at = 0;
        while let Some(word) = word_at(events, at) {
            let known = place(word).and_then(|place| codes.get(place).copied());
            let known = known.filter(|code| code.role != Writes::Unknown);
            let end = known.map(|code| at + 4 + usize::from(code.length));
            match (known, end) {
                (Some(code), Some(end)) if end <= events.len() => {
                    if code.role != Writes::Nothing {
                        let first = word_at(events, at + 4).unwrap_or(0);
                        match code.role {
                            Writes::Field(part) => self.write(first, part, at),
                            Writes::Static(part) => self.write(0, part, at),
                            Writes::Element => {
                                self.write(first, word_at(events, at + 8).unwrap_or(0), at);
                            }
                            Writes::Creation => self.write(first, CREATION, at),
                            Writes::Nothing | Writes::Unknown => {}
                        }
                    }
                    at = end;
                }
                _ => at = self.apart(events, at, chunk, &mut turn, rows)?,
            }
        }
        self.flush(chunk, turn, rows);
        Ok(())
    }

    /// Reads an event that needs the whole decoder, and returns the byte after it.
    #[inline(never)]
    fn apart(
        &mut self,
        events: &[u8],
        at: usize,
        chunk: u32,
        turn: &mut u64,
        rows: &mut Vec<[u32; 7]>,
    ) -> Result<usize, (usize, &'static str)> {
        let mut values = std::mem::take(&mut self.values);
        let mut decoder = Decoder::of_writes_from(self.sites, events, at);
        let event = decoder.next(&mut values, None).map_err(|what| (at, what))?;
        match event {
            Some(Event::Turn(next)) => {
                self.flush(chunk, *turn, rows);
                *turn = next;
            }
            Some(Event::At(site)) => {
                let code = place(site.id).and_then(|place| self.codes.get(place));
                let first = match values.first() {
                    Some(Value::Object(first)) => *first,
                    _ => 0,
                };
                match (site.what, code.map(|code| code.role)) {
                    (Traced::Contents, _) => self.write(first, CONTENTS, at),
                    (Traced::Text, _) => self.write(first, TEXT, at),
                    (Traced::Element(_), _) => {
                        if let Some(Value::Int(index)) = values.get(1) {
                            self.write(first, index.cast_unsigned(), at);
                        }
                    }
                    (_, Some(Writes::Field(part))) => self.write(first, part, at),
                    (_, Some(Writes::Static(part))) => self.write(0, part, at),
                    (_, Some(Writes::Creation)) => self.write(first, CREATION, at),
                    _ => {}
                }
            }
            Some(Event::End(_) | Event::Around(_)) | None => {}
        }
        self.values = values;
        Ok(decoder.at())
    }

    #[inline]
    fn write(&mut self, object: u32, part: u32, at: usize) {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        self.written.push((u64::from(object) << 32 | u64::from(part), at));
    }

    /// Ends a turn: makes a row for all writes to the same field or element.
    fn flush(&mut self, chunk: u32, turn: u64, rows: &mut Vec<[u32; 7]>) {
        self.written.sort_unstable();
        let [high, low] = halves(turn);
        for same in self.written.chunk_by(|(one, _), (next, _)| one == next) {
            if let Some((key, at)) = same.first() {
                let [object, part] = halves(*key);
                rows.push([object, part, high, low, chunk, *at, u32::try_from(same.len()).unwrap_or(0)]);
            }
        }
        self.written.clear();
    }
}

/// What a site writes.
fn writes(site: &Site, fields: &mut Fields, sites: &Sites) -> Writes {
    let mut field = || site.written.as_ref().map(|written| fields.number(written, sites));
    let is_recorded = || sites.method(site.method).is_some_and(|method| method.level >= Level::Writes);
    match site.what {
        Traced::Put => field().map_or(Writes::Nothing, Writes::Field),
        Traced::PutStatic => field().map_or(Writes::Nothing, Writes::Static),
        Traced::Element(_) => Writes::Element,
        Traced::Array => Writes::Creation,
        Traced::Born if is_recorded() => Writes::Creation,
        _ => Writes::Nothing,
    }
}

/// What the table of writes is made from, besides the events.
pub struct WritesInput<'a> {
    pub source: &'a Source,
    pub sites: &'a Sites,
    /// The table of chunks.
    pub chunks: &'a Table,
    /// The table of writes before `super(…)`.
    pub presets: &'a Table,
    /// The names of the written fields, by number.
    pub fields: &'a [(String, String)],
}

/// Builds the table of writes.
///
/// # Errors
/// Events cannot be read or the table cannot be written; [`TraceError::Interrupted`] when `goes_on` returns
/// false.
pub fn build_writes(input: &WritesInput<'_>, options: IndexOptions<'_>) -> Result<Table, TraceError> {
    let IndexOptions { to, memory, goes_on } = options;
    let &WritesInput { source, sites, chunks, presets, fields } = input;
    let numbered = std::cell::RefCell::new(Fields::of(fields));
    let codes = codes(sites, Writes::Unknown, |site| writes(site, &mut numbered.borrow_mut(), sites));
    let mut order = Vec::new();
    for (row, number) in (0..source.chunks.len()).zip(0..) {
        // Chunks behind missing events have no known beginning.
        if chunks.word(3, row) == 1 {
            order.push(number);
        }
    }
    let scanner = || WriteScanner { sites, codes: &codes, chunks, written: Vec::new(), values: Vec::new() };
    let (mut sorter, mut done) = (Sorter::<7>::new(to, memory), 0);
    each_chunk(source, &order, scanner, |number, found| {
        done += 1;
        if !goes_on(done, order.len()) {
            return Err(TraceError::Interrupted);
        }
        let Some(found) = found else { return Err(TraceError::ChunkChanged(number)) };
        if let (Some((place, what)), Some(chunk)) = (found.error, source.chunk(number)) {
            let at = chunk.at + u64::try_from(place).unwrap_or(0);
            return Err(TraceError::Broken { thread: chunk.thread, at, what });
        }
        sorter.extend(&found.rows)?;
        Ok(Some(found))
    })?;
    for row in 0..presets.len() {
        let [high, low] = halves(presets.get(2, row));
        let word = |column| presets.word(column, row);
        sorter.push([word(0), word(1), high, low, word(3), word(4), 1])?;
    }
    write(sorter.sorted()?, to, "writes", WRITES, |_, _| false)?;
    Table::open(&to.join("writes.arrow"), WRITES)
}
