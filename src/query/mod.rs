//! TraceQueries: what Querypoints become (paper §3 and §4): an event kind, its sites, constraints and an
//! index.
//!
//! The chain translates into them, a run watches their events, the locator checks their constraints. This
//! room holds only the data: it may use `model` and `expr` and does no I/O.

mod branch_groups;
mod copies;

pub use branch_groups::{group_of, groups_of_way};
pub use copies::{Copies, CopySite, CopyWhat, SeenCopy, SiteSet, Source};

use crate::expr::Expr;
use crate::model::{MethodName, Site, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A point of a chain by its place in it, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointIndex(pub u16);

/// The operational form of one Querypoint.
#[derive(Clone, Debug)]
pub struct TraceQuery {
    /// Its point.
    pub point: PointIndex,
    /// The id of its point, for messages.
    pub id: Arc<str>,
    /// What interrupts the execution.
    pub event: Event,
    /// What relates an occurrence to other points.
    pub constraints: Vec<Constraint>,
    /// Which instance of the result set: 0 the first, -1 the last (paper §3).
    pub index: i64,
    /// Values each candidate must keep so that the constraints of other points can be checked.
    pub keep: Vec<Keep>,
    /// What holds at the occurrence itself.
    pub local: LocalConditions,
    /// What the user wants to see; `None` for the default collection of DESIGN §6.
    pub collect: Option<Vec<Arc<Expr>>>,
    /// For a change: the kept value of the later point that the new value of this one must equal. Where they
    /// differ a write was missed (DESIGN §5.2).
    pub compare_at: Option<(PointIndex, usize)>,
}

/// Conditions that need nothing but the occurrence.
#[derive(Clone, Debug, Default)]
pub struct LocalConditions {
    /// A Java condition at the newest frame.
    pub when: Option<Arc<Expr>>,
    /// Name of the thread.
    pub thread: Option<Arc<str>>,
    /// A method that must be on the stack below, as `Class.method`.
    pub from: Option<Arc<str>>,
    /// The one site whose hits count.
    pub site: Option<Site>,
}

/// A value that a candidate keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// The frame the expression is evaluated in: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// The expression.
    pub expr: Arc<Expr>,
}

/// What interrupts the execution.
#[derive(Clone, Debug)]
pub enum Event {
    /// Execution reaches a place: a line or the start of a method.
    Reached(Vec<Pass>),
    /// A method returns normally (DESIGN §5.9).
    Returned(Vec<MethodName>),
    /// A field is about to be written.
    Written(Field),
    /// A field is about to be read.
    Read(Field),
    /// An exception is thrown.
    Thrown {
        /// Binary name of its class or a superclass; `None` for all.
        class: Option<Arc<str>>,
        /// Only caught, only uncaught, or both.
        caught: Option<bool>,
    },
    /// An exception is caught in an activation of one of these methods and its throw bypassed the line
    /// (DESIGN §5.10).
    Skipped(Vec<SkippedLine>),
    /// An element of an array is about to be written; only probes see it.
    ElementWritten(Element),
    /// What is asked of a collection has changed; only probes see it.
    Changed(Contents),
    /// An object of a class, or an array of a type, has just been made.
    Made(Making),
    /// A local variable is assigned.
    Stored(Vec<StoreSite>),
    /// A branch is decided, or a handler entered, that a point may depend on.
    Branched(Vec<BranchSite>),
    /// A value passes a place on its way to where a point sees it; only probes see it.
    Copied(Arc<Copies>),
}

/// A place where one pass of execution is one occurrence (DESIGN §5.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The method.
    pub method: MethodName,
    /// Indices at which a pass can begin.
    pub entries: Vec<u32>,
    /// Indices just outside the place, that end a pass; needed only where a pass can meet two entries.
    pub exits: Vec<u32>,
    /// The place is the start of the method: a jump back to index 0 is no pass.
    pub on_entry: bool,
}

