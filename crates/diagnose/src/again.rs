//! Whether a recorded program can be run again unchanged.

use super::Diagnoser;
use super::question::Question;
use chain::Chain;
use recorded::{RecordOptions, chain_of};
use session::{Context, SessionError};
use std::collections::BTreeSet;
use std::path::PathBuf;
use trace::Exit;

impl Diagnoser {
    /// The chain and options that record the program again into a folder, at the same level and with the same
    /// classes.
    ///
    /// # Errors
    /// The reason why that is impossible: the class files have changed, the command lacks its secrets, or
    /// only a part of the run was recorded.
    pub fn again(&self, out: PathBuf) -> Result<(Chain, RecordOptions), String> {
        self.check_unchanged()?;
        let about = &self.trace.about;
        let options = RecordOptions {
            out,
            level: about.level,
            scope: about.scope.clone(),
            trust: about.trust.clone(),
            class_path_property: about.class_path_property.clone(),
            memory: self.trace.memory,
            ..RecordOptions::default()
        };
        Ok((Chain::new(self.trace.program(), Vec::new()), options))
    }

    /// The recorded program as a chain with one point, the end of the call of a question.
    ///
    /// # Errors
    /// The program cannot run again unchanged or may not, the call threw, or the question is about a loop.
    pub async fn run_to_end(
        &mut self,
        question: &Question,
        context: &Context,
    ) -> Result<Chain, SessionError> {
        self.allow(context)?;
        self.check_unchanged().map_err(SessionError::NoStep)?;
        let node = self.nodes.call(question.at);
        if self.nodes.part(question.at).is_some() || self.trace.calls.exit(node) != Exit::Returned {
            let why = "methods of the program run only at the end of a call that returned";
            return Err(SessionError::NoStep(why.to_owned()));
        }
        let entry = self.trace.entry_of(question.node)?;
        let end = self.trace.end_of_call(entry)?;
        chain_of(&mut self.trace, end)
    }

    fn check_unchanged(&self) -> Result<(), String> {
        let about = &self.trace.about;
        about.is_whole().map_err(|error| error.to_string())?;
        if about.redacted {
            return Err("its command was kept without its secrets, and cannot be run again".to_owned());
        }
        let pool = self.fields.pool().ok_or("its class files are not known")?;
        let events = self.trace.folder.events();
        let recorded = std::fs::metadata(&events).and_then(|file| file.modified());
        let recorded = recorded.map_err(|error| format!("{}: {error}", events.display()))?;
        let classes: BTreeSet<&str> = self.trace.calls.sites.methods().iter().map(|of| &*of.class).collect();
        for class in classes {
            let found = pool.find(class).ok().flatten();
            if found.and_then(|found| found.modified).is_some_and(|modified| modified > recorded) {
                return Err(format!("the class file of {class} was written after the run was recorded"));
            }
        }
        Ok(())
    }
}
