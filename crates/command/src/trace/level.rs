//! The level of detail of a recording, as an option.

use trace::Level;

/// The level of detail of a recording.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default)]
pub enum LevelArg {
    /// Calls with arguments and results, and exceptions
    #[default]
    Calls,
    /// Also writes to fields and elements, and new arrays
    Writes,
    /// Also lines, branches, local variables and locks
    All,
}

impl From<LevelArg> for Level {
    fn from(level: LevelArg) -> Level {
        match level {
            LevelArg::Calls => Level::Calls,
            LevelArg::Writes => Level::Writes,
            LevelArg::All => Level::All,
        }
    }
}
