//! The class bytes of the debuggee, found statically: class path, module path, runtime image, and sources.
//!
//! This room reads files and nothing else. It may use `bytecode` and the file system; it knows no VM, no run
//! and no chain. What it finds is what the VM *should* load: a run compares it with `Method.Bytecodes` and
//! names the [`Origin`] where they differ (DESIGN §5.17).

mod archive;
mod argfile;
mod entry;
mod error;
mod java_command;
mod manifest;
mod names;
mod paths;
mod pool;
mod runtime;
mod sources;
#[cfg(test)]
mod tests;

pub use error::ClassesError;
pub use java_command::{JavaCommand, JavaCommandError, LaunchCommand, Main, find_program};
pub use names::Resolution;
pub use paths::ClassPaths;
pub use pool::{ClassBytes, ClassPool, FoundClass, Origin};
pub use sources::{SourceRoots, SourceText};
