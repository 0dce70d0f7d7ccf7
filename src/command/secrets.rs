//! What a recording does not keep of the command, as options.

use super::CommandError;
use crate::session::Secrets;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SecretArgs {
    /// Leave out of the recorded command what this regular expression matches; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub redact: Vec<String>,
    /// Keep passwords, tokens and keys in the recorded command (`-Dpassword=…`); by default they are left out
    #[arg(long)]
    pub keep_secrets: bool,
}

impl SecretArgs {
    /// What is not kept.
    ///
    /// # Errors
    /// A pattern is no regular expression.
    pub fn secrets(&self) -> Result<Secrets, CommandError> {
        Secrets::new(self.keep_secrets, &self.redact).map_err(CommandError::Usage)
    }
}
