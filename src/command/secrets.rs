//! What a recording does not keep of the command, as options.

use super::CommandError;
use crate::session::Secrets;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SecretArgs {
    /// Keep the recorded command without what this regular expression matches; as often as wanted
    #[arg(long, value_name = "PATTERN")]
    pub redact: Vec<String>,
    /// Keep passwords, tokens and keys of the recorded command (`-Dpassword=…`), which are left out else
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
