//! A command that is no part of a debuggee, such as a build tool that is asked something.

use super::error::{DebuggeeError, Step};
use super::group::Exit;
use super::output::Tail;
use super::stdin::Stdin;
use super::template::{Settings, Template};
use std::path::Path;

/// Runs a command without input to its end. Dropping the future ends all of its processes.
///
/// # Errors
/// The command cannot be started.
pub async fn run_to_end(command: &[String], cwd: &Path) -> Result<(Exit, Tail), DebuggeeError> {
    let template = Template::new(Settings::new(command.to_vec(), cwd.to_owned()))?;
    let mut group = template.spawn(Step::Command, command, Stdin::Null, &[], None)?;
    let exit = group.wait().await;
    Ok((exit, group.output().tail()))
}
