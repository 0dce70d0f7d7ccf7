//! The objects that the events of a chunk describe, and the table of all objects.

use super::external_sort::Sorter;
use super::table::halves;
use crate::TraceError;
use crate::decode::{ObjectDetail, ObjectObserver};
use bytecode::descriptor::generated::recorded_name;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Object kind: no details are known.
pub const PLAIN: u32 = 0;
/// Object kind: an array; its bits are the length.
pub const ARRAY: u32 = 1;
/// Object kind: a string; its bits are the length, its text the beginning.
pub const TEXT: u32 = 2;
/// Object kind: a box of a primitive value; its bits are the value.
pub const BOX: u32 = 3;
/// Object kind: an enum constant; its text is the name.
pub const CONSTANT: u32 = 4;
/// Object kind: an enum constant with a class body of its own.
pub const CONSTANT_WITH_BODY: u32 = 5;
/// Object kind: an exception; its lower bits are the message's length, its upper bits the cause, its text
/// the message's beginning.
pub const EXCEPTION: u32 = 6;
/// Object kind: a class, which has a name.
pub const CLASS: u32 = 7;
/// Object kind: an immutable JDK object; its text holds the encoded field values.
pub const FIELDS: u32 = 8;
/// The lower bits of an exception without a message.
pub const NO_MESSAGE: u32 = u32::MAX;

/// An object of a chunk.
struct MetObject {
    object: u32,
    kind: u32,
    class: u32,
    bits: u64,
    /// Size of its text, in bytes.
    text: u32,
}

/// The objects of a chunk.
#[derive(Default)]
pub struct MetObjects {
    objects: Vec<MetObject>,
    /// Their texts, one behind the other.
    texts: Vec<u8>,
    /// Names of classes, by the number of the class object.
    classes: Vec<(u32, String)>,
}

impl MetObjects {
    pub fn clear(&mut self) {
        self.objects.clear();
        self.texts.clear();
        self.classes.clear();
    }
}

impl ObjectObserver for MetObjects {
    fn class(&mut self, number: u32, name: String) {
        self.classes.push((number, recorded_name(&name)));
    }

    fn object(&mut self, object: u32, class: u32, met: ObjectDetail) {
        let none: &[u8] = &[];
        let (kind, bits, text) = match &met {
            ObjectDetail::Plain => (PLAIN, 0, none),
            ObjectDetail::Array(length) => (ARRAY, u64::from(length.cast_unsigned()), none),
            ObjectDetail::Text(begins, length) => {
                (TEXT, u64::from(length.cast_unsigned()), begins.as_bytes())
            }
            ObjectDetail::Boxed(bits) => (BOX, bits.cast_unsigned(), none),
            ObjectDetail::Constant { name, has_body: false } => (CONSTANT, 0, name.as_bytes()),
            ObjectDetail::Constant { name, has_body: true } => (CONSTANT_WITH_BODY, 0, name.as_bytes()),
            ObjectDetail::Exception { message, cause } => {
                let (begins, length) = match message {
                    Some((begins, length)) => (begins.as_bytes(), length.cast_unsigned()),
                    None => (none, NO_MESSAGE),
                };
                (EXCEPTION, u64::from(*cause) << 32 | u64::from(length), begins)
            }
            ObjectDetail::Fields(values) => (FIELDS, 0, values.as_slice()),
            ObjectDetail::Class => (CLASS, 0, none),
        };
        self.texts.extend_from_slice(text);
        let text = u32::try_from(text.len()).unwrap_or(0);
        self.objects.push(MetObject { object, kind, class, bits, text });
    }
}

/// Collects the objects of all chunks.
pub struct ObjectTable {
    /// Sorts the rows of the table by object.
    sorter: Sorter<8>,
    /// Names of classes, by the number of the class object.
    pub classes: BTreeMap<u32, String>,
    path: PathBuf,
    texts: BufWriter<File>,
    at: u64,
}

impl ObjectTable {
    /// Creates the file of texts. Rows take at most `memory` bytes of memory.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn new(to: &Path, memory: usize) -> Result<ObjectTable, TraceError> {
        let path = to.join("texts");
        let texts = files::create_new(&path).map_err(TraceError::at(&path))?;
        let (sorter, texts) = (Sorter::new(to, memory), BufWriter::new(texts));
        Ok(ObjectTable { sorter, classes: BTreeMap::new(), path, texts, at: 0 })
    }

    /// Adds the objects of a chunk.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn add(&mut self, met: &mut MetObjects) -> Result<(), TraceError> {
        self.texts.write_all(&met.texts).map_err(TraceError::at(&self.path))?;
        self.classes.extend(met.classes.drain(..));
        for MetObject { object, kind, class, bits, text } in met.objects.drain(..) {
            let ([high, low], [at_high, at_low]) = (halves(bits), halves(self.at));
            self.at += u64::from(text);
            self.sorter.push([object, kind, class, high, low, at_high, at_low, text])?;
        }
        Ok(())
    }

    /// Completes the file of texts. Returns the names of classes and the rows.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<(BTreeMap<u32, String>, Sorter<8>), TraceError> {
        self.texts.flush().map_err(TraceError::at(&self.path))?;
        Ok((self.classes, self.sorter))
    }
}
