//! Log points: the program runs once, and each pass over a line makes a line of text.
//!
//! The VM makes the text and passes it on without a stop. Where it cannot, for instance since the program
//! would have to run a method, the pass interrupts, and the text is made from outside.

use super::probe_policy::Backend;
use super::single_run::{Asked, SingleRun, once};
use chain::{Chain, translate_log};
use classes::ClassPool;
use debuggee::{Forward, StdinRecording};
use expr::{TextPart, text_of};
use model::{ActivationKey, Namer, ObjectDescription, Occurrence, Tables, ThreadIdentity, Value};
use query::QueryReport;
use run::{Control, Ended, Gate, Observer, ObserverError, Outcome};
use serde::Serialize;
use session::progress::{LogLine, Progress};
use session::workspace::Workspace;
use session::{Context, SessionError};
use std::cell::RefCell;
use std::rc::Rc;

/// How a log point is run.
#[derive(Clone, Debug)]
pub struct LogOptions {
    /// Maximum number of lines.
    pub limit: u64,
    /// Maximum duration of the run, in seconds; `None` for the default.
    pub timeout_s: Option<u64>,
    /// How the run is watched.
    pub backend: Backend,
    /// Whether the program's output goes to the progress's sink.
    pub show_output: bool,
    /// Input for the program.
    pub stdin: Option<StdinRecording>,
}

/// From this many stops on, a note tells what the VM cannot evaluate.
const SLOW: u64 = 100;

/// What a log point has printed.
#[derive(Clone, Debug, Serialize)]
pub struct Logged {
    /// The question: the place and its conditions.
    pub at: String,
    /// The lines, unless they were shown at once.
    pub lines: Vec<LogLine>,
    /// Number of lines.
    pub shown: u64,
    /// Number of passes that satisfy the conditions and have no line, since there are enough of them.
    pub left_out: u64,
    /// Whether fewer may have been left out: the conditions of some were not evaluated.
    pub left_out_at_most: bool,
    /// Number of passes over the line, whatever their thread, caller and condition.
    pub passes: u64,
    /// Whether there were more passes than could be counted.
    pub at_least: bool,
    /// How often the condition could not be evaluated.
    pub failed: u64,
    /// The first reason for that.
    pub failure: Option<String>,
    /// How the program ended.
    pub ended: String,
    /// Why lines may be missing; `None` if none is.
    pub incomplete: Option<String>,
    /// Whether the user interrupted the run.
    #[serde(skip)]
    pub is_interrupted: bool,
    /// Remarks.
    pub notes: Vec<String>,
}

impl Logged {
    /// The exit code of DESIGN §7.
    pub fn exit_code(&self) -> u8 {
        match (&self.incomplete, self.shown) {
            (Some(_), _) if self.is_interrupted => 130,
            (Some(_), _) => 4,
            (None, 0) => 3,
            (None, _) => 0,
        }
    }
}

