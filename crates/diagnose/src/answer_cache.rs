//! Keeps answers for calls that behave alike: in this run, in a later one, and after an edit of the program.
//! Two calls behave alike if their method, their inputs and their effects are equal. Their code need not be.

use super::question::{Question, renumbered};
use super::{Judgement, Trust};
use files::{hex, write_private};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use session::SessionError;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The version of the file format.
const FORMAT: u32 = 1;
/// Number of bytes of the digest that identifies a call.
const BYTES: usize = 16;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct AnswerFile {
    format: u32,
    answers: Vec<KeptAnswer>,
}

/// A kept answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptAnswer {
    /// The method, as CLASS.METHOD and its descriptor.
    pub method: String,
    /// The digest of the method, inputs and effects.
    pub call: String,
    /// The answer.
    pub answer: Judgement,
    /// The loop that the answer is about; empty for the whole call.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub part: String,
    /// The path of the wrong value, if the answer named one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The kept answers.
#[derive(Default)]
pub struct AnswerCache {
    file: Option<PathBuf>,
    /// The answers by the digest of their calls.
    answers: IndexMap<String, KeptAnswer>,
}

impl AnswerCache {
    /// Reads the answers of a file, if it exists.
    ///
    /// # Errors
    /// The file cannot be read, or is no answer file.
    pub fn of(file: &Path) -> Result<AnswerCache, SessionError> {
        let unusable = |why: String| SessionError::Answers { file: file.to_owned(), why };
        let answers = match std::fs::read_to_string(file) {
            Ok(text) => {
                let read: AnswerFile = ron::from_str(&text).map_err(|error| unusable(error.to_string()))?;
                if read.format != FORMAT {
                    let why = format!("it is of format {}, and this qp reads {FORMAT}", read.format);
                    return Err(unusable(why));
                }
                read.answers
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(unusable(error.to_string())),
        };
        let answers = answers.into_iter().map(|kept| (kept.call.clone(), kept)).collect();
        Ok(AnswerCache { file: Some(file.to_owned()), answers })
    }

    /// All answers, in order.
    pub fn answers(&self) -> impl ExactSizeIterator<Item = &KeptAnswer> {
        self.answers.values()
    }

    /// The answer about a call that behaves alike, and the path of the wrong value.
    pub fn answer(&self, question: &Question) -> Option<(Judgement, Option<String>)> {
        if self.answers.is_empty() {
            return None;
        }
        let kept = self.answers.get(&question.digest()?)?;
        Some((kept.answer, kept.path.clone()))
    }

    /// Keeps an answer, unless it is `unknown` or the call has no digest.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(
        &mut self,
        question: &Question,
        answer: Judgement,
        path: Option<&str>,
    ) -> Result<(), SessionError> {
        let Some(call) = question.digest().filter(|_| answer != Judgement::Unknown) else { return Ok(()) };
        let method = question.full_method();
        self.answers.shift_remove(&call);
        let part =
            question.part.as_ref().map(|part| format!("{}, from iteration {}", part.named(), part.iteration));
        let (part, path) = (part.unwrap_or_default(), path.map(str::to_owned));
        let kept = KeptAnswer { method, call: call.clone(), answer, part, path };
        self.answers.insert(call, kept);
        self.save()
    }

    /// Removes the answer about a call.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn retract(&mut self, question: &Question) -> Result<(), SessionError> {
        if let Some(call) = question.digest() {
            self.answers.shift_remove(&call);
        }
        self.save()
    }

    /// Removes the answer at an index.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn remove(&mut self, at: usize) -> Result<(), SessionError> {
        self.answers.shift_remove_index(at);
        self.save()
    }

    /// The trusted methods, and whether the trust covers the method, class or package.
    pub fn trusted(&self) -> impl Iterator<Item = (&str, Trust)> {
        self.answers.values().filter_map(|kept| match kept.answer {
            Judgement::Trusted(trust) => Some((kept.method.as_str(), trust)),
            _ => None,
        })
    }

    fn save(&self) -> Result<(), SessionError> {
        let Some(path) = &self.file else { return Ok(()) };
        let unusable = |why: String| SessionError::Answers { file: path.clone(), why };
        let file = AnswerFile { format: FORMAT, answers: self.answers.values().cloned().collect() };
        let text = ron::ser::to_string_pretty(&file, ron::ser::PrettyConfig::new());
        let text = text.map_err(|error| unusable(error.to_string()))? + "\n";
        write_private(path, text).map_err(|error| unusable(error.to_string()))
    }
}

impl Question {
    /// The method with its descriptor.
    pub fn full_method(&self) -> String {
        format!("{}.{}{}", self.class, self.method, self.descriptor)
    }

    /// The digest of the method, inputs and effects; `None` if the question does not show all of them.
    pub fn digest(&self) -> Option<String> {
        if !self.is_whole {
            return None;
        }
        let mut content = serde_json::json!({
            "method": self.full_method(), "entry": self.entry, "exit": self.exit, "changed": self.changed,
            "result": self.result, "exception": self.exception,
        });
        if let Some(part) = &self.part {
            content["loop"] = serde_json::to_value(part).ok()?;
        }
        if !is_whole(&content) {
            return None;
        }
        let content = renumbered(content, &mut HashMap::new());
        let digest = Sha256::digest(content.to_string());
        digest.get(..BYTES).map(hex)
    }
}

/// Whether a value is known completely.
fn is_whole(value: &serde_json::Value) -> bool {
    use serde_json::Value as Json;
    match value {
        Json::Object(fields) => {
            let is = |word: &str| fields.get(word) == Some(&Json::Bool(true));
            !is("truncated") && !is("unknown") && fields.values().all(is_whole)
        }
        Json::Array(values) => values.iter().all(is_whole),
        _ => true,
    }
}