/// A field by the names of the class file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Binary name of the declaring class.
    pub class: Arc<str>,
    /// Name of the field.
    pub name: Arc<str>,
    /// Whether it is static: such a field has no owner.
    pub is_static: bool,
}

/// The elements of arrays of one type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Descriptor of the elements.
    pub descriptor: Arc<str>,
    /// Their index, where the chain says it.
    pub index: Option<i32>,
}

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Making {
    /// An object.
    Object {
        /// Binary name of its class.
        class: Arc<str>,
        /// Where it first can be handed out: in the constructors of the class or of one above it.
        sites: Vec<MakingSite>,
    },
    /// An array; only probes see it.
    Array {
        /// Descriptor of its type.
        descriptor: Arc<str>,
    },
}

/// A place of a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakingSite {
    /// The instruction behind the call of the superclass's constructor.
    pub site: Site,
    /// The index of that call.
    pub call: u32,
}

/// What is asked of the JDK's collections of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Binary name of the class.
    pub class: Arc<str>,
    /// What is asked.
    pub aspect: Aspect,
    /// Where the index or key is from that an earlier run told: the kept value of a point.
    pub told: Option<(PointIndex, usize)>,
    /// The methods that can change it, of the class and of those around it.
    pub calls: Vec<ContentsCall>,
}

/// What is asked of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// All that it holds.
    All,
    /// An element of a list.
    Element(i32),
    /// What a map has for a key.
    Key(Key),
}

/// A key that can be found without running code of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// `null`
    Null,
    /// A string.
    Text(String),
    /// What a box holds: the letter of its type's descriptor, and the number.
    Boxed(char, i64),
}

impl Key {
    /// What a value is as the key of a map; none where that is its identity.
    pub fn of(value: &Value) -> Option<Key> {
        Some(match value {
            Value::Null => Key::Null,
            Value::Str(text) => Key::Text(text.text.clone()),
            Value::Boolean(b) => Key::Boxed('Z', (*b).into()),
            Value::Byte(n) => Key::Boxed('B', (*n).into()),
            Value::Short(n) => Key::Boxed('S', (*n).into()),
            Value::Char(c) => Key::Boxed('C', (*c).into()),
            Value::Int(n) => Key::Boxed('I', (*n).into()),
            Value::Long(n) => Key::Boxed('J', *n),
            _ => return None,
        })
    }
}

impl std::fmt::Display for Key {
    /// As in Java.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Key::Null => f.write_str("null"),
            Key::Text(text) => write!(f, "{text:?}"),
            Key::Boxed('C', unit) => {
                let unit = u32::try_from(*unit).ok().and_then(char::from_u32).unwrap_or('\u{fffd}');
                write!(f, "{unit:?}")
            }
            Key::Boxed('Z', value) => write!(f, "{}", *value != 0),
            Key::Boxed('J', number) => write!(f, "{number}L"),
            Key::Boxed(_, number) => write!(f, "{number}"),
        }
    }
}

/// A method that can change what a collection holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsCall {
    /// The method.
    pub method: MethodName,
    /// Whether it is of a view that writes by itself.
    pub is_view: bool,
    /// Whether it calls code that it is given: what that changes is its own.
    pub calls: bool,
    /// When a call counts that leaves as much in the collection as before.
    pub counts: Counts,
}

/// When a call counts that leaves as much in a collection as before, where all of it is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At the index in this slot.
    At(u16),
    /// For the key in this slot.
    Key(u16),
    /// Where the iterator stands.
    Here,
}

impl Event {
    /// Whether only probes see it.
    pub fn needs_probes(&self) -> bool {
        matches!(
            self,
            Event::ElementWritten(_)
                | Event::Copied(_)
                | Event::Changed(_)
                | Event::Made(Making::Array { .. })
        )
    }
}

/// The line that an exception can bypass, in one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The method that holds the line.
    pub method: MethodName,
    /// For each handler's start, the indices of throwing or calling instructions from which reaching it
    /// bypasses the line.
    pub bypassed_from: BTreeMap<u32, Vec<u32>>,
}

