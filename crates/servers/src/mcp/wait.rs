//! `wait`: waits for a call that took too long for one answer.

use super::Tool;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Arguments of `wait`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// job:1
    pub job: String,
    #[allow(missing_docs)]
    pub cancel: Option<bool>,
}

/// Result of `wait`: that of the call, or its state.
#[derive(Debug, Serialize)]
pub struct WaitResult {
    /// What to call next.
    pub next: String,
}

impl Tool for Wait {
    type Output = WaitResult;

    const NAME: &'static str = "wait";
    const ABOUT: &'static str = "Waits for a long call and gives its answer";
    // It can end the program.
    const RUNS: bool = true;
}
