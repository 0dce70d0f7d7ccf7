//! What the dialogue of a diagnosis says: notes, questions, the effects of answers, and the result.

use super::shown_by_run::ShownByRun;
use crate::CommandError;
use crate::prompt_row::PromptRow;
use crate::trace::StepReply;
use diagnose::{Assumption, Buggy, KeptAnswer, Oracle, OracleAnswer, Question, Ranking, Survey};
use past::EventsShown;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// What a front end shows. As JSON it is one object.
#[derive(Debug)]
pub enum DiagnoseReply {
    /// A remark on the diagnosis. A command line writes it to standard error.
    Note(String),
    /// A failure outside of questions and answers. A command line writes it to standard error.
    Failure(CommandError),
    /// The reasons why parts of the run are missing.
    Missing(Vec<String>),
    /// What counts as answered because the run failed.
    Assumed(Assumption),
    /// The most suspicious methods, before the first question.
    Ranking(Ranking),
    /// The result of all assertions before the first question.
    Survey(Survey),
    /// An answer that an oracle gave, without a question.
    Referred(OracleAnswer),
    /// A question. It stays open until an answer settles it.
    Question(Box<Question>),
    /// The open question again, to be shown in full.
    More(Box<Question>),
    /// The calls of a run, each with its question.
    Run(Vec<Question>),
    /// A value or the writes to a variable.
    Step(StepReply),
    /// The value of an expression that calls methods of the program, from another run.
    Called(ShownByRun),
    /// The events of the call.
    Events(Box<EventsShown>),
    /// No slice can be computed for the wrong value. The answer counts as `invalid`.
    UnknownInfluence {
        /// The path of the wrong value.
        path: String,
        /// Why there is no slice.
        why: String,
    },
    /// A condition is kept for all calls of its method: the row that a file of assertions would have.
    Ensured(String),
    /// The stored answers.
    Answers(Vec<KeptAnswer>),
    /// The table of answers and the strategies.
    Help {
        /// The table of answers.
        answers: &'static [PromptRow],
        /// The strategies.
        strategies: Vec<StrategyRow>,
    },
    /// The result: the buggy call, or that there is none.
    Result(Box<DiagnosisResult>),
    /// The result where some answers were `unknown`.
    Undecided {
        /// The result.
        result: Box<DiagnosisResult>,
        /// The innermost invalid call, if there is one.
        invalid: Option<Buggy>,
        /// The calls that could not be judged.
        unknown: Vec<u32>,
    },
    /// The answer cannot be taken, or an error ends the dialogue.
    Error(CommandError),
}

/// A strategy that chooses questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct StrategyRow {
    /// Its name.
    pub name: &'static str,
    /// A short description for users.
    pub about: &'static str,
}

/// The result of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DiagnosisResult {
    /// The buggy call, if one was found.
    pub buggy: Option<Buggy>,
    /// Number of answers from people or programs.
    pub answers: usize,
    /// Number of answers from assertions.
    #[serde(rename = "answered_by_assertion", skip_serializing_if = "is_zero")]
    pub by_assertion: usize,
    /// Number of answers from the reference.
    #[serde(rename = "answered_by_reference", skip_serializing_if = "is_zero")]
    pub by_reference: usize,
    /// The invalid call and those that could not be judged. One of them is buggy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<u32>,
    /// With `--unattended`: the calls among these that could not be judged, the likeliest first, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unjudged: Vec<UnjudgedCall>,
    /// Whether a call that has not ended yet may be the buggy one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub not_ended: bool,
    /// The reasons why parts of the run are missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A call that no oracle could judge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnjudgedCall {
    /// The call.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// Why it could not be judged, as far as that is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub why: Vec<String>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Serialize for DiagnoseReply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DiagnoseReply::Note(note) => field(serializer, "note", note),
            DiagnoseReply::Failure(error) | DiagnoseReply::Error(error) => {
                field(serializer, "error", &error.to_string())
            }
            DiagnoseReply::Missing(missing) => field(serializer, "missing", missing),
            DiagnoseReply::Assumed(assumption) => field(serializer, "assumed", assumption),
            DiagnoseReply::Ranking(ranking) => field(serializer, "ranking", ranking),
            DiagnoseReply::Survey(survey) => field(serializer, "assertions", survey),
            DiagnoseReply::Referred(referred) => {
                let by = match referred.by {
                    Oracle::Assertion => "by_assertion",
                    Oracle::Kept => "kept",
                    Oracle::Reference => "by_reference",
                };
                field(serializer, by, referred)
            }
            DiagnoseReply::Question(question) | DiagnoseReply::More(question) => {
                question.serialize(serializer)
            }
            DiagnoseReply::Run(run) => tagged(serializer, "run", run),
            DiagnoseReply::Step(reply) => reply.serialize(serializer),
            DiagnoseReply::Called(shown) => tagged(serializer, "called", shown),
            DiagnoseReply::Events(events) => tagged(serializer, "events", events),
            DiagnoseReply::UnknownInfluence { path, why } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("influential", &None::<u64>)?;
                map.serialize_entry("path", path)?;
                map.serialize_entry("why", why)?;
                map.end()
            }
            DiagnoseReply::Ensured(row) => field(serializer, "ensured", row),
            DiagnoseReply::Answers(answers) => tagged(serializer, "answers", answers),
            DiagnoseReply::Help { answers, strategies } => {
                let mut map = serializer.serialize_map(Some(3))?;
                map.serialize_entry("reply", "help")?;
                map.serialize_entry("content", answers)?;
                map.serialize_entry("strategies", strategies)?;
                map.end()
            }
            DiagnoseReply::Result(result) | DiagnoseReply::Undecided { result, .. } => {
                result.serialize(serializer)
            }
        }
    }
}

/// An object of one field.
fn field<S: Serializer>(serializer: S, name: &str, value: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(name, value)?;
    map.end()
}

/// An object with `reply` and `content`, as in the other dialogues.
fn tagged<S: Serializer>(serializer: S, reply: &str, content: &impl Serialize) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("reply", reply)?;
    map.serialize_entry("content", content)?;
    map.end()
}
