//! Resumes the halted program: to the next line, or to the next event of a point.

use super::Explorer;
use super::position::{HaltedProgram, Position, Standpoint};
use chain::Chain;
use model::{ActivationKey, Occurrence, Tables};
use run::{Control, Ended, Observer, ObserverError, Stage};
use serde::Serialize;
use session::SessionError;

/// How far to resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next line, also in called methods.
    Into,
    /// To the next line of the method or of its caller.
    Over,
    /// To the next event of a point that depends on no other, or to the end of the program.
    On,
}

/// The result of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepResult {
    /// Where the program is halted; `None` if it has ended.
    pub standing: Option<Standpoint>,
    /// The point whose event occurs here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<String>,
    /// How the program ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// Halts the run at events of points that depend on no other point.
struct Roots {
    /// Their positions in the chain.
    numbers: Vec<u16>,
    halted: Option<u16>,
}

impl Roots {
    fn of(chain: &Chain) -> Roots {
        let roots = chain.points.iter().zip(0..).filter(|(point, _)| point.refers_to().is_empty());
        Roots { numbers: roots.map(|(_, number)| number).collect(), halted: None }
    }
}

impl Observer for Roots {
    fn occurrence(
        &mut self,
        occurrence: Occurrence,
        _: &mut Tables,
        _: &dyn Fn() -> Vec<ActivationKey>,
    ) -> Result<Control, ObserverError> {
        if !self.numbers.contains(&occurrence.query) {
            return Ok(Control::Continue);
        }
        self.halted = Some(occurrence.query);
        Ok(Control::Halt)
    }

    fn progress(&mut self, _: u64) {}
}

impl Explorer {
    /// Resumes the halted program as far as `step` says. The answers of earlier runs remain.
    ///
    /// # Errors
    /// No program is halted, or the connection to it is lost.
    pub async fn step(&mut self, step: Step) -> Result<StepResult, SessionError> {
        self.halted_program()?;
        let Position::Halted(halted_program) = std::mem::replace(&mut self.position, Position::Nowhere)
        else {
            return Err(SessionError::NotHalted("the program does not run".to_owned()));
        };
        let HaltedProgram { halted, pool, sources, namer, run, .. } = *halted_program;
        let mut roots = Roots::of(&self.chain);
        let interrupt = self.interrupter.arm();
        self.interrupter.reads(true);
        let stage = match step {
            Step::Into => halted.step(true, &interrupt, &mut roots).await,
            Step::Over => halted.step(false, &interrupt, &mut roots).await,
            Step::On => halted.go_on(None, &interrupt, &mut roots).await,
        };
        self.interrupter.disarm();
        match stage? {
            Stage::Halted(halted) => {
                self.position = Position::Halted(Box::new(HaltedProgram::new(
                    halted, pool, sources, namer, None, run, None,
                )));
                let passes = roots.halted.and_then(|number| self.chain.points.get(usize::from(number)));
                let passes = passes.map(|point| point.id.clone());
                Ok(StepResult { standing: self.stand().await?, passes, ended: None })
            }
            Stage::Over(outcome) => {
                self.tail = outcome.tail.clone();
                self.position = Position::Ended(outcome.ended.clone());
                if outcome.ended == Ended::Interrupted {
                    return Err(SessionError::Interrupted);
                }
                Ok(StepResult { standing: None, passes: None, ended: Some(outcome.ended.to_string()) })
            }
        }
    }
}