/// One store to a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSite {
    /// The storing instruction; index 0 for a parameter, which the entry of the method assigns.
    pub site: Site,
    /// Where the new value can be read: the next instruction (DESIGN §5.4). The site itself for a parameter.
    pub value_at: u32,
    /// Whether the variable has a value just before.
    pub old_readable: bool,
    /// Slot of the variable.
    pub slot: u16,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// The points' sites that ask for this store: frames in which the variable is the one stored to.
    pub asked_at: Vec<Site>,
}

/// One branch, or exception handler, that decides whether a point is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchSite {
    /// The branch instruction. For a handler: its first instruction.
    pub site: Site,
    /// All the instructions that can follow; empty for a handler.
    pub targets: Vec<u32>,
    /// For each site of the effect, in whichever frame, the targets on which it is control dependent.
    /// For a handler, the instructions of its method whose exception, caught there, led to the effect.
    pub controls: BTreeMap<Site, Vec<u32>>,
    /// Where these targets leave an endless loop: the index with which each of its turns begins.
    pub turns: Option<u32>,
}

impl BranchSite {
    /// Whether a target is one on which an effect is control dependent.
    pub fn decides(&self, target: u32) -> bool {
        self.controls.values().any(|ways| ways.contains(&target))
    }

    /// Whether this is the start of an exception handler.
    pub fn is_handler(&self) -> bool {
        self.targets.is_empty()
    }
}

/// Whose frame a constraint speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSelector {
    /// One frame of the stack: 0 the newest, -1 the oldest.
    Nth(i32),
    /// Any frame of the stack.
    Any,
}

/// A value of an occurrence that takes part in `sameness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The object whose field was written or read, or that was made.
    Owner,
    /// One of the kept values.
    Kept(usize),
}

/// An inter-point constraint (paper §3 and DESIGN §2).
#[derive(Clone, Debug, PartialEq)]
pub enum Constraint {
    /// The occurrence is earlier than the point.
    Before(PointIndex),
    /// The occurrence is later than the point.
    After(PointIndex),
    /// Both are in the same thread.
    SameThread(PointIndex),
    /// Both references name one object.
    Sameness {
        /// The occurrence's reference.
        mine: Slot,
        /// The other point.
        point: PointIndex,
        /// The other point's reference.
        theirs: Slot,
    },
    /// Both values are the same: numbers and strings by what they are, other objects by identity, `null` as
    /// `null`.
    SameValue {
        /// The occurrence's value.
        mine: Slot,
        /// The other point.
        point: PointIndex,
        /// The other point's value.
        theirs: Slot,
    },
    /// The occurrence's activation is that of a frame of the point (exactly, where the paper compares stack
    /// shapes).
    MayAffect {
        /// The other point.
        point: PointIndex,
        /// Which of its frames.
        frame: FrameSelector,
    },
    /// The store was to the variable that the point's frame sees: the point's site is one the store was found
    /// for.
    StoresFor {
        /// The other point.
        point: PointIndex,
        /// Which of its frames.
        frame: i32,
    },
    /// The way taken (for a handler: the instruction left by the exception) is one that the point depends on,
    /// in the frame of the occurrence's activation.
    Controls(PointIndex),
    /// The point's activation is on the occurrence's stack.
    Within(PointIndex),
    /// The exception is caught in the newest activation of the line's method on the point's stack.
    CaughtIn(PointIndex),
}

impl Constraint {
    /// The point it depends on.
    pub fn point(&self) -> PointIndex {
        match self {
            Constraint::Before(p)
            | Constraint::After(p)
            | Constraint::SameThread(p)
            | Constraint::Controls(p)
            | Constraint::Within(p)
            | Constraint::CaughtIn(p) => *p,
            Constraint::Sameness { point, .. }
            | Constraint::SameValue { point, .. }
            | Constraint::MayAffect { point, .. }
            | Constraint::StoresFor { point, .. } => *point,
        }
    }
}
