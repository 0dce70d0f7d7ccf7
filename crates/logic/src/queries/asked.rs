//! What a predefined query is, and how it is asked.

use crate::answer::Answer;
use crate::error::LogicError;
use crate::log::Kind;
use crate::search::{Pattern, Source, Wanted};

/// A predefined query.
pub struct Query {
    /// The word the user types.
    pub name: &'static str,
    /// Its purpose, as a sentence without a full stop.
    pub about: &'static str,
    /// The words after its name.
    pub words: &'static [Word],
    /// The choices it knows.
    pub choices: &'static [Choice],
    /// An example of its words.
    pub example: &'static str,
    /// Answers it.
    pub ask: fn(&mut Source, &Asked) -> Result<Answer, LogicError>,
}

/// A word of a query.
pub struct Word {
    /// Its name in help.
    pub name: &'static str,
    /// What it is.
    pub about: &'static str,
    /// Whether it can be left out.
    pub is_optional: bool,
}

impl Word {
    /// A word that is needed.
    pub const fn new(name: &'static str, about: &'static str) -> Word {
        Word { name, about, is_optional: false }
    }

    /// A word that can be left out.
    pub const fn optional(name: &'static str, about: &'static str) -> Word {
        Word { name, about, is_optional: true }
    }
}

/// A choice that a query knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `--thread NAME`
    Thread,
    /// `--from EVENT` and `--to EVENT`
    Range,
    /// `--at EVENT`
    At,
    /// `--all`
    All,
    /// `--arg N=VALUE`
    Argument,
    /// `--value VALUE`
    Value,
    /// `--part TEXT`
    Part,
    /// `--kinds KINDS`
    Kinds,
}

/// A query with its words and choices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// The words after the name of the query.
    pub words: Vec<String>,
    /// Only events of this thread.
    pub thread: Option<String>,
    /// Only events from this one on.
    pub from: Option<u64>,
    /// Only events up to this one.
    pub to: Option<u64>,
    /// At this event.
    pub at: Option<u64>,
    /// Not only the direct ones, or not only the unusual ones.
    pub all: bool,
    /// Arguments by position, from 0.
    pub arguments: Vec<(usize, String)>,
    /// A value.
    pub value: Option<String>,
    /// Part of a string.
    pub part: Option<String>,
    /// Kinds of events.
    pub kinds: Vec<Kind>,
    /// Maximum number of rows.
    pub limit: usize,
}

impl Asked {
    /// A word by its position.
    pub fn word(&self, at: usize) -> Option<&str> {
        self.words.get(at).map(String::as_str)
    }

    /// The id in a word.
    ///
    /// # Errors
    /// The word is no number.
    pub fn id(&self, at: usize) -> Result<u64, LogicError> {
        let given = self.word(at).unwrap_or_default();
        given.parse().map_err(|_| LogicError::NotThis {
            given: given.to_owned(),
            expected: "the number of an event".to_owned(),
        })
    }

    /// A pattern for events of some kinds, in the wanted thread and range.
    pub fn pattern(&self, kinds: &[Kind]) -> Pattern {
        let ids = self.from.unwrap_or(0)..self.to.map_or(u64::MAX, |to| to.saturating_add(1));
        Pattern { ids, thread: self.thread.clone(), ..Pattern::of(kinds) }
    }

    /// The wanted value.
    pub fn wanted(&self) -> Option<Wanted> {
        let part = self.part.as_ref().map(|part| Wanted::Containing(part.clone()));
        self.value.as_deref().map(Wanted::parse).or(part)
    }

    /// The query as text.
    pub fn text(&self, name: &str) -> String {
        let mut text = vec![name.to_owned()];
        text.extend(self.words.iter().cloned());
        let mut option = |name: &str, value: Option<String>| {
            text.extend(value.map(|value| format!("--{name} {value}")));
        };
        option("thread", self.thread.clone());
        option("from", self.from.map(|id| id.to_string()));
        option("to", self.to.map(|id| id.to_string()));
        option("at", self.at.map(|id| id.to_string()));
        for (at, value) in &self.arguments {
            option("arg", Some(format!("{at}={value}")));
        }
        option("value", self.value.clone());
        option("part", self.part.clone());
        let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.functor()).collect();
        option("kinds", (!kinds.is_empty()).then(|| kinds.join(",")));
        if self.all {
            text.push("--all".to_owned());
        }
        text.join(" ")
    }
}
