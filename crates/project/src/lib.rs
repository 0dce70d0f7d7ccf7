//! The tests of a project that Maven or Gradle builds: how one of them is launched, and which failed last.
//!
//! [`test_launch`] takes the name of a test and returns a `java` command. It finds the build tool
//! (`tools`), the module with the test (`places`), and asks the tool for the class path, the working folder
//! and the options of its test VMs (`maven`, `gradle`). The answer is kept until the files of the build
//! change (`kept`). The tool compiles what it is asked about; it does not run the test.
//!
//! [`reports`] reads what the tools write of the tests that they run. A report of Maven also names the class
//! path, which serves if Maven itself cannot be asked.
//!
//! Rejected: Maven's `dependency:build-classpath`, since that plugin must be downloaded first and does not
//! know the options of the test VM. Maven's log at level DEBUG has both, by plugins that the project uses
//! anyway.

mod error;
mod gradle;
mod junit5;
mod kept;
mod launch;
mod maven;
mod module;
mod places;
mod question;
mod reports;
mod tools;
mod walk;

pub use error::{ProjectError, ToolFailure};
pub use launch::{TestLaunch, test_launch};
pub use reports::{FailedTest, TestReport, project_of, reports};
