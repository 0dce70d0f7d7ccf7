//! Finds the debuggee's classes and sources statically, on the class path, the module path and in the runtime
//! image.
//!
//! This room only reads files. It may use `bytecode`, and knows no VM, run or chain. It finds the classes
//! that the VM *should* load; a run compares them with `Method.Bytecodes` and reports the [`Origin`] of a
//! class that differs (DESIGN §5.17).

mod archive;
mod argfile;
mod code_owner;
mod entry;
mod error;
mod found_class;
mod imports;
mod java_command;
mod manifest;
mod names;
mod origin;
mod paths;
mod pool;
mod runtime;
mod simple_names;
mod source_encoding;
mod sources;
mod test_class;
#[cfg(test)]
mod tests;

pub use code_owner::{CodeOwner, CodeOwners, DefaultScope, is_of_harness, is_pattern_of_harness};
pub use error::ClassesError;
pub use found_class::FoundClass;
pub use java_command::{JavaCommand, JavaCommandError, LaunchCommand, Main, find_program, java_agent};
pub use names::Resolution;
pub use origin::{ClassBytes, Origin};
pub use paths::ClassPaths;
pub use pool::ClassPool;
pub use source_encoding::SourceEncoding;
pub use sources::{SourcePaths, SourceRoots, SourceText};
