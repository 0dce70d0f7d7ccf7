//! Parts of texts, and texts made of two parts: relations with several answers.

use std::sync::Arc;

use super::sequences::{Native, once};
use crate::call::{Call, TermRef};
use crate::relation::{AnswerIter, Answers, Next, Relation, RelationError};
use crate::term::View;
use crate::write::float_text;

pub(super) fn all() -> Vec<Arc<dyn Relation>> {
    vec![
        Arc::new(Native { name: "sub_atom", arity: 5, solve: |call| sub(call, false) }),
        Arc::new(Native { name: "sub_string", arity: 5, solve: |call| sub(call, true) }),
        Arc::new(Native { name: "atom_concat", arity: 3, solve: |call| concat(call, false) }),
        Arc::new(Native { name: "string_concat", arity: 3, solve: |call| concat(call, true) }),
        Arc::new(Native { name: "text_concat", arity: 3, solve: |call| concat(call, false) }),
    ]
}

/// The text of an atomic argument; `None` if it is unbound.
fn text(call: &Call<'_>, argument: usize) -> Result<Option<String>, RelationError> {
    Ok(match call.view_arg(argument) {
        View::Var(_) => None,
        View::Int(value) => Some(value.to_string()),
        View::Float(value) => Some(float_text(value)),
        View::Str(text) => Some(text.to_owned()),
        View::Atom(atom) => Some(call.atom_text(atom).to_owned()),
        View::Compound { .. } => {
            return Err(RelationError::Type { argument, expected: "atomic".to_owned() });
        }
    })
}

fn make(call: &mut Call<'_>, text: &str, string: bool) -> TermRef {
    if string {
        call.string(text)
    } else {
        let atom = call.intern(text);
        call.atom(atom)
    }
}

fn number(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The answers of sub_atom/5: all parts in the order of their starts and lengths.
struct Parts {
    text: Arc<str>,
    /// Offsets of the characters, and that of the end.
    offsets: Vec<usize>,
    start: usize,
    length: usize,
    /// What is fixed: the start, the length, the rest.
    fixed: [Option<usize>; 3],
    string: bool,
}

impl Parts {
    fn count(&self) -> usize {
        self.offsets.len() - 1
    }

    fn part(&self, start: usize, length: usize) -> &str {
        let from = self.offsets.get(start).copied().unwrap_or(0);
        let to = self.offsets.get(start + length).copied().unwrap_or(0);
        self.text.get(from..to).unwrap_or_default()
    }

    fn unify(&self, call: &mut Call<'_>, start: usize, length: usize) -> bool {
        let rest = self.count() - start - length;
        let part = make(call, self.part(start, length), self.string);
        call.unify_int(1, number(start))
            && call.unify_int(2, number(length))
            && call.unify_int(3, number(rest))
            && call.unify_arg(4, part)
    }
}

impl AnswerIter for Parts {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let count = self.count();
        loop {
            call.check()?;
            let (start, length) = (self.start, self.length);
            if start > count {
                return Ok(Next::None);
            }
            // The next candidate.
            match self.fixed {
                [Some(_), None, None] => {
                    if length > count - start {
                        return Ok(Next::None);
                    }
                    self.length += 1;
                    let last = self.length > count - start;
                    self.unify(call, start, length);
                    return Ok(if last { Next::Last } else { Next::More });
                }
                [None, Some(length), None] => {
                    if start + length > count {
                        return Ok(Next::None);
                    }
                    self.start += 1;
                    let last = self.start + length > count;
                    self.unify(call, start, length);
                    return Ok(if last { Next::Last } else { Next::More });
                }
                [None, None, Some(rest)] => {
                    if start + rest > count {
                        return Ok(Next::None);
                    }
                    self.start += 1;
                    let last = self.start + rest > count;
                    self.unify(call, start, count - start - rest);
                    return Ok(if last { Next::Last } else { Next::More });
                }
                _ => {
                    if length > count - start {
                        self.start += 1;
                        self.length = 0;
                        continue;
                    }
                    self.length += 1;
                    self.unify(call, start, length);
                    let last = start == count;
                    return Ok(if last { Next::Last } else { Next::More });
                }
            }
        }
    }
}

/// The places of a known part.
struct Places {
    text: Arc<str>,
    part: String,
    /// Where to look on, in bytes, and the number of characters before it.
    from: usize,
    before: usize,
}

