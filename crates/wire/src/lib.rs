//! What `qp` and its agent in the VM tell each other. `qp` writes a [`Plan`] before the launch; the agent
//! writes a [`Report`], a line for each class that it touched, before any code of that class runs.
//!
//! Both are JSON: they are small, and a report that was cut off is readable up to its last whole line. Names
//! are those of class files, classes with slashes.
#![forbid(unsafe_code)]

mod given;
mod log;
mod place;
mod plan;
pub mod recording;
mod report;

pub use given::only_reads;
pub use log::{LogReader, Logged};
pub use plan::{
    Armed, ArraySites, CollectionCall, ContentsSites, Copied, Counts, FieldSites, LocalStore, MakingSites,
    MethodSites, Place, Plan, PlanError, PlannedQuery, PlannedSite, Varied, What,
};
pub use report::{ClassReport, HiddenClass, Left, MethodReport, Report, ReportReader, SiteReport, reports};

/// The name of the class that the code put into methods calls, with slashes.
pub const PROBE_CLASS: &str = "java/lang/QuerypointProbe";

/// The name of the class that the code of recorded methods calls, with slashes.
pub const TRACE_CLASS: &str = "java/lang/QuerypointTrace";
/// The name of the class that it calls where it writes, with slashes.
pub const TRACE_WRITES_CLASS: &str = "java/lang/QuerypointTraceWrites";
/// The name of the class that it calls where it gives arrays away, with slashes.
pub const TRACE_ARRAYS_CLASS: &str = "java/lang/QuerypointTraceArrays";
/// The name of the class that it calls where a method is entered, with slashes.
pub const TRACE_CALLS_CLASS: &str = "java/lang/QuerypointTraceCalls";
/// The name of the class that it calls where it has fields written, with slashes.
pub const TRACE_FIELDS_CLASS: &str = "java/lang/QuerypointTraceFields";
/// The name of the class that it asks where only some calls are recorded, with slashes.
pub const TRACE_WINDOW_CLASS: &str = "java/lang/QuerypointTraceWindow";
/// The class that code in the JDK's collections calls, with slashes, where their contents are recorded.
pub const TRACE_CONTENTS_CLASS: &str = "java/lang/QuerypointTraceContents";

/// The name of the extra local that numbers activations.
pub const SERIAL: &str = "qp:serial";

/// The name of the extra local that keeps the last mark that ran in an activation, behind 0 for none.
pub const ARM: &str = "qp:arm";

/// The name of the extra local that keeps the last hit of a query in an activation, for one group of places
/// that ask for it.
pub fn kept_name(query: u16, group: u16) -> String {
    format!("qp:{query}-{group}")
}

/// The name of the extra local that counts the turns of the endless loop that a branch of a query can leave.
pub fn turns_name(query: u16, branch: u16) -> String {
    format!("qp:{query}-turns-{branch}")
}

/// Tells the code of two methods apart (FNV-1a, 64 bits): an index means nothing in other code.
pub fn code_hash(code: &[u8]) -> u64 {
    code.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv() {
        // The test vectors of the algorithm's authors.
        assert_eq!(code_hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(code_hash(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(code_hash(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
