//! The events of a run, from the log alone, and the answers that follow.

use super::generate::{MEMBERS, Program, STATICS, Var};
use std::collections::HashMap;
use std::process::Command;

/// One line of the log.
#[derive(Clone, Debug)]
pub enum Event {
    /// A statement begins.
    Line {
        act: u32,
        line: u32,
    },
    /// A condition had an outcome.
    Condition {
        act: u32,
        id: u32,
        way: bool,
    },
    /// A branch of a choice produced the value that is stored next.
    Arm {
        act: u32,
        line: u32,
    },
    Store {
        act: u32,
        var: u32,
        line: u32,
        value: String,
    },
    Write {
        act: u32,
        owner: String,
        field: String,
        line: u32,
        value: String,
    },
}

/// The run of a program.
pub struct Truth<'p> {
    pub program: &'p Program,
    pub events: Vec<Event>,
    /// Objects of the log by the static fields that hold them.
    owners: HashMap<String, String>,
}

/// A change that is the expected answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The first and last line of the range in which the answer must lie.
    pub lines: (u32, u32),
    pub old: String,
    pub new: String,
}

/// Runs the logging program in a folder of classes; none if its log is too long.
pub fn run<'p>(program: &'p Program, classes: &std::path::Path) -> Option<Truth<'p>> {
    let mut java = Command::new("java");
    java.args(["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]);
    if program.assertions {
        java.arg("-ea");
    }
    let output = java.arg("-cp").arg(classes).arg(&program.class).output().expect("java");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || text.contains("#LONG"), "seed {}: {error}", program.seed);
    let (mut events, mut owners) = (Vec::new(), HashMap::new());
    for line in text.lines().filter_map(|line| line.strip_prefix('#')) {
        let mut words = line.split(' ');
        let kind = words.next()?;
        if kind == "LONG" {
            return None;
        }
        if kind == "N" {
            let id = words.next()?.to_owned();
            owners.insert(words.next()?.to_owned(), id);
            continue;
        }
        let mut number = || words.next().and_then(|word| word.parse::<u32>().ok());
        events.push(match kind {
            "L" => Event::Line { act: number()?, line: number()? },
            "M" => Event::Arm { act: number()?, line: number()? },
            "C" => {
                let (act, id) = (number()?, number()?);
                Event::Condition { act, id, way: words.next() == Some("true") }
            }
            "S" => {
                let (act, var, line) = (number()?, number()?, number()?);
                Event::Store { act, var, line, value: words.collect::<Vec<_>>().join(" ") }
            }
            "W" => {
                let act = number()?;
                let (owner, field) = (words.next()?.to_owned(), words.next()?.to_owned());
                let line = words.next()?.parse().ok()?;
                Event::Write { act, owner, field, line, value: words.collect::<Vec<_>>().join(" ") }
            }
            other => panic!("{other}"),
        });
    }
    Some(Truth { program, events, owners })
}

impl Truth<'_> {
    /// The executions of a line, as numbers of events.
    pub fn hits(&self, of: u32) -> Vec<usize> {
        let is = |(number, event): (usize, &Event)| match event {
            Event::Line { line, .. } if *line == of => Some(number),
            _ => None,
        };
        self.events.iter().enumerate().filter_map(is).collect()
    }

    pub fn act(&self, at: usize) -> u32 {
        match &self.events[at] {
            Event::Line { act, .. }
            | Event::Condition { act, .. }
            | Event::Arm { act, .. }
            | Event::Store { act, .. }
            | Event::Write { act, .. } => *act,
        }
    }

    /// The range of lines that contains the origin of the value stored at `at`, on `line`.
    fn lines(&self, at: usize, line: u32) -> (u32, u32) {
        let act = self.act(at);
        for event in self.events[..at].iter().rev() {
            match event {
                Event::Arm { act: of, line } if *of == act => return (*line, *line),
                Event::Store { act: of, .. } | Event::Write { act: of, .. } if *of == act => break,
                // The statement began: no branch came before.
                Event::Line { act: of, line: begun } if *of == act && *begun == line => break,
                _ => {}
            }
        }
        (line, self.program.spans.get(&line).copied().unwrap_or(line))
    }

    /// The last store to a variable in the activation of `at`.
    pub fn last_store(&self, var: &Var, at: usize) -> Option<Change> {
        let act = self.act(at);
        let mut found: Option<Change> = None;
        for (number, event) in self.events[..at].iter().enumerate() {
            if let Event::Store { act: of, var: id, line, value } = event
                && (*of, *id) == (act, var.id)
            {
                let old = match found {
                    Some(change) if self.program.vars[id].1 != *line => change.new,
                    _ => "unassigned".to_owned(),
                };
                found = Some(Change { lines: self.lines(number, *line), old, new: value.clone() });
            }
        }
        found
    }

    /// The last write to a static field, or to a field of an object that a static field holds.
    pub fn last_write(&self, object: Option<&str>, field: &str, at: usize) -> Option<Change> {
        let owner = match object {
            Some(object) => self.owners[object].as_str(),
            None => "-",
        };
        let known = STATICS.iter().chain(&MEMBERS).find(|(name, _)| *name == field).expect("a field");
        let mut old = known.1.default().to_owned();
        let mut found = None;
        for (number, event) in self.events[..at].iter().enumerate() {
            if let Event::Write { owner: of, field: written, line, value, .. } = event
                && of == owner
                && written == field
            {
                let before = std::mem::replace(&mut old, value.clone());
                found = Some(Change { lines: self.lines(number, *line), old: before, new: value.clone() });
            }
        }
        found
    }

    /// The last outcome of a condition before `at`, in its activation.
    pub fn last_way(&self, id: u32, at: usize) -> Option<bool> {
        let act = self.act(at);
        self.events[..at].iter().rev().find_map(|event| match event {
            Event::Condition { act: of, id: known, way, .. } if (*of, *known) == (act, id) => Some(*way),
            _ => None,
        })
    }
}
