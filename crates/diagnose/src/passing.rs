//! Runs the program so that it passes, and weighs the questions by what those runs covered.

use super::Diagnoser;
use chain::{Chain, Debuggee};
use debuggee::tests_of_class;
use declarative::Needs;
use recorded::{CoverOptions, cover};
use run::Ended;
use session::{Context, SessionError};
use std::path::PathBuf;
use trace::Level;

/// Time limit of the other tests of a class, in seconds, if the user has set none.
const OTHER_TESTS_S: u64 = 20;

impl Diagnoser {
    /// Whether the strategy weighs the branches that calls cover, so that passing runs can weigh them too.
    pub fn weighs_branches(&self) -> bool {
        self.needs == Needs::Edges && self.trace.about.level >= Level::All
    }

    /// Runs the commands, which must pass, and with `tests` all tests of the class of the recorded test. What
    /// they cover becomes less suspicious: the more of them cover code, the less. What tests that fail too
    /// cover becomes more suspicious than what they do not.
    ///
    /// # Errors
    /// A command cannot be launched or fails, or the user interrupted.
    pub async fn weigh_by_passing(
        &mut self,
        commands: &[Vec<String>],
        tests: bool,
        timeout_s: Option<u64>,
        context: &Context,
    ) -> Result<(), SessionError> {
        if !self.weighs_branches() {
            let why = "passing runs are not used: the recording or the strategy has no branches to weigh";
            self.notes.push(why.to_owned());
            return Ok(());
        }
        let about = &self.trace.about;
        let options = CoverOptions { scope: about.scope.clone(), trust: about.trust.clone(), timeout_s };
        let of_class = tests_of_class(&about.command).filter(|_| tests);
        if tests && of_class.is_none() {
            self.notes.push("no other tests run: `--test` has not run a single test here".to_owned());
        }
        let cwd = about.cwd.clone();
        let chain = |command: &[String], cwd: Option<PathBuf>| {
            Chain::new(Debuggee { command: command.to_vec(), cwd, ..Debuggee::default() }, Vec::new())
        };
        for command in commands {
            context.progress().run_started(1, Some("to see what a passing run covers"));
            let covered = cover(&chain(command, None), &options, context).await;
            context.progress().done();
            let covered = covered?;
            if !matches!(covered.ended, Ended::Exited(Some(0))) || covered.coverage.passed == 0 {
                let (command, ended) = (command.join(" "), covered.ended.to_string());
                return Err(SessionError::NotPassing { command, ended, output: covered.output });
            }
            self.passing.add(covered.coverage);
        }
        if let Some(of_class) = of_class {
            context.progress().run_started(1, Some("to see what the other tests cover"));
            // A fault can keep another test from ending.
            let options = CoverOptions { timeout_s: timeout_s.or(Some(OTHER_TESTS_S)), ..options };
            let covered = cover(&chain(&of_class, Some(cwd)), &options, context).await;
            context.progress().done();
            let covered = covered?;
            if matches!(covered.ended, Ended::TimedOut(_)) {
                self.notes.push(
                    "the other tests of the class did not end in time: those that did count".to_owned(),
                );
            }
            let (passed, failed) = (covered.coverage.tests, covered.coverage.failed.len());
            self.notes.push(match passed {
                0 => format!(
                    "no other test of the class passes: questions are not weighed ({})",
                    covered.ended
                ),
                1 => format!("1 other test of the class passes ({failed} fail): it weighs the questions"),
                _ => format!(
                    "{passed} other tests of the class pass ({failed} fail): they weigh the questions"
                ),
            });
            // What the runner itself did is no test, if it could run none.
            if passed > 0 {
                self.passing.add(covered.coverage);
            }
        }
        let pool = self.fields.pool();
        let coverage =
            super::tree::shape::coverage(&mut self.trace, &self.nodes, self.needs, pool, &self.passing)?;
        self.diagnosis.cover(coverage);
        Ok(())
    }
}
