//! A recorded run for other programs: an event each, by thread.

use super::calls::shown;
use super::events::{EventShown, event};
use super::open::RecordedTrace;
use super::parquet::Rows;
use crate::session::error::SessionError;
use crate::trace::{Calls, Seen, Then, ThreadEnd, TraceError, Traced, Value};
use serde::Serialize;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// What was exported.
#[derive(Clone, Debug, Serialize)]
pub struct Exported {
    /// Where to.
    pub file: PathBuf,
    /// How many events.
    pub events: u64,
}

/// How it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// A line of JSON for each event.
    Lines,
    /// A Parquet file with a row for each event.
    Parquet,
}

/// An event.
#[derive(Default, Serialize)]
pub struct Line<'a> {
    /// The name of its thread.
    pub thread: &'a str,
    /// Events of all threads are in the order of their turns.
    pub turn: u64,
    /// The call that it is in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The class of the method.
    pub class: &'a str,
    /// The method.
    pub method: &'a str,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// Of a call: what it is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<String>,
    /// Its arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// What it returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The exception that leaves it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// What else happens.
    #[serde(flatten)]
    pub event: EventShown,
}

/// Where events go.
enum Out {
    Lines(Box<dyn Write>),
    Parquet(Box<Rows<File>>),
}

impl Out {
    fn push(&mut self, line: Line<'_>) -> std::io::Result<()> {
        match self {
            Out::Lines(out) => {
                serde_json::to_writer(&mut *out, &line)?;
                out.write_all(b"\n")
            }
            Out::Parquet(rows) => rows.push(line),
        }
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Out::Lines(mut out) => out.flush(),
            Out::Parquet(rows) => rows.finish(),
        }
    }
}

/// Writes the events of a recorded run into a file, which is there afterwards whole or not at all.
///
/// # Errors
/// It cannot be read, or the file not be written.
pub fn export(trace: &mut RecordedTrace, file: &Path, form: ExportForm) -> Result<Exported, SessionError> {
    let calls = &mut trace.calls;
    let at = |error| TraceError::at(file)(error);
    // The path of a pipe (`/dev/stdout`) leads nowhere, but its metadata tells.
    let is_stream = std::fs::metadata(file).is_ok_and(|there| !there.is_file());
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (to, temporary) = if is_stream {
        (File::create(file).map_err(at)?, None)
    } else {
        // The name of the temporary file says nothing to anybody.
        let temporary = tempfile::NamedTempFile::new_in(beside).map_err(|error| at(error.kind().into()))?;
        (temporary.reopen().map_err(at)?, Some(temporary.into_temp_path()))
    };
    let mut out = match form {
        // Whoever reads a stream wants each line at once.
        ExportForm::Lines if is_stream => Out::Lines(Box::new(to)),
        ExportForm::Lines => Out::Lines(Box::new(BufWriter::new(to))),
        ExportForm::Parquet => Out::Parquet(Box::new(Rows::new(to).map_err(at)?)),
    };
    let mut events = 0;
    let mut failed = None;
    for (number, thread, _) in calls.threads() {
        calls.walk(number, None, |calls, seen| {
            events += 1;
            match out.push(line(calls, seen, &thread)) {
                Ok(()) => Then::Next,
                Err(error) => {
                    failed = Some(error);
                    Then::Stop
                }
            }
        })?;
        if let Some(end) = calls.ends.get(&number).filter(|_| failed.is_none()) {
            events += 1;
            failed = out.push(ended(calls, *end, &thread)).err();
        }
        match failed.take() {
            // Who reads it has enough.
            Some(error) if is_stream && error.kind() == std::io::ErrorKind::BrokenPipe => {
                return Ok(Exported { file: file.to_owned(), events });
            }
            Some(error) => return Err(at(error).into()),
            None => {}
        }
    }
    out.finish().map_err(at)?;
    if let Some(temporary) = temporary {
        temporary.persist(file).map_err(|error| at(error.error))?;
    }
    Ok(Exported { file: file.to_owned(), events })
}

/// That a thread ends.
fn ended<'a>(calls: &Calls, end: ThreadEnd, thread: &'a str) -> Line<'a> {
    let exception = Value::Object(end.exception);
    Line {
        thread,
        turn: end.turn,
        exception: (end.exception != 0).then(|| shown(&exception, &calls.objects)),
        event: EventShown { event: "end", ..EventShown::default() },
        ..Line::default()
    }
}

fn line<'a>(calls: &'a Calls, seen: &Seen<'_>, thread: &'a str) -> Line<'a> {
    let text = |at: usize| seen.values.get(at).map(|value| shown(value, &calls.objects));
    let mut line =
        Line { thread, turn: seen.turn, node: seen.node, event: event(calls, seen), ..Line::default() };
    let Some(method) = seen.method(calls) else { return line };
    (line.class, line.method, line.descriptor) = (&method.class, &method.name, &method.descriptor);
    match seen.site.what {
        Traced::Enter => {
            let first = usize::from(!method.is_static && method.name != "<init>");
            line.this = if first == 1 { text(0) } else { None };
            line.arguments = Some((first..seen.values.len()).filter_map(text).collect());
        }
        Traced::Born => line.this = text(0),
        Traced::Return => line.result = text(0),
        Traced::Leave => line.exception = text(0),
        _ => {}
    }
    line
}
