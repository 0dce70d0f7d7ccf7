//! What the agent is to put where.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The plan of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Where the agent writes its report; it is there and empty.
    pub report: PathBuf,
    /// Where the agent writes the log of what is [`What::Copied`], when it is asked for it.
    pub log: PathBuf,
    /// By number.
    pub queries: Vec<PlannedQuery>,
    /// Sites that are known by their method.
    pub methods: Vec<MethodSites>,
    /// Fields, whose sites are found as classes are loaded.
    pub fields: Vec<FieldSites>,
    /// Arrays, whose sites are found as classes are loaded.
    pub arrays: Vec<ArraySites>,
    /// Types of arrays, whose making is found as classes are loaded.
    pub makings: Vec<MakingSites>,
    /// What is asked of collections; their sites are among `methods`.
    pub contents: Vec<ContentsSites>,
    /// Whether hits are only counted, and the counts told when the VM ends.
    pub counts: bool,
    /// What is recorded. Then nothing else of the plan is meant.
    pub trace: Option<crate::recording::TracePlan>,
}

/// What one query wants of its hits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedQuery {
    /// So many of its first hits stop; `u32::MAX`: all.
    pub budget: u32,
    /// Later hits that stop all the same.
    pub armed: Vec<Armed>,
    /// How its hits are numbered over all threads, where the run is not expected to repeat another.
    pub varied: Option<Varied>,
}

/// How the hits of a query are numbered, and which of them stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Varied {
    /// The first number that stops.
    pub from: u64,
    /// The first one behind it that does not.
    pub to: u64,
    /// Whether the last hit of each owner is kept with its values and its stack.
    pub whole: bool,
    /// Stops are those while the next hit of this query would stop, whatever their own numbers.
    pub with: Option<u16>,
}

/// A hit to stop at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Armed {
    /// The class of its site.
    pub class: String,
    /// The method.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The index.
    pub bci: u32,
    /// What tells it from other sites at that index: [`What::way`].
    pub way: Option<u32>,
    /// The name of the thread.
    pub thread: String,
    /// Its number among the hits of the site in threads of that name, from 1.
    pub ordinal: u64,
}

/// What goes into one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MethodSites {
    /// The class.
    pub class: String,
    /// The method.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The [`crate::code_hash`] of the code that the indices are of.
    pub code: u64,
    /// Whether its activations are numbered.
    pub serial: bool,
    /// Instructions that an activation remembers as its last mark.
    #[serde(default)]
    pub marks: Vec<u32>,
    /// The sites.
    pub sites: Vec<PlannedSite>,
}

/// One site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedSite {
    /// Whose it is.
    pub query: u16,
    /// The index.
    pub bci: u32,
    /// What happens there.
    pub what: What,
}

/// What happens at a site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Execution reaches it.
    At,
    /// The method is entered; a jump to index 0 does not count.
    Entered,
    /// The branch there takes a way.
    Way {
        /// Where it leads.
        to: u32,
        /// Whether the branch jumps there.
        jumps: bool,
        /// Whether it is the next instruction, where execution goes on without a jump.
        falls: bool,
        /// The groups of places for which an activation keeps it. Without any it only counts as a hit of the
        /// branch.
        groups: Vec<u16>,
        /// Where it leaves an endless loop whose turns are counted: the place of the branch in its query.
        leaves: Option<u16>,
    },
    /// A turn of an endless loop begins: it is counted in the activation. The place of the branch in its
    /// query that can leave the loop.
    Turn(u16),
    /// A local variable is stored.
    Stored(LocalStore),
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// By how much.
        by: i32,
    },
    /// A parameter has its value, as the method is entered.
    Passed(LocalStore),
    /// The call of another constructor has made `this` an object. The index is that behind it.
    Made {
        /// The index of the call.
        call: u32,
        /// Whether the last hit of each object is kept.
        keep: bool,
    },
    /// The method may change what a collection holds. The index is 0: it is one site, however it is left.
    Changes(CollectionCall),
    /// The instruction returns from the method.
    Returns {
        /// The first letter of the result's descriptor; `V` for none.
        kind: char,
    },
    /// A value is passed on there: each hit is logged.
    Copied(Copied),
}

/// How a value is passed on at a site. Kinds are first letters of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Copied {
    /// As a parameter, as the method is entered.
    Entered(LocalStore),
    /// It is on top of the stack: of a store or a return.
    Top {
        /// Its kind.
        kind: char,
    },
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// By how much.
        by: i32,
    },
    /// It is put into a field.
    Put {
        /// Its kind.
        kind: char,
        /// Whether the field is static.
        is_static: bool,
    },
    /// It was put into a field of `this` before `this` was an object.
    Constructed {
        /// The call behind which it is one.
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
    /// Execution comes by.
    Here,
    /// Execution goes on behind.
    Behind,
}

