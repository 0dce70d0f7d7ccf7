//! What is asked about omissions, and the answer.

use super::confirm::Confirmation;
use super::point::WrongPoint;
use super::wanted::Wanted;
use crate::analysis::{Limits, Suggestion};
use serde::Serialize;

/// What is asked.
#[derive(Clone, Debug)]
pub struct OmissionQuestion {
    /// The expression whose value is wrong, or an object as recordings show it.
    pub what: String,
    /// Whether `what` is an object as recordings show it: `ArrayList@6`.
    pub is_object: bool,
    /// Whether the field that the expression names should have been written, and not its object changed.
    pub of_field: bool,
    /// Where it is wrong.
    pub at: WrongPoint,
    /// How far to look.
    pub limits: Limits,
    /// Methods whose operations are hidden: `List.size`.
    pub hide: Vec<String>,
    /// Most suggestions in the answer.
    pub limit: usize,
    /// What is right.
    pub wanted: Wanted,
    /// Command that resets the environment before each run.
    pub before_run: Vec<String>,
    /// Whether to try the suggestions, by running altered code.
    pub confirm: bool,
    /// Whether altered code may run in the working folder itself, where it cannot see a copy at its path.
    pub in_place: bool,
}

/// Most calls between a jump and an operation, unless the user says otherwise.
pub const WITHIN: usize = 5;
/// Most suggestions in an answer, unless the user says otherwise.
pub const SUGGESTIONS: usize = 20;

impl OmissionQuestion {
    /// A question about an expression, with the defaults of `qp omitted`.
    pub fn new(what: &str, at: WrongPoint) -> OmissionQuestion {
        OmissionQuestion {
            what: what.to_owned(),
            is_object: false,
            of_field: false,
            at,
            limits: Limits { within: WITHIN, reads: false, loops: false },
            hide: Vec::new(),
            limit: SUGGESTIONS,
            wanted: Wanted::default(),
            before_run: Vec::new(),
            confirm: false,
            in_place: false,
        }
    }
}

/// A suggestion, and what became of it when it was tried.
#[derive(Clone, Debug, Serialize)]
pub struct TriedSuggestion {
    /// The suggestion.
    #[serde(flatten)]
    pub suggestion: Suggestion,
    /// What a run showed in which the jump went the other way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation: Option<Confirmation>,
}

/// The answer.
#[derive(Clone, Debug, Serialize)]
pub struct OmissionAnswer {
    /// The object or field: `ArrayList@6`, `Rec@43.bar`.
    pub target: String,
    /// Its value at the point.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub value: String,
    /// The place where it is wrong.
    pub at: String,
    /// The suggestions, in order.
    pub suggestions: Vec<TriedSuggestion>,
    /// Number of suggestions that only read the object, and are hidden.
    pub hidden: usize,
    /// Number of further suggestions, which are less likely.
    #[serde(skip_serializing_if = "is_zero")]
    pub more: usize,
    /// Why there are no suggestions, or no more.
    pub reasons: Vec<String>,
    /// Remarks about the recording.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}
