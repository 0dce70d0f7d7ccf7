//! The Arrow IPC file format, as far as tables of unsigned integers without missing values need it. (Apache
//! Arrow, *Columnar Format*, IPC File Format.)
//!
//! A file has the schema, the batches, and a footer that repeats the schema and says where the batches are.
//! Each of these is a message in FlatBuffers, and a batch is followed by the bytes of its columns.

use polars_arrow_format::ipc::planus::{Builder, ReadAsRoot};
use polars_arrow_format::ipc::{
    Block, Buffer, Endianness, Field, FieldNode, FooterRef, Int, Message, MessageHeader, MessageHeaderRef,
    MessageRef, MetadataVersion, RecordBatch, Schema, Type, TypeRef,
};
use std::io::{Error, ErrorKind, Result, Write};

/// What a file begins and ends with.
const MAGIC: &[u8] = b"ARROW1";
/// Length of a file's end behind the footer: four bytes for the footer's length, and the magic string.
const TRAILER: usize = 10;
/// What a message begins with; its length follows.
const MARKER: [u8; 4] = [0xff; 4];
/// Multiple of bytes at which a message and a column begin, as the format recommends.
const ALIGNMENT: usize = 64;

/// The width of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// 8 bits: one word of a row, below 256.
    Byte,
    /// 32 bits: one word of a row.
    Word,
    /// 64 bits: two words of a row, the high one first.
    Double,
}

impl Width {
    /// Number of bytes of a number.
    pub fn bytes(self) -> usize {
        match self {
            Width::Byte => 1,
            Width::Word => 4,
            Width::Double => 8,
        }
    }
}

/// The names and widths of a table's columns.
pub type Layout = &'static [(&'static str, Width)];

/// Writes a file, batch by batch.
pub struct ArrowWriter<W> {
    out: W,
    columns: Layout,
    /// Number of bytes written so far.
    position: usize,
    batches: Vec<Block>,
}

impl<W: Write> ArrowWriter<W> {
    /// Writes the beginning of a file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn begin(out: W, columns: Layout) -> Result<ArrowWriter<W>> {
        let mut writer = ArrowWriter { out, columns, position: 0, batches: Vec::new() };
        writer.put(MAGIC)?;
        writer.pad(8)?;
        writer.message(MessageHeader::Schema(Box::new(schema(columns))), 0)?;
        Ok(writer)
    }

    /// Writes a batch of rows. Each column has its numbers in little-endian order, of the width that the
    /// layout gives it.
    ///
    /// # Errors
    /// The file cannot be written, or a column has not as many bytes as its rows need.
    pub fn batch(&mut self, rows: usize, columns: &[Vec<u8>]) -> Result<()> {
        let (mut buffers, mut end) = (Vec::new(), 0);
        for ((_, width), column) in self.columns.iter().zip(columns) {
            if Some(column.len()) != rows.checked_mul(width.bytes()) {
                return Err(Error::new(ErrorKind::InvalidInput, "a column has another length"));
            }
            // No value is missing, so the bitmap of present values is empty.
            buffers.push(Buffer { offset: signed(end)?, length: 0 });
            buffers.push(Buffer { offset: signed(end)?, length: signed(column.len())? });
            end += column.len().next_multiple_of(ALIGNMENT);
        }
        let node = FieldNode { length: signed(rows)?, null_count: 0 };
        let batch = RecordBatch {
            length: signed(rows)?,
            nodes: Some(vec![node; self.columns.len()]),
            buffers: Some(buffers),
            compression: None,
            variadic_buffer_counts: None,
        };
        let begin = self.position;
        self.message(MessageHeader::RecordBatch(Box::new(batch)), end)?;
        let head = i32::try_from(self.position - begin).map_err(Error::other)?;
        for column in columns {
            self.put(column)?;
            self.pad(ALIGNMENT)?;
        }
        let block = Block { offset: signed(begin)?, meta_data_length: head, body_length: signed(end)? };
        self.batches.push(block);
        Ok(())
    }

    /// Writes the footer.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.put(&MARKER)?;
        self.put(&[0; 4])?;
        let footer = polars_arrow_format::ipc::Footer {
            version: MetadataVersion::V5,
            schema: Some(Box::new(schema(self.columns))),
            dictionaries: None,
            record_batches: Some(std::mem::take(&mut self.batches)),
            custom_metadata: None,
        };
        let mut builder = Builder::new();
        let footer = builder.finish(&footer, None);
        self.put(footer)?;
        self.put(&i32::try_from(footer.len()).map_err(Error::other)?.to_le_bytes())?;
        self.put(MAGIC)?;
        self.out.flush()
    }

    /// Writes a message, padded so that what follows it is aligned.
    fn message(&mut self, header: MessageHeader, body: usize) -> Result<()> {
        let message = Message {
            version: MetadataVersion::V5,
            header: Some(header),
            body_length: signed(body)?,
            custom_metadata: None,
        };
        let mut builder = Builder::new();
        let message = builder.finish(&message, None);
        let before = self.position + MARKER.len() + 4;
        let length = (before + message.len()).next_multiple_of(ALIGNMENT) - before;
        self.put(&MARKER)?;
        self.put(&i32::try_from(length).map_err(Error::other)?.to_le_bytes())?;
        self.put(message)?;
        self.pad(ALIGNMENT)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.position += bytes.len();
        self.out.write_all(bytes)
    }

    fn pad(&mut self, multiple: usize) -> Result<()> {
        let more = self.position.next_multiple_of(multiple) - self.position;
        self.put(&[0; ALIGNMENT][..more.min(ALIGNMENT)])
    }
}

