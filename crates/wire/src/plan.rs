//! The plan: which probes the agent inserts, and where.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The plan of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The file for the agent's report; it exists and is empty.
    pub report: PathBuf,
    /// The file for the log of [`SiteEvent::Copied`] hits.
    pub log: PathBuf,
    /// The pipe for the lines of log points; it exists.
    #[serde(default)]
    pub lines: PathBuf,
    /// The queries, by number.
    pub queries: Vec<PlannedQuery>,
    /// Sites in known methods.
    pub methods: Vec<MethodSites>,
    /// Fields whose access sites the agent finds as classes are loaded.
    pub fields: Vec<FieldSites>,
    /// Arrays whose store sites the agent finds as classes are loaded.
    pub arrays: Vec<ArraySites>,
    /// Array types whose allocation sites the agent finds as classes are loaded.
    pub makings: Vec<MakingSites>,
    /// Queries about collections; their sites are among `methods`.
    pub contents: Vec<ContentsSites>,
    /// The compiled conditions that sites test.
    #[serde(default)]
    pub conditions: Vec<CompiledCondition>,
    /// Whether hits are only counted, and the counts reported when the VM ends.
    pub counts: bool,
    /// Whether to report the class files of classes with sites, and of recorded ones, as they were loaded:
    /// Java agents may rewrite them.
    #[serde(default)]
    pub tells_loaded: bool,
    /// The recording to make. If present, the agent ignores the rest of the plan.
    pub trace: Option<crate::recording::TracePlan>,
}

/// How the hits of one query are handled.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedQuery {
    /// Number of initial hits that suspend the VM; `u32::MAX` means all.
    pub budget: u32,
    /// Later hits that suspend the VM as well.
    pub armed: Vec<ArmedHit>,
    /// Numbers the hits over all threads, for a run that need not repeat another one.
    pub varied: Option<HitWindow>,
    /// The only threads whose hits are asked for, at sites that are tested: see [`crate::names_thread`].
    #[serde(default)]
    pub thread: Option<String>,
    /// A method that must be further down the stack, at sites that are tested: `Class.method`, see
    /// [`crate::is_method`].
    #[serde(default)]
    pub from: Option<String>,
    /// Of the hits of tested sites, only the one after so many others suspends the VM; `None` for all.
    #[serde(default)]
    pub before: Option<u64>,
    /// For a log point: the maximum number of lines that it writes. Hits of its tested sites suspend the VM
    /// only if the VM cannot make their line.
    #[serde(default)]
    pub lines: Option<u64>,
}

/// A class whose method `test` evaluates a condition. Its parameters are [`TestedCondition::parameters`],
/// then the number of the site as an `int`; it tells the recorder the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompiledCondition {
    /// Its name, with slashes.
    pub class: String,
    /// The class file.
    pub bytes: Vec<u8>,
}

/// How a condition is tested at a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestedCondition {
    /// Its place among [`Plan::conditions`].
    pub condition: u16,
    /// What its method is passed.
    pub parameters: Vec<TestParameter>,
    /// The descriptor of the method.
    pub descriptor: String,
    /// If a pass over the place can reach several of its sites: a number for the place. Only the first hit of
    /// a pass is tested.
    pub pass: Option<u16>,
    /// Where in the code it is tested.
    pub place: TestPlace,
}

/// Where in a method a condition is tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestPlace {
    /// Before the instruction. A value that is stored or returned is on top of the operand stack.
    #[default]
    Before,
    /// Where the method is entered. A jump to index 0 is then no hit.
    Entry,
    /// At the entry, where the parameter in this slot receives its value.
    Passed(u16),
    /// Before an `iinc` of a slot by an increment.
    Increased(u16, i32),
    /// Where the branch takes this edge.
    Edge(BranchEdge),
}

/// An edge of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchEdge {
    /// Its target.
    pub to: u32,
    /// Whether it is a jump.
    pub jumps: bool,
    /// Whether the target is the next instruction, reached without a jump.
    pub falls: bool,
    /// If it leaves an endless loop whose iterations are counted: the position of the branch in its query.
    pub leaves: Option<u16>,
}

/// What a condition is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TestParameter {
    /// A local variable.
    Local(LocalStore),
    /// The class whose code is at the site.
    Class,
    /// Whether a pass over the place has begun before: an `int`.
    Begun,
    /// The object whose field is written or read; `null` for a static field.
    Owner,
    /// The value that is written or returned, by the first letter of its descriptor.
    Value(char),
}

/// Numbers the hits of a query and selects those that suspend the VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HitWindow {
    /// The first number that suspends the VM.
    pub from: u64,
    /// The first number after that which does not.
    pub to: u64,
    /// Whether the last hit of each owner is kept with its values and stack.
    pub whole: bool,
    /// If set, hits suspend the VM while the next hit of this query would, regardless of their own numbers.
    pub with: Option<u16>,
}

