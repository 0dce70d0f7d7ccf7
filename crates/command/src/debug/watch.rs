//! `watch CLASS.FIELD [read]`: adds a point at a write to a field, or at a read.

use super::clauses::{Clauses, split};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;

pub(super) struct Watch {
    kind: Kind,
    clauses: Clauses,
}

impl PromptCommand for Watch {
    fn parse(words: &str) -> Result<Watch, CommandError> {
        let (field, rest) = split(words);
        let (class, field) = field.rsplit_once('.').ok_or_else(|| usage("watch"))?;
        let (class, field) = (class.to_owned(), field.to_owned());
        let (clauses, flags) = Clauses::parse(rest, &["read"])?;
        let kind = if flags.is_empty() { Kind::Watch(class, field) } else { Kind::Read(class, field) };
        Ok(Watch { kind, clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(self.kind, None, explorer).await
    }
}
