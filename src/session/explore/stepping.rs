//! Goes forward from where the program stands: to the next line, or on to the next event that a point asks
//! for.

use super::Explorer;
use super::position::{Place, Standing, Standpoint};
use crate::chain::Chain;
use crate::model::{ActivationKey, Occurrence, Tables};
use crate::run::{Control, Ended, Observer, ObserverError, Stage};
use crate::session::error::SessionError;
use serde::Serialize;

/// How far the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next line, in the methods that are called too.
    Into,
    /// To the next line of the method, or of its caller.
    Over,
    /// To the next event that a point without a question before it asks for, or to the end of the program.
    On,
}

/// Where a step has led.
#[derive(Clone, Debug, Serialize)]
pub struct Stepped {
    /// Where the program stands now; none if it has ended.
    pub standing: Option<Standpoint>,
    /// The point whose event is here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub passes: Option<String>,
    /// How the program has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
}

/// Halts the run at the events of points that are asked from no other point.
struct Roots {
    /// Their numbers in the chain.
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
    /// Lets the program that stands still go on, as far as the step says. What runs have answered stays.
    ///
    /// # Errors
    /// No program stands still, or the connection to it is lost.
    pub async fn step(&mut self, step: Step) -> Result<Stepped, SessionError> {
        self.standing()?;
        let Place::Halted(standing) = std::mem::replace(&mut self.place, Place::Nowhere) else {
            return Err(SessionError::NotHalted("the program does not run".to_owned()));
        };
        let Standing { halted, pool, sources, namer, run, .. } = *standing;
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
                self.place =
                    Place::Halted(Box::new(Standing::new(halted, (pool, sources), namer, None, run, None)));
                let passes = roots.halted.and_then(|number| self.chain.points.get(usize::from(number)));
                let passes = passes.map(|point| point.id.clone());
                Ok(Stepped { standing: self.stand().await?, passes, ended: None })
            }
            Stage::Over(outcome) => {
                self.tail = outcome.tail.clone();
                self.place = Place::Ended(outcome.ended.clone());
                if outcome.ended == Ended::Interrupted {
                    return Err(SessionError::Interrupted);
                }
                Ok(Stepped { standing: None, passes: None, ended: Some(outcome.ended.to_string()) })
            }
        }
    }
}
