//! The options that select passes over a line: `--at`, `--when`, `--from` and `--thread`.

use super::CommandError;
use chain::{Kind, Point};
use past::SourceLine;

/// A line of the program, and which passes over it count.
#[derive(clap::Args, Clone, Debug)]
pub struct LineArgs {
    /// The line, as CLASS:LINE, as a file with its line, or as a frame of a stack trace
    #[arg(long, value_name = "CLASS:LINE")]
    pub at: Option<String>,
    /// Only passes at which this Java condition holds
    #[arg(long, value_name = "CONDITION", allow_hyphen_values = true)]
    pub when: Option<String>,
    /// Only passes with this method on the stack
    #[arg(long, value_name = "CLASS.METHOD")]
    pub from: Option<String>,
    /// Only passes of the thread with this name
    #[arg(long, value_name = "NAME")]
    pub thread: Option<String>,
}

impl LineArgs {
    /// The root of a chain at this line.
    ///
    /// # Errors
    /// `--at` is missing, or not CLASS:LINE.
    pub fn root(&self, id: &str) -> Result<Point, CommandError> {
        let none = || CommandError::Usage("name a line with --at CLASS:LINE".to_owned());
        Ok(self.selected(Point::new(id, line_kind(self.at.as_deref().ok_or_else(none)?)?)))
    }

    /// A point at a line, of whose passes these are meant.
    pub fn selected(&self, mut root: Point) -> Point {
        root.when.clone_from(&self.when);
        root.from.clone_from(&self.from);
        root.thread.clone_from(&self.thread);
        root
    }
}

/// The line of an argument `--at CLASS:LINE`.
fn line_kind(at: &str) -> Result<Kind, CommandError> {
    let SourceLine { class, line } = source_line(at).ok_or_else(|| {
        CommandError::Usage(format!(
            "--at `{at}`: expected CLASS:LINE, such as Intro:31 or shop.Cart:12; a file, such as \
             src/shop/Cart.java:12; or a line of a stack trace"
        ))
    })?;
    Ok(Kind::Line(class, line))
}

/// A line as the user names it. The class path knows which folders of a file are those of its package.
pub fn source_line(text: &str) -> Option<SourceLine> {
    let SourceLine { class, line } = SourceLine::parse(text)?;
    let file = text.trim().split(':').next().filter(|file| file.contains('/') && !file.contains('('));
    let class = file.map_or(class, |file| file.trim_start_matches("./").to_owned());
    Some(SourceLine { class, line })
}