/// Runs the program. Each hit of the chain's only point makes a line: the text of the one expression that the
/// point collects.
///
/// # Errors
/// The expression or the debuggee cannot be used, probes were asked for and cannot be placed, or the user
/// interrupted before the run.
pub async fn log(chain: &Chain, options: &LogOptions, context: &Context) -> Result<Logged, SessionError> {
    let workspace = Workspace::open(chain, options.timeout_s, options.stdin.clone())?;
    let sources = workspace.sources();
    let remote = workspace.template().settings().remote.is_some();
    let by_probes = options.backend != Backend::Jdwp && !remote;
    tokio::select! {
        built = workspace.build(None) => built?,
        () = context.interrupted() => return Err(SessionError::Interrupted),
    }
    super::script::learn_classes(&workspace, context.interrupt(), context.progress()).await?;
    if workspace.knows_classes()? {
        // Invalid expressions are reported before the launch.
        translate_log(chain, &workspace.pool(None)?, &sources)?;
    }
    context.progress().run_started(1, None);
    let sink = context.progress().sink().filter(|_| options.show_output);
    let output = sink.map(|sink| Forward::new("", move |_, lines| sink(lines)));
    let parts = Rc::new(RefCell::new(Vec::new()));
    let mut printer = Printer::new(context.progress(), options.limit, parts.clone());
    let mut ask = |pool: &ClassPool| {
        let (translation, query) = translate_log(chain, pool, &sources)?;
        let unknown = || SessionError::NotCounted("where the line is, no class file tells".to_owned());
        let query = query.ok_or_else(unknown)?;
        parts.replace(query.text.iter().flat_map(|text| text.iter().cloned()).collect());
        let gates = by_probes.then(|| vec![Gate::Log(options.limit)]);
        Ok(Asked { translation, queries: vec![query], gates })
    };
    let mut ran = once(&workspace, output.clone(), &mut ask, &mut printer, context).await;
    if let Ok(Some(first)) = &ran
        && printer.shown == 0
        && workspace.learn_loaded(&first.outcome.report).is_some()
    {
        // A Java agent rewrites the class: now the code in the VM is known.
        ran = once(&workspace, output, &mut ask, &mut printer, context).await;
    }
    context.progress().done();
    let Some(SingleRun { outcome, .. }) = ran? else { return Err(SessionError::Interrupted) };
    let problem = outcome.report.unprobed.first().filter(|_| by_probes);
    if let (Some(problem), Backend::Probe) = (problem, options.backend) {
        return Err(SessionError::Probes(problem.clone()));
    }
    let mut logged = printer.finished(chain, &outcome, by_probes);
    let hidden = outcome.report.hidden.first().filter(|_| by_probes).map(ToString::to_string);
    if let Some(problem) = problem.cloned().or(hidden) {
        let text = format!("{problem}; `--backend jdwp` shows all lines, and is slower");
        logged.incomplete.get_or_insert(text);
    }
    let refused = outcome.report.classes.values().flat_map(|class| &class.refused).next();
    if let Some(refused) = refused {
        logged.incomplete.get_or_insert(refused.clone());
    }
    Ok(logged)
}

/// Receives lines and occurrences.
struct Printer<'a> {
    progress: &'a dyn Progress,
    limit: u64,
    /// The parts of each text, once the run has asked for them.
    parts: Rc<RefCell<Vec<TextPart>>>,
    namer: Namer,
    /// The threads of the lines.
    threads: Tables,
    /// The threads whose lines have no number, since no other thread of that name was known.
    unnumbered: Vec<ThreadIdentity>,
    /// Lines that were not shown at once.
    lines: Vec<LogLine>,
    shown: u64,
    /// Number of occurrences without a line.
    more: u64,
    /// Number of passes at which the program stopped, since the VM could not make their line.
    stops: u64,
    /// Whether nobody reads the lines any more.
    unread: bool,
}

