//! The texts of builders and what was printed on streams, as values and changes show them.

use super::error::PastError;
use super::shape::{Shape, type_name};
use std::ops::Range;
use trace::{Calls, EventTime, TextContents};

/// Maximum number of characters of a text in a value, and of what a call printed.
pub(crate) const MOST: usize = 4096;
/// Number of equal characters shown on either side of a difference of two texts.
const AROUND: usize = 16;

/// The text of a builder as a value; `None` if it is no builder, or its text is not known. The program cannot
/// read what was printed on a stream, so a stream has no such value.
///
/// # Errors
/// The events cannot be read.
pub(crate) fn builder(calls: &mut Calls, object: u32, when: EventTime) -> Result<Option<Shape>, PastError> {
    if !calls.has_text(object)? || calls.is_stream(object) {
        return Ok(None);
    }
    let Some(held) = calls.text(object, when)? else { return Ok(None) };
    let units: Vec<char> = held.text().chars().collect();
    // What was appended last is at the end.
    Ok(Some(shown(calls, object, &held, &units, units.len().saturating_sub(MOST)..units.len())))
}

/// A text, or the end of a long one after `…`.
pub fn end(held: &TextContents) -> String {
    let text = held.end(MOST + 1);
    match text.char_indices().rev().nth(MOST - 1) {
        Some((from, _)) if from > 0 => format!("…{}", text.get(from..).unwrap_or_default()),
        _ => text,
    }
}

/// The characters of a text in a range of its `units`.
fn shown(calls: &Calls, object: u32, held: &TextContents, units: &[char], range: Range<usize>) -> Shape {
    let Range { start: from, end: to } = range;
    let text: String = units.get(from..to).unwrap_or_default().iter().collect();
    Shape::Text {
        of: calls.objects.class(object).map(|class| type_name(class)).unwrap_or_default(),
        object: calls.objects.number(object),
        text,
        from,
        length: held.len(),
        truncated: from > 0 || to < units.len() || !held.is_whole() || held.unsure,
    }
}

/// The text of a builder at two times: the parts that differ, with a few characters around them. `None` if
/// it is the same, or the object is no builder.
///
/// # Errors
/// The events cannot be read.
pub fn difference(
    calls: &mut Calls,
    object: u32,
    during: Range<EventTime>,
) -> Result<Option<(Shape, Shape)>, PastError> {
    if calls.is_stream(object) {
        return Ok(None);
    }
    let mut is_changed = false;
    let owner = calls.text_owner(object)?;
    calls.each_text_change(owner, during.clone(), |_, _| is_changed = true)?;
    if !is_changed {
        return Ok(None);
    }
    let unknown = || Shape::Unknown { unknown: true };
    let (old, new) = match (calls.text(object, during.start)?, calls.text(object, during.end)?) {
        (Some(old), Some(new)) => (old, new),
        (None, Some(new)) => {
            let units: Vec<char> = new.text().chars().collect();
            let from = units.len().saturating_sub(MOST);
            return Ok(Some((unknown(), shown(calls, object, &new, &units, from..units.len()))));
        }
        (_, None) => return Ok(None),
    };
    if old == new {
        return Ok(None);
    }
    let [one, other] = [&old, &new].map(|held| held.text().chars().collect::<Vec<char>>());
    let same = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let room = one.len().min(other.len()) - same;
    let equal_ends = one.iter().rev().zip(other.iter().rev()).take(room);
    let behind = equal_ends.take_while(|(one, other)| one == other).count();
    let from = if same > 2 * AROUND { same - AROUND } else { 0 };
    let cut = if behind > 2 * AROUND { behind - AROUND } else { 0 };
    let part = |held, units: &[char]| {
        let to = (units.len() - cut).min(from + MOST);
        shown(calls, object, held, units, from..to)
    };
    Ok(Some((part(&old, &one), part(&new, &other))))
}

/// What was printed on a stream between two times; `None` if nothing was.
///
/// # Errors
/// The events cannot be read.
pub fn printed(calls: &mut Calls, stream: u32, during: Range<EventTime>) -> Result<Option<Shape>, PastError> {
    let mut held = TextContents::default();
    let mut digest = 0_u64;
    calls.each_text_change(stream, during, |change, _| {
        if held.len() < MOST {
            held.print(change);
        } else {
            held.skip(change);
        }
        digest = digest.rotate_left(7) ^ change.digest();
    })?;
    if held.is_empty() {
        return Ok(None);
    }
    let text = held.text();
    let printed: String = text.chars().take(MOST).collect();
    let truncated = printed.len() < text.len() || !held.is_whole();
    Ok(Some(Shape::Printed {
        of: calls.objects.class(stream).map(|class| type_name(class)).unwrap_or_default(),
        object: calls.objects.number(stream),
        printed,
        length: held.len(),
        digest: truncated.then(|| format!("{digest:016x}")),
        truncated,
    }))
}
