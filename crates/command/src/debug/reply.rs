//! The typed replies of prompt commands, which front ends render.

use super::Row;
use answer::{Answer, FrameAnswer, PointAnswer, RejectedAnswer};
use chain::Explanation;
use indexmap::IndexMap;
use omission::OmissionAnswer;
use replay::explore::{
    AskedWhen, GotoResult, NamedValue, PastRun, PointDifference, RunResult, Scope, Standpoint, StepResult,
};
use std::rc::Rc;

/// The reply of a prompt command.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "reply", content = "content")]
pub enum Reply {
    /// Nothing to show.
    Nothing,
    /// A message about what was done.
    Done(String),
    /// A point was added.
    Added {
        /// Its id.
        id: String,
        /// Its question.
        question: String,
        /// When it is asked.
        asked: AskedWhen,
    },
    /// A run produced an answer.
    Ran {
        /// The answer, and where the program stands.
        ran: RunResult,
        /// The only point with news, if there is one.
        about: Option<String>,
    },
    /// Operations that were not executed.
    Omitted {
        /// The point that asks for them.
        id: String,
        /// The operations, and the jumps at which they were lost.
        omissions: Box<OmissionAnswer>,
    },
    /// A run goes on in the background.
    Started,
    /// The program was sent to a point.
    Gone(Box<GotoResult>),
    /// The program went forward.
    Stepped(Box<StepResult>),
    /// A value.
    Value(NamedValue),
    /// The variables in scope.
    Scope(Scope),
    /// The stack, newest frame first, and the selected frame.
    Frames(Vec<FrameAnswer>, usize),
    /// Where the program stands.
    Standing(Box<Standpoint>),
    /// The file's name, source lines, and the line to highlight.
    Source(String, Vec<(u32, String)>, u32),
    /// The points, with the newest answer if there is one.
    Points(Vec<(String, String)>, Option<Rc<Answer>>),
    /// One point in full.
    Point(Box<PointAnswer>),
    /// A sample of a point's rejected occurrences.
    Candidates {
        /// The point.
        point: String,
        /// The sample, in the order of the run.
        candidates: Vec<Numbered>,
        /// Number of rejected occurrences, by reason.
        rejections: IndexMap<String, u64>,
    },
    /// The dependency graph.
    Graph(Box<Explanation>),
    /// Lines that the program printed.
    Output(Vec<String>),
    /// The runs.
    Runs(Vec<PastRun>),
    /// The differences between two runs.
    Difference(u32, u32, Vec<PointDifference>),
    /// The settings.
    Settings(Vec<Setting>),
    /// Explained commands.
    Help(Vec<Row>),
    /// The session ends.
    Quit,
}

impl Reply {
    /// Whether a front end shows nothing of it.
    pub fn is_silent(&self) -> bool {
        matches!(self, Reply::Nothing)
    }
}

/// A rejected candidate with its number in the list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Numbered {
    /// The number, from 1, as in `why EXPR from B~2`.
    pub number: usize,
    /// The candidate.
    #[serde(flatten)]
    pub rejected: RejectedAnswer,
}

/// One setting.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Setting {
    /// Its name.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Its meaning.
    pub about: &'static str,
}
