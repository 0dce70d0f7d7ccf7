//! The format of a chain file (DESIGN §6).
//!
//! A chain is plain data. Expressions and references stay text as the user wrote them, and are parsed on use.
//! So a chain made by a command equals one read from a file.

use super::address::Address;
use super::chain_query::{ChainQuery, RecordedLevel};
use super::kinds::Kind;
use super::translate::Remembered;
use classes::SourceEncoding;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use wire::Pins;

/// The format version that this build reads and writes.
pub const FORMAT: u32 = 1;

/// A saved list of Querypoints with their debuggee and the expected answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// Version of the format; [`FORMAT`].
    pub format: u32,
    /// A description of the chain for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The program and how it is launched.
    pub debuggee: Debuggee,
    /// The state of the program that the chain asserts when used as a test.
    #[serde(default, skip_serializing_if = "Guards::is_default")]
    pub guards: Guards,
    /// Id of a point that proves, when reached, that the relevant code was executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alive: Option<String>,
    /// Whether `LastCondition` goes on where other code calls the user's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub into_libraries: bool,
    /// The questions. A point can refer only to earlier points.
    #[serde(default)]
    pub points: Vec<Point>,
    /// The level at which the debuggee is recorded for the queries.
    #[serde(default, skip_serializing_if = "RecordedLevel::is_default")]
    pub level: RecordedLevel,
    /// Goals that are asked over a recording of the debuggee.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queries: Vec<ChainQuery>,
    /// The folder to which `debuggee.cwd` is relative: that of the chain's file. Empty: the current folder.
    #[serde(skip)]
    pub base: PathBuf,
}

/// The state that a chain asserts when used as a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Guards {
    /// The bug is present: the recorded cause is still found.
    #[default]
    Present,
    /// The bug is fixed: the root is not reached.
    Absent,
}

impl Guards {
    fn is_default(&self) -> bool {
        *self == Guards::default()
    }
}

/// The relaunched program and how it is launched, driven and fed. Paths are relative to `cwd`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Debuggee {
    /// Command that builds it before the first launch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub build: Vec<String>,
    /// Any command that starts a JVM; none with `attach`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// `host:port` of a VM that listens for a debugger; for a program that `qp` does not launch itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attach: Option<String>,
    /// Command that restarts that program before each run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub relaunch: Vec<String>,
    /// The main class of the JVM to watch, if the command starts several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jvm: Option<String>,
    /// Its working folder, relative to the chain's file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// Words before each command, by which it sees a copy in place of that folder. No chain file has them.
    #[serde(skip)]
    pub stand_in: Vec<String>,
    /// File that is fed to its standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<PathBuf>,
    /// Environment variables added to those of `qp`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Command that resets the environment before each run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before_run: Vec<String>,
    /// Command that operates the running program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub drive: Vec<String>,
    /// When `drive` may begin; if absent, at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready: Option<Ready>,
    /// Roots of the source text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<PathBuf>,
    /// The encoding of the sources; without one, their bytes decide.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_encoding: Option<SourceEncoding>,
    /// Folders and jars of classes that are not on its class path, because its own loaders load them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub classes: Vec<PathBuf>,
    /// What it reads in place of what differs from run to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pins: Option<Pins>,
    /// Time limit of one run, in seconds; if absent, 300.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_s: Option<u64>,
}

/// The condition under which a program that runs forever can be driven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ready {
    /// It listens on this port.
    Port(u16),
    /// It has printed a line that matches this regular expression.
    Output(String),
}

impl Ready {
    /// The condition of a text: a number is a port, anything else a regular expression.
    pub fn of_text(text: &str) -> Ready {
        text.parse().map_or_else(|_| Ready::Output(text.to_owned()), Ready::Port)
    }

    /// The text of the condition.
    pub fn text(&self) -> String {
        match self {
            Ready::Port(port) => port.to_string(),
            Ready::Output(pattern) => pattern.clone(),
        }
    }
}

/// One Querypoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Its name in the chain: a letter or `_`, followed by letters, digits, `_` and `-`.
    pub id: String,
    /// The question.
    pub at: Kind,
    /// The trimmed source line, to find it again after an edit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The method that contains the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The position among the lines with that text in that method, from 1, and the number of those lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordinal: Option<(u32, u32)>,
    /// A Java condition in the newest frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    /// The index of the hit: 0 the first, -1 the last. [`Point::effective_index`] has the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<i64>,
    /// Id of a later point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Id of an earlier point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Id of a point whose activation must be on the stack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<String>,
    /// Name of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// A method further down the stack, as `Class.method`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// For an exception: only caught ones, or only uncaught ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caught: Option<bool>,
    /// The values to show; if absent, the default collection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collect: Option<Vec<String>>,
    /// The expected answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Expect>,
}

