//! The rows of the tables of prompts, and the commands on a recording that several prompts have: one word for
//! one thing.

/// A command of a prompt.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct PromptRow {
    /// The word the user types.
    pub name: &'static str,
    /// Shorter words for it.
    pub aliases: &'static [&'static str],
    /// The syntax.
    pub usage: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// A command of one prompt alone.
pub const fn row(
    name: &'static str,
    aliases: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
) -> PromptRow {
    PromptRow { name, aliases, usage, about }
}

/// To the last write.
pub const BACK: PromptRow = row(
    "back",
    &["b"],
    "back VARIABLE",
    "to the last change of a variable before this, or to the call that passed it",
);
/// To the next write.
pub const FORWARD: PromptRow =
    row("forward", &["f"], "forward VARIABLE", "to the first change of a variable after this");
/// The cause.
pub const WHY: PromptRow =
    row("why", &[], "why [VARIABLE]", "what last wrote a variable, or which condition led here");
/// Where a value was computed.
pub const ORIGIN: PromptRow = row(
    "origin",
    &[],
    "origin VARIABLE",
    "where the value of a variable was computed, and by which steps it came",
);
/// The writes.
pub const HISTORY: PromptRow = row("history", &["h"], "history VARIABLE", "all writes to a variable");
/// The operations that were lost.
pub const OMITTED: PromptRow =
    row("omitted", &[], "omitted VARIABLE", "operations on an object that were not executed before this");
/// To an event.
pub const GO: PromptRow =
    row("go", &["g"], "go EVENT", "to an event, such as 12.4: the fourth one of call 12");
/// To the caller.
pub const OUT: PromptRow = row("out", &["o"], "out", "to the place of this call in its caller");
/// The table.
pub const HELP: PromptRow = row("help", &["?"], "help", "shows this table");
