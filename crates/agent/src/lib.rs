//! The agent: lives in the debuggee's VM, next to the JDWP agent, and puts probes into the methods that its
//! plan names as their classes are loaded.
//!
//! It never ends its host: what does not work is written to the report, and the program goes on as it is.
//!
//! - `host` speaks with the VM; `natives` is what the recorder asks.
//! - `probes` decides what goes into a class; `steps` is the code that goes in, `copies` that which logs.
//! - `tracing` decides what goes into a class that is recorded, `weave` is the code; `rings` is where its
//!   events go, `pool` has the rings of all threads, `linked` has the VM know it, `fields` finds what is
//!   written. `contents` is what goes into the JDK's collections, `outside` tells what calls of code that is
//!   not recorded may write.
//! - `hidden` reports classes that no load hook sees.
//! - `heap` is where its own memory comes from, `space` where the recorder's does; `compilers` has threads of
//!   the VM step back.
//! - `stacks` reads and names the frames of a hit.
//! - `rows` is where last hits are kept, `burial` tells which objects are gone; `sites` numbers the sites;
//!   `reporter` writes the report.
//! - `java/recorder/` at the root is the Java that the code in the methods calls. Its class files stand
//!   beside their source.

mod burial;
mod compilers;
mod contents;
mod copies;
mod fields;
mod heap;
mod hidden;
mod hidden_classes;
mod host;
mod linked;
mod natives;
mod outside;
mod pool;
mod probes;
mod reporter;
mod rings;
mod rows;
mod sites;
mod space;
mod stacks;
mod state;
mod steps;
mod threads;
mod tracing;
mod weave;

pub use probes::Probes;
pub use tracing::Tracer;

/// The functions by which the VM finds the agent (JVMTI specification, "Starting Agents").
#[allow(missing_docs, reason = "the macro writes them")]
mod exported {
    jvmti_bindings::export_agent!(super::host::Host);
}
