//! Writes events to a Parquet file, one row per event.

use parquet::basic::{Compression, Type};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;
use serde_json::{Map, Value};
use std::io::{Error, ErrorKind, Write};
use std::sync::Arc;

/// Number of rows in a row group. The group is in memory until it is written.
const ROWS: usize = 1 << 15;

/// The columns. A column has the name of a member of the JSON lines.
const SCHEMA: &str = "message event {
    optional binary run (STRING);
    required binary thread (STRING);
    required int64 turn (INTEGER(64, false));
    optional int32 node (INTEGER(32, false));
    required binary class (STRING);
    required binary method (STRING);
    required binary descriptor (STRING);
    required binary event (STRING);
    optional int32 line (INTEGER(16, false));
    optional int32 bci (INTEGER(32, false));
    optional binary this (STRING);
    optional group arguments (LIST) { repeated group list { optional binary item (STRING); } }
    optional binary result (STRING);
    optional binary exception (STRING);
    optional binary object (STRING);
    optional binary declared_by (STRING);
    optional binary name (STRING);
    optional int32 index;
    optional binary key (STRING);
    optional group items (LIST) { repeated group list { optional binary item (STRING); } }
    optional group keys (LIST) { repeated group list { optional binary item (STRING); } }
    optional binary stream (STRING);
    optional int32 removed (INTEGER(32, false));
    optional int32 inserted (INTEGER(32, false));
    optional binary old (STRING);
    optional binary new (STRING);
    optional int32 to (INTEGER(16, false));
    optional int32 to_line (INTEGER(16, false));
}";

/// Writes rows.
pub struct Rows<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Column>,
    rows: usize,
}

/// The values of one column in a row group, with the levels that say which rows lack one (Parquet
/// specification, Nested Encoding).
struct Column {
    name: String,
    cells: Cells,
    /// The definition level of a present value: 0 if every row has one.
    defined: i16,
    is_list: bool,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

/// Values of a physical type.
enum Cells {
    Texts(Vec<ByteArray>),
    Ints(Vec<i32>),
    Longs(Vec<i64>),
}

impl Column {
    fn new(description: &ColumnDescPtr) -> Column {
        let cells = match description.physical_type() {
            Type::INT32 => Cells::Ints(Vec::new()),
            Type::INT64 => Cells::Longs(Vec::new()),
            _ => Cells::Texts(Vec::new()),
        };
        Column {
            name: description.path().parts().first().cloned().unwrap_or_default(),
            cells,
            defined: description.max_def_level(),
            is_list: description.max_rep_level() > 0,
            definitions: Vec::new(),
            repetitions: Vec::new(),
        }
    }

    /// Writes the values and clears them.
    fn write(&mut self, mut out: SerializedColumnWriter<'_>) -> parquet::errors::Result<()> {
        let definitions = (self.defined > 0).then_some(self.definitions.as_slice());
        let repetitions = self.is_list.then_some(self.repetitions.as_slice());
        match &mut self.cells {
            Cells::Texts(cells) => {
                out.typed::<ByteArrayType>().write_batch(cells, definitions, repetitions)?;
                cells.clear();
            }
            Cells::Ints(cells) => {
                out.typed::<Int32Type>().write_batch(cells, definitions, repetitions)?;
                cells.clear();
            }
            Cells::Longs(cells) => {
                out.typed::<Int64Type>().write_batch(cells, definitions, repetitions)?;
                cells.clear();
            }
        }
        self.definitions.clear();
        self.repetitions.clear();
        out.close()
    }

    /// Adds the value of a row, or notes that the row lacks it. An unsigned number is stored by its bits, as
    /// its logical type says. A list has definition level 0 if it is missing, and 1 if it is empty.
    fn push(&mut self, value: Option<&Value>) -> std::io::Result<()> {
        let wrong = || Error::new(ErrorKind::InvalidData, format!("`{}` is of another kind", self.name));
        if !self.is_list {
            if value.is_none() && self.defined == 0 {
                return Err(wrong());
            }
            self.definitions.push(if value.is_some() { self.defined } else { 0 });
            return value.map_or(Some(()), |value| self.cells.push(value)).ok_or_else(wrong);
        }
        let items = value.map(|list| list.as_array().ok_or_else(wrong)).transpose()?;
        if items.is_none_or(Vec::is_empty) {
            self.definitions.push(i16::from(items.is_some()));
            self.repetitions.push(0);
        }
        for (at, item) in items.into_iter().flatten().enumerate() {
            self.definitions.push(self.defined);
            self.repetitions.push(i16::from(at > 0));
            self.cells.push(item).ok_or_else(wrong)?;
        }
        Ok(())
    }
}

impl Cells {
    /// Adds a value; `None` if it is of another kind.
    fn push(&mut self, value: &Value) -> Option<()> {
        match self {
            Cells::Texts(cells) => cells.push(ByteArray::from(value.as_str()?)),
            Cells::Ints(cells) => {
                let number = value.as_i64()?;
                let bits = u32::try_from(number).map(u32::cast_signed);
                cells.push(bits.or_else(|_| i32::try_from(number)).ok()?);
            }
            Cells::Longs(cells) => cells.push(value.as_u64()?.cast_signed()),
        }
        Some(())
    }
}

impl<W: Write + Send> Rows<W> {
    /// Creates a writer for an empty file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(out: W) -> std::io::Result<Rows<W>> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(Error::other)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(out, schema, Arc::new(properties)).map_err(Error::other)?;
        let columns = writer.schema_descr().columns().iter().map(Column::new).collect();
        Ok(Rows { writer, columns, rows: 0 })
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The file cannot be written, or a required value is missing or of another kind.
    pub fn push(&mut self, row: &Map<String, Value>) -> std::io::Result<()> {
        self.columns.iter_mut().try_for_each(|column| column.push(row.get(&column.name)))?;
        self.rows += 1;
        if self.rows == ROWS { self.write() } else { Ok(()) }
    }

    /// Writes a row group.
    fn write(&mut self) -> std::io::Result<()> {
        self.rows = 0;
        let mut group = self.writer.next_row_group().map_err(Error::other)?;
        let mut columns = self.columns.iter_mut();
        while let Some(out) = group.next_column().map_err(Error::other)? {
            if let Some(column) = columns.next() {
                column.write(out).map_err(Error::other)?;
            }
        }
        group.close().map(drop).map_err(Error::other)
    }

    /// Writes the remaining rows and the end of the file.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(mut self) -> std::io::Result<()> {
        if self.rows > 0 {
            self.write()?;
        }
        self.writer.close().map(drop).map_err(Error::other)
    }
}
