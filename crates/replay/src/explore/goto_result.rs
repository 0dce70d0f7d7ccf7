//! The result of a `goto`: where the program is, and how sure that is.

use super::position::Standpoint;
use super::run_control::RunResult;
use answer::Difference;
use serde::Serialize;

/// How certain it is that the program is halted at the target point.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum Certainty {
    /// It is the point in this run too.
    Reached,
    /// The earlier run located the point here, and everything comparable agrees. Whether it is the answer in
    /// this run is known only when its effect is reached.
    Expected {
        /// The change in the earlier run: `null → Rec@1`.
        change: Option<String>,
        /// The point on which it depends, which will confirm or refute it.
        asked_from: Option<String>,
    },
    /// The earlier run located the point here, but the state differs.
    Differs {
        /// The differences.
        differences: Vec<Difference>,
    },
    /// This run did not reach the place.
    Missed {
        /// Where this run located the point, if it did. The next `goto` goes there.
        nearest: Option<String>,
    },
}

/// The outcome for an unconfirmed point, known when its effect was reached.
#[derive(Clone, Debug, Serialize)]
pub struct Arrival {
    /// Its id.
    pub point: String,
    /// Whether it is the answer in this run too.
    pub confirmed: bool,
    /// Where this run located the point, if elsewhere.
    pub instead: Option<String>,
    /// Whether the place is the same but not the last change: a later write raised no event.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub missed_write: bool,
}

/// The result of moving to a point.
#[derive(Clone, Debug, Serialize)]
pub struct GotoResult {
    /// Its id.
    pub id: String,
    /// How certain it is.
    pub certainty: Certainty,
    /// The unconfirmed points that are now confirmed or refuted.
    pub settled: Vec<Arrival>,
    /// Where the program is halted, if it is alive.
    pub standing: Option<Standpoint>,
    /// The answer of the run, if it has one.
    pub ran: Option<RunResult>,
}
