//! A recorded run as lines of JSON: an event each, by thread.

use super::calls::shown;
use super::events::{EventShown, event};
use super::open::RecordedTrace;
use crate::session::error::SessionError;
use crate::trace::{Calls, Seen, Then, TraceError, Traced};
use serde::Serialize;
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

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    thread: &'a str,
    /// Events of all threads are in the order of their turns.
    turn: u64,
    /// The call that it is in.
    node: Option<u32>,
    class: &'a str,
    method: &'a str,
    descriptor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    this: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exception: Option<String>,
    #[serde(flatten)]
    event: EventShown,
}

/// Writes the events of a recorded run into a file, which is there afterwards whole or not at all.
///
/// # Errors
/// It cannot be read, or the file not be written.
pub fn export(trace: &mut RecordedTrace, file: &Path) -> Result<Exported, SessionError> {
    let calls = &mut trace.calls;
    let at = |error| TraceError::at(file)(error);
    // The path of a pipe (`/dev/stdout`) leads nowhere, but its metadata tells.
    let is_stream = std::fs::metadata(file).is_ok_and(|there| !there.is_file());
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (mut out, temporary): (Box<dyn Write>, _) = if is_stream {
        (Box::new(std::fs::File::create(file).map_err(at)?), None)
    } else {
        // The name of the temporary file says nothing to anybody.
        let temporary = tempfile::NamedTempFile::new_in(beside).map_err(|error| at(error.kind().into()))?;
        (Box::new(BufWriter::new(temporary.reopen().map_err(at)?)), Some(temporary.into_temp_path()))
    };
    let mut events = 0;
    let mut failed = None;
    for (number, thread, _) in calls.threads() {
        calls.walk(number, None, |calls, seen| {
            events += 1;
            let written = serde_json::to_writer(&mut out, &line(calls, seen, &thread))
                .map_err(std::io::Error::from)
                .and_then(|()| out.write_all(b"\n"));
            match written {
                Ok(()) => Then::Next,
                Err(error) => {
                    failed = Some(error);
                    Then::Stop
                }
            }
        })?;
        match failed.take() {
            // Who reads it has enough.
            Some(error) if is_stream && error.kind() == std::io::ErrorKind::BrokenPipe => break,
            Some(error) => return Err(at(error).into()),
            None => {}
        }
    }
    out.flush().map_err(at)?;
    drop(out);
    if let Some(temporary) = temporary {
        temporary.persist(file).map_err(|error| at(error.error))?;
    }
    Ok(Exported { file: file.to_owned(), events })
}

fn line<'a>(calls: &'a Calls, seen: &Seen<'_>, thread: &'a str) -> Line<'a> {
    let text = |at: usize| seen.values.get(at).map(|value| shown(value, &calls.objects));
    let mut line = Line {
        thread,
        turn: seen.turn,
        node: seen.node,
        class: "",
        method: "",
        descriptor: "",
        this: None,
        arguments: None,
        result: None,
        exception: None,
        event: event(calls, seen),
    };
    let Some(method) = calls.sites.method(seen.site.method) else { return line };
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
