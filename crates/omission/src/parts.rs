//! The objects in the fields of an object: where nothing is missing in the object itself, it can be missing
//! in one of them.

use super::target::{begin, is_fixed};
use crate::analysis::{AnalysedProgram, Limits, Target, Window, find};
use past::Recording;
use past::snapshot::{Bounds, Shaper};
use session::SessionError;
use trace::{EventTime, Value};

/// Most fields of the object that are read.
const FIELDS: usize = 64;
/// Most objects in them that are asked about: each costs as much as the question itself.
const ASKED: usize = 6;
/// Most fields that are named.
const NAMED: usize = 3;

/// A sentence that names the fields of an object in whose objects an operation is missing; `None` if there
/// are none. `what` is the expression of the object, and `to` the time of the point.
///
/// # Errors
/// The recording cannot be read.
pub(super) fn parts_with_omissions(
    what: &str,
    target: &Target,
    to: EventTime,
    trace: &mut Recording,
    program: &mut AnalysedProgram<'_>,
    limits: &Limits,
) -> Result<Option<String>, SessionError> {
    if target.field.is_some() || trace.calls.objects.is_array(target.object) {
        return Ok(None);
    }
    let bounds = Bounds { depth: 1, elements: 0, parts: FIELDS };
    let mut shaper = Shaper { calls: &mut trace.calls, fields: &mut trace.code.fields, bounds };
    let (parts, _) = shaper.parts(target.object, FIELDS)?;
    let mut held = Vec::new();
    for part in parts {
        if let (Some(Value::Object(object)), Some(name)) = (shaper.held(target.object, &part, to)?, part.name)
            && object != 0
            && !is_fixed(shaper.calls, object)
        {
            held.push((name, object));
        }
    }
    let limits = Limits { reads: false, ..limits.clone() };
    let mut found = Vec::new();
    for (name, object) in held.into_iter().take(ASKED) {
        let class = trace.calls.objects.class(object).map(ToString::to_string).unwrap_or_default();
        let part = Target { object, class, field: None };
        let from = begin(&mut trace.calls, object)?.unwrap_or(to).min(to);
        let window = Window { from, to };
        let inside = find(&mut trace.calls, &mut trace.code.fields, program, &part, window, &limits)?;
        if !inside.suggestions.is_empty() {
            found.push((inside.suggestions.len(), format!("`{what}.{name}`")));
        }
    }
    found.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let names: Vec<String> = found.into_iter().take(NAMED).map(|(_, name)| name).collect();
    let Some((last, others)) = names.split_last() else { return Ok(None) };
    let all = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Ok(Some(format!("operations are missing on what it holds: ask about {all}")))
}
