//! The option that trusts a file.

use super::CommandError;
use chain::Chain;
use session::{Context, SessionError, Wanted};
use std::path::Path;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct TrustArgs {
    /// Run the commands in the file without asking, although qp did not write it here
    #[arg(long = "trust", alias = "trust-command")]
    pub trust: bool,
}

/// Loads a chain whose commands are about to run.
///
/// # Errors
/// The chain is invalid, or the user does not allow its commands.
pub fn load(file: &Path, context: &Context) -> Result<Chain, CommandError> {
    let chain = Chain::load(file).map_err(SessionError::from)?;
    session::allow(&Wanted::of_chain(file, &chain), context)?;
    Ok(chain)
}
