//! Asks a goal over a log of Prolog facts, such as that of another tool.

use super::open_log::AskRequest;
use super::saved::rules_text;
use logic::rules::Asked;
use session::background::in_background;
use session::{Context, SessionError};
use std::path::Path;
use std::sync::Arc;

/// Asks a goal over the facts of a file.
///
/// # Errors
/// The file cannot be read, the facts, the rules or the goal are not valid, or the user interrupted the work.
pub async fn ask_facts(file: &Path, asked: &AskRequest, context: &Context) -> Result<Asked, SessionError> {
    let rules = asked.read_rules()?;
    let text = rules_text(file)
        .map_err(|error| SessionError::RulesFile { file: file.to_owned(), error: Arc::new(error) })?;
    let (name, asked) = (file.display().to_string(), asked.clone());
    in_background(context, move |stop| Ok(rules.ask_facts(&name, &text, &asked.goal, asked.options(stop))?))
        .await
}
