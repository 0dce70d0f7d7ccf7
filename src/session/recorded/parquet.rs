//! Events in a Parquet file: a row each.

use super::export::Line;
use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray, UInt16Array, UInt32Array, UInt64Array};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;
use std::io::{Error, Write};
use std::sync::Arc;

/// So many rows are gathered before they are written.
const ROWS: usize = 1 << 15;

/// Writes rows.
pub struct Rows<W: Write + Send> {
    schema: SchemaRef,
    writer: ArrowWriter<W>,
    columns: Columns,
}

#[derive(Default)]
struct Columns {
    run: Vec<Option<String>>,
    thread: Vec<String>,
    turn: Vec<u64>,
    node: Vec<Option<u32>>,
    class: Vec<String>,
    method: Vec<String>,
    descriptor: Vec<String>,
    event: Vec<&'static str>,
    line: Vec<Option<u16>>,
    bci: Vec<Option<u32>>,
    this: Vec<Option<String>>,
    arguments: Vec<Option<Vec<String>>>,
    result: Vec<Option<String>>,
    exception: Vec<Option<String>>,
    object: Vec<Option<String>>,
    declared_by: Vec<Option<String>>,
    name: Vec<Option<String>>,
    index: Vec<Option<i32>>,
    key: Vec<Option<String>>,
    items: Vec<Option<Vec<String>>>,
    keys: Vec<Option<Vec<String>>>,
    old: Vec<Option<String>>,
    new: Vec<Option<String>>,
    to: Vec<Option<u16>>,
    to_line: Vec<Option<u16>>,
}

fn schema() -> Schema {
    let field = |name: &str, of: DataType| {
        let always = ["thread", "turn", "class", "method", "descriptor", "event"];
        Field::new(name, of, !always.contains(&name))
    };
    let text = |name| field(name, DataType::Utf8);
    let list = DataType::List(Arc::new(Field::new("item", DataType::Utf8, true)));
    Schema::new(vec![
        text("run"),
        text("thread"),
        field("turn", DataType::UInt64),
        field("node", DataType::UInt32),
        text("class"),
        text("method"),
        text("descriptor"),
        text("event"),
        field("line", DataType::UInt16),
        field("bci", DataType::UInt32),
        text("this"),
        field("arguments", list.clone()),
        text("result"),
        text("exception"),
        text("object"),
        text("declared_by"),
        text("name"),
        field("index", DataType::Int32),
        text("key"),
        field("items", list.clone()),
        field("keys", list),
        text("old"),
        text("new"),
        field("to", DataType::UInt16),
        field("to_line", DataType::UInt16),
    ])
}

impl Columns {
    fn batch(&mut self, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
        let Columns {
            run,
            thread,
            turn,
            node,
            class,
            method,
            descriptor,
            event,
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
            old,
            new,
            to,
            to_line,
        } = std::mem::take(self);
        let always = |texts: Vec<String>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
        let text = |texts: Vec<Option<String>>| -> ArrayRef { Arc::new(StringArray::from(texts)) };
        let short = |numbers: Vec<Option<u16>>| -> ArrayRef { Arc::new(UInt16Array::from(numbers)) };
        let long = |numbers: Vec<Option<u32>>| -> ArrayRef { Arc::new(UInt32Array::from(numbers)) };
        let lists = |all: Vec<Option<Vec<String>>>| -> ArrayRef {
            let mut lists = ListBuilder::new(StringBuilder::new());
            for list in all {
                lists.append_option(list.map(|list| list.into_iter().map(Some)));
            }
            Arc::new(lists.finish())
        };
        RecordBatch::try_new(
            schema.clone(),
            vec![
                text(run),
                always(thread),
                Arc::new(UInt64Array::from(turn)),
                long(node),
                always(class),
                always(method),
                always(descriptor),
                Arc::new(StringArray::from(event)),
                short(line),
                long(bci),
                text(this),
                lists(arguments),
                text(result),
                text(exception),
                text(object),
                text(declared_by),
                text(name),
                Arc::new(Int32Array::from(index)),
                text(key),
                lists(items),
                lists(keys),
                text(old),
                text(new),
                short(to),
                short(to_line),
            ],
        )
    }
}

impl<W: Write + Send> Rows<W> {
    /// Into a file that is empty.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(out: W) -> std::io::Result<Rows<W>> {
        let schema = Arc::new(schema());
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(Error::other)?;
        Ok(Rows { schema, writer, columns: Columns::default() })
    }

    /// A further row.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn push(&mut self, row: Line<'_>) -> std::io::Result<()> {
        let Line {
            run,
            thread,
            turn,
            node,
            class,
            method,
            descriptor,
            this,
            arguments,
            result,
            exception,
            event,
        } = row;
        let columns = &mut self.columns;
        columns.run.push(run.map(str::to_owned));
        columns.thread.push(thread.to_owned());
        columns.turn.push(turn);
        columns.node.push(node);
        columns.class.push(class.to_owned());
        columns.method.push(method.to_owned());
        columns.descriptor.push(descriptor.to_owned());
        columns.event.push(event.event);
        columns.line.push(event.line);
        columns.bci.push(event.bci);
        columns.this.push(this);
        columns.arguments.push(arguments);
        columns.result.push(result);
        columns.exception.push(exception);
        columns.object.push(event.object);
        columns.declared_by.push(event.declared_by);
        columns.name.push(event.name);
        columns.index.push(event.index);
        columns.key.push(event.key);
        columns.items.push(event.items);
        columns.keys.push(event.keys);
        columns.old.push(event.old);
        columns.new.push(event.new);
        columns.to.push(event.to);
        columns.to_line.push(event.to_line);
        if columns.turn.len() == ROWS { self.write() } else { Ok(()) }
    }

    fn write(&mut self) -> std::io::Result<()> {
        let batch = self.columns.batch(&self.schema).map_err(Error::other)?;
        self.writer.write(&batch).map_err(Error::other)?;
        // A row group is in memory until it is written.
        self.writer.flush().map_err(Error::other)
    }

    /// The last row was written.
    ///
    /// # Errors
    /// The rest cannot be written.
    pub fn finish(mut self) -> std::io::Result<()> {
        self.write()?;
        self.writer.close().map(drop).map_err(Error::other)
    }
}
