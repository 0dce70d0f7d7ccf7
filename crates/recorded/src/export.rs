//! Exports a recording for other programs: one row per event, grouped by thread.

use super::event_row::EventRow;
use super::jel;
use super::open::RecordedTrace;
use super::parquet::ParquetWriter;
use super::supplements::{Supplement, above, later};
use files::TemporaryFile;
use logic::log::Kind;
use past::event::{EventShown, event};
use past::values::{shown, shown_name};
use serde::Serialize;
use session::{Context, SessionError};
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use trace::{Calls, Level, ThreadEnd, TraceError, Traced, TracedEvent, Value, WalkControl};

/// The result of an export.
#[derive(Clone, Debug, Serialize)]
pub struct ExportResult {
    /// The file.
    pub file: PathBuf,
    /// Number of events.
    pub events: u64,
    /// The calls that were recorded later in more detail, if that detail was left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<u32>,
    /// The reasons why parts of the run are missing. The last lines of the file list them too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// The format of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// One line of JSON per event.
    Lines,
    /// A Parquet file with one row per event.
    Parquet,
    /// Prolog facts of these kinds; none means all.
    Jel(Vec<Kind>),
}

/// The writer of the file.
enum EventWriter {
    Lines(Box<dyn Write>),
    Parquet(ParquetWriter),
}

impl EventWriter {
    fn push(&mut self, line: EventRow<'_>) -> std::io::Result<()> {
        let out: &mut dyn Write = match self {
            EventWriter::Lines(out) => out,
            EventWriter::Parquet(out) => out,
        };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            EventWriter::Lines(mut out) => out.flush(),
            EventWriter::Parquet(out) => out.finish(),
        }
    }
}

/// The options of an export.
#[derive(Clone, Debug)]
pub struct ExportRequest {
    /// The file.
    pub file: PathBuf,
    /// The format.
    pub form: ExportForm,
    /// Whether to write the events that were recorded later too.
    pub later: bool,
}

/// Writes the events of a recording to a file. The file is replaced only when it is complete.
///
/// # Errors
/// The recording cannot be read, or the file cannot be written.
pub async fn export(
    trace: &mut RecordedTrace,
    asked: &ExportRequest,
    context: &Context,
) -> Result<ExportResult, SessionError> {
    let ExportRequest { file, form, later: with_later } = asked;
    let level = trace.about.level;
    let mut left: Vec<u32> = Vec::new();
    let mut more = Vec::new();
    match with_later {
        true => more = later(trace, &above(level), context).await?,
        false => {
            left.extend(
                trace.folder.details().iter().filter(|(_, more)| *more > level).map(|(node, _)| *node),
            );
            left.dedup();
        }
    }
    let at = |error| TraceError::at(file)(error);
    // The path of a pipe (`/dev/stdout`) cannot be resolved, but its metadata shows what it is.
    let is_stream = std::fs::metadata(file).is_ok_and(|there| !there.is_file());
    let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let (to, temporary) = if is_stream {
        (File::create(file).map_err(at)?, None)
    } else {
        // An error must not name the temporary file, which the user does not know.
        let (to, temporary) = TemporaryFile::new_in(beside).map_err(|error| at(error.kind().into()))?;
        (to, Some(temporary))
    };
    if let ExportForm::Jel(kinds) = form {
        let missing = trace.missing();
        let written = jel::write(trace, kinds, &missing, BufWriter::new(to), context);
        let events = match written {
            Err(jel::WriteError::File(error)) if is_stream && error.kind() == ErrorKind::BrokenPipe => 0,
            Err(jel::WriteError::File(error)) => return Err(at(error).into()),
            Err(jel::WriteError::Recording(error)) => return Err(error),
            Ok(events) => events,
        };
        if let Some(temporary) = temporary {
            temporary.persist(file).map_err(at)?;
        }
        return Ok(ExportResult { file: file.clone(), events, left, missing });
    }
    let out = match form {
        // The reader of a stream wants each line at once.
        ExportForm::Lines if is_stream => EventWriter::Lines(Box::new(to)),
        ExportForm::Lines => EventWriter::Lines(Box::new(BufWriter::new(to))),
        ExportForm::Parquet | ExportForm::Jel(_) => EventWriter::Parquet(ParquetWriter::to(to).map_err(at)?),
    };
    let mut written = ExportState { out, events: 0, failed: None, context };
    written.whole(&mut trace.calls)?;
    let mut missing = trace.missing();
    for later in &mut more {
        for what in later.trace.missing() {
            if !missing.contains(&what) {
                missing.push(what);
            }
        }
        written.later(later, level, &trace.calls)?;
    }
    written.lacks(&missing);
    let ExportState { out, events, failed, .. } = written;
    if context.is_interrupted() {
        return Err(SessionError::Interrupted);
    }
    match failed {
        // The reader of the stream has closed it.
        Some(error) if is_stream && error.kind() == ErrorKind::BrokenPipe => {
            return Ok(ExportResult { file: file.clone(), events, left, missing });
        }
        Some(error) => return Err(at(error).into()),
        None => {}
    }
    out.finish().map_err(at)?;
    if let Some(temporary) = temporary {
        temporary.persist(file).map_err(at)?;
    }
    Ok(ExportResult { file: file.clone(), events, left, missing })
}

