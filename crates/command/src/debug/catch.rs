//! `catch EXCEPTION [caught | uncaught]`: adds a point at the throw of an exception.

use super::clauses::{Clauses, split};
use super::{PromptCommand, Reply, usage};
use crate::CommandError;
use chain::Kind;
use replay::explore::Explorer;

pub(super) struct Catch {
    class: String,
    caught: Option<bool>,
    clauses: Clauses,
}

impl PromptCommand for Catch {
    fn parse(words: &str) -> Result<Catch, CommandError> {
        let (class, rest) = split(words);
        if class.is_empty() {
            return Err(usage("catch"));
        }
        let (clauses, flags) = Clauses::parse(rest, &["caught", "uncaught"])?;
        let caught = match flags.as_slice() {
            [] => None,
            ["caught"] => Some(true),
            ["uncaught"] => Some(false),
            _ => return Err(usage("catch")),
        };
        Ok(Catch { class: class.to_owned(), caught, clauses })
    }

    async fn execute(self, explorer: &mut Explorer) -> Result<Reply, CommandError> {
        self.clauses.add(Kind::Exception(self.class), self.caught, explorer).await
    }
}