/// A hit at which the VM is suspended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArmedHit {
    /// The class of its site.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The index.
    pub bci: u32,
    /// Distinguishes sites with the same index: [`SiteEvent::way`].
    pub way: Option<u32>,
    /// The name of the thread.
    pub thread: String,
    /// The numbers that the thread can have in this run, from the first to the last; `None` for any.
    #[serde(default)]
    pub numbers: Option<(u64, u64)>,
    /// The number of the hit among those of the site in the thread, from 1.
    pub ordinal: u64,
}

/// The sites in one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodSites {
    /// The class.
    pub class: String,
    /// The method.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The [`crate::code_hash`] of the code to which the indices refer.
    pub code: u64,
    /// Whether its activations are numbered.
    pub serial: bool,
    /// Instructions that each activation remembers as its last mark.
    #[serde(default)]
    pub marks: Vec<u32>,
    /// Values of the operand stack that each activation keeps.
    #[serde(default)]
    pub stack_values: Vec<crate::KeptStackValue>,
    /// The sites.
    pub sites: Vec<PlannedSite>,
}

/// One site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSite {
    /// The query to which it belongs.
    pub query: u16,
    /// The code index.
    pub bci: u32,
    /// The kind of event.
    pub what: SiteEvent,
}

/// The kind of event at a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SiteEvent {
    /// Execution reaches the instruction.
    At,
    /// The method is entered. A jump to index 0 does not count.
    Entered,
    /// The branch takes one of its edges.
    Way {
        /// The edge.
        edge: BranchEdge,
        /// The groups of places for which an activation remembers this edge. If empty, the edge only counts
        /// as a hit of the branch.
        groups: Vec<u16>,
    },
    /// An iteration of an endless loop begins and is counted in the activation. The number is the position in
    /// the query of the branch that can leave the loop.
    Turn(u16),
    /// A local variable is stored.
    Stored(LocalStore),
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// The increment.
        by: i32,
    },
    /// A parameter receives its value at the method's entry.
    Passed(LocalStore),
    /// The call of another constructor has initialised `this`. The index is that after the call.
    Made {
        /// The code index of the call.
        call: u32,
        /// Whether the last hit of each object is kept.
        keep: bool,
    },
    /// The method may change the contents of a collection. The index is 0: the method is one site, however it
    /// exits.
    Changes(CollectionCall),
    /// The instruction returns from the method.
    Returns {
        /// The first letter of the result's descriptor; `V` for none.
        kind: char,
    },
    /// A value passes through: each hit is logged.
    Copied(CopyEvent),
    /// Execution reaches the instruction, and a condition is tested.
    Tested(TestedCondition),
    /// A pass over a place of [`SiteEvent::Tested`] sites has ended, by its number. This is no hit.
    PassEnded(u16),
}

/// How a value passes through a site. Kinds are first letters of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CopyEvent {
    /// As a parameter, at the method's entry.
    Entered(LocalStore),
    /// It is on top of the stack, before a store or return.
    Top {
        /// Its kind.
        kind: char,
    },
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// The increment.
        by: i32,
    },
    /// It is written to a field.
    Put {
        /// Its kind.
        kind: char,
        /// Whether the field is static.
        is_static: bool,
    },
    /// It was written to a field of `this` before `this` was initialised.
    Constructed {
        /// The call after which `this` is initialised.
        behind: u32,
    },
    /// It is stored into an array.
    ElementPut {
        /// Its kind.
        kind: char,
    },
    /// It is about to be read from a field.
    Got {
        /// Its kind.
        kind: char,
        /// Whether the field is static.
        is_static: bool,
    },
    /// It is about to be read from an array.
    GotElement,
    /// Execution reaches the instruction.
    Here,
    /// The instruction has completed.
    Behind,
}

impl SiteEvent {
    /// Distinguishes sites of the same query at the same index. For a parameter, this is its slot plus a
    /// constant above all code indices. The edges of a branch are one site.
    pub fn way(&self) -> Option<u32> {
        match self {
            SiteEvent::Passed(LocalStore { slot, .. })
            | SiteEvent::Copied(CopyEvent::Entered(LocalStore { slot, .. })) => {
                Some(PASSED + u32::from(*slot))
            }
            SiteEvent::Tested(TestedCondition { place: TestPlace::Passed(slot), .. }) => {
                Some(PASSED + u32::from(*slot))
            }
            SiteEvent::Copied(CopyEvent::Behind) => Some(BEHIND),
            _ => None,
        }
    }
}

/// Above all code indices (JVMS §4.7.3).
const PASSED: u32 = 1 << 16;
/// Above the value for any parameter slot.
const BEHIND: u32 = 1 << 17;

/// A method of a JDK collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionCall {
    /// Whether it belongs to a view of the collection.
    pub is_view: bool,
    /// Whether it calls code passed to it.
    pub calls: bool,
    /// When a call counts although the size of the collection did not change, for queries about all contents.
    pub counts: Counts,
    /// The code indices of its return instructions.
    pub returns: Vec<u32>,
    /// The first letter of the result's descriptor; `V` for none.
    pub result: char,
    /// For a constructor: the index of the call of another constructor, and the index after it.
    pub call: Option<(u32, u32)>,
    /// Whether the last hit of each collection is kept.
    pub keep: bool,
}

