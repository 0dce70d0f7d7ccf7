//! A VM suspended at its start: the connection to it, and facts about it.

use super::error::RunError;
use super::vm::or_default;
use jdwp::Connection;
use jdwp::commands::virtual_machine;
use std::path::PathBuf;
use std::time::Duration;

/// How long `qp` polls for the VM's next packet before it sleeps. At each hit the VM waits for `qp`, and `qp`
/// for the VM. Polling doubles the hits per second (`cargo bench -p jdwp`). On a busy machine it takes the
/// processor from the VM for which it waits.
pub(super) fn linger() -> Duration {
    if platform::is_busy() { Duration::ZERO } else { Duration::from_micros(300) }
}

/// What is known about a VM that has connected but run no code yet.
#[derive(Clone, Debug, Default)]
pub struct VmFacts {
    /// Its class path as the VM reports it.
    pub class_path: Vec<PathBuf>,
    /// The folder that relative class path entries refer to.
    pub base_dir: PathBuf,
    /// The Java home of its executable, if the operating system shows it.
    pub java_home: Option<PathBuf>,
}

/// A VM suspended at its start.
pub(super) struct SuspendedVm {
    pub(super) conn: Connection,
    pub(super) events: jdwp::Events,
    /// Its start event, if it was already read.
    pub(super) start: Option<jdwp::EventSet>,
    pub(super) facts: VmFacts,
    /// Its process id, if the operating system shows it.
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

/// The Java home of a process: `HOME/lib/server` has the VM that it has loaded, which may be inside another
/// program, such as Python. Where the system does not report that, its executable is `HOME/bin/java`.
pub(super) fn java_home_of(pid: u32) -> Option<PathBuf> {
    let library = platform::processes::loaded_library(pid, "libjvm.so");
    let of_library = library.as_deref().and_then(|library| library.parent()?.parent()?.parent());
    let executable = platform::processes::executable(pid)?;
    Some(of_library.or_else(|| executable.parent()?.parent())?.to_owned())
}
