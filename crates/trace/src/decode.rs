//! Decodes events from the bytes of a thread.

use super::sites::{CONTENTS_SITE, Kind, RAISED_SITE, START_SITE, STORED_SITE, Site, Sites, TEXT_SITE};
use wire::recording::{
    AROUND, AT_END, CONTENTS, Change, END, FIRST_SITE, IS_ARRAY, IS_BOX, IS_CLASS, IS_CONSTANT,
    IS_CONSTANT_WITH_BODY, IS_EXCEPTION, IS_FIELDS, IS_TEXT, MEETING, NAMED, RAISED, START, STORED,
    TEXT_CHANGE, TURN, TWO_BYTES, TextEffect,
};

/// A value recorded in an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// `boolean`
    Boolean(bool),
    /// `char`: one UTF-16 code unit.
    Char(u16),
    /// `byte`, `short` or `int`.
    Int(i32),
    /// `long`
    Long(i64),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// An object's number; 0 is `null`.
    Object(u32),
}

impl Value {
    /// Whether two values are identical: a `NaN` equals itself, bit by bit.
    pub fn is(self, other: Value) -> bool {
        match (self, other) {
            (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
            (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
            _ => self == other,
        }
    }
}

/// A decoded event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// The thread records again after another thread has recorded. The numbers of these events order all
    /// threads.
    Turn(u64),
    /// The thread ends; the number of its uncaught exception, or 0.
    End(u32),
    /// Execution continues in a call whose entry was not recorded; the site of that entry.
    Around(&'a Site),
    /// An event at a site.
    At(&'a Site),
}

/// The details recorded when an object is first met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ObjectDetail {
    /// No details.
    Plain,
    /// The beginning of a string, and its length in UTF-16 code units.
    Text(String, i32),
    /// The length of an array.
    Array(i32),
    /// The value of a box: the integer, or the bits of a `float` or `double`.
    Boxed(i64),
    /// An enum constant.
    Constant {
        /// The constant's name.
        name: String,
        /// The constant has a class body of its own: the enum is its superclass.
        has_body: bool,
    },
    /// An exception.
    Exception {
        /// The beginning of its message and its length in UTF-16 code units; `None` without a message.
        message: Option<(String, i32)>,
        /// Its cause, 0 if it has none.
        cause: u32,
    },
    /// A `java.lang.Class` object; its name is reported as a class name.
    Class,
    /// The field values that identify an immutable JDK object; [`field_values`] decodes them.
    Fields(Vec<u8>),
}

/// Size of one field value in bytes: a type letter and a 64-bit word.
const FIELD: usize = 9;

/// The values in the bytes of [`ObjectDetail::Fields`].
pub fn field_values(bytes: &[u8]) -> Vec<Value> {
    let value = |[letter, word @ ..]: &[u8; FIELD]| {
        let word = i64::from_le_bytes(*word);
        let low = i32::try_from(word).unwrap_or_default();
        match letter {
            b'L' => Value::Object(low.cast_unsigned()),
            b'J' => Value::Long(word),
            b'D' => Value::Double(f64::from_bits(word.cast_unsigned())),
            b'Z' => Value::Boolean(word & 1 != 0),
            _ => Value::Int(low),
        }
    };
    bytes.as_chunks::<FIELD>().0.iter().map(value).collect()
}

/// Receives the objects that are met for the first time.
pub trait ObjectObserver {
    /// Reports the name of a class.
    fn class(&mut self, number: u32, name: String);
    /// Reports an object of a class.
    fn object(&mut self, object: u32, class: u32, met: ObjectDetail);
}

const UNKNOWN: &str = "the event belongs to an unreported site";
const TORN: &str = "the data ends inside an event";

/// Decodes the events of a chunk.
pub struct Decoder<'a> {
    sites: &'a Sites,
    bytes: &'a [u8],
    at: usize,
    /// Decode the values of write events only.
    only_writes: bool,
    /// Whether lines without events of their own are wanted.
    derives_lines: bool,
    /// The lines that follow from the last event and are left, and the position of the first of them.
    lines: &'a [u32],
    line_at: usize,
}

impl<'a> Decoder<'a> {
    /// Starts at the first event.
    pub fn new(sites: &'a Sites, bytes: &'a [u8]) -> Decoder<'a> {
        Decoder::from(sites, bytes, 0)
    }

