//! `source`, `lines` and `execution`: the text of a class, what each line of a call did, and the executions
//! of a line.

use super::selected::Selected;
use super::{Reader, Reads, Request, usage};
use command::CommandError;
use past::{EventRef, LinesShown, SourceLine, Which};
use serde::{Deserialize, Serialize};
use session::Context;

/// Arguments of `source`.
#[derive(Debug, Deserialize)]
pub struct Source {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The class.
    pub class: String,
    /// Its source file.
    pub file: Option<String>,
}

/// Reply to `source`.
#[derive(Debug, Serialize)]
pub struct SourceShown {
    /// The class.
    pub class: String,
    /// Its source file.
    pub file: String,
    /// The lines; empty without a text.
    pub lines: Vec<String>,
    /// Why there is no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Request for Source {
    type Reply = SourceShown;

    const NAME: &'static str = "source";
}

impl Reads for Source {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<SourceShown, CommandError> {
        let outermost = self.class.split('$').next().unwrap_or_default();
        let simple = outermost.rsplit('.').next().unwrap_or_default();
        let file = self.file.unwrap_or_else(|| format!("{simple}.java"));
        let text = reader.recording(self.trace, context).await?.source_text(&self.class, &file);
        let why = text.is_none().then(|| {
            format!("{file} was not found: start `qp serve` with `--source DIR`, where DIR has the sources")
        });
        let lines = text.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default();
        Ok(SourceShown { class: self.class, file, lines, why })
    }
}

/// Arguments of `lines`.
#[derive(Debug, Deserialize)]
#[serde(transparent)]
pub struct Lines(pub Selected);

impl Request for Lines {
    type Reply = LinesShown;

    const NAME: &'static str = "lines";
}

impl Reads for Lines {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<LinesShown, CommandError> {
        Ok(reader.recording(self.0.trace, context).await?.line_values(self.0.selection())?)
    }
}

/// Arguments of `execution`.
#[derive(Debug, Deserialize)]
pub struct Execution {
    /// The recording.
    #[serde(default)]
    pub trace: usize,
    /// The call.
    pub call: u32,
    /// The event.
    pub event: Option<u64>,
    /// A class in the source.
    pub class: String,
    /// The line.
    pub line: u32,
    /// `previous`, `next`, `first` or `last`.
    pub which: String,
}

/// Reply to `execution`.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ExecutionShown {
    /// The execution.
    Found(EventRef),
    /// There is none.
    None {
        /// What there is none of.
        none: String,
    },
}

impl Request for Execution {
    type Reply = ExecutionShown;

    const NAME: &'static str = "execution";
}

impl Reads for Execution {
    async fn read(self, reader: &mut Reader, context: &Context) -> Result<ExecutionShown, CommandError> {
        let which = match self.which.as_str() {
            "previous" => Which::Previous,
            "next" => Which::Next,
            "first" => Which::First,
            "last" => Which::Last,
            other => return usage(format!("`{other}` is not one of previous, next, first, last")),
        };
        let at = Selected { trace: self.trace, call: self.call, event: self.event };
        let line = SourceLine { class: self.class, line: self.line };
        let recording = reader.recording(self.trace, context).await?;
        Ok(match recording.execution_of(at.selection(), &line, which)? {
            Some(selection) => ExecutionShown::Found(selection),
            None => {
                ExecutionShown::None { none: format!("no {} execution of line {}", self.which, line.line) }
            }
        })
    }
}