/// When a call counts although the size of the collection did not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counts {
    /// Never.
    No,
    /// Always, unless it throws: it puts the reference in this slot somewhere, even if it is already there.
    Put(u16, PutPosition),
    /// If it returns neither `false` nor `null`: it may have changed the contents.
    May,
}

/// The position at which a call puts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PutPosition {
    /// The index in this slot.
    At(u16),
    /// The key in this slot.
    Key(u16),
    /// The position of the iterator.
    Here,
}

/// A query about the collections of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentsSites {
    /// The number of the query.
    pub query: u16,
    /// The class with dots, a space, a letter for the kind of query, and the index or key in the recorder's
    /// format.
    pub about: String,
}

/// A local variable that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalStore {
    /// Its slot.
    pub slot: u16,
    /// The first letter of its descriptor; `L` for all references.
    pub kind: char,
}

/// A field whose accesses are sites in every class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSites {
    /// The query of the sites.
    pub query: u16,
    /// The declaring class.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor; empty if unknown.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Whether the sites are writes rather than reads.
    pub writes: bool,
    /// Whether the last hit of each owner is kept.
    pub keep: bool,
    /// How hits are tested. The first parameters are the owner and, at a write, the value.
    #[serde(default)]
    pub tested: Option<TestedCondition>,
}

/// Arrays of one type. Stores to their elements are sites in every class outside the VM's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArraySites {
    /// The query of the sites.
    pub query: u16,
    /// The first letter of the elements' descriptor; `L` for all references.
    pub kind: char,
    /// Whether the last hit of each element is kept.
    pub keep: bool,
    /// The element index in question, if known. Hits of other elements then neither suspend the VM nor are
    /// kept.
    pub index: Option<i32>,
}

/// Arrays of one type. Their allocations are sites in every class outside the VM's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakingSites {
    /// The query of the sites.
    pub query: u16,
    /// The descriptor of the type.
    pub descriptor: String,
    /// Whether the last hit of each array is kept.
    pub keep: bool,
}

/// Why a plan cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file cannot be read or written.
    #[error("cannot read or write the plan {path}: {error}")]
    Io {
        /// The path of the file.
        path: PathBuf,
        /// The I/O error.
        error: std::io::Error,
    },
    /// The content is not a valid plan.
    #[error("the plan {path} is invalid or from another version of qp: {error}")]
    Json {
        /// The path of the file.
        path: PathBuf,
        /// The decoding error.
        error: serde_json::Error,
    },
}

impl Plan {
    /// The fields whose writes are asked for.
    pub fn written_fields(&self) -> impl Iterator<Item = &FieldSites> {
        self.fields.iter().filter(|field| field.writes)
    }

    /// The field whose writes a query asks for.
    pub fn written(&self, query: i32) -> Option<&FieldSites> {
        self.written_fields().find(|field| i32::from(field.query) == query)
    }

    /// The descriptor of a class or array type that all owners of a query have: that of its field or of its
    /// arrays. `None` if there is no single one.
    pub fn owners(&self, query: i32) -> Option<String> {
        let field = self.fields.iter().find(|f| i32::from(f.query) == query && !f.is_static);
        let array = self.arrays.iter().find(|a| i32::from(a.query) == query);
        match (field, array) {
            (Some(field), _) => Some(format!("L{};", field.class)),
            // The same instruction stores into arrays of `boolean`.
            (None, Some(ArraySites { kind: 'B' | 'Z', .. })) => None,
            (None, Some(ArraySites { kind: 'L', .. })) => Some("[Ljava/lang/Object;".to_owned()),
            (None, Some(array)) => Some(format!("[{}", array.kind)),
            (None, None) => None,
        }
    }

    /// Whether a query does not ask for hits in a thread with this name and number, at sites that are tested.
    pub fn is_tested_elsewhere(&self, query: u16, thread: &str, number: u64) -> bool {
        let wanted = self.queries.get(usize::from(query)).and_then(|planned| planned.thread.as_deref());
        wanted.is_some_and(|wanted| !crate::names_thread(wanted, thread, number))
    }

    /// The path of a plan in the folder of a run: that of one process, or that for any process.
    pub fn path(folder: &Path, process: Option<u32>) -> PathBuf {
        folder.join(process.map_or_else(|| "plan".to_owned(), |process| format!("plan-{process}")))
    }

    /// The plan for a process; `None` if the run does not concern that VM.
    pub fn find(folder: &Path, process: u32) -> Option<Plan> {
        [Some(process), None].into_iter().find_map(|process| Plan::read(&Plan::path(folder, process)).ok())
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// If the file cannot be read or is not a plan.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        let bytes = std::fs::read(path).map_err(|error| PlanError::Io { path: path.to_owned(), error })?;
        serde_json::from_slice(&bytes).map_err(|error| PlanError::Json { path: path.to_owned(), error })
    }

    /// Writes a plan.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PlanError> {
        let bytes = serde_json::to_vec(self);
        let bytes = bytes.map_err(|error| PlanError::Json { path: path.to_owned(), error })?;
        std::fs::write(path, bytes).map_err(|error| PlanError::Io { path: path.to_owned(), error })
    }
}
