//! A small Prolog whose facts may come from lazy, backtracking relations of its host.
//!
//! [`Program`] holds the clauses of some files, [`Relations`] the predicates that the host answers, and a
//! [`Machine`] runs queries over both. The language is that of ISO Prolog with the lists, strings and many
//! library predicates of SWI-Prolog, without changing facts, files, modules and grammar rules. Integers
//! have 64 bits: an overflow raises `evaluation_error(int_overflow)`. A query that walks a cyclic term is
//! stopped by its limits.
//!
//! SWI-Prolog 9.0.4 is the reference for the order of solutions, texts and errors; the tests
//! compare with it. `[]` and `'[]'` are the same here, a goal that is a list is no consultation, and a
//! variable is written `_G1`.
//!
//! The shape of a [`Relation`] is that of a resolver of the crate `logru` 0.4.1: it begins to answer a goal
//! and is
//! resumed for each further answer. That crate itself does not serve here. Its terms are variables, 64-bit
//! integers, and symbols with arguments; the text syntax has neither lists, operators, strings nor floats. A
//! cut is a term of its own, control constructs and goals made at run time are missing, and a resolver
//! returns
//! an `Option`, so that nothing can throw or report an error.
//!
//! ```
//! use prolog::{Machine, Options, Program, Relations};
//!
//! let mut program = Program::new();
//! program.consult("family.pl", "parent(ann, bob). parent(bob, cid).
//!     ancestor(A, B) :- parent(A, B).
//!     ancestor(A, C) :- parent(A, B), ancestor(B, C).").unwrap();
//! let mut machine = Machine::new(&program, &Relations::new(), Options::default()).unwrap();
//! let mut query = machine.query("ancestor(ann, X)").unwrap();
//! let first = query.next().unwrap().unwrap();
//! assert_eq!(first.get("X").unwrap().to_string(), "bob");
//! ```

mod arith;
mod atoms;
mod builtins;
mod call;
mod compile;
mod limits;
mod machine;
mod program;
mod read;
mod relation;
mod store;
mod term;
mod write;

pub use arith::Num;
pub use atoms::{AtomId, Atoms};
pub use call::{Bound, Call, Comparison, TermRef};
pub use limits::{Allowance, Interrupt, Limits, Stopped};
pub use machine::{Failure, Machine, Options, Output, Query, Solution, Thrown};
pub use program::{Clause, Linked, NotRead, Program, Warning};
pub use read::clauses::ClauseReader;
pub use read::error::{Span, SyntaxError, line_column};
pub use read::parser::ReadTerm;
pub use relation::{AnswerIter, Answers, Next, Relation, RelationError, Relations};
pub use term::{Cursor, NodeId, Term, Value, View};