    /// Starts at the first event; decodes values only for events that record a write or a creation.
    pub fn of_writes(sites: &'a Sites, bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { only_writes: true, ..Decoder::new(sites, bytes) }
    }

    /// The same from a byte on where an event begins.
    pub fn of_writes_from(sites: &'a Sites, bytes: &'a [u8], at: usize) -> Decoder<'a> {
        Decoder { only_writes: true, ..Decoder::from(sites, bytes, at) }
    }

    /// Starts at a byte where an event begins.
    pub fn from(sites: &'a Sites, bytes: &'a [u8], at: usize) -> Decoder<'a> {
        Decoder { sites, bytes, at, only_writes: false, derives_lines: false, lines: &[], line_at: 0 }
    }

    /// The same, with the lines that have no events of their own and follow from others.
    pub fn with_lines_from(sites: &'a Sites, bytes: &'a [u8], at: usize) -> Decoder<'a> {
        Decoder { derives_lines: true, ..Decoder::from(sites, bytes, at) }
    }

    /// The position of the next event: the byte where it begins. A line without an event of its own has the
    /// position of a byte inside the event that it follows from.
    pub fn at(&self) -> usize {
        if self.lines.is_empty() { self.at } else { self.line_at }
    }

    /// Whether another decoder can start at the next event.
    pub fn is_at_begin(&self) -> bool {
        self.lines.is_empty()
    }

    /// The next event and its values; `None` at the end. Objects met on the way are reported to `meeting`.
    ///
    /// # Errors
    /// A text that says why the bytes are not valid.
    // Returning the result through memory stalls the CPU: it is stored in parts and loaded as a whole.
    // Inlined into the callers, it stays in registers.
    #[allow(clippy::inline_always, reason = "it saves a fifth of the time in which tables are made")]
    #[inline(always)]
    pub fn next(
        &mut self,
        values: &mut Vec<Value>,
        mut meeting: Option<&mut dyn ObjectObserver>,
    ) -> Result<Option<Event<'a>>, &'static str> {
        values.clear();
        while let Some((line, left)) = self.lines.split_first() {
            (self.lines, self.line_at) = (left, self.line_at + 1);
            if let Some(site) = self.sites.site(*line) {
                return Ok(Some(Event::At(site)));
            }
        }
        let begin = self.at;
        let number = loop {
            if self.at >= self.bytes.len() {
                return Ok(None);
            }
            match self.u32()? {
                // The reborrow ends with each iteration; `as_deref_mut` would borrow for the whole loop.
                MEETING => self.meeting(match &mut meeting {
                    Some(meeting) => Some(&mut **meeting),
                    None => None,
                })?,
                number => break number,
            }
        };
        if number < FIRST_SITE {
            return self.apart(number, values).map(Some);
        }
        let site = self.sites.site(number).ok_or(UNKNOWN)?;
        if self.derives_lines {
            (self.lines, self.line_at) = (&site.lines, begin + 1);
        }
        if !self.only_writes || site.tells_of_a_write() {
            for kind in site.values.iter() {
                values.push(self.value(*kind)?);
            }
        } else {
            self.at += site.length;
            if self.at > self.bytes.len() {
                return Err(TORN);
            }
        }
        Ok(Some(Event::At(site)))
    }

    /// Decodes the description of an object, if one is next, and returns whether it was.
    ///
    /// # Errors
    /// A text that says why the bytes are not valid.
    pub(super) fn meet(&mut self, observer: &mut dyn ObjectObserver) -> Result<bool, &'static str> {
        let next = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<4>());
        let is_meeting = next.is_some_and(|word| u32::from_le_bytes(*word) == MEETING);
        if is_meeting {
            self.at += 4;
            self.meeting(Some(observer))?;
        }
        Ok(is_meeting)
    }

    /// Decodes an event that belongs to no site.
    #[inline(never)]
    fn apart(&mut self, number: u32, values: &mut Vec<Value>) -> Result<Event<'a>, &'static str> {
        match number {
            TURN => Ok(Event::Turn(u64::from_le_bytes(self.take()?))),
            END => Ok(Event::End(self.u32()?)),
            AROUND => {
                let number = self.u32()?;
                self.sites.site(number).map(Event::Around).ok_or(UNKNOWN)
            }
            START => {
                values.push(Value::Object(self.u32()?));
                Ok(Event::At(&START_SITE))
            }
            RAISED => {
                values.push(Value::Object(self.u32()?));
                values.push(Value::Int(self.u32()?.cast_signed()));
                Ok(Event::At(&RAISED_SITE))
            }
            STORED => {
                for kind in STORED_SITE.values.iter() {
                    values.push(self.value(*kind)?);
                }
                Ok(Event::At(&STORED_SITE))
            }
            CONTENTS => {
                self.contents(values)?;
                Ok(Event::At(&CONTENTS_SITE))
            }
            TEXT_CHANGE => {
                self.text_change(values)?;
                Ok(Event::At(&TEXT_SITE))
            }
            _ => Err(UNKNOWN),
        }
    }

    /// Decodes a change of a text.
    fn text_change(&mut self, values: &mut Vec<Value>) -> Result<(), &'static str> {
        let int = |word: u32| Value::Int(word.cast_signed());
        let (object, what, length, inserted) = (self.u32()?, self.u32()?, self.u32()?, self.u32()?);
        let (from, removed, digest, shown) = match what & AT_END {
            0 => (self.u32()?, self.u32()?, i64::from_le_bytes(self.take()?), self.u32()?),
            _ if length == u32::MAX => (0, 0, 0, inserted),
            _ => (length.saturating_sub(inserted), 0, 0, inserted),
        };
        let effect = TextEffect::of(what & 0xff).ok_or("the kind of the text change is unknown")?;
        values.extend([Value::Object(object), int(what), int(length)]);
        values.push(if effect == TextEffect::SameAs { Value::Object(from) } else { int(from) });
        values.extend([int(removed), int(inserted), Value::Long(digest)]);
        let shown = usize::try_from(shown).unwrap_or(usize::MAX);
        let size = if what & TWO_BYTES == 0 { 1 } else { 2 };
        let end = shown.checked_mul(size).and_then(|bytes| bytes.checked_add(self.at)).ok_or(TORN)?;
        let bytes = self.bytes.get(self.at..end).ok_or(TORN)?;
        self.at = end;
        match size {
            1 => values.extend(bytes.iter().map(|unit| Value::Char((*unit).into()))),
            _ => {
                let units = bytes.as_chunks::<2>().0.iter();
                values.extend(units.map(|unit| Value::Char(u16::from_le_bytes(*unit))));
            }
        }
        Ok(())
    }

    fn value(&mut self, kind: Kind) -> Result<Value, &'static str> {
        Ok(match kind {
            // A field stores the low bits of the VM's `int` (JVMS §6.5.putfield).
            Kind::Boolean => Value::Boolean(self.u32()? & 1 != 0),
            Kind::Byte => Value::Int(i8::from_le_bytes([self.take::<4>()?[0]]).into()),
            Kind::Short => {
                Value::Int(i16::from_le_bytes(*self.take::<4>()?.first_chunk().unwrap_or(&[0; 2])).into())
            }
            Kind::Char => Value::Char(u16::try_from(self.u32()? & 0xffff).unwrap_or(0)),
            Kind::Long => Value::Long(i64::from_le_bytes(self.take()?)),
            Kind::Float => Value::Float(f32::from_le_bytes(self.take()?)),
            Kind::Double => Value::Double(f64::from_le_bytes(self.take()?)),
            Kind::Object => Value::Object(self.u32()?),
            Kind::Int => Value::Int(i32::from_le_bytes(self.take()?)),
        })
    }

    /// Decodes a change of a collection.
    fn contents(&mut self, values: &mut Vec<Value>) -> Result<(), &'static str> {
        let int = |word: u32| Value::Int(word.cast_signed());
        let (collection, change, size) = (self.u32()?, self.u32()?, self.u32()?);
        values.extend([Value::Object(collection), int(change), int(size)]);
        let change = Change::of(change).ok_or("the kind of the collection change is unknown")?;
        match change {
            Change::AllOfList | Change::AllOfMap => {
                let (from, many) = (self.u32()?, self.u32()?);
                values.extend([int(from), int(many)]);
                for _ in 0..many {
                    values.push(Value::Object(self.u32()?));
                }
            }
            Change::Clear => {}
            Change::Insert | Change::Set => values.extend([int(self.u32()?), Value::Object(self.u32()?)]),
            Change::Remove => values.push(int(self.u32()?)),
            Change::Take | Change::Unput => values.push(Value::Object(self.u32()?)),
            Change::Put | Change::PutLast | Change::Doubt => {
                values.extend([Value::Object(self.u32()?), Value::Object(self.u32()?)]);
            }
            Change::PutBehind => {
                values.extend([Value::Object(self.u32()?), Value::Object(self.u32()?)]);
                values.extend([int(self.u32()?), Value::Object(self.u32()?)]);
            }
            Change::Backed => values.extend([Value::Object(self.u32()?), int(self.u32()?)]),
        }
        Ok(())
    }

    /// Decodes an object that is met for the first time.
    #[inline(never)]
    fn meeting(&mut self, mut meeting: Option<&mut dyn ObjectObserver>) -> Result<(), &'static str> {
        let object = self.u32()?;
        let [what] = self.take()?;
        let class = self.u32()?;
        let named = class & NAMED != 0;
        let class = class & !NAMED;
        let is_wanted = meeting.is_some();
        if named {
            let length = u16::from_le_bytes(self.take()?);
            let name = self.characters(length)?;
            if let Some(meeting) = &mut meeting {
                meeting.class(class, text(name));
            }
        }
        let met = match what {
            IS_TEXT => {
                let (begins, length) = self.begins(is_wanted)?;
                ObjectDetail::Text(begins, length)
            }
            IS_CONSTANT | IS_CONSTANT_WITH_BODY => ObjectDetail::Constant {
                name: self.begins(is_wanted)?.0,
                has_body: what == IS_CONSTANT_WITH_BODY,
            },
            IS_EXCEPTION => ObjectDetail::Exception {
                message: Some(self.begins(is_wanted)?).filter(|(_, length)| *length >= 0),
                cause: self.u32()?,
            },
            IS_CLASS => {
                let length = u16::from_le_bytes(self.take()?);
                let name = self.characters(length)?;
                if let Some(meeting) = &mut meeting {
                    meeting.class(object, text(name));
                }
                ObjectDetail::Class
            }
            IS_ARRAY => ObjectDetail::Array(i32::from_le_bytes(self.take()?)),
            IS_FIELDS => {
                let [count] = self.take()?;
                let end = self.at + FIELD * usize::from(count);
                let bytes = self.bytes.get(self.at..end).ok_or(TORN)?;
                self.at = end;
                ObjectDetail::Fields(if is_wanted { bytes.to_vec() } else { Vec::new() })
            }
            IS_BOX => ObjectDetail::Boxed(i64::from_le_bytes(self.take()?)),
            _ => ObjectDetail::Plain,
        };
        if let Some(meeting) = meeting {
            meeting.object(object, class, met);
        }
        Ok(())
    }

    /// Decodes the beginning of a string, if it is wanted, and the string's length.
    fn begins(&mut self, is_wanted: bool) -> Result<(String, i32), &'static str> {
        let length = i32::from_le_bytes(self.take()?);
        let shown = u16::from_le_bytes(self.take()?);
        let begins = self.characters(shown)?;
        Ok((if is_wanted { text(begins) } else { String::new() }, length))
    }

    /// Takes the bytes of `length` UTF-16 code units.
    fn characters(&mut self, length: u16) -> Result<&'a [u8], &'static str> {
        let end = self.at + 2 * usize::from(length);
        let bytes = self.bytes.get(self.at..end).ok_or("the data ends inside a string")?;
        self.at = end;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_le_bytes)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        self.at += N;
        found.copied().ok_or(TORN)
    }
}

fn text(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    String::from_utf16_lossy(&units)
}
