//! The level of detail of a recording, as an argument of tools.

use schemars::JsonSchema;
use serde::Deserialize;
use trace::Level;

/// The level of detail.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LevelWord {
    /// Calls.
    Calls,
    /// Also writes.
    Writes,
    /// Also lines, branches and local variables.
    All,
}

impl From<LevelWord> for Level {
    fn from(level: LevelWord) -> Level {
        match level {
            LevelWord::Calls => Level::Calls,
            LevelWord::Writes => Level::Writes,
            LevelWord::All => Level::All,
        }
    }
}
