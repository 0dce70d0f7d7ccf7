//! A recorded run: the plan tells the agent what to record, and JDWP watches only the end of the run.

use super::probes::agent_report::AgentReport;
use classes::ClassPool;
use std::path::{Path, PathBuf};
use wire::Plan;
use wire::brief::Brief;
use wire::chosen::Chosen;
use wire::recording::{Level, Places, TracePlan, Window};
use wire::steering::Steering;

/// How a run is recorded.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The level of detail.
    pub level: Level,
    /// Patterns of the classes whose methods are recorded; if empty, all except those of the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes that are excluded from the recording.
    pub trust: Vec<String>,
    /// The existing folder in which the rings are created.
    pub rings: PathBuf,
    /// If set, records only these calls.
    pub window: Option<Window>,
    /// If set, records only between these places.
    pub places: Option<Places>,
    /// The value that the program reads as `java.class.path`, if that is not what the VM uses.
    pub class_path: Option<String>,
    /// If set, records only these methods and fields, instead of all at the level.
    pub chosen: Option<Chosen>,
    /// If set, records these methods in less detail.
    pub brief: Option<Brief>,
    /// If set, this jump goes another way.
    pub steering: Option<Steering>,
    /// Whether to report the classes that have no class file, and their bytes: a dynamic language makes them
    /// of their source.
    pub is_script: bool,
    /// Whether to note only which edges of control flow are covered, instead of events.
    pub covers: bool,
    /// The file in which the agent reports sites; it exists and is empty.
    pub report: PathBuf,
}

impl Recording {
    /// A run that only tells the classes of a script.
    pub fn of_script(trust: Vec<String>, rings: PathBuf, report: PathBuf) -> Recording {
        Recording {
            level: Level::Calls,
            scope: Vec::new(),
            trust,
            rings,
            window: None,
            places: None,
            class_path: None,
            chosen: None,
            brief: None,
            steering: None,
            is_script: true,
            covers: true,
            report,
        }
    }

    /// Writes the plan for the VM suspended at its start, in the folder of plans.
    ///
    /// # Errors
    /// The reason why the run is not recorded.
    pub(super) fn begin(
        &self,
        plans: &Path,
        process: Option<u32>,
        pool: &ClassPool,
    ) -> Result<AgentReport, String> {
        let Recording { level, scope, trust, rings, window, places, class_path, .. } = self.clone();
        let Recording { chosen, brief, steering, covers, is_script, report, .. } = self.clone();
        let trace = TracePlan {
            level,
            scope,
            trust,
            rings,
            window,
            places,
            class_path,
            chosen,
            brief,
            steering,
            covers,
        };
        let tells_loaded = is_script || !covers && !pool.java_agents().is_empty();
        let plan = Plan { report, trace: Some(trace), tells_loaded, ..Plan::default() };
        let report = AgentReport::open(&self.report)
            .map_err(|error| format!("the agent's report cannot be read: {error}"))?;
        plan.write(&Plan::path(plans, process)).map_err(|error| error.to_string())?;
        Ok(report)
    }
}
