//! Asks which operations on an object were not executed, and at which jumps they were lost.

use super::confirm::{Confirmation, FLIPS, Trial, Verdict};
use super::outcome::Compared;
use super::point::{FoundPoint, WrongPoint};
use super::right_version;
use super::target;
use super::wanted::Wanted;
use crate::chain::{Chain, Debuggee};
use crate::inspect::fields::Fields;
use crate::omission::{
    AnalysedProgram, Found, Jump, JumpPass, Limits, Operation, Suggestion, Target, Window, find,
};
use crate::session::background::in_background;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::{RecordOptions, RecordedTrace};
use crate::session::workspace::Workspace;
use crate::trace::{About, Calls, EventTime, Level, Value, WalkControl};
use serde::Serialize;

/// What is asked.
#[derive(Clone, Debug)]
pub struct OmissionQuestion {
    /// The expression whose value is wrong, or an object as recordings show it.
    pub what: String,
    /// Whether `what` is an object as recordings show it: `ArrayList@6`.
    pub is_object: bool,
    /// Whether the field that the expression names should have been written, and not its object changed.
    pub of_field: bool,
    /// Where it is wrong.
    pub at: WrongPoint,
    /// How far to look.
    pub limits: Limits,
    /// Methods whose operations are hidden: `List.size`.
    pub hide: Vec<String>,
    /// Most suggestions in the answer.
    pub limit: usize,
    /// What is right.
    pub wanted: Wanted,
    /// Command that resets the environment before each run.
    pub before_run: Vec<String>,
    /// Whether to try the suggestions, by running altered code.
    pub confirm: bool,
}

/// Most calls between a jump and an operation, unless the user says otherwise.
pub const WITHIN: usize = 5;
/// Most suggestions in an answer, unless the user says otherwise.
pub const SUGGESTIONS: usize = 20;

impl OmissionQuestion {
    /// A question about an expression, with the defaults of `qp omitted`.
    pub fn new(what: &str, at: WrongPoint) -> OmissionQuestion {
        OmissionQuestion {
            what: what.to_owned(),
            is_object: false,
            of_field: false,
            at,
            limits: Limits { within: WITHIN, reads: false, loops: false },
            hide: Vec::new(),
            limit: SUGGESTIONS,
            wanted: Wanted::default(),
            before_run: Vec::new(),
            confirm: false,
        }
    }
}

/// Most operations on other objects that are named.
const ELSEWHERE: usize = 3;

