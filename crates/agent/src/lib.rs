//! The agent runs in the debuggee's VM, next to the JDWP agent. It inserts probes into the methods named in
//! its plan when their classes are loaded.
//!
//! It never ends its host. Failures are written to the report, and the program continues unchanged.
//!
//! - `host` communicates with the VM; `natives` implements the recorder's native methods.
//! - `probes` decides which code is inserted into a class; `steps` generates that code, and `copies` the code
//!   that logs copies. `stack_values` keeps values of the operand stack.
//!   `given_probes` looks at arrays and fields around calls of the JDK; `given_natives` has its natives.
//! - `tracing` decides what is recorded in a class, and `weave` generates that code. `rings` serves the rings
//!   of events, `pool` holds the rings of all threads, and `native_registration` registers the natives.
//!   `fields` finds written fields. `contents` rewrites the JDK's collections, `text` its builders and
//!   streams, `loaders` numbers the class loaders, and `external_writes` finds what calls to unrecorded code
//!   may write. `spill` copies the arguments of a call.
//! - `covering` inserts the code that notes which edges of control flow a run covers; `covering_natives` has
//!   the native methods for it.
//! - `threads` rewrites the JDK's thread classes, and `thread_ids` sets back the ids of threads.
//! - `loaded_classes` lets the hook see classes that were loaded early; `hidden` reports those that no hook
//!   sees. `written_files` reports the files that are opened for
//!   writing.
//! - `arena` is the agent's allocator, and `space` reserves address space for the recorder. `jit_priority`
//!   lowers the priority of the VM's compiler threads.
//! - `pins` pins what differs from run to run.
//! - `stacks` reads and names the frames of a hit.
//! - `rows` stores last hits, and `reclaim` finds dead objects. `sites` numbers the sites; `reporter` writes
//!   the report.
//! - `java/recorder/` at the repository root is the Java code that rewritten methods call. Its class files
//!   are next to their source.

mod arena;
mod condition_natives;
mod contents;
mod copies;
mod covering;
mod covering_natives;
mod derived_lines;
mod entry;
mod external_writes;
mod fields;
mod generated;
mod given_natives;
mod given_probes;
mod head_room;
mod hidden;
mod hidden_classes;
mod host;
mod jit_priority;
mod loaded_classes;
mod loaders;
mod log_lines;
mod native_registration;
mod natives;
mod pins;
mod pool;
mod probes;
mod reclaim;
mod recorder_calls;
mod reporter;
mod rings;
mod rows;
mod site_report;
mod sites;
mod space;
mod spill;
mod stack_values;
mod stacks;
mod state;
mod steering;
mod steps;
mod text;
mod thread_ids;
mod threads;
mod tracing;
mod value_tests;
mod weave;
mod weaving;
mod written_files;

pub use probes::Probes;
pub use tracing::Tracer;

/// The functions by which the VM finds the agent (JVMTI specification, "Starting Agents").
#[allow(missing_docs, reason = "the macro writes them")]
mod exported {
    jvmti_bindings::export_agent!(super::host::Host);
}
