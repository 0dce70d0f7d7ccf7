//! The options that remove secrets from a recorded command.

use super::CommandError;
use recorded::Secrets;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Debug, Default)]
pub struct SecretArgs {
    /// Remove text that matches this regular expression from the recorded command; can be repeated
    #[arg(long, value_name = "PATTERN")]
    pub redact: Vec<String>,
    /// Keep passwords, tokens and keys in the recorded command (`-Dpassword=…`); by default qp removes them
    #[arg(long)]
    pub keep_secrets: bool,
}

impl SecretArgs {
    /// The rules for secrets.
    ///
    /// # Errors
    /// A pattern is not a regular expression.
    pub fn secrets(&self) -> Result<Secrets, CommandError> {
        Secrets::new(self.keep_secrets, &self.redact).map_err(CommandError::Usage)
    }
}