/// A suggestion, and what became of it when it was tried.
#[derive(Clone, Debug, Serialize)]
pub struct TriedSuggestion {
    /// The suggestion.
    #[serde(flatten)]
    pub suggestion: Suggestion,
    /// What a run showed in which the jump went the other way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct OmissionAnswer {
    /// The object or field: `ArrayList@6`, `Rec@43.bar`.
    pub target: String,
    /// Its value at the point.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The place where it is wrong.
    pub at: String,
    /// The suggestions, in order.
    pub suggestions: Vec<TriedSuggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden: usize,
    /// Number of further suggestions, which are less likely.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// Why there are no suggestions, or no more.
    pub reasons: Vec<String>,
    /// Remarks about the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Finds the omissions of a recording.
///
/// # Errors
/// The point or the object is not in the recording, the recording has too little detail, or the user
/// interrupted the work.
pub async fn ask_omissions(
    trace: RecordedTrace,
    question: &OmissionQuestion,
    context: &Context,
) -> Result<OmissionAnswer, SessionError> {
    if trace.about.level < Level::All {
        let why = format!(
            "omissions need the branches of the run, and it was recorded at level {}: record it \
             again with `--level all`",
            trace.about.level
        );
        return Err(SessionError::NoStep(why));
    }
    if question.confirm && question.is_object {
        let why = "--confirm compares the value of an expression at a line: an object has another \
                   number in another run";
        return Err(SessionError::NoStep(why.to_owned()));
    }
    let asked = question.clone();
    let missing = trace.missing();
    let runtime = tokio::runtime::Handle::current();
    let work = move |_| runtime.block_on(answer(trace, &asked));
    let (mut answer, mut trace, found) = in_background(context, work).await?;
    answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
    if question.confirm {
        confirm(&mut answer, &mut trace, question, found, context).await?;
    }
    Ok(answer)
}

/// Tries the suggestions one after another, the likeliest first.
async fn confirm(
    answer: &mut OmissionAnswer,
    trace: &mut RecordedTrace,
    question: &OmissionQuestion,
    found: FoundPoint,
    context: &Context,
) -> Result<(), SessionError> {
    // A recording of somebody else does not say that its command may run.
    trace.allow(context)?;
    let about = trace.about.clone();
    let debuggee = Debuggee { before_run: question.before_run.clone(), ..debuggee(&about) };
    let workspace = Workspace::open(&Chain::new(debuggee.clone(), Vec::new()), None, None)?;
    let pool = workspace.pool(None)?;
    let mut fields = Fields::new(Some(workspace.pool(None)?));
    let point = question.at.again(found);
    let compared = Compared {
        what: Some(&question.what),
        of_field: question.of_field,
        want: question.wanted.condition.as_deref(),
    };
    let before = compared.at(&point, (&mut trace.recording.calls, &mut fields, &pool)).await?;
    if let (Some(want), Some(why)) = (&question.wanted.condition, &before.unknown) {
        answer
            .notes
            .push(format!("`{want}` has no value at the point, and the verdicts may not regard it: {why}"));
    }
    let options = RecordOptions {
        level: Level::All,
        scope: about.scope.clone(),
        trust: about.trust.clone(),
        memory: trace.memory,
        ..RecordOptions::default()
    };
    context.progress().tell(&format!(
        "altered code runs in copies of {}: what it does elsewhere, as in a network or a database, is not undone",
        about.cwd.display()
    ));
    let right = match &question.wanted.reference {
        Some(class_path) => {
            let why = "runs the right version";
            context.progress().run_started(1, Some(why));
            let program = (&debuggee, &options);
            Some(right_version::at_point(class_path, program, (&point, &compared, &before), context).await?)
        }
        None => None,
    };
    if let Some(right) = right.as_ref().filter(|right| right.compared == before.compared) {
        answer.notes.push(format!("the right version has the same value at the point: {}", right.text));
    }
    let (seconds, bytes) =
        about.recorded.as_ref().map_or((0.0, 0), |recorded| (recorded.seconds, recorded.bytes));
    let trial = Trial {
        debuggee: &debuggee,
        options: &options,
        seconds,
        bytes,
        point: &point,
        compared: &compared,
        before: &before,
        wanted: &question.wanted,
        right: right.as_ref(),
    };
    // Several operations can be lost at one jump.
    let mut known: Vec<(Jump, JumpPass, Confirmation)> = Vec::new();
    for suggestion in &mut answer.suggestions {
        let Suggestion { jump, pass, .. } = &suggestion.suggestion;
        let same = known.iter().find(|(other, at, _)| other == jump && at == pass);
        let confirmed = match same {
            Some((.., confirmed)) => confirmed.clone(),
            None if known.len() == FLIPS => break,
            None => {
                let why = "takes a jump the other way, in a copy of the working folder";
                let run = u32::try_from(known.len()).unwrap_or(u32::MAX).saturating_add(1);
                context.progress().run_started(run, Some(why));
                let confirmed = trial.of(&mut trace.recording.calls, &suggestion.suggestion, context).await?;
                known.push((jump.clone(), pass.clone(), confirmed.clone()));
                confirmed
            }
        };
        suggestion.confirmation = Some(confirmed);
    }
    context.progress().done();
    let is_right = |of: &TriedSuggestion| {
        of.confirmation.as_ref().is_some_and(|confirmed| confirmed.verdict == Verdict::Right)
    };
    answer.suggestions.sort_by_key(|suggestion| !is_right(suggestion));
    Ok(())
}

fn debuggee(about: &About) -> Debuggee {
    let (command, cwd, classes) = (about.command.clone(), about.cwd.clone(), about.class_path.clone());
    Debuggee { command, cwd: Some(cwd), classes, ..Debuggee::default() }
}

async fn answer(
    mut trace: RecordedTrace,
    question: &OmissionQuestion,
) -> Result<(OmissionAnswer, RecordedTrace, FoundPoint), SessionError> {
    let workspace = Workspace::open(&Chain::new(debuggee(&trace.about), Vec::new()), None, None)?;
    let pool = workspace.pool(None)?;
    let mut fields = Fields::new(Some(workspace.pool(None)?));
    let about = trace.about.clone();
    let calls = &mut trace.recording.calls;
    let point = question.at.find(calls, &mut fields, &pool).await?;
    let at = point.at;
    let to = calls.when_at(at)?;
    let (target, value) = match question.is_object {
        true => (object(&question.what, calls)?, String::new()),
        false => {
            target::of_expression(&question.what, question.of_field, (calls, &mut fields, &pool), at).await?
        }
    };
    let place = calls.event_at(at, |calls, seen| {
        let method = seen.method(calls);
        let file = method.and_then(|method| method.source.as_deref()).unwrap_or("?").to_owned();
        seen.line().map_or(file.clone(), |line| format!("{file}:{line}"))
    })?;
    let from = begin(calls, target.object)?.unwrap_or(to).min(to);
    let mut program = AnalysedProgram::new(&pool, calls, &|class| about.records(class));
    let mut found = find(calls, &mut fields, &mut program, (&target, Window { from, to }), &question.limits)?;
    found.suggestions.retain(|suggestion| !is_hidden(suggestion, &question.hide));
    let more = found.suggestions.len().saturating_sub(question.limit);
    found.suggestions.truncate(question.limit);
    let shown = match (&target.field, target.object) {
        (Some(field), 0) => format!("{}.{field}", crate::trace::shown_class(&target.class)),
        (Some(field), object) => format!("{}.{field}", calls.objects.name(object)),
        (None, object) => calls.objects.name(object),
    };
    let new = |suggestion| TriedSuggestion { suggestion, confirmation: None };
    let answer = OmissionAnswer {
        reasons: reasons(&found, &target, &question.limits),
        target: shown,
        value,
        at: place.unwrap_or_default(),
        suggestions: found.suggestions.into_iter().map(new).collect(),
        hidden: found.hidden_reads,
        more,
        notes: Vec::new(),
    };
    Ok((answer, trace, point))
}

/// Whether the user hides operations that call this method.
fn is_hidden(suggestion: &Suggestion, hide: &[String]) -> bool {
    let text = &suggestion.operation.text;
    hide.iter().any(|hidden| {
        let name = hidden.rsplit('.').next().unwrap_or(hidden);
        text.contains(&format!(".{name}(")) || text.starts_with(&format!("{name}("))
    })
}

/// Why nothing, or nothing more, is suggested.
fn reasons(found: &Found, target: &Target, limits: &Limits) -> Vec<String> {
    let mut reasons = Vec::new();
    let class = crate::trace::shown_class(&target.class);
    let what = target.field.as_ref().map_or(class.clone(), |field| format!("{class}.{field}"));
    if found.operations == 0 && found.unreachable == 0 {
        reasons.push(format!("no code of the program changes such an object: {what}"));
    } else if found.operations == 0 {
        reasons.push(format!(
            "no operation of the program can reach it, of {} on objects of {what}",
            found.unreachable
        ));
    } else if found.suggestions.is_empty() && found.executed == found.operations {
        reasons.push(match found.operations {
            1 => "the only operation that can change it was executed".to_owned(),
            many => format!("all {many} operations that can change it were executed"),
        });
    } else if found.suggestions.is_empty() {
        reasons.push(format!(
            "no executed jump leads to one of the {} operations that were not executed, within {} calls",
            found.operations - found.executed,
            limits.within
        ));
    }
    reasons.extend(elsewhere(found));
    let other = found.other_objects;
    if other > 0 {
        let ways = if other == 1 {
            "1 further way leads to an operation on another object"
        } else {
            "further ways lead to operations on other objects"
        };
        let count = if other == 1 { String::new() } else { format!("{other} ") };
        reasons.push(format!("{count}{ways} of this class"));
    }
    match found.hidden_reads {
        0 => {}
        1 => reasons.push("1 operation that only reads it is hidden: --reads shows it".to_owned()),
        many => reasons.push(format!("{many} operations that only read it are hidden: --reads shows them")),
    }
    match found.hidden_loops {
        0 => {}
        1 => reasons.push("1 loop around such an operation ended: --loops shows it".to_owned()),
        many => reasons.push(format!("{many} loops around such operations ended: --loops shows them")),
    }
    reasons
}

/// What was done to other objects of the class, and may be what nothing does to this one.
fn elsewhere(found: &Found) -> Option<String> {
    let mut shown: Vec<String> = Vec::new();
    for Operation { text, place, .. } in &found.elsewhere {
        let class = crate::model::short_class_name(&place.class);
        let at = place.line.map_or(class.clone(), |line| format!("{class}:{line}"));
        shown.push(format!("{text} at {at}"));
    }
    shown.dedup();
    let more = shown.len().saturating_sub(ELSEWHERE);
    shown.truncate(ELSEWHERE);
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("called elsewhere on such objects: {}{more}", shown.join(", ")))
}

/// An object as recordings show it.
fn object(text: &str, calls: &Calls) -> Result<Target, SessionError> {
    let (class, number) = text.rsplit_once('@').unwrap_or(("", text));
    let number = number.parse().map_err(|_| {
        SessionError::NoStep(format!("`{text}` is not an object as recordings show it, such as Rec@43"))
    })?;
    crate::inspect::history::check_object(calls, number, class)?;
    let object = calls.objects.own(number);
    let class = calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
    Ok(Target { object, class, field: None })
}

/// The time of the first event that names an object.
fn begin(calls: &mut Calls, object: u32) -> Result<Option<EventTime>, SessionError> {
    if object == 0 {
        return Ok(None);
    }
    let mut first: Option<EventTime> = None;
    for (thread, ..) in calls.threads() {
        calls.walk(thread, None, |_, seen| {
            if !seen.values.contains(&Value::Object(object)) {
                return WalkControl::Next;
            }
            let when = seen.when();
            first = Some(first.map_or(when, |known| known.min(when)));
            WalkControl::Stop
        })?;
    }
    Ok(first)
}
