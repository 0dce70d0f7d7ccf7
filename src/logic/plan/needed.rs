//! What a goal needs of a recording.

use crate::trace::{Chosen, Level, Member};
use std::collections::BTreeSet;

/// What a goal needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// The level of all recorded classes, if some methods and fields are not enough.
    pub level: Option<Level>,
    /// The methods whose calls the goal asks for.
    methods: BTreeSet<Member>,
    /// The fields whose writes it asks for.
    fields: BTreeSet<Member>,
    /// Why a level is needed.
    pub reasons: Vec<String>,
    /// Whether a proof over the beginning of a run is one over the whole run, so that the program can end at
    /// the first one.
    pub is_monotone: bool,
}

impl Needed {
    /// What a goal without events needs.
    pub(super) fn nothing() -> Needed {
        Needed { is_monotone: true, ..Needed::default() }
    }

    /// Adds a level, with the reason.
    pub(super) fn level(&mut self, level: Level, reason: &str) {
        self.level = self.level.max(Some(level));
        if !self.reasons.iter().any(|known| known == reason) {
            self.reasons.push(reason.to_owned());
        }
    }

    /// Adds the calls of methods.
    pub(super) fn method(&mut self, class: Option<String>, name: Option<String>) {
        self.methods.insert(Member { class, name });
    }

    /// Adds the writes to fields.
    pub(super) fn field(&mut self, class: Option<String>, name: Option<String>) {
        self.fields.insert(Member { class, name });
    }

    /// The methods and fields to record; `None` if whole levels are needed.
    pub fn chosen(&self) -> Option<Chosen> {
        self.level.is_none().then(|| Chosen {
            methods: self.methods.iter().cloned().collect(),
            fields: self.fields.iter().cloned().collect(),
        })
    }

    /// The plan as lines of text.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(level) = self.level {
            lines.push(format!("records all classes in the scope at level {level}, because"));
            lines.extend(self.reasons.iter().map(|reason| format!("  {reason}")));
            return lines;
        }
        let shown = |member: &Member| match (&member.class, &member.name) {
            (Some(class), Some(name)) => format!("{class}.{name}"),
            (Some(class), None) => format!("{class}.*"),
            (None, Some(name)) => name.clone(),
            (None, None) => "any".to_owned(),
        };
        for (what, members) in [("calls of methods", &self.methods), ("writes to fields", &self.fields)] {
            if !members.is_empty() {
                let members: Vec<String> = members.iter().map(shown).collect();
                lines.push(format!("records {what}: {}", members.join(", ")));
            }
        }
        if lines.is_empty() {
            lines.push("records nothing: the goal asks for no event".to_owned());
        }
        lines
    }
}
