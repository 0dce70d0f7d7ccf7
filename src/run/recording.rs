//! A run that is recorded: the agent is told what of it, and JDWP watches nothing but its end.

use super::probes::Told;
use crate::debuggee::Agent;
use std::path::PathBuf;
use wire::Plan;
use wire::recording::{Level, Places, TracePlan, Window};

/// How a run is recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// How much.
    pub level: Level,
    /// Classes whose methods are recorded, as patterns; none: all but those of the JDK.
    pub scope: Vec<String>,
    /// Classes that are not recorded all the same.
    pub trust: Vec<String>,
    /// Where the rings are made: a folder that is there.
    pub rings: PathBuf,
    /// Only these calls.
    pub window: Option<Window>,
    /// Only what is done between these places.
    pub places: Option<Places>,
    /// Where the agent tells of sites; it is there and empty.
    pub report: PathBuf,
}

impl Recording {
    /// Writes the plan for the VM that stands at its start.
    ///
    /// # Errors
    /// Says why the run is not recorded.
    pub(super) fn begin(&self, agent: &Agent, process: Option<u32>) -> Result<Told, String> {
        let Recording { level, scope, trust, rings, window, places, report } = self.clone();
        let plan = Plan {
            report,
            trace: Some(TracePlan { level, scope, trust, rings, window, places }),
            ..Plan::default()
        };
        let told = Told::open(&self.report)
            .map_err(|error| format!("what the agent tells cannot be read: {error}"))?;
        plan.write(&Plan::path(agent.folder(), process)).map_err(|error| error.to_string())?;
        Ok(told)
    }
}