impl AnswerIter for Places {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        loop {
            call.check()?;
            let rest = self.text.get(self.from..).unwrap_or_default();
            let Some(at) = rest.find(&self.part) else { return Ok(Next::None) };
            let skipped = rest.get(..at).unwrap_or_default().chars().count();
            let before = self.before + skipped;
            let length = self.part.chars().count();
            let tail = rest.get(at + self.part.len()..).unwrap_or_default().chars().count();
            // The next place starts one character later.
            let step = rest.get(at..).and_then(|rest| rest.chars().next()).map(char::len_utf8);
            let ended = step.is_none();
            self.from += at + step.unwrap_or(1);
            self.before = before + 1;
            let found = call.attempt(|call| {
                call.unify_int(1, number(before))
                    && call.unify_int(2, number(length))
                    && call.unify_int(3, number(tail))
            });
            if found {
                let more = !ended && self.text.get(self.from..).is_some_and(|rest| rest.contains(&self.part));
                return Ok(if more { Next::More } else { Next::Last });
            }
            if ended {
                return Ok(Next::None);
            }
        }
    }
}

fn sub(call: &mut Call<'_>, string: bool) -> Result<Answers, RelationError> {
    let Some(whole) = text(call, 0)? else { return Err(RelationError::Unbound(0)) };
    let whole: Arc<str> = whole.into();
    if let Some(part) = text(call, 4)? {
        return Ok(Answers::Lazy(Box::new(Places { text: whole, part, from: 0, before: 0 })));
    }
    let mut fixed = [None; 3];
    for (i, slot) in fixed.iter_mut().enumerate() {
        *slot = match call.view_arg(i + 1) {
            View::Var(_) => None,
            View::Int(value) => match usize::try_from(value) {
                Ok(value) => Some(value),
                Err(_) => return Ok(Answers::None),
            },
            _ => return Err(RelationError::Type { argument: i + 1, expected: "integer".to_owned() }),
        };
    }
    let mut offsets: Vec<usize> = whole.char_indices().map(|(at, _)| at).collect();
    offsets.push(whole.len());
    let mut parts = Parts { text: whole, offsets, start: 0, length: 0, fixed, string };
    let count = parts.count();
    let place = match fixed {
        [Some(start), Some(length), _] => Some((start, length)),
        [Some(start), None, Some(rest)] => count.checked_sub(start + rest).map(|length| (start, length)),
        [None, Some(length), Some(rest)] => count.checked_sub(length + rest).map(|start| (start, length)),
        [start, ..] => {
            parts.start = start.unwrap_or(0);
            return Ok(Answers::Lazy(Box::new(parts)));
        }
    };
    match place {
        Some((start, length)) if start.saturating_add(length) <= count => {
            once(parts.unify(call, start, length))
        }
        _ => Ok(Answers::None),
    }
}

/// The ways to cut a text in two.
struct Cuts {
    text: String,
    at: usize,
    string: bool,
}

impl AnswerIter for Cuts {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let (left, right) = (self.text.get(..self.at), self.text.get(self.at..));
        let (Some(left), Some(right)) = (left, right) else { return Ok(Next::None) };
        let step = right.chars().next().map(char::len_utf8);
        let left = make(call, left, self.string);
        let right = make(call, right, self.string);
        call.unify_arg(0, left);
        call.unify_arg(1, right);
        match step {
            Some(step) => {
                self.at += step;
                Ok(Next::More)
            }
            None => Ok(Next::Last),
        }
    }
}

fn concat(call: &mut Call<'_>, string: bool) -> Result<Answers, RelationError> {
    let (left, right) = (text(call, 0)?, text(call, 1)?);
    if let (Some(left), Some(right)) = (&left, &right) {
        let joined = format!("{left}{right}");
        let used = call.bytes + call.store.bytes();
        if used + joined.len() > call.budget.limits.memory {
            let _ = call.budget.exceed(crate::limits::Excess::Memory);
            return Err(RelationError::Stopped);
        }
        if let Some(whole) = text(call, 2)? {
            return once(whole == joined);
        }
        let term = make(call, &joined, string);
        return once(call.unify_arg(2, term));
    }
    let Some(whole) = text(call, 2)? else {
        return Err(RelationError::Unbound(if left.is_none() { 0 } else { 1 }));
    };
    match (left, right) {
        (Some(left), _) => match whole.strip_prefix(&left) {
            Some(rest) => {
                let term = make(call, rest, string);
                once(call.unify_arg(1, term))
            }
            None => Ok(Answers::None),
        },
        (None, Some(right)) => match whole.strip_suffix(&right) {
            Some(rest) => {
                let term = make(call, rest, string);
                once(call.unify_arg(0, term))
            }
            None => Ok(Answers::None),
        },
        (None, None) => Ok(Answers::Lazy(Box::new(Cuts { text: whole, at: 0, string }))),
    }
}