impl What {
    /// What tells a site from another of the same query at the same index: the slot of a parameter, behind
    /// all indices. The ways of a branch are one site.
    pub fn way(&self) -> Option<u32> {
        match self {
            What::Passed(LocalStore { slot, .. })
            | What::Copied(Copied::Entered(LocalStore { slot, .. })) => Some(PASSED + u32::from(*slot)),
            What::Copied(Copied::Behind) => Some(BEHIND),
            _ => None,
        }
    }
}

/// No code has an index so high (JVMS §4.7.3).
const PASSED: u32 = 1 << 16;
/// Nor has any method so many slots.
const BEHIND: u32 = 1 << 17;

/// A method of one of the JDK's collections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionCall {
    /// Whether it belongs to a view that leads to the collection.
    pub is_view: bool,
    /// Whether it calls code that it is given.
    pub calls: bool,
    /// When a call counts that leaves as much in the collection as before, where all of it is asked about.
    pub counts: Counts,
    /// The indices of its returns.
    pub returns: Vec<u32>,
    /// The first letter of its result's descriptor; `V` for none.
    pub result: char,
    /// In a constructor: the index of the call of another, and the index behind it.
    pub call: Option<(u32, u32)>,
    /// Whether the last hit of each collection is kept.
    pub keep: bool,
}

/// When a call counts that leaves as much in a collection as before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Counts {
    /// Never.
    No,
    /// Always, unless an exception leaves it: it puts the reference in this slot somewhere, be it the same
    /// again.
    Put(u16, Place),
    /// When it does not return `false` or `null`: then it may have.
    May,
}

/// Where a call puts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Place {
    /// At the index in this slot.
    At(u16),
    /// For the key in this slot.
    Key(u16),
    /// Where the iterator stands.
    Here,
}

/// What is asked of the collections of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentsSites {
    /// Whose it is.
    pub query: u16,
    /// The class, with dots, a space, a letter that says what is asked, and the index or key, as the recorder
    /// reads it.
    pub about: String,
}

/// A local variable as it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalStore {
    /// Its slot.
    pub slot: u16,
    /// The first letter of its descriptor; `L` for every reference.
    pub kind: char,
}

/// A field whose accesses are sites, in whatever class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldSites {
    /// Whose they are.
    pub query: u16,
    /// The class that declares it.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor; empty where it is not known.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Whether writes are meant; else reads.
    pub writes: bool,
    /// Whether the last hit of each owner is kept.
    pub keep: bool,
}

/// Arrays of one type, the stores to whose elements are sites in every class that is not the VM's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArraySites {
    /// Whose they are.
    pub query: u16,
    /// The first letter of the elements' descriptor; `L` for every reference.
    pub kind: char,
    /// Whether the last hit of each element is kept.
    pub keep: bool,
    /// The index of the elements that are asked for, where that is known. Then hits of others neither stop
    /// nor are kept.
    pub index: Option<i32>,
}

/// Arrays of one type, whose making is a site in every class that is not the VM's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MakingSites {
    /// Whose they are.
    pub query: u16,
    /// The descriptor of the type.
    pub descriptor: String,
    /// Whether the last hit of each array is kept.
    pub keep: bool,
}

/// Why a plan cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The file.
    #[error("the plan {path}: {error}")]
    Io {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        error: std::io::Error,
    },
    /// What is in it.
    #[error("the plan {path} is of another version of qp, or broken: {error}")]
    Json {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        error: serde_json::Error,
    },
}

impl Plan {
    /// The descriptor of the class of a query's owners, where one names them all: that of a field, or the
    /// type of the arrays.
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

    /// Where the plan of a process is in the folder of a run; without a process, of whichever it is.
    pub fn path(folder: &Path, process: Option<u32>) -> PathBuf {
        folder.join(process.map_or_else(|| "plan".to_owned(), |process| format!("plan-{process}")))
    }

    /// The plan of a process, if there is one. A VM without is not meant.
    pub fn find(folder: &Path, process: u32) -> Option<Plan> {
        [Some(process), None].into_iter().find_map(|process| Plan::read(&Plan::path(folder, process)).ok())
    }

    /// Reads a plan.
    ///
    /// # Errors
    /// The file cannot be read, or is no plan.
    pub fn read(path: &Path) -> Result<Plan, PlanError> {
        let bytes = std::fs::read(path).map_err(|error| PlanError::Io { path: path.to_owned(), error })?;
        serde_json::from_slice(&bytes).map_err(|error| PlanError::Json { path: path.to_owned(), error })
    }

    /// Writes a plan.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), PlanError> {
        let bytes = serde_json::to_vec(self);
        let bytes = bytes.map_err(|error| PlanError::Json { path: path.to_owned(), error })?;
        std::fs::write(path, bytes).map_err(|error| PlanError::Io { path: path.to_owned(), error })
    }
}
