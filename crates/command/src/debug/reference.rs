//! The commands that ask about a value seen at a point: `lastchange`, `origin`, `created`, `lastread`,
//! `contents`. They differ in their name and in the kind of point they add.

use super::clauses::{self, Clauses};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;
use std::marker::PhantomData;

/// One of the commands.
pub(super) trait Question {
    /// Its name in the table.
    const NAME: &'static str;

    /// The kind of point it adds.
    fn kind(reference: String) -> Kind;
}

/// A reference, with the clauses that narrow the question.
pub(super) struct Asked<Q> {
    reference: String,
    clauses: Clauses,
    question: PhantomData<Q>,
}

impl<Q: Question> PromptCommand for Asked<Q> {
    fn parse(words: &str) -> Result<Asked<Q>, CommandError> {
        let (reference, rest) = clauses::reference(words).ok_or_else(|| usage(Q::NAME))?;
        let (clauses, _) = Clauses::parse(rest, &[])?;
        Ok(Asked { reference, clauses, question: PhantomData })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(Q::kind(self.reference), None, explorer).await
    }
}

macro_rules! questions {
    ($($name:literal $command:ident $marker:ident $kind:expr;)*) => {
        $(
            pub(super) struct $marker;

            impl Question for $marker {
                const NAME: &'static str = $name;

                fn kind(reference: String) -> Kind {
                    $kind(reference)
                }
            }

            pub(super) type $command = Asked<$marker>;
        )*
    };
}

questions! {
    "lastchange" LastChange OfChange Kind::LastChange;
    "origin" Origin OfOrigin Kind::Origin;
    "created" Created OfCreation Kind::Created;
    "lastread" LastRead OfRead Kind::LastRead;
    "contents" Contents OfContents contents;
}

/// `A:list` asks for the last change of the collection's contents.
fn contents(reference: String) -> Kind {
    let (point, expr) = reference.split_once(':').unwrap_or(("", &reference));
    Kind::LastChange(format!("{point}:contents({expr})"))
}
