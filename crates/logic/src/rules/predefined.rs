//! The predefined queries as predicates: `chain(15, Rows)`. The arguments are the words of the query, then
//! the list of its rows.

use super::enclosing::{event_term, lock};
use super::event::{SharedSource, failed};
use crate::answer::AnswerRow;
use crate::queries::{Asked, Query};
use prolog::{Answers, Call, Relation, RelationError, TermRef, View};

/// A predefined query with a number of words.
pub(super) struct QueryRelation {
    pub query: &'static Query,
    pub words: usize,
    pub source: SharedSource,
    /// Its name as an atom: `where_thrown`.
    pub name: String,
}

impl Relation for QueryRelation {
    fn name(&self) -> &str {
        &self.name
    }

    fn arity(&self) -> usize {
        self.words + 1
    }

    fn overridable(&self) -> bool {
        true
    }

    fn solve(&self, call: &mut Call<'_>) -> Result<Answers, RelationError> {
        let mut words = Vec::new();
        for at in 0..self.words {
            words.push(word(call, call.arg(at)).ok_or(RelationError::Unbound(at))?);
        }
        let asked = Asked { words, limit: usize::MAX, ..Asked::default() };
        let mut source = lock(&self.source);
        let answer = (self.query.ask)(&mut source, &asked).map_err(failed)?;
        if answer.yes == Some(false) {
            return Ok(Answers::None);
        }
        let mut rows = Vec::with_capacity(answer.rows.len());
        for row in &answer.rows {
            rows.push(match row {
                AnswerRow::Event(row) => event_term(call, &mut source, row.id).map_err(failed)?,
                AnswerRow::Value(row) => {
                    let name = call.intern(&row.name);
                    let name = call.atom(name);
                    let value = call.string(row.value.as_deref().unwrap_or("?"));
                    compound(call, "value", &[name, value])
                }
                AnswerRow::Heading { text } => {
                    let text = call.string(text);
                    compound(call, "heading", &[text])
                }
                AnswerRow::Count { what, count, .. } => {
                    let what = call.string(what);
                    let count = call.int(i64::try_from(*count).unwrap_or(i64::MAX));
                    compound(call, "count", &[what, count])
                }
            });
        }
        let rows = call.list(&rows);
        Ok(if call.unify_arg(self.words, rows) { Answers::Once } else { Answers::None })
    }
}

fn compound(call: &mut Call<'_>, functor: &str, arguments: &[TermRef]) -> TermRef {
    let functor = call.intern(functor);
    call.compound(functor, arguments)
}

/// A term as a word of a query; `None` for an unbound variable.
fn word(call: &Call<'_>, term: TermRef) -> Option<String> {
    match call.view(term) {
        View::Int(value) => Some(value.to_string()),
        View::Float(value) => Some(value.to_string()),
        View::Atom(atom) => Some(call.atom_text(atom).to_owned()),
        View::Str(text) => Some(text.to_owned()),
        View::Compound { name, arity: 2 } if call.atom_text(name) == "o" => {
            let class = call.text(call.arg_of(term, 0)?)?.to_owned();
            let View::Int(number) = call.view(call.arg_of(term, 1)?) else { return None };
            Some(format!("{class}@{number}"))
        }
        _ => None,
    }
}
