//! Why a test of a project cannot be launched, with advice.

use debuggee::DebuggeeError;
use std::path::PathBuf;

/// Why a test of a project cannot be launched.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// No build tool is known here.
    #[error(
        "--test {test}: {} is no folder of a project of Maven or Gradle; go to one, or name the class path \
         with --classpath",
        folder.display()
    )]
    NoProject {
        /// The test as written.
        test: String,
        /// The folder where the user stands.
        folder: PathBuf,
    },
    /// Several modules or packages have a class of this name.
    #[error("--test {test}: there are several: {}; {advice}", found.join(", "))]
    Several {
        /// The test as written.
        test: String,
        /// Where it was found.
        found: Vec<String>,
        /// How to choose.
        advice: &'static str,
    },
    /// No module has the class.
    #[error("--test {test}: there is no class `{class}` among the compiled tests: {}", folders.join(", "))]
    NoClass {
        /// The test as written.
        test: String,
        /// Its class.
        class: String,
        /// The folders of compiled tests that the tool named.
        folders: Vec<String>,
    },
    /// The tool is not installed.
    #[error(
        "--test {test}: `{program}` is not on the path, so it cannot be asked for the class path; install \
         it, or name the class path with --classpath"
    )]
    NoTool {
        /// The test as written.
        test: String,
        /// The program.
        program: String,
    },
    /// The tool failed.
    #[error(transparent)]
    Failed(Box<ToolFailure>),
    /// The tool did not name a class path.
    #[error(
        "--test {test}: `{command}` in {} named no class path of tests: does this module have tests? \
         (`{by_hand}` compiles them)",
        folder.display()
    )]
    NoAnswer {
        /// The test as written.
        test: String,
        /// The command.
        command: String,
        /// Its working folder.
        folder: PathBuf,
        /// What to run by hand.
        by_hand: &'static str,
    },
    /// The tool cannot be started, or its answer cannot be kept anywhere.
    #[error(transparent)]
    Debuggee(#[from] DebuggeeError),
}

impl ProjectError {
    /// Whether the build tool, not the user, is the cause.
    pub fn is_of_tool(&self) -> bool {
        !matches!(
            self,
            ProjectError::NoProject { .. } | ProjectError::Several { .. } | ProjectError::NoClass { .. }
        )
    }
}

/// A tool that was asked and failed.
#[derive(Debug, thiserror::Error)]
#[error(
    "--test {test}: {tool} was asked for the class path and failed with {exit}: `{command}` in {}{answer}\n\
     mend that first ({by_hand}), or name the class path with --classpath",
    folder.display()
)]
pub struct ToolFailure {
    /// The test as written.
    pub test: String,
    /// The name of the tool.
    pub tool: &'static str,
    /// How it ended.
    pub exit: String,
    /// The command.
    pub command: String,
    /// Its working folder.
    pub folder: PathBuf,
    /// What it answered, indented, from a line feed on.
    pub answer: String,
    /// What to run by hand.
    pub by_hand: &'static str,
}
