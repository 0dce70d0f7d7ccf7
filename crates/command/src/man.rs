//! `qp man FOLDER`: writes the manual pages.

use super::{CommandError, Describe};
use std::path::PathBuf;

/// Writes the manual pages: qp.1 and one per command
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  qp man ~/.local/share/man/man1")]
pub struct Man {
    /// The folder for the pages
    pub folder: PathBuf,
}

impl Describe for Man {
    fn describe(&self, line: clap::Command) -> Result<String, CommandError> {
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| clap_mangen::generate_to(line, &self.folder))
            .map_err(super::unwritten(&self.folder))?;
        Ok(String::new())
    }
}