impl<'a> Printer<'a> {
    fn new(progress: &'a dyn Progress, limit: u64, parts: Rc<RefCell<Vec<TextPart>>>) -> Printer<'a> {
        let (namer, threads, unnumbered, lines) = Default::default();
        let (shown, more, stops, unread) = (0, 0, 0, false);
        Printer { progress, limit, parts, namer, threads, unnumbered, lines, shown, more, stops, unread }
    }

    /// The label of a thread. The first of several threads with one name has its number only once a second is
    /// known.
    fn label(&mut self, thread: ThreadIdentity) -> String {
        self.threads.thread_key(thread.clone());
        let label = self.threads.thread_label(&thread).to_string();
        if label == *thread.base() && thread.number != 0 && !self.unnumbered.contains(&thread) {
            self.unnumbered.push(thread);
        }
        label
    }

    /// Adds the numbers that the first lines of a thread lack. Returns notes for lines that were shown at
    /// once.
    fn number_threads(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        for thread in self.unnumbered.iter().filter(|thread| self.threads.has_namesakes(thread)) {
            let (base, label) = (thread.base(), self.threads.thread_label(thread));
            let mut first = self.lines.iter_mut().filter(|line| *line.thread == *base).peekable();
            if first.peek().is_none() {
                notes.push(format!("the lines of {base} without a number are of {label}"));
            }
            first.for_each(|line| line.thread = label.to_string());
        }
        notes
    }

    fn print(&mut self, line: LogLine) -> Control {
        if self.shown >= self.limit {
            self.more += 1;
            return Control::Continue;
        }
        self.shown += 1;
        if !self.progress.logged(&line) {
            self.lines.push(line);
        }
        self.unread |= !self.progress.is_read();
        if self.unread { Control::Stop } else { Control::Continue }
    }

    /// The text of an occurrence.
    fn text(&mut self, occurrence: &Occurrence, tables: &Tables) -> String {
        let names = tables.shape(occurrence.shape).to_vec();
        let mut text = String::new();
        for part in self.parts.borrow().iter() {
            match part {
                TextPart::Constant(constant) => text.push_str(constant),
                TextPart::Value(expr) => {
                    let at = names.iter().position(|name| **name == *expr.text());
                    match at.and_then(|at| occurrence.kept.get(at)) {
                        Some(value) => {
                            text.push_str(&java_text(value, occurrence, tables, &mut self.namer));
                        }
                        None => text.push('?'),
                    }
                }
            }
        }
        text
    }

    fn finished(mut self, chain: &Chain, outcome: &Outcome, by_probes: bool) -> Logged {
        let report = outcome.report.queries.get(&0).cloned().unwrap_or_default();
        let ended = &outcome.ended;
        let cut_off = match ended {
            Ended::TimedOut(limit) => {
                let seconds = limit.as_secs();
                Some(format!("qp ended the program after {seconds} s; `--timeout` allows more"))
            }
            Ended::Interrupted => Some("you interrupted the run".to_owned()),
            Ended::Lost(_) => Some(ended.to_string()),
            _ => None,
        };
        let is_counted = by_probes && report.asked > 0;
        let left_out = match is_counted {
            true => report.asked.saturating_sub(self.shown + report.refuted + report.condition_failed),
            false => self.more,
        };
        let mut remarks = notes(&report, self.stops.max(report.evaluated));
        remarks.extend(self.number_threads());
        Logged {
            at: chain.points.first().map(|point| point.question()).unwrap_or_default(),
            lines: self.lines,
            shown: self.shown,
            left_out,
            left_out_at_most: is_counted && left_out > 0 && !report.outside.is_empty(),
            passes: report.events,
            at_least: report.at_least || cut_off.is_some() || self.unread,
            failed: report.condition_failed,
            failure: report.failure().map(str::to_owned),
            ended: ended.to_string(),
            incomplete: cut_off,
            is_interrupted: *ended == Ended::Interrupted,
            notes: remarks,
        }
    }
}

impl Observer for Printer<'_> {
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        tables: &mut Tables,
        _live: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError> {
        self.stops += 1;
        let text = self.text(&occurrence, tables);
        let thread = self.label(tables.thread(occurrence.thread));
        Ok(self.print(LogLine { thread, text }))
    }

    fn line(&mut self, thread: ThreadIdentity, text: String) -> Result<Control, ObserverError> {
        let thread = self.label(thread);
        Ok(self.print(LogLine { thread, text }))
    }

    fn progress(&mut self, events: u64) {
        self.progress.watched(events, 0, 1);
    }
}

/// The text of a value as `+` makes it; for an object, what an answer shows.
fn java_text(value: &Value, occurrence: &Occurrence, tables: &Tables, namer: &mut Namer) -> String {
    let boxed = match value.object_id().and_then(|id| tables.description(id)) {
        Some(ObjectDescription::Boxed(inside)) => text_of(inside),
        _ => None,
    };
    if let Some(text) = boxed.or_else(|| text_of(value)) {
        return text;
    }
    let all = occurrence.detail.as_ref().map(|detail| &detail.contents);
    let mut of = all.into_iter().flatten().filter(|(object, _)| Some(*object) == value.object_id());
    let text = namer.text(value, tables);
    match namer.contents(value, of.next().map(|(_, contents)| contents), tables) {
        Some(contents) => format!("{text} {contents}"),
        None => text,
    }
}

fn notes(report: &QueryReport, stops: u64) -> Vec<String> {
    if stops < SLOW || report.outside.is_empty() {
        return Vec::new();
    }
    let parts: Vec<String> = report.outside.iter().map(|part| format!("`{part}`")).collect();
    vec![format!("the VM cannot evaluate {}: the program stopped {stops} times for that", parts.join(", "))]
}
