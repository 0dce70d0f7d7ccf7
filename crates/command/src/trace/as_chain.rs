//! `qp trace as-chain N`: turns an event of a recorded run into a chain, to ask backwards from it.

use super::reading::CallOfRun;
use crate::{Command, CommandError, Outcome, save_chain};
use past::EventRef;
use session::{Context, SessionError};
use std::path::{Path, PathBuf};

/// Turns an event into a chain, to halt there and ask backwards from it
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace as-chain 24                    # the entry of call #24\n  qp trace as-chain 24 all.trace --event 4 --save point.ron && qp debug point.ron"
)]
pub struct AsChain {
    #[allow(missing_docs)]
    #[command(flatten)]
    pub call: CallOfRun,
    /// Number of the event in the call, from 1, as `qp trace events --format json` lists them; 0: the call's
    /// entry
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub event: u64,
    /// Write the chain to this file
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
}

/// The chain of an event.
#[derive(Clone, Debug, serde::Serialize)]
pub struct MadeChain {
    /// The chain as text.
    pub chain: String,
    /// The file it was saved to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// What the user must do before a replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Missing parts of the run that can matter here, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

impl MadeChain {
    /// Makes the result; `is_redacted` says that the recorded command lacks its secrets.
    pub fn new(chain: String, file: Option<&Path>, is_redacted: bool) -> MadeChain {
        let note = "the recorded command lacks its secrets: replace each `***`";
        let (file, note) = (file.map(Path::to_owned), is_redacted.then(|| note.to_owned()));
        MadeChain { chain, file, note, missing: Vec::new() }
    }
}

impl Outcome for MadeChain {
    fn exit_code(&self) -> u8 {
        0
    }
}

impl Command for AsChain {
    type Output = MadeChain;

    /// # Errors
    /// The folder holds no recorded run, or the run has no such call or event; or the file cannot be written.
    async fn execute(&self, context: &Context) -> Result<MadeChain, CommandError> {
        let (node, reading) = self.call.resolved()?;
        let asked = EventRef { call: node, event: Some(self.event) };
        let mut trace = reading.open(context).await?;
        let mut chain = recorded::as_chain(&mut trace, asked)?;
        if let Some(file) = &self.save {
            chain = session::portable(&chain, file);
            save_chain(&chain, file, trace.is_own())?;
        }
        let text = chain.to_ron().map_err(SessionError::from)?;
        let made = MadeChain::new(text, self.save.as_deref(), trace.about.redacted);
        Ok(MadeChain { missing: trace.missing_in(node), ..made })
    }
}
