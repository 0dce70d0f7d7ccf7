//! Learns the classes that a dynamic language makes of a script: they have no class files, and questions need
//! them. A run tells them.

use super::single_run::NullObserver;
use run::{self, AgentRole, Ended, Interrupt, Launch, Questions, Recording};
use session::SessionError;
use session::progress::Progress;
use session::workspace::Workspace;

/// Lets a program that runs from source run once, and takes its classes over. Does nothing for other
/// programs, and nothing while the script is unchanged.
///
/// # Errors
/// The program cannot be launched, its run made no class of the script, or the user interrupted.
pub(crate) async fn learn_classes(
    workspace: &Workspace,
    interrupt: &Interrupt,
    progress: &dyn Progress,
) -> Result<(), SessionError> {
    let Some(script) = workspace.script_to_learn() else { return Ok(()) };
    progress.tell(&format!("note: {}; a run tells which they are\n", script.summary()));
    progress.run_started(1, Some("to learn the classes of the script"));
    let (folder, report) = workspace.script_folder()?;
    let mut ask = |facts: &run::VmFacts| -> Result<Questions, run::ObserverError> {
        let pool = workspace.pool(Some(facts)).map_err(Box::new)?;
        let trust = workspace.default_scope(&pool).trust;
        let recording = Recording::of_script(trust, folder.path().to_owned(), report.clone());
        Ok(Questions::of_recording(recording, pool))
    };
    let launch = Launch::of(workspace.template(), interrupt, AgentRole::Recorder);
    // Few programs are scripts, and the stack of those that are not has no room for this run.
    let outcome = Box::pin(run::execute(launch, &mut ask, &mut NullObserver)).await?.end().await;
    if matches!(outcome.ended, Ended::Interrupted) {
        return Err(SessionError::Interrupted);
    }
    workspace.learn_loaded(&outcome.report);
    Ok(())
}
