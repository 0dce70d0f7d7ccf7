//! Relations of the engine: between/3, length/2 and arg/3.

use std::sync::Arc;

use crate::atoms::known;
use crate::call::{Call, TermRef};
use crate::relation::{AnswerIter, Answers, Next, Relation, RelationError};
use crate::store::Cell;
use crate::term::View;

type Solve = fn(&mut Call<'_>) -> Result<Answers, RelationError>;

/// A relation of the engine.
pub(super) struct Native {
    pub name: &'static str,
    pub arity: usize,
    pub solve: Solve,
}

impl Relation for Native {
    fn name(&self) -> &str {
        self.name
    }

    fn arity(&self) -> usize {
        self.arity
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        (self.solve)(call)
    }
}

pub(super) fn all() -> Vec<Arc<dyn Relation>> {
    vec![
        Arc::new(Native { name: "between", arity: 3, solve: between }),
        Arc::new(Native { name: "length", arity: 2, solve: length }),
        Arc::new(Native { name: "arg", arity: 3, solve: arg }),
    ]
}

/// An integer argument.
pub(super) fn int(call: &Call<'_>, argument: usize) -> Result<i64, RelationError> {
    match call.view_arg(argument) {
        View::Int(value) => Ok(value),
        View::Var(_) => Err(RelationError::Unbound(argument)),
        _ => Err(RelationError::Type { argument, expected: "integer".to_owned() }),
    }
}

/// One answer if a condition holds.
pub(super) fn once(holds: bool) -> Result<Answers, RelationError> {
    Ok(if holds { Answers::Once } else { Answers::None })
}

struct Between {
    next: i64,
    last: i64,
}

impl AnswerIter for Between {
    #[inline]
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        if self.next > self.last {
            return Ok(Next::None);
        }
        let value = self.next;
        call.unify_int(2, value);
        if value == self.last {
            return Ok(Next::Last);
        }
        self.next += 1;
        Ok(Next::More)
    }
}

fn between(call: &mut Call<'_>) -> Result<Answers, RelationError> {
    let low = int(call, 0)?;
    let high = match call.view_arg(1) {
        View::Atom(atom) if matches!(call.atom_text(atom), "inf" | "infinite") => i64::MAX,
        _ => int(call, 1)?,
    };
    match call.view_arg(2) {
        View::Int(value) => once(low <= value && value <= high),
        View::Var(_) => {
            // Values that a comparison further right rejects need not be tried.
            let (min, max) = call.int_range(2);
            let (low, high) = (low.max(min), high.min(max));
            Ok(if low > high {
                Answers::None
            } else {
                Answers::Lazy(Box::new(Between { next: low, last: high }))
            })
        }
        _ => Err(RelationError::Type { argument: 2, expected: "integer".to_owned() }),
    }
}

/// Makes ever longer lists.
struct Lengths {
    tail: TermRef,
    before: i64,
    more: i64,
}

impl AnswerIter for Lengths {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let list = fresh_list(call, self.more);
        call.unify(self.tail, list);
        call.unify_int(1, self.before + self.more);
        self.more += 1;
        Ok(Next::More)
    }
}

fn fresh_list(call: &mut Call<'_>, count: i64) -> TermRef {
    let mut list = Cell::atom(known::NIL);
    for _ in 0..count {
        let var = call.store.var();
        list = call.store.list_cell(var, list);
    }
    TermRef(list)
}

fn length(call: &mut Call<'_>) -> Result<Answers, RelationError> {
    let mut rest = call.arg(0);
    let mut count = 0_i64;
    while let Some((_, tail)) = call.store.pair(rest.0, known::DOT) {
        rest = TermRef(tail);
        count += 1;
        if count > i64::try_from(call.store.cells.len()).unwrap_or(i64::MAX) {
            return Err(RelationError::Type { argument: 0, expected: "list".to_owned() });
        }
    }
    let wanted = match call.view_arg(1) {
        View::Int(value) => Some(value),
        View::Var(_) => None,
        _ => return Err(RelationError::Type { argument: 1, expected: "integer".to_owned() }),
    };
    match call.view(rest) {
        View::Atom(known::NIL) => once(call.unify_int(1, count)),
        View::Var(_) => match wanted {
            Some(wanted) if wanted < 0 => {
                Err(RelationError::Domain { argument: 1, expected: "not_less_than_zero".to_owned() })
            }
            Some(wanted) if wanted < count => Ok(Answers::None),
            Some(wanted) => {
                let bytes = usize::try_from(wanted - count).unwrap_or(usize::MAX).saturating_mul(24);
                let used = call.bytes + call.store.bytes();
                if used.saturating_add(bytes) > call.budget.limits.memory {
                    let _ = call.budget.exceed(crate::limits::Excess::Memory);
                    return Err(RelationError::Stopped);
                }
                let list = fresh_list(call, wanted - count);
                once(call.unify(rest, list))
            }
            None if call.arg(1) == rest => {
                Err(RelationError::Other("the length of a list cannot be its own tail".to_owned()))
            }
            None => Ok(Answers::Lazy(Box::new(Lengths { tail: rest, before: count, more: 0 }))),
        },
        _ => match wanted {
            Some(wanted) if wanted < 0 => {
                Err(RelationError::Domain { argument: 1, expected: "not_less_than_zero".to_owned() })
            }
            _ => Err(RelationError::Type { argument: 0, expected: "list".to_owned() }),
        },
    }
}

struct Args {
    next: usize,
    arity: usize,
}

impl AnswerIter for Args {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let term = call.arg(1);
        while self.next < self.arity {
            let index = self.next;
            self.next += 1;
            let Some(arg) = call.arg_of(term, index) else { continue };
            let number = i64::try_from(index + 1).unwrap_or(i64::MAX);
            if call.attempt(|call| call.unify_arg(2, arg) && call.unify_int(0, number)) {
                return Ok(if self.next == self.arity { Next::Last } else { Next::More });
            }
        }
        Ok(Next::None)
    }
}

fn arg(call: &mut Call<'_>) -> Result<Answers, RelationError> {
    let term = call.arg(1);
    let arity = match call.view(term) {
        View::Compound { arity, .. } => arity,
        View::Var(_) => return Err(RelationError::Unbound(1)),
        _ => return Err(RelationError::Type { argument: 1, expected: "compound".to_owned() }),
    };
    match call.view_arg(0) {
        View::Int(index) => {
            let arg = usize::try_from(index - 1).ok().and_then(|index| call.arg_of(term, index));
            once(arg.is_some_and(|arg| call.unify_arg(2, arg)))
        }
        View::Var(_) => Ok(Answers::Lazy(Box::new(Args { next: 0, arity }))),
        _ => Err(RelationError::Type { argument: 0, expected: "integer".to_owned() }),
    }
}