/// The expected answer of a point. Absent fields are not compared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    /// Binary name of the class, with dots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// Name of the method.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The trimmed source line. If `line` is also given, `text` decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Number of the source line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Name of the thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<String>,
    /// The value before, as in Java.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<String>,
    /// The value after, as in Java.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new: Option<String>,
    /// The direction in which a condition went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<String>,
    /// For an `Omitted`: the jump at which the operation was lost, as the answer shows it: `if (active)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump: Option<String>,
    /// For an `Omitted`: the operation that was not executed, as the answer shows it: `d.add(n)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Whether the point must be located.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub located: Option<bool>,
}

impl Debuggee {
    /// The address of a remote program's VM; none if the command launches the program.
    pub fn address(&self) -> Option<Address> {
        self.attach.as_ref()?.parse().ok()
    }
}

impl Point {
    /// A point with only an id and a question.
    pub fn new(id: impl Into<String>, at: Kind) -> Point {
        Point {
            id: id.into(),
            at,
            text: None,
            method: None,
            ordinal: None,
            when: None,
            index: None,
            before: None,
            after: None,
            within: None,
            thread: None,
            from: None,
            caught: None,
            collect: None,
            expect: None,
        }
    }

    /// Data that helps to find its line again.
    pub(super) fn remembered(&self) -> Remembered {
        Remembered { text: self.text.clone(), method: self.method.clone(), ordinal: self.ordinal }
    }

    /// Its question with all restrictions: `Line(Intro, 31) when foo == null`.
    pub fn question(&self) -> String {
        let mut text = self.at.to_string();
        let mut add = |word: &str, value: Option<String>| {
            if let Some(value) = value {
                text.push_str(&format!(" {word} {value}"));
            }
        };
        add("when", self.when.clone());
        add("from", self.from.clone());
        add("in thread", self.thread.clone());
        add("after", self.after.clone());
        add("before", self.before.clone());
        add("within", self.within.clone());
        add("index", self.index.map(|i| i.to_string()));
        text
    }

    /// Ids of the points to which it refers: by its question and by its fields.
    pub fn refers_to(&self) -> Vec<String> {
        let asked_from = self.at.rule().refers_to().map(|(id, ..)| id);
        let fields = [&self.before, &self.after, &self.within].into_iter().flatten().cloned();
        asked_from.into_iter().chain(fields).collect()
    }

    /// The index or its default (DESIGN §5.12): that of the kind, else -1 for a point with only `before`,
    /// else 0.
    pub fn effective_index(&self) -> i64 {
        let only_before = self.before.is_some() && self.after.is_none();
        self.index.or(self.at.rule().own_index()).unwrap_or(if only_before { -1 } else { 0 })
    }
}

impl Chain {
    /// A chain of a program and its questions, as if read from a file in the current folder.
    pub fn new(debuggee: Debuggee, points: Vec<Point>) -> Chain {
        Chain {
            format: FORMAT,
            about: String::new(),
            debuggee,
            guards: Guards::default(),
            alive: None,
            into_libraries: false,
            points,
            level: RecordedLevel::default(),
            queries: Vec::new(),
            base: PathBuf::new(),
        }
    }

    /// The debuggee's working folder.
    pub fn cwd(&self) -> PathBuf {
        let base = if self.base.as_os_str().is_empty() { Path::new(".") } else { &self.base };
        self.debuggee.cwd.as_ref().map_or_else(|| base.to_owned(), |cwd| base.join(cwd))
    }

    /// A path of the chain, relative to the debuggee's working folder.
    pub fn path(&self, written: &Path) -> PathBuf {
        self.cwd().join(written)
    }

    /// The roots of the source text; by default the working folder.
    pub fn source_roots(&self) -> Vec<PathBuf> {
        if self.debuggee.sources.is_empty() {
            return vec![self.cwd()];
        }
        self.debuggee.sources.iter().map(|root| self.path(root)).collect()
    }

    /// The position of a point in the chain, by its id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.points.iter().position(|p| p.id == id)
    }
}
