//! Runs the program so that it passes, and weighs the questions by what those runs covered.

use super::Diagnoser;
use crate::chain::{Chain, Debuggee};
use crate::declarative::Needs;
use crate::run::Ended;
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::{CoverOptions, cover};

impl Diagnoser {
    /// Runs the commands, which must pass, and the tests of a class by the command that runs them all. What
    /// they cover becomes less suspicious: the more of them cover code, the less (Ochiai). Of the tests, only
    /// those that pass count.
    ///
    /// # Errors
    /// A command cannot be launched or fails, or the user interrupted.
    pub async fn weigh_by_passing(
        &mut self,
        commands: &[Vec<String>],
        tests: Option<&[String]>,
        timeout_s: Option<u64>,
        context: &Context,
    ) -> Result<(), SessionError> {
        if self.needs != Needs::Edges {
            self.notes.push("passing runs are not used: this strategy does not weigh branches".to_owned());
            return Ok(());
        }
        let about = &self.trace.about;
        let options = CoverOptions { scope: about.scope.clone(), trust: about.trust.clone(), timeout_s };
        let cwd = std::env::current_dir().ok();
        let chain = |command: &[String]| {
            let debuggee = Debuggee { command: command.to_vec(), cwd: cwd.clone(), ..Debuggee::default() };
            Chain::new(debuggee, Vec::new())
        };
        for command in commands {
            context.progress().run_started(1, Some("to see what a passing run covers"));
            let covered = cover(&chain(command), &options, context).await;
            context.progress().done();
            let covered = covered?;
            if !matches!(covered.ended, Ended::Exited(Some(0))) || covered.coverage.passed == 0 {
                let (command, ended) = (command.join(" "), covered.ended.to_string());
                return Err(SessionError::NotPassing { command, ended, output: covered.output });
            }
            self.passing.add(covered.coverage);
        }
        if let Some(tests) = tests {
            context.progress().run_started(1, Some("to see what the other tests cover"));
            let covered = cover(&chain(tests), &options, context).await;
            context.progress().done();
            let covered = covered?;
            let (passed, failed) = (covered.coverage.passed, covered.coverage.failed.len());
            self.notes.push(match passed {
                0 => format!("no other test of the class passes: questions are not weighed ({})", covered.ended),
                1 => format!("1 other test of the class passes ({failed} fail): it weighs the questions"),
                _ => format!("{passed} other tests of the class pass ({failed} fail): they weigh the questions"),
            });
            self.passing.add(covered.coverage);
        }
        let pool = self.fields.pool();
        let coverage =
            super::coverage(&mut self.trace, &self.nodes, self.needs, pool, &self.passing)?;
        self.diagnosis.cover(coverage);
        Ok(())
    }
}
