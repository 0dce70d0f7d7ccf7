//! The data exchanged by `qp` and its agent in the VM. `qp` writes a [`Plan`] before the launch. The agent
//! writes a [`Report`] with one line per transformed class, before any code of that class runs.
//!
//! Both are JSON, because they are small, and because a truncated report can be read up to its last complete
//! line. Names are those of class files, with slashes in class names.
#![forbid(unsafe_code)]

pub mod brief;
pub mod chosen;
mod collection_change;
mod coverage;
mod lines;
mod log;
mod pins;
mod place;
mod plan;
pub mod recording;
mod report;
pub mod scope;
mod stack_values;
pub mod steering;
mod text_change;
mod thread;

pub use coverage::{CoverableClass, CoverableMethod, CoveredRun, FlowEdge};
pub use lines::LoggedLine;
pub use log::{LogReader, LoggedHit};
pub use pins::Pins;
pub use plan::{
    ArmedHit, ArraySites, BranchEdge, CollectionCall, CompiledCondition, ContentsSites, CopyEvent, Counts,
    FieldSites, HitWindow, LocalStore, MakingSites, MethodSites, Plan, PlanError, PlannedQuery, PlannedSite,
    PutPosition, SiteEvent, TestParameter, TestPlace, TestedCondition,
};
pub use report::{
    CalledMethod, ClassReport, HiddenClass, LoadedClass, LoaderReport, MethodReport, Report, ReportReader,
    SiteReport, SkippedMethod, TestedCounts, reports,
};
pub use stack_values::{KeptStackValue, UsedStackValue};
pub use thread::{ToldThread, names_thread};

/// The class called by inserted probes, with slashes.
pub const PROBE_CLASS: &str = "java/lang/QuerypointProbe";
/// The recorder's class that looks at what calls of the JDK may write, and the prefix of its parts.
pub const PROBE_GIVEN_CLASS: &str = "java/lang/QuerypointProbeGiven";

/// The class through which methods of the JDK pass their values in a pinned run, with slashes.
pub const PINS_CLASS: &str = "java/lang/QuerypointPins";

/// The class called by methods whose coverage is noted, with slashes.
pub const COVER_CLASS: &str = "java/lang/QuerypointCover";

/// The class called by recorded methods, with slashes.
pub const TRACE_CLASS: &str = "java/lang/QuerypointTrace";
/// The class called by recorded writes, with slashes.
pub const TRACE_WRITES_CLASS: &str = "java/lang/QuerypointTraceWrites";
/// The class called when recorded code passes arrays to other methods, with slashes.
pub const TRACE_ARRAYS_CLASS: &str = "java/lang/QuerypointTraceArrays";
/// The class called on entry of recorded methods, with slashes.
pub const TRACE_CALLS_CLASS: &str = "java/lang/QuerypointTraceCalls";
/// The class called when unrecorded code may have written recorded fields, with slashes.
pub const TRACE_FIELDS_CLASS: &str = "java/lang/QuerypointTraceFields";
/// The class called when an exception is thrown, caught or leaves a recorded method, with slashes.
pub const TRACE_THROWS_CLASS: &str = "java/lang/QuerypointTraceThrows";
/// The class that decides whether a call is recorded, if only some calls are; with slashes.
pub const TRACE_WINDOW_CLASS: &str = "java/lang/QuerypointTraceWindow";
/// The class that inserted code asks where only calls and writes with certain values are recorded.
pub const TRACE_TEST_CLASS: &str = "java/lang/QuerypointTraceTest";
/// The class called before a steered jump, with slashes.
pub const TRACE_STEERING_CLASS: &str = "java/lang/QuerypointTraceSteering";
/// The class called by the JDK's collections when their contents are recorded, with slashes.
pub const TRACE_CONTENTS_CLASS: &str = "java/lang/QuerypointTraceContents";
/// The recorder class that the JDK's builders and streams call, with slashes.
pub const TRACE_TEXT_CLASS: &str = "java/lang/QuerypointTraceText";

/// The name of the additional local that numbers activations.
pub const SERIAL: &str = "qp:serial";

/// The name of the additional local that keeps the last mark executed in an activation, plus one; 0 for none.
pub const ARM: &str = "qp:arm";

/// The name of the additional local that keeps the last hit of a query in an activation. There is one per
/// group of places that need it.
pub fn kept_name(query: u16, group: u16) -> String {
    format!("qp:{query}-{group}")
}

/// The name of the additional local that counts the iterations of the endless loop that a branch of a query
/// can leave.
pub fn turns_name(query: u16, branch: u16) -> String {
    format!("qp:{query}-turns-{branch}")
}

/// The name of the additional local that says whether a pass over a place of a query has begun.
pub fn pass_name(query: u16, pass: u16) -> String {
    format!("qp:{query}-pass-{pass}")
}

/// Whether a method is the one written as `Class.method`. The class is given by its binary name, which may be
/// written with dots for `$`, or without its package, or as its innermost name. A method can be written
/// alone. The names of the source are accepted too: `Shop.+=`, `core/grant!`.
pub fn is_method(class: &str, name: &str, written: &str) -> bool {
    if descriptor::written::is_method(class, name, written) {
        return true;
    }
    let Some((written_class, written_name)) = written.rsplit_once('.') else { return name == written };
    let unpacked = class.rsplit_once('.').map_or(class, |(_, unpacked)| unpacked);
    name == written_name
        && (class == written_class
            || unpacked.replace('$', ".") == written_class
            || class.replace('$', ".") == written_class)
}

/// Identifies the code of a method (FNV-1a, 64 bits), because code indices are meaningless in other code.
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