/// The state of an export: the events written so far, and the first error.
struct ExportState<'a> {
    out: EventWriter,
    events: u64,
    failed: Option<std::io::Error>,
    context: &'a Context,
}

impl ExportState<'_> {
    fn push(&mut self, line: EventRow<'_>) -> WalkControl {
        self.events += 1;
        self.failed = self.out.push(line).err();
        if self.has_ended() { WalkControl::Stop } else { WalkControl::Next }
    }

    /// Whether nothing more is to be written: the file has failed, or the user interrupted the export.
    fn has_ended(&self) -> bool {
        self.failed.is_some() || self.context.is_interrupted()
    }

    /// Writes all events of a run.
    fn whole(&mut self, calls: &mut Calls) -> Result<(), SessionError> {
        for (number, thread, _) in calls.threads() {
            calls.walk(number, None, |calls, seen| self.push(line(calls, seen, &thread)))?;
            if let Some(end) = calls.ends.get(&number).filter(|_| !self.has_ended()) {
                self.push(ended(calls, *end, &thread));
            }
            if self.has_ended() {
                break;
            }
        }
        Ok(())
    }

    /// Appends the reasons why events are missing, so that a reader of the file knows.
    fn lacks(&mut self, missing: &[String]) {
        for what in missing {
            if self.failed.is_some() {
                return;
            }
            let event = EventShown { event: "missing", name: Some(what.clone()), ..EventShown::default() };
            self.failed = self.out.push(EventRow { event, ..EventRow::default() }).err();
        }
    }

    /// Writes the events of a call, and of the calls below it, that only a later run recorded.
    fn later(&mut self, later: &mut Supplement, level: Level, first: &Calls) -> Result<(), SessionError> {
        let Supplement { run, node, trace } = later;
        let inside = *node..=node.saturating_add(first.below(*node));
        let of_it = |calls: &Calls, seen: &TracedEvent<'_>| {
            seen.site.what.level() > level
                && seen.node.is_some_and(|node| inside.contains(&calls.shown(node)))
        };
        for (number, thread, _) in trace.calls.threads() {
            if self.has_ended() {
                break;
            }
            trace.calls.walk(number, None, |calls, seen| match of_it(calls, seen) {
                true => self.push(EventRow { run: Some(run), ..line(calls, seen, &thread) }),
                false if self.has_ended() => WalkControl::Stop,
                false => WalkControl::Next,
            })?;
        }
        Ok(())
    }
}

/// The row for the end of a thread.
fn ended<'a>(calls: &Calls, end: ThreadEnd, thread: &'a str) -> EventRow<'a> {
    let exception = Value::Object(end.exception);
    EventRow {
        thread,
        turn: end.turn,
        exception: (end.exception != 0).then(|| shown(&exception, &calls.objects)),
        event: EventShown { event: "end", ..EventShown::default() },
        ..EventRow::default()
    }
}

fn line<'a>(calls: &'a Calls, seen: &TracedEvent<'_>, thread: &'a str) -> EventRow<'a> {
    let text = |at: usize| seen.values.get(at).map(|value| shown(value, &calls.objects));
    let named = |at: usize| seen.values.get(at).map(|value| shown_name(value, &calls.objects));
    let mut line = EventRow {
        thread,
        turn: seen.turn,
        node: seen.node.map(|node| calls.shown(node)),
        event: event(calls, seen),
        ..EventRow::default()
    };
    let Some(method) = seen.method(calls) else { return line };
    (line.class, line.method, line.descriptor) = (&method.class, &method.name, &method.descriptor);
    match seen.site.what {
        Traced::Enter if seen.is_around => line.event.event = "around",
        Traced::Enter => {
            let first = usize::from(!method.is_static && method.name != "<init>");
            line.this = if first == 1 { named(0) } else { None };
            line.arguments = Some((first..seen.values.len()).filter_map(text).collect());
        }
        Traced::Born => line.this = named(0),
        Traced::Return => line.result = text(0),
        Traced::Leave => line.exception = text(0),
        _ => {}
    }
    line
}
