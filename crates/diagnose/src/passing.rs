//! Runs the program so that it passes, and weighs the questions by what those runs covered.

use super::Diagnoser;
use super::test_methods::classes_beside;
use chain::{Chain, Debuggee};
use debuggee::{class_of_test, tests_of_classes};
use declarative::Needs;
use recorded::{CoverOptions, CoveredProgram, cover};
use run::Ended;
use session::{Context, SessionError};
use std::path::PathBuf;
use trace::Level;

/// Which tests besides the recorded one are to weigh the questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassingTests {
    /// Those of its class.
    Class,
    /// Those of its class, and then those of the other test classes in the same folder or jar of the class
    /// path.
    Module,
}

/// Time limit of the other tests of a class or module, in seconds, if the user has set none.
const OTHER_TESTS_S: u64 = 20;

/// What other tests of the same class are called: one, and several.
const OF_CLASS: [&str; 2] = ["other test of the class", "other tests of the class"];
/// What tests of other classes are called.
const OF_OTHERS: [&str; 2] = ["test of another class", "tests of other classes"];

impl Diagnoser {
    /// Whether the strategy weighs the branches that calls cover, so that passing runs can weigh them too.
    pub fn weighs_branches(&self) -> bool {
        self.needs == Needs::Edges && self.trace.about.level >= Level::All
    }

    /// Runs the commands, which must pass, and the other tests that are wanted. What they cover becomes less
    /// suspicious: the more of them cover code, the less. What tests that fail too cover becomes more
    /// suspicious than what they do not.
    ///
    /// # Errors
    /// A command cannot be launched or fails, or the user interrupted.
    pub async fn weigh_by_passing(
        &mut self,
        commands: &[Vec<String>],
        tests: Option<PassingTests>,
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
        for command in commands {
            let program = self.pinned(command, None);
            let covered = covered(program, &options, "to see what a passing run covers", context).await?;
            if !matches!(covered.ended, Ended::Exited(Some(0))) || covered.coverage.passed == 0 {
                let (command, ended) = (command.join(" "), covered.ended.to_string());
                return Err(SessionError::NotPassing { command, ended, output: covered.output });
            }
            self.passing.add(covered.coverage);
        }
        if let Some(tests) = tests {
            self.weigh_by_tests(tests, options, context).await?;
        }
        let pool = self.fields.pool();
        let coverage =
            super::tree::shape::coverage(&mut self.trace, &self.nodes, self.needs, pool, &self.passing)?;
        self.diagnosis.cover(coverage);
        Ok(())
    }

    /// Runs the other tests that are wanted.
    async fn weigh_by_tests(
        &mut self,
        tests: PassingTests,
        options: CoverOptions,
        context: &Context,
    ) -> Result<(), SessionError> {
        let Some(class) = class_of_test(&self.trace.about.command).map(str::to_owned) else {
            self.notes.push("no other tests run: `--test` has not run a single test here".to_owned());
            return Ok(());
        };
        // A fault can keep another test from ending.
        let options = CoverOptions { timeout_s: options.timeout_s.or(Some(OTHER_TESTS_S)), ..options };
        let own = vec![class.clone()];
        self.weigh_by_classes(&own, OF_CLASS, &options, context).await?;
        if tests == PassingTests::Module {
            let others = self.fields.pool().map(|pool| classes_beside(pool, &class)).unwrap_or_default();
            match others.is_empty() {
                true => self.notes.push(format!("there are no other test classes beside {class}")),
                false => self.weigh_by_classes(&others, OF_OTHERS, &options, context).await?,
            }
        }
        Ok(())
    }

    /// Runs the tests of some classes in one VM. The names are those of one test and of several.
    async fn weigh_by_classes(
        &mut self,
        classes: &[String],
        [test, tests]: [&str; 2],
        options: &CoverOptions,
        context: &Context,
    ) -> Result<(), SessionError> {
        let about = &self.trace.about;
        let Some(command) = tests_of_classes(&about.command, classes) else { return Ok(()) };
        let program = self.pinned(&command, Some(about.cwd.clone()));
        let covered = covered(program, options, "to see what other tests cover", context).await?;
        if matches!(covered.ended, Ended::TimedOut(_)) {
            self.notes.push(format!("some {tests} did not end in time: those that did count"));
        }
        let (passed, failed) = (covered.coverage.tests, covered.coverage.failed.len());
        self.notes.push(match passed {
            0 => format!("no {test} passes: questions are not weighed ({})", covered.ended),
            1 => format!("1 {test} passes ({failed} fail): it weighs the questions"),
            _ => format!("{passed} {tests} pass ({failed} fail): they weigh the questions"),
        });
        // What the runner itself did is no test, if it could run none.
        if passed > 0 {
            self.passing.add(covered.coverage);
        }
        Ok(())
    }

    /// A program that reads what the recorded one has read, if that was pinned.
    fn pinned(&self, command: &[String], cwd: Option<PathBuf>) -> Debuggee {
        let pins = self.trace.about.pins.clone();
        Debuggee { command: command.to_vec(), cwd, pins, ..Debuggee::default() }
    }
}

/// What a run of a program covers. `why` says what for it runs.
async fn covered(
    program: Debuggee,
    options: &CoverOptions,
    why: &str,
    context: &Context,
) -> Result<CoveredProgram, SessionError> {
    context.progress().run_started(1, Some(why));
    let covered = cover(&Chain::new(program, Vec::new()), options, context).await;
    context.progress().done();
    covered
}
