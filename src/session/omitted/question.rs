//! Asks which operations on an object were not executed, and at which jumps they were lost.

use super::point::WrongPoint;
use super::target;
use crate::chain::{Chain, Debuggee};
use crate::inspect::fields::Fields;
use crate::omission::{AnalysedProgram, Found, Limits, Suggestion, Target, Window, find};
use crate::session::background::in_background;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::RecordedTrace;
use crate::session::workspace::Workspace;
use crate::trace::{Calls, EventTime, Level, Value, WalkControl};
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
    pub suggestions: Vec<Suggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden: usize,
    /// Why there are no suggestions, or no more.
    pub reasons: Vec<String>,
    /// Remarks about the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
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
            "omissions need the branches of the run, and it was recorded at level {}: record it again with `--level all`",
            trace.about.level
        );
        return Err(SessionError::NoStep(why));
    }
    let question = question.clone();
    let missing = trace.missing();
    let runtime = tokio::runtime::Handle::current();
    in_background(context, move |_| {
        let mut answer = runtime.block_on(answer(trace, &question))?;
        answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
        Ok(answer)
    })
    .await
}

async fn answer(
    mut trace: RecordedTrace,
    question: &OmissionQuestion,
) -> Result<OmissionAnswer, SessionError> {
    let about = &trace.about;
    let (command, cwd, classes) = (about.command.clone(), about.cwd.clone(), about.class_path.clone());
    let debuggee = Debuggee { command, cwd: Some(cwd), classes, ..Debuggee::default() };
    let workspace = Workspace::open(&Chain::new(debuggee, Vec::new()), None, None)?;
    let pool = workspace.pool(None)?;
    let mut fields = Fields::new(Some(workspace.pool(None)?));
    let calls = &mut trace.recording.calls;
    let at = question.at.find(calls, &mut fields, &pool).await?;
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
    let mut program = AnalysedProgram::new(&pool);
    let mut found = find(calls, &mut fields, &mut program, (&target, Window { from, to }), &question.limits)?;
    found.suggestions.retain(|suggestion| !is_hidden(suggestion, &question.hide));
    let shown = match (&target.field, target.object) {
        (Some(field), 0) => format!("{}.{field}", crate::trace::shown_class(&target.class)),
        (Some(field), object) => format!("{}.{field}", calls.objects.name(object)),
        (None, object) => calls.objects.name(object),
    };
    Ok(OmissionAnswer {
        reasons: reasons(&found, &target, &question.limits),
        target: shown,
        value,
        at: place.unwrap_or_default(),
        suggestions: found.suggestions,
        hidden: found.hidden_reads,
        notes: Vec::new(),
    })
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
    if found.operations == 0 {
        reasons.push(format!("no code of the program changes such an object: {what}"));
    } else if found.suggestions.is_empty() && found.executed == found.operations {
        reasons.push(format!("all {} operations that change such an object were executed", found.operations));
    } else if found.suggestions.is_empty() {
        reasons.push(format!(
            "no executed jump leads to one of the {} operations that were not executed, within {} calls",
            found.operations - found.executed,
            limits.within
        ));
    }
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
