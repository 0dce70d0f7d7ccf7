//! Files with saved answers.

use super::open_log::digest;
use logic::saved::{FORMAT, SavedAnswer};
use serde_json::Value;
use session::SessionError;
use std::path::Path;

/// Writes an answer to a file, whole or not at all.
///
/// # Errors
/// The file cannot be written.
pub fn write_answer(answer: &SavedAnswer, file: &Path) -> Result<(), SessionError> {
    let unusable = |why: String| SessionError::SavedAnswer { file: file.to_owned(), why };
    let mut answer = answer.clone();
    answer.digest =
        digest_of(&answer).ok_or_else(|| unusable("the answer cannot be written as JSON".to_owned()))?;
    let mut text = serde_json::to_string_pretty(&answer).map_err(|error| unusable(error.to_string()))?;
    text.push('\n');
    files::write_whole(file, text).map_err(|error| unusable(format!("cannot be written: {error}")))
}

/// Reads an answer from a file.
///
/// # Errors
/// The file cannot be read, is damaged, or has another format.
pub fn read_answer(file: &Path) -> Result<SavedAnswer, SessionError> {
    let unusable = |why: String| SessionError::SavedAnswer { file: file.to_owned(), why };
    let text = std::fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
    let whole: Value =
        serde_json::from_str(&text).map_err(|error| unusable(format!("no saved answer: {error}")))?;
    match whole.get("format").map(Value::as_u64) {
        Some(Some(format)) if format == u64::from(FORMAT) => {}
        Some(Some(format)) => {
            return Err(unusable(format!(
                "format {format} is not known; this build reads format {FORMAT}: use the version of qp that saved it, or ask again"
            )));
        }
        _ => return Err(unusable("no saved answer: it has no `format`".to_owned())),
    }
    let answer: SavedAnswer = serde_json::from_str(&text)
        .map_err(|error| unusable(format!("damaged, or written by another version of qp: {error}")))?;
    if digest_of(&answer).as_ref() != Some(&answer.digest) {
        return Err(unusable(
            "damaged: its content does not fit its digest; save the answer again".to_owned(),
        ));
    }
    Ok(answer)
}

/// The digest of an answer without its digest.
fn digest_of(answer: &SavedAnswer) -> Option<String> {
    let bare = SavedAnswer { digest: String::new(), ..answer.clone() };
    serde_json::to_string(&bare).ok().map(|text| digest(&text))
}
