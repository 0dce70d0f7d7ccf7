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
use std::io::{BufWriter, ErrorKind, LineWriter, Write};
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
    let (target, to) = ExportTarget::create(file)?;
    let (events, missing) = match form {
        ExportForm::Jel(kinds) => write_facts(trace, kinds, &target, to, context)?,
        ExportForm::Lines => {
            // The reader of a stream wants each line as soon as it is whole.
            let to: Box<dyn Write> = match target.is_stream() {
                true => Box::new(LineWriter::new(to)),
                false => Box::new(BufWriter::new(to)),
            };
            ExportState::new(EventWriter::Lines(to), context).write(trace, &mut more, &target)?
        }
        ExportForm::Parquet => {
            let out = ParquetWriter::to(to).map_err(|error| target.failed(error))?;
            ExportState::new(EventWriter::Parquet(out), context).write(trace, &mut more, &target)?
        }
    };
    target.finish()?;
    Ok(ExportResult { file: file.clone(), events, left, missing })
}

/// The file of an export.
struct ExportTarget<'a> {
    file: &'a Path,
    /// The file that replaces it when it is complete; `None` for a stream.
    temporary: Option<TemporaryFile>,
}

impl<'a> ExportTarget<'a> {
    /// Creates the file. Returns also where to write.
    fn create(file: &'a Path) -> Result<(ExportTarget<'a>, File), TraceError> {
        let at = |error| TraceError::at(file)(error);
        // The path of a pipe (`/dev/stdout`) cannot be resolved, but its metadata shows what it is.
        if std::fs::metadata(file).is_ok_and(|there| !there.is_file()) {
            return Ok((ExportTarget { file, temporary: None }, File::create(file).map_err(at)?));
        }
        let beside = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // An error must not name the temporary file, which the user does not know.
        let (to, temporary) = TemporaryFile::new_in(beside).map_err(|error| at(error.kind().into()))?;
        Ok((ExportTarget { file, temporary: Some(temporary) }, to))
    }

    fn is_stream(&self) -> bool {
        self.temporary.is_none()
    }

    /// Whether an error means that the reader of the stream has closed it.
    fn is_closed(&self, error: &std::io::Error) -> bool {
        self.is_stream() && error.kind() == ErrorKind::BrokenPipe
    }

    fn failed(&self, error: std::io::Error) -> SessionError {
        TraceError::at(self.file)(error).into()
    }

    /// Replaces the file.
    fn finish(self) -> Result<(), SessionError> {
        match self.temporary {
            Some(temporary) => Ok(temporary.persist(self.file).map_err(TraceError::at(self.file))?),
            None => Ok(()),
        }
    }
}

/// Writes Prolog facts of these kinds. Returns their number, and the reasons why parts of the run are
/// missing.
fn write_facts(
    trace: &mut RecordedTrace,
    kinds: &[Kind],
    target: &ExportTarget<'_>,
    to: File,
    context: &Context,
) -> Result<(u64, Vec<String>), SessionError> {
    let missing = trace.missing();
    let events = match jel::write(trace, kinds, &missing, BufWriter::new(to), context) {
        Err(jel::WriteError::File(error)) if target.is_closed(&error) => 0,
        Err(jel::WriteError::File(error)) => return Err(target.failed(error)),
        Err(jel::WriteError::Recording(error)) => return Err(error),
        Ok(events) => events,
    };
    Ok((events, missing))
}

/// The state of an export: the events written so far, and the first error.
struct ExportState<'a> {
    out: EventWriter,
    events: u64,
    failed: Option<std::io::Error>,
    context: &'a Context,
}

impl<'a> ExportState<'a> {
    /// An export without events so far.
    fn new(out: EventWriter, context: &'a Context) -> ExportState<'a> {
        ExportState { out, events: 0, failed: None, context }
    }

    /// Writes a recording and what was recorded later. Returns the number of events, and the reasons why
    /// parts of the run are missing.
    fn write(
        mut self,
        trace: &mut RecordedTrace,
        more: &mut [Supplement],
        target: &ExportTarget<'_>,
    ) -> Result<(u64, Vec<String>), SessionError> {
        self.whole(&mut trace.calls)?;
        let mut missing = trace.missing();
        for later in more {
            for what in later.trace.missing() {
                if !missing.contains(&what) {
                    missing.push(what);
                }
            }
            self.later(later, trace.about.level, &trace.calls)?;
        }
        self.lacks(&missing);
        if self.context.is_interrupted() {
            return Err(SessionError::Interrupted);
        }
        match self.failed {
            Some(error) if target.is_closed(&error) => {}
            Some(error) => return Err(target.failed(error)),
            None => self.out.finish().map_err(|error| target.failed(error))?,
        }
        Ok((self.events, missing))
    }

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
