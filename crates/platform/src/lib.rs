//! What differs between operating systems, behind one door.
//!
//! Linux reports most of it in `/proc` (proc(5)). Where a system does not report something, the result says
//! so, and the caller does without: a connection then counts as the program's, a process that left its group
//! is not found, and a thread stays on its CPU.
//!
//! `processes` has the processes of the system, `sockets` its connections, `cpu_affinity` the CPUs of
//! threads, `load` how busy the machine is, and `resources` memory, disk space and priorities.

mod cpu_affinity;
mod load;
pub mod processes;
pub mod resources;
pub mod sockets;

pub use cpu_affinity::CpuAvoidance;
pub use load::is_busy;

/// Where Linux reports its processes.
const PROC: &str = "/proc";
