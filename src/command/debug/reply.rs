//! What prompt commands give: typed, for front ends to render.

use super::Row;
use crate::chain::Explanation;
use crate::session::{
    Answer, AskedWhen, FrameAnswer, Gone, NamedValue, PastRun, PointAnswer, PointDifference, Ran,
    RejectedAnswer, Scope, Standpoint, Stepped,
};
use indexmap::IndexMap;
use std::rc::Rc;

/// What a prompt command gives.
#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case", tag = "reply", content = "content")]
pub enum Reply {
    /// Nothing to show.
    Nothing,
    /// Something was done, in words.
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
    /// A run came to an answer.
    Ran {
        /// The answer, and where the program stands.
        ran: Ran,
        /// Only this point is news.
        about: Option<String>,
    },
    /// A run goes on in the background.
    Started,
    /// The program was sent to a point.
    Gone(Box<Gone>),
    /// The program went forward.
    Stepped(Box<Stepped>),
    /// A value.
    Value(NamedValue),
    /// What is in scope.
    Scope(Scope),
    /// The stack, newest frame first, and the frame that is looked at.
    Frames(Vec<FrameAnswer>, usize),
    /// Where the program stands.
    Standing(Box<Standpoint>),
    /// Source lines, with the one that is meant.
    Source(String, Vec<(u32, String)>, u32),
    /// The points, with the newest answer as far as there is one.
    Points(Vec<(String, String)>, Option<Rc<Answer>>),
    /// One point in full.
    Point(Box<PointAnswer>),
    /// A sample of the occurrences that were not a point's answer.
    Candidates {
        /// The point.
        point: String,
        /// The sample, in the order of the run.
        candidates: Vec<Numbered>,
        /// How many there were, by reason.
        rejections: IndexMap<String, u64>,
    },
    /// The dependency graph.
    Graph(Box<Explanation>),
    /// Lines that the program printed.
    Output(Vec<String>),
    /// The runs.
    Runs(Vec<PastRun>),
    /// How two runs differ.
    Difference(u32, u32, Vec<PointDifference>),
    /// The settings.
    Settings(Vec<Setting>),
    /// Commands explained.
    Help(Vec<Row>),
    /// The session ends.
    Quit,
}

/// A rejected candidate with its number in the list.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Numbered {
    /// From 1, as in `why EXPR from B~2`.
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
    /// What it does.
    pub about: &'static str,
}