fn signed(number: usize) -> Result<i64> {
    i64::try_from(number).map_err(Error::other)
}

fn schema(columns: Layout) -> Schema {
    let field = |(name, width): &(&str, Width)| Field {
        name: Some((*name).to_owned()),
        nullable: false,
        type_: Some(Type::Int(Box::new(Int { bit_width: bits(*width), is_signed: false }))),
        dictionary: None,
        children: Some(Vec::new()),
        custom_metadata: None,
    };
    Schema {
        endianness: Endianness::Little,
        fields: Some(columns.iter().map(field).collect()),
        custom_metadata: None,
        features: None,
    }
}

fn bits(width: Width) -> i32 {
    match width {
        Width::Byte => 8,
        Width::Word => 32,
        Width::Double => 64,
    }
}

/// Where a batch has its columns.
pub struct BatchPlace {
    /// Number of rows.
    pub rows: usize,
    /// The position in the file of each column's first byte. All bytes of its rows are inside the file.
    pub columns: Vec<usize>,
}

/// Finds the batches of a complete file. Follows no offset that it has not checked, so the file may come from
/// anywhere.
///
/// # Errors
/// Says why the file is not a table with these columns.
pub fn batches(file: &[u8], columns: Layout) -> std::result::Result<Vec<BatchPlace>, &'static str> {
    const SHORT: &str = "it is too short";
    const FOOTER: &str = "its footer cannot be read";
    let end = file.len().checked_sub(TRAILER).ok_or(SHORT)?;
    let (length, magic) = file.get(end..).and_then(|rest| rest.split_first_chunk::<4>()).ok_or(SHORT)?;
    if magic != MAGIC || !file.starts_with(MAGIC) {
        return Err("it is no Arrow file");
    }
    let length = usize::try_from(i32::from_le_bytes(*length)).map_err(|_| FOOTER)?;
    let footer = end.checked_sub(length).and_then(|begin| file.get(begin..end)).ok_or(SHORT)?;
    let footer = FooterRef::read_as_root(footer).map_err(|_| FOOTER)?;
    if !has_columns(&footer, columns).map_err(|_| FOOTER)? {
        return Err("it has other columns");
    }
    let blocks = footer.record_batches().map_err(|_| FOOTER)?;
    blocks
        .into_iter()
        .flatten()
        .map(|block| batch(file.get(..end)?, block.into(), columns))
        .map(|found| found.ok_or("a batch lies outside the file"))
        .collect()
}

fn has_columns(footer: &FooterRef<'_>, columns: Layout) -> polars_arrow_format::ipc::planus::Result<bool> {
    let Some(schema) = footer.schema()? else { return Ok(false) };
    let Some(fields) = schema.fields()? else { return Ok(columns.is_empty()) };
    if fields.len() != columns.len() || schema.endianness()? != Endianness::Little {
        return Ok(false);
    }
    for (field, (name, width)) in fields.iter().zip(columns) {
        let field = field?;
        let Some(TypeRef::Int(of)) = field.type_()? else { return Ok(false) };
        if field.name()? != Some(name)
            || field.nullable()?
            || of.is_signed()?
            || of.bit_width()? != bits(*width)
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The place of a batch; none if a part of it lies outside the file, or if it is no batch of these columns.
fn batch(file: &[u8], block: Block, columns: Layout) -> Option<BatchPlace> {
    let begin = usize::try_from(block.offset).ok()?;
    let head = usize::try_from(block.meta_data_length).ok()?;
    let body = begin.checked_add(head)?;
    let body_length = usize::try_from(block.body_length).ok()?;
    file.get(body..body.checked_add(body_length)?)?;
    let message = file.get(begin..body)?.get(MARKER.len() + 4..)?;
    let message = MessageRef::read_as_root(message).ok()?;
    let Some(MessageHeaderRef::RecordBatch(batch)) = message.header().ok()? else { return None };
    if batch.compression().ok()?.is_some() {
        return None;
    }
    let rows = usize::try_from(batch.length().ok()?).ok()?;
    let (nodes, buffers) = (batch.nodes().ok()??, batch.buffers().ok()??);
    if nodes.len() != columns.len() || buffers.len() != 2 * columns.len() {
        return None;
    }
    let mut found = Vec::new();
    for (at, (_, width)) in columns.iter().enumerate() {
        let (node, values): (FieldNode, Buffer) = (nodes.get(at)?.into(), buffers.get(2 * at + 1)?.into());
        let (offset, length) = (usize::try_from(values.offset).ok()?, usize::try_from(values.length).ok()?);
        let has_rows = usize::try_from(node.length) == Ok(rows) && node.null_count == 0;
        if !has_rows || length < rows.checked_mul(width.bytes())? || offset.checked_add(length)? > body_length
        {
            return None;
        }
        found.push(body.checked_add(offset)?);
    }
    Some(BatchPlace { rows, columns: found })
}
