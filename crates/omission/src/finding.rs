//! Asks which operations on an object were not executed, and at which jumps they were lost.

use super::analysis_folder::AnalysisFolder;
use super::asked::{OmissionAnswer, OmissionQuestion, TriedSuggestion};
use super::parts::parts_with_omissions;
use super::point::FoundPoint;
use super::target::{Denoted, begin, of_expression};
use super::trials::try_all;
use crate::analysis::{
    AnalysedProgram, Found, Jump, Limits, Operation, Place, Suggestion, Target, Window, find,
};
use classes::SourcePaths;
use expr::{Expr, Node};
use past::Recording;
use recorded::RecordedTrace;
use session::background::in_background;
use session::{Context, SessionError};
use std::collections::HashMap;
use trace::{Calls, Level};

/// Most operations on other objects that are named.
const ELSEWHERE: usize = 3;

/// Most operations behind one jump, where not all suggestions are shown.
const OPERATIONS: usize = 3;

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
    let trace = trace.with_code(&SourcePaths::default());
    let missing = trace.missing();
    let work = move |_| answer(trace, &asked);
    let (mut answer, reads, mut trace, found) = in_background(context, work).await?;
    answer.notes.extend(missing.into_iter().map(|what| format!("missing: {what}")));
    if question.confirm {
        Box::pin(try_all(&mut answer, reads, &mut trace, question, found, context)).await?;
    }
    // Those that make the point right come first, wherever they stood.
    let all = answer.suggestions.len();
    if all > question.limit {
        let mut known: HashMap<(Place, u32), usize> = HashMap::new();
        answer.suggestions.retain(|of| {
            let Jump { place, to, .. } = &of.suggestion.jump;
            let count = known.entry((place.clone(), *to)).or_insert(0);
            *count += 1;
            *count <= OPERATIONS
        });
        answer.suggestions.truncate(question.limit);
    }
    answer.more = all - answer.suggestions.len();
    match answer.hidden {
        0 => {}
        1 => answer.reasons.push("1 operation that only reads it is hidden: --reads shows it".to_owned()),
        many => {
            let text = format!("{many} operations that only read it are hidden: --reads shows them");
            answer.reasons.push(text);
        }
    }
    Ok(answer)
}

fn answer(
    mut trace: RecordedTrace,
    question: &OmissionQuestion,
) -> Result<(OmissionAnswer, Vec<TriedSuggestion>, RecordedTrace, FoundPoint), SessionError> {
    let pool = trace.pool()?;
    let about = trace.about.clone();
    let point = question.at.find(&mut trace)?;
    let at = point.at;
    let to = trace.calls.when_at(at)?;
    let Denoted { target, value, unknown } = match question.is_object {
        true => {
            let target = object(&question.what, &trace.calls)?;
            Denoted { target, value: String::new(), unknown: None }
        }
        false => of_expression(&question.what, question.of_field, &mut trace, at)?,
    };
    let Recording { calls, code, .. } = &mut trace.recording;
    let place = calls.event_at(at, |calls, seen| {
        let method = seen.method(calls);
        let file = method.and_then(|method| method.source.as_deref()).unwrap_or("?").to_owned();
        let line = question.at.line_that_ran().or(seen.line().map(u32::from));
        line.map_or(file.clone(), |line| format!("{file}:{line}"))
    })?;
    let from = begin(calls, target.object)?.unwrap_or(to).min(to);
    let store = AnalysisFolder::of_user();
    let mut program = AnalysedProgram::new(&pool, calls, &|class| about.records(class), &store);
    // What only reads is tried too before it is hidden.
    let limits = Limits { reads: question.limits.reads || question.confirm, ..question.limits.clone() };
    let mut found = find(calls, &mut code.fields, &mut program, &target, Window { from, to }, &limits)?;
    found.suggestions.retain(|suggestion| !is_hidden(suggestion, &question.hide));
    let mut reads = Vec::new();
    if !question.limits.reads {
        let all = std::mem::take(&mut found.suggestions);
        (found.suggestions, reads) = all.into_iter().partition(|suggestion| suggestion.operation.writes);
        found.hidden_reads += reads.len();
    }
    let mut reasons = reasons(&found, &target, &question.limits);
    if found.suggestions.is_empty() && target.field.is_none() && names_field(&question.what) {
        reasons.push(format!("`--field` asks which writes to `{}` itself are missing", question.what));
    }
    if found.suggestions.is_empty() && !question.is_object {
        let part = parts_with_omissions(
            &question.what,
            &target,
            to,
            &mut trace.recording,
            &mut program,
            &question.limits,
        )?;
        reasons.extend(part);
    }
    let objects = &trace.calls.objects;
    let shown = match (&target.field, target.object) {
        (Some(field), 0) => format!("{}.{field}", trace::shown_class(&target.class)),
        (Some(field), object) => format!("{}.{field}", objects.name(object)),
        (None, object) => objects.name(object),
    };
    let new = |suggestion| TriedSuggestion { suggestion, confirmation: None };
    let answer = OmissionAnswer {
        reasons,
        target: shown,
        value,
        at: place.unwrap_or_default(),
        suggestions: found.suggestions.into_iter().map(new).collect(),
        hidden: found.hidden_reads,
        more: 0,
        notes: unknown.into_iter().map(|why| format!("the value is not known: {why}")).collect(),
    };
    let reads = reads.into_iter().map(new).collect();
    Ok((answer, reads, trace, point))
}

/// Whether an expression names a field, as far as its text tells: `this.items`.
fn names_field(what: &str) -> bool {
    Expr::parse(what).is_ok_and(|expr| matches!(expr.node(), Node::Field { .. }))
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
    let class = trace::shown_class(&target.class);
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
        let class = model::short_class_name(&place.class);
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
    past::check_object(calls, number, class)?;
    let object = calls.objects.own(number);
    let class = calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
    Ok(Target { object, class, field: None })
}
