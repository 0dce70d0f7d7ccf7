//! Writes events to a Parquet file, one row per event.

use super::event_row::EventRow;
use parquet::basic::{Compression, Type};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnDescPtr;
use std::io::{Error, Write};
use std::sync::Arc;

/// Number of rows in a row group. The group is in memory until it is written.
const ROWS: usize = 1 << 15;

/// The columns, in the order in which [`Rows::push`] fills them.
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

    fn text(&mut self, text: Option<String>) {
        self.definitions.push(if text.is_some() { self.defined } else { 0 });
        if let (Some(text), Cells::Texts(cells)) = (text, &mut self.cells) {
            cells.push(ByteArray::from(text.into_bytes()));
        }
    }

    /// Adds a number. An unsigned one is stored by its bits, as its logical type says.
    fn int(&mut self, number: Option<i32>) {
        self.definitions.push(if number.is_some() { self.defined } else { 0 });
        if let (Some(number), Cells::Ints(cells)) = (number, &mut self.cells) {
            cells.push(number);
        }
    }

    fn long(&mut self, number: u64) {
        if let Cells::Longs(cells) = &mut self.cells {
            cells.push(number.cast_signed());
        }
    }

    /// Adds a list. Its definition level is 0 if it is missing, and 1 if it is empty.
    fn texts(&mut self, texts: Option<Vec<String>>) {
        let (Some(texts), Cells::Texts(cells)) = (&texts, &mut self.cells) else {
            self.definitions.push(0);
            self.repetitions.push(0);
            return;
        };
        if texts.is_empty() {
            self.definitions.push(1);
            self.repetitions.push(0);
        }
        for (at, text) in texts.iter().enumerate() {
            self.definitions.push(self.defined);
            self.repetitions.push(i16::from(at > 0));
            cells.push(ByteArray::from(text.as_str()));
        }
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
    /// The file cannot be written.
    pub fn push(&mut self, row: EventRow<'_>) -> std::io::Result<()> {
        let EventRow { event, .. } = row;
        let [
            run,
            thread,
            turn,
            node,
            class,
            method,
            descriptor,
            kind,
            line,
            bci,
            this,
            arguments,
            result,
            exception,
            object,
            declared_by,
            name,
            index,
            key,
            items,
            keys,
            stream,
            removed,
            inserted,
            old,
            new,
            to,
            to_line,
        ] = self.columns.as_mut_slice()
        else {
            return Err(Error::other("the schema has other columns than a row"));
        };
        run.text(row.run.map(str::to_owned));
        thread.text(Some(row.thread.to_owned()));
        turn.long(row.turn);
        node.int(row.node.map(u32::cast_signed));
        class.text(Some(row.class.to_owned()));
        method.text(Some(row.method.to_owned()));
        descriptor.text(Some(row.descriptor.to_owned()));
        kind.text(Some(event.event.to_owned()));
        line.int(event.line.map(i32::from));
        bci.int(event.bci.map(u32::cast_signed));
        this.text(row.this);
        arguments.texts(row.arguments);
        result.text(row.result);
        exception.text(row.exception);
        object.text(event.object);
        declared_by.text(event.declared_by);
        name.text(event.name);
        index.int(event.index);
        key.text(event.key);
        items.texts(event.items);
        keys.texts(event.keys);
        let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX).cast_signed();
        stream.text(event.stream.map(str::to_owned));
        removed.int(event.removed.map(number));
        inserted.int(event.inserted.map(number));
        old.text(event.old);
        new.text(event.new);
        to.int(event.to.map(i32::from));
        to_line.int(event.to_line.map(i32::from));
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
