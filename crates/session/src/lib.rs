//! What serves every room that runs a program or answers questions: a [`Context`] that reports progress and
//! interrupts, the errors, the consent to run what a foreign file says, the debuggee's classes and sources,
//! and an actor for front ends that talk by messages.
//!
//! This room prints nothing and returns data. `answer`, `replay`, `recorded`, `diagnose`, `omission` and
//! `full_replay` stand on it.
//!
//! - `actor` puts a session on a thread of its own, for front ends that talk to it by messages ([`Actor`]).
//! - `trust` decides whether the commands of a foreign file may run; `consent` holds the user's answer.
//! - `workspace` has a debuggee's build, launch, classes and sources; `class_path` reads its command.

pub mod actor;
pub mod background;
pub mod class_path;
mod consent;
mod context;
mod error;
mod files;
pub mod progress;
pub mod trust;
pub mod workspace;

pub use actor::{Actor, Pending, Serves, Untaken};
pub use class_path::{absolute_class_path, class_path, with_class_path};
pub use consent::{Consent, Wanted};
pub use context::Context;
pub use error::SessionError;
pub use files::{portable, seen_from_cwd};
pub use progress::{LogLine, Progress, Silent, Sink};
pub use trust::{TRUSTED_FOLDERS, allow, trust_written};

use chain::{Chain, Explanation, Learned};

/// Adds the data by which the chain's lines are found after an edit, as far as sources and classes are
/// available without a run.
///
/// # Errors
/// The debuggee cannot be used, or its classes cannot be read.
pub fn remembered(chain: &Chain) -> Result<Chain, SessionError> {
    let workspace = workspace::Workspace::open(chain, None, None)?;
    let mut chain = chain.clone();
    chain::remember(&mut chain, &workspace.pool(None)?, &workspace.sources());
    Ok(chain)
}

/// Explains the TraceQueries of a chain. It runs nothing except the chain's build, if `builds` is set.
///
/// # Errors
/// The chain cannot be used, its classes cannot be read, or the user interrupted.
pub async fn explain(chain: &Chain, builds: bool, context: &Context) -> Result<Explanation, SessionError> {
    let workspace = workspace::Workspace::open(chain, None, None)?;
    if builds {
        tokio::select! {
            built = workspace.build(None) => built?,
            () = context.interrupted() => return Err(SessionError::Interrupted),
        }
    }
    let is_stale = !builds && !workspace.is_built();
    let pool = workspace.pool(None)?;
    let sources = workspace.sources();
    let translated = chain::translate(chain, &pool, &sources, &Learned::default());
    let translation = match translated {
        Err(error) if !workspace.knows_classes()? => {
            let program = chain.debuggee.command.first().cloned().unwrap_or_default();
            return Err(SessionError::NoClassPath { program, error });
        }
        Err(error) if is_stale => return Err(SessionError::NotBuilt(Box::new(error))),
        translated => translated?,
    };
    let mut explanation = Explanation::new(chain, &translation, &pool, &sources);
    if is_stale {
        let stale = "the build is due, and was not run: the classes may not be those of the sources (`--build` runs it)";
        explanation.warnings.push(stale.to_owned());
    }
    Ok(explanation)
}
