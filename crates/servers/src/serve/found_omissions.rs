//! The omissions that a page shows.

use super::selected::Selected;
use command::CommandError;
use omission::{OmissionAnswer, OmissionQuestion, TriedSuggestion};
use past::EventRef;
use serde::Serialize;

/// The answer that the page shows, and its question.
pub struct FoundOmissions {
    /// The question.
    pub question: OmissionQuestion,
    /// Where it was asked.
    pub at: Selected,
    /// The answer.
    pub answer: OmissionAnswer,
}

/// Reply to `omissions`.
#[derive(Debug, Serialize)]
pub struct OmissionsShown {
    /// The object or field.
    pub target: String,
    /// Its value.
    pub value: String,
    /// Where it is wrong.
    pub at: String,
    /// The suggestions.
    pub suggestions: Vec<NumberedSuggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden: usize,
    /// Number of further suggestions.
    pub more: usize,
    /// Why there are no suggestions, or no more.
    pub reasons: Vec<String>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A suggestion with its number.
#[derive(Debug, Serialize)]
pub struct NumberedSuggestion {
    /// Its number, from 1.
    pub number: usize,
    /// The jump as text: `if (active)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The way that it went: `was false`.
    pub outcome: String,
    /// How sure it is, in words.
    pub sure: &'static str,
    /// The event.
    pub selection: EventRef,
    /// The suggestion.
    #[serde(flatten)]
    pub suggestion: TriedSuggestion,
}

impl FoundOmissions {
    /// The reply to the page.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn shown(&self, recording: &mut recorded::RecordedTrace) -> Result<OmissionsShown, CommandError> {
        let answer = &self.answer;
        let mut suggestions = Vec::new();
        for (number, tried) in (1..).zip(&answer.suggestions) {
            let jump = &tried.suggestion.jump;
            suggestions.push(NumberedSuggestion {
                number,
                text: jump.text(),
                outcome: jump.outcome(&jump.was),
                sure: tried.suggestion.certainty.words(),
                selection: recording.selection_of(tried.suggestion.pass.at)?,
                suggestion: tried.clone(),
            });
        }
        Ok(OmissionsShown {
            target: answer.target.clone(),
            value: answer.value.clone(),
            at: answer.at.clone(),
            suggestions,
            hidden: answer.hidden,
            more: answer.more,
            reasons: answer.reasons.clone(),
            notes: answer.notes.clone(),
        })
    }
}
