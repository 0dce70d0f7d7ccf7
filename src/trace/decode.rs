//! Events out of the bytes of a thread.

use super::objects::{Objects, Text};
use super::sites::{Site, Sites};
use wire::recording::{IS_ARRAY, IS_BOX, IS_TEXT, MET, TURN};

/// A value of an event.
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
    /// An object by its number; 0: `null`.
    Object(u32),
}

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// The thread goes on where another one has recorded before; such events of all threads are ordered by this.
    Turn(u64),
    /// Something happens at a site.
    At {
        /// The site.
        site: &'a Site,
        /// Its values.
        values: Vec<Value>,
    },
}

/// Reads the bytes of a chunk.
pub struct Decoder<'a> {
    sites: &'a Sites,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Decoder<'a> {
    /// From the beginning.
    pub fn new(sites: &'a Sites, bytes: &'a [u8]) -> Decoder<'a> {
        Decoder { sites, bytes, at: 0 }
    }

    /// From a place at which an event begins.
    pub fn from(sites: &'a Sites, bytes: &'a [u8], at: usize) -> Decoder<'a> {
        Decoder { sites, bytes, at }
    }

    /// Where the next event begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The next event; none at the end. What it meets of objects is put to the others.
    ///
    /// # Errors
    /// Says what is wrong.
    pub fn next(&mut self, objects: &mut Objects) -> Result<Option<Event<'a>>, &'static str> {
        if self.at >= self.bytes.len() {
            return Ok(None);
        }
        let number = self.u32()?;
        if number == TURN {
            return Ok(Some(Event::Turn(u64::from_le_bytes(self.take()?))));
        }
        let site = self.sites.site(number).ok_or("it is of a site that nobody told of")?;
        let mut values = Vec::with_capacity(site.values.len());
        for descriptor in site.values.iter() {
            values.push(self.value(descriptor, objects)?);
        }
        Ok(Some(Event::At { site, values }))
    }

    fn value(&mut self, descriptor: &str, objects: &mut Objects) -> Result<Value, &'static str> {
        Ok(match descriptor.as_bytes().first() {
            // A field takes the lower bits of what the VM computes with (JVMS §6.5.putfield).
            Some(b'Z') => Value::Boolean(self.u32()? & 1 != 0),
            Some(b'B') => Value::Int(i8::from_le_bytes([self.take::<4>()?[0]]).into()),
            Some(b'S') => {
                Value::Int(i16::from_le_bytes(*self.take::<4>()?.first_chunk().unwrap_or(&[0; 2])).into())
            }
            Some(b'C') => Value::Char(u16::try_from(self.u32()? & 0xffff).unwrap_or(0)),
            Some(b'J') => Value::Long(i64::from_le_bytes(self.take()?)),
            Some(b'F') => Value::Float(f32::from_le_bytes(self.take()?)),
            Some(b'D') => Value::Double(f64::from_le_bytes(self.take()?)),
            Some(b'L' | b'[') => Value::Object(self.object(objects)?),
            _ => Value::Int(i32::from_le_bytes(self.take()?)),
        })
    }

    fn object(&mut self, objects: &mut Objects) -> Result<u32, &'static str> {
        let number = self.u32()?;
        if number & MET == 0 {
            return Ok(number);
        }
        let object = number & !MET;
        let [what] = self.take()?;
        let class = self.u32()?;
        let named = class & MET != 0;
        let class = class & !MET;
        if named {
            let length = u16::from_le_bytes(self.take()?);
            let name = self.characters(length)?;
            objects.name(class, &name);
        }
        objects.meet(object, class);
        if what == IS_TEXT {
            let length = i32::from_le_bytes(self.take()?);
            let shown = u16::from_le_bytes(self.take()?);
            let begins = self.characters(shown)?;
            objects.text(object, Text { begins, length });
        } else if what == IS_ARRAY {
            objects.array(object, i32::from_le_bytes(self.take()?));
        } else if what == IS_BOX {
            objects.put_in_box(object, i64::from_le_bytes(self.take()?));
        }
        Ok(object)
    }

    fn characters(&mut self, length: u16) -> Result<String, &'static str> {
        let end = self.at + 2 * usize::from(length);
        let bytes = self.bytes.get(self.at..end).ok_or("it ends inside of a text")?;
        self.at = end;
        let units: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
        Ok(String::from_utf16_lossy(&units))
    }

    fn u32(&mut self) -> Result<u32, &'static str> {
        self.take().map(u32::from_le_bytes)
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        let found = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>());
        self.at += N;
        found.copied().ok_or("it ends inside of an event")
    }
}
