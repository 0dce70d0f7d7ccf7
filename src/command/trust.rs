//! Whose files are run, as an option.

use super::CommandError;
use crate::chain::Chain;
use crate::session::{self, Context, SessionError, Wanted};
use std::path::Path;

#[allow(missing_docs)]
#[derive(clap::Args, Clone, Copy, Debug, Default)]
pub struct TrustArgs {
    /// Run the commands of the file without asking, although qp did not write it here
    #[arg(long = "trust", alias = "trust-command")]
    pub trust: bool,
}

/// Reads a chain whose commands are to be run.
///
/// # Errors
/// It is bad, or may not be run.
pub fn load(file: &Path, context: &Context) -> Result<Chain, CommandError> {
    let chain = Chain::load(file).map_err(SessionError::from)?;
    session::allow(&Wanted::of_chain(file, &chain), context)?;
    Ok(chain)
}
