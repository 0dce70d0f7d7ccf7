//! The global options, which select the form of results.

use clap::{Parser, ValueEnum};

/// Finds the cause of a reproducible bug in a JVM program by running it again
///
/// Exit codes: 0 every point located and every expectation holds · 1 some point not located or an expectation
/// fails · 2 usage or bad chain · 3 the root point was never reached · 4 the program could not be built,
/// launched or driven, or timed out · 130 interrupted
#[derive(Parser, Clone, Copy, Debug)]
#[command(name = "qp", version, max_term_width = 80)]
#[command(
    after_help = "Begin where the state is wrong, and ask what last changed it:\n  qp why foo --at Intro:31 --when 'foo == null' -- java -ea -cp classes Intro"
)]
pub struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, help_heading = "Output")]
    pub color: Color,
    /// Format of results
    #[arg(long, global = true, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Format of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Text,
    /// For machines
    Json,
}

impl Cli {
    /// Whether to use colours on this stream.
    pub(super) fn colors(&self, terminal: bool) -> bool {
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        }
    }
}
