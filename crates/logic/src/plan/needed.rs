//! What a goal needs of a recording.

use std::collections::BTreeSet;
use trace::{Chosen, Level, Member};

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
    pub(super) fn method(&mut self, method: Member) {
        self.methods.insert(method);
    }

    /// Adds the writes to fields.
    pub(super) fn field(&mut self, field: Member) {
        self.fields.insert(field);
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
        let name = |member: &Member| match (&member.class, &member.name) {
            (Some(class), Some(name)) => format!("{class}.{name}"),
            (Some(class), None) => format!("{class}.*"),
            (None, Some(name)) => name.clone(),
            (None, None) => "any".to_owned(),
        };
        let method = |member: &Member| {
            let tests = member.tests.iter().map(|(at, value)| format!("argument {at} is {value}"));
            match tests.collect::<Vec<_>>().join(" and ") {
                tests if tests.is_empty() => name(member),
                tests => format!("{} where {tests}", name(member)),
            }
        };
        let field = |member: &Member| match member.tests.first() {
            None => name(member),
            Some((_, value)) => format!("{} = {value}", name(member)),
        };
        let methods: Vec<String> = self.methods.iter().map(method).collect();
        let fields: Vec<String> = self.fields.iter().map(field).collect();
        for (what, members) in [("calls of methods", methods), ("writes to fields", fields)] {
            if !members.is_empty() {
                lines.push(format!("records {what}: {}", members.join(", ")));
            }
        }
        if lines.is_empty() {
            lines.push("records nothing: the goal asks for no event".to_owned());
        }
        lines
    }
}
