//! A VM that stands still at its start: the connection to it, and what it tells of itself.

use super::error::RunError;
use super::vm::or_default;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::path::PathBuf;
use std::time::Duration;

/// How long qp looks for the VM's next packet before it sleeps. Each hit has the VM wait for qp, and qp for
/// the VM: being awake when the other is done doubles the hits in a second (`cargo bench -p jdwp`).
pub(super) const LINGER: Duration = Duration::from_micros(300);

/// What is known of a VM when it has connected and nothing has run yet.
#[derive(Clone, Debug, Default)]
pub struct VmFacts {
    /// Its class path, as the VM tells it.
    pub class_path: Vec<PathBuf>,
    /// The folder that relative entries are relative to.
    pub base_dir: PathBuf,
    /// The Java home of its executable, where the system tells.
    pub java_home: Option<PathBuf>,
}

/// A VM that stands still at its start.
pub(super) struct Greeted {
    pub(super) conn: Connection,
    pub(super) events: jdwp::Events,
    /// What it said of its start, if that was read.
    pub(super) start: Option<jdwp::EventSet>,
    pub(super) facts: VmFacts,
    /// Its process, where the system tells.
    pub(super) process: Option<u32>,
}

/// Asks a VM for its facts.
pub(super) async fn facts(conn: &Connection, java_home: Option<PathBuf>) -> Result<VmFacts, RunError> {
    let paths = or_default(conn.send(virtual_machine::ClassPaths {}).await.map(Some))?;
    Ok(paths.map_or_else(VmFacts::default, |paths| VmFacts {
        class_path: paths.classpaths.into_iter().filter(|p| !p.is_empty()).map(PathBuf::from).collect(),
        base_dir: PathBuf::from(paths.base_dir),
        java_home,
    }))
}
