//! A session: the only door from commands to the machinery (DESIGN §4). It runs a chain to its answer.
//!
//! This room may use `chain`, `locate`, `run` and what lies below them. It prints nothing: it returns data and tells a
//! [`Progress`] what goes on.
//!
//! - [`replay`] runs the debuggee until every point is located or nothing more can be learnt (DESIGN §5.13).
//! - `watching` feeds the locator while the program runs; `assemble` turns what was located into an [`Answer`];
//!   `reasons` says why a point has none.

mod answer;
mod assemble;
mod code;
mod error;
mod expectation;
mod files;
mod progress;
mod reasons;
mod replay;
mod watching;
mod workspace;

pub use crate::run::Interrupt;
pub use answer::{Answer, ExceptionAnswer, Expectation, FrameAnswer, Outcome, PointAnswer, RejectedAnswer};
pub use error::SessionError;
pub use files::{portable, write_whole};
pub use progress::{Progress, Silent, Sink};
pub use replay::{Options, replay};

use crate::chain::{Chain, Explanation, Learned};

/// What a chain's questions become, without running anything.
///
/// # Errors
/// The chain cannot be used, its classes cannot be read, or it was interrupted.
pub async fn explain(chain: &Chain, interrupt: &mut Interrupt) -> Result<Explanation, SessionError> {
    let workspace = workspace::Workspace::open(chain, None)?;
    tokio::select! {
        built = workspace.build(None) => built?,
        () = interrupt.wait() => return Err(SessionError::Interrupted),
    }
    let pool = workspace.pool(None)?;
    let sources = workspace.sources();
    let translated = crate::chain::translate(chain, &pool, &sources, &Learned::default());
    let translation = match translated {
        Err(error) if !workspace.is_java()? => {
            let program = chain.debuggee.command.first().cloned().unwrap_or_default();
            return Err(SessionError::NoClassPath { program, error });
        }
        translated => translated?,
    };
    Ok(Explanation::new(chain, &translation, &pool, &sources))
}
