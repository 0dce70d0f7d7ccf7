//! `field_at(Id, Object, Field, SetId, Value)`: the fields of an object after an event.

use super::enclosing::{bound_id, lock};
use super::event::{SharedSource, failed};
use super::heap::Heap;
use crate::log::Terms;
use crate::queries::{FieldState, SetBy, field_states};
use prolog::{AnswerIter, Answers, Call, Next, Relation, RelationError, View};

/// The relation.
pub(super) struct FieldAt {
    pub source: SharedSource,
}

impl Relation for FieldAt {
    fn name(&self) -> &str {
        "field_at"
    }

    fn arity(&self) -> usize {
        5
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        let id = bound_id(call)?;
        let object = call.arg(1);
        let number = match call.view(object) {
            View::Compound { name, arity: 2 } if call.atom_text(name) == "o" => {
                match call.arg_of(object, 1).map(|number| call.view(number)) {
                    Some(View::Int(number)) => u32::try_from(number).ok(),
                    Some(View::Var(_)) => return Err(RelationError::Unbound(1)),
                    _ => None,
                }
            }
            View::Var(_) => return Err(RelationError::Unbound(1)),
            _ => None,
        };
        let mut source = lock(&self.source);
        let (Some(id), Some(number)) = (id, number) else { return Ok(Answers::None) };
        if id >= source.log.index().count() {
            return Ok(Answers::None);
        }
        let own = source.recording.calls.objects.own(number);
        {
            let (calls, log) = source.parts();
            let term = Terms { calls, log, build: &mut Heap(call) }.object(own);
            if !call.attempt(|call| call.unify_arg(1, term)) {
                return Ok(Answers::None);
            }
            call.unify_arg(1, term);
        }
        let when = source.found(id).map_err(failed)?.event.when.after();
        let fields = field_states(&mut source, own, when).map_err(failed)?;
        Ok(Answers::Lazy(Box::new(Fields { source: self.source.clone(), fields: fields.into_iter() })))
    }
}

struct Fields {
    source: SharedSource,
    fields: std::vec::IntoIter<FieldState>,
}

impl AnswerIter for Fields {
    fn next(&mut self, call: &mut Call<'_>) -> Result<Next, RelationError> {
        let mut source = lock(&self.source);
        for field in self.fields.by_ref() {
            call.check()?;
            let fits = call.attempt(|call| {
                let (calls, log) = source.parts();
                let value = match &field.value {
                    Some(value) => Terms { calls, log, build: &mut Heap(call) }.value(value),
                    None => {
                        let unknown = call.intern("?");
                        call.atom(unknown)
                    }
                };
                let set = match field.by {
                    SetBy::Event(id) => call.int(i64::try_from(id).unwrap_or(i64::MAX)),
                    SetBy::Default => {
                        let atom = call.intern("default");
                        call.atom(atom)
                    }
                    SetBy::Constant => {
                        let atom = call.intern("constant");
                        call.atom(atom)
                    }
                    SetBy::Unknown => {
                        let atom = call.intern("unknown");
                        call.atom(atom)
                    }
                };
                let name = call.intern(&field.name);
                let name = call.atom(name);
                call.unify_arg(2, name) && call.unify_arg(3, set) && call.unify_arg(4, value)
            });
            if fits {
                return Ok(Next::More);
            }
        }
        Ok(Next::None)
    }
}
