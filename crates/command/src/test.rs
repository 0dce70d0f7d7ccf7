//! `qp test`: the failed tests of a project's last reports, to be asked about by their names alone.

use super::{Command, CommandError, Outcome};
use project::{FailedTest, project_of, reports};
use serde::Serialize;
use session::Context;
use std::path::PathBuf;

/// Shows the tests that failed when Maven or Gradle last ran them, the newest first
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:
  qp test
  qp why --test                           # where the value comes from that a failed assertion examined
  qp why total --test CartTest#sells      # what last changed `total`, as the failing line sees it
  qp diagnose --test CartTest#sells       # which call is wrong")]
pub struct Test {
    /// A folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub folder: PathBuf,
}

/// The failed tests of a project.
#[derive(Clone, Debug, Serialize)]
pub struct FailedTests {
    /// The folder of the project.
    pub project: PathBuf,
    /// Number of reports.
    pub reports: usize,
    /// The tests, the newest first.
    pub failed: Vec<ReportedTest>,
}

/// A failed test, with its report.
#[derive(Clone, Debug, Serialize)]
pub struct ReportedTest {
    #[allow(missing_docs)]
    #[serde(flatten)]
    pub test: FailedTest,
    /// The report.
    pub report: PathBuf,
}

impl Outcome for FailedTests {
    /// 0 when no test failed, else 1.
    fn exit_code(&self) -> u8 {
        u8::from(!self.failed.is_empty())
    }
}

impl Command for Test {
    type Output = FailedTests;

    /// # Errors
    /// The folder is in no project, or the project has no reports.
    async fn execute(&self, _context: &Context) -> Result<FailedTests, CommandError> {
        let folder = std::path::absolute(&self.folder).map_err(CommandError::Input)?;
        let wrong = |why: String| CommandError::Usage(format!("{}: {why}", folder.display()));
        let project = project_of(&folder)
            .ok_or_else(|| wrong("this is no folder of a project of Maven or Gradle".to_owned()))?;
        let found = reports(&project);
        if found.is_empty() {
            return Err(wrong("there are no reports of tests: run them once with the build tool".to_owned()));
        }
        let failed = found.iter().flat_map(|report| {
            report.failed.iter().map(|test| ReportedTest { test: test.clone(), report: report.file.clone() })
        });
        Ok(FailedTests { project, reports: found.len(), failed: failed.collect() })
    }
}
