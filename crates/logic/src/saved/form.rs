//! The content of a file with a saved answer.

use super::keys::Keys;
use super::term::SavedTerm;
use crate::answer::Answer;
use crate::rules::{AskItem, Asked, AskedSolution};
use serde::{Deserialize, Serialize};

/// The version of the format that this build reads and writes.
pub const FORMAT: u32 = 1;

/// A saved answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedAnswer {
    /// Version of the format; [`FORMAT`].
    pub format: u32,
    /// When it was saved: `2026-11-25T18:20:00Z`.
    pub saved: String,
    /// The recording that was asked.
    pub recording: SavedRecording,
    /// What was asked.
    pub question: SavedQuestion,
    /// What was answered.
    pub reply: SavedReply,
    /// The events, objects and lines of the answer, in words that another run shares.
    pub keys: Keys,
    /// The SHA-256 digest of the file without this field.
    pub digest: String,
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRecording {
    /// Its folder.
    pub folder: String,
    /// The command of the recorded program, without its secrets.
    pub command: Vec<String>,
    /// Its level.
    pub level: String,
    /// Identifies the recorded run.
    pub run: String,
    /// Whether it contains only part of the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SavedQuestion {
    /// A predefined query, with its words.
    Query(String),
    /// A goal, by rules.
    Goal {
        /// The goal.
        goal: String,
        /// The rules that it was asked by.
        rules: Vec<SavedRules>,
    },
}

/// A file of rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRules {
    /// Its name.
    pub file: String,
    /// The SHA-256 digest of its text.
    pub digest: String,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedReply {
    /// Rows.
    Rows(Answer),
    /// What a goal wrote, and its solutions.
    Goal(SavedGoal),
}

/// The answers to a goal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedGoal {
    /// What it wrote and answered, in order.
    pub items: Vec<SavedItem>,
    /// Whether there may be more solutions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more: bool,
    /// The error that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Notes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How events were found.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
}

/// What a goal wrote or answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SavedItem {
    /// What it wrote.
    Output(String),
    /// A solution: its bindings in order.
    Solution(Vec<SavedSolution>),
}

/// A binding of a solution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedSolution {
    /// The variable.
    pub name: String,
    /// Its value as Prolog writes it.
    pub text: String,
    /// Its value as data.
    pub term: SavedTerm,
}

impl SavedGoal {
    /// The answers to a goal.
    pub fn of(asked: &Asked) -> SavedGoal {
        let item = |item: &AskItem| match item {
            AskItem::Output(text) => SavedItem::Output(text.clone()),
            AskItem::Solution(solution) => {
                let bindings = solution.bindings.iter().zip(&solution.terms);
                let binding = |((name, text), term): (&(String, String), &SavedTerm)| SavedSolution {
                    name: name.clone(),
                    text: text.clone(),
                    term: term.clone(),
                };
                SavedItem::Solution(bindings.map(binding).collect())
            }
        };
        SavedGoal {
            items: asked.items.iter().map(item).collect(),
            more: asked.more,
            error: asked.error.clone(),
            notes: asked.notes.clone(),
            plan: asked.plan.clone(),
        }
    }

    /// The answers as they were given.
    pub fn asked(&self, goal: &str) -> Asked {
        let item = |item: &SavedItem| match item {
            SavedItem::Output(text) => AskItem::Output(text.clone()),
            SavedItem::Solution(bindings) => {
                let of = bindings.iter().map(|binding| (binding.name.clone(), binding.text.clone()));
                let terms = bindings.iter().map(|binding| binding.term.clone()).collect();
                AskItem::Solution(AskedSolution { bindings: of.collect(), terms })
            }
        };
        let is_solution = |item: &&SavedItem| matches!(item, SavedItem::Solution(_));
        Asked {
            goal: goal.to_owned(),
            items: self.items.iter().map(item).collect(),
            solutions: self.items.iter().filter(is_solution).count(),
            more: self.more,
            is_plan: false,
            error: self.error.clone(),
            notes: self.notes.clone(),
            plan: self.plan.clone(),
        }
    }
}

impl SavedQuestion {
    /// The question as one line.
    pub fn text(&self) -> &str {
        match self {
            SavedQuestion::Query(query) => query,
            SavedQuestion::Goal { goal, .. } => goal,
        }
    }
}
