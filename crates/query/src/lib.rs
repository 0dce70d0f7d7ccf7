//! TraceQueries, the executable form of Querypoints (paper §3 and §4): an event kind, its sites, constraints
//! and an index.
//!
//! A chain is translated into TraceQueries, a run watches their events, and the locator checks their
//! constraints. This room holds data, and the walk back through the copies of a value (`copy_walk`). It uses
//! `model` and `expr` and does no I/O.

mod branch_groups;
mod copies;
mod copy_walk;
mod report;

pub use branch_groups::{group_of, groups_of_way};
pub use copies::{Copies, CopySite, CopyWhat, SeenCopy, SiteSet, Source};
pub use copy_walk::{CopyHit, CopyLog, FlowHit, PartRead, SoughtVariable, TracedFlow, walk_back};
pub use report::{OPERANDS, PreventedPass, QueryReport, Sample, Tally};

use expr::{Expr, TextPart};
use model::{MethodName, Site, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A point of a chain, by its position from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PointIndex(pub u16);

/// The executable form of one Querypoint.
#[derive(Clone, Debug)]
pub struct TraceQuery {
    /// Its point.
    pub point: PointIndex,
    /// The id of its point, used in messages.
    pub id: Arc<str>,
    /// The event to watch.
    pub event: Event,
    /// Constraints that relate an occurrence to other points.
    pub constraints: Vec<Constraint>,
    /// The index of the instance in the result set: 0 the first, -1 the last (paper §3).
    pub index: i64,
    /// The values that each candidate must keep to check the constraints of other points.
    pub keep: Vec<Keep>,
    /// Conditions on the occurrence itself.
    pub local: LocalConditions,
    /// What to show to the user; `None` for the default collection of DESIGN §6.
    pub collect: Option<Vec<Arc<Expr>>>,
    /// At a log point: the text of its lines. The values of its parts are those to show.
    pub text: Option<Arc<[TextPart]>>,
    /// For a change: the kept value of the later point that this one's new value must equal. If they differ,
    /// a write was missed (DESIGN §5.2).
    pub compare_at: Option<(PointIndex, usize)>,
}

impl TraceQuery {
    /// Whether a count of the hits over the whole run tells the one that is asked for.
    pub fn is_numbered(&self) -> bool {
        let is_counted = matches!(self.event, Event::Reached(_) | Event::Written(_) | Event::Read(_));
        is_counted && self.constraints.is_empty() && self.index >= -1
    }
}

/// Conditions that depend only on the occurrence.
#[derive(Clone, Debug, Default)]
pub struct LocalConditions {
    /// A Java condition, evaluated in the newest frame.
    pub when: Option<Arc<Expr>>,
    /// Name of the thread.
    pub thread: Option<Arc<str>>,
    /// A method that must be further down the stack, as `Class.method`.
    pub from: Option<Arc<str>>,
    /// The only site whose hits count.
    pub site: Option<Site>,
}

/// A value that a candidate keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Keep {
    /// The frame in which the expression is evaluated: 0 the newest, -1 the oldest.
    pub frame: i32,
    /// The expression.
    pub expr: Arc<Expr>,
}

/// The event to watch.
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
        /// Binary name of its class or a superclass; `None` for all exceptions.
        class: Option<Arc<str>>,
        /// Only caught, only uncaught, or both (`None`).
        caught: Option<bool>,
    },
    /// An exception is caught in an activation of one of these methods, and its throw bypassed the line
    /// (DESIGN §5.10).
    Skipped(Vec<SkippedLine>),
    /// An element of an array is about to be written; only probes observe this.
    ElementWritten(Element),
    /// The queried contents of a collection have changed; only probes observe this.
    Changed(Contents),
    /// An object of a class, or an array of a type, has just been created.
    Made(Making),
    /// A local variable is assigned.
    Stored(Vec<StoreSite>),
    /// A branch on which a point may depend is decided, or such a handler is entered.
    Branched(Vec<BranchSite>),
    /// A value flows through a place towards a point; only probes observe this.
    Copied(Arc<Copies>),
}

/// A place at which each pass of execution is one occurrence (DESIGN §5.8).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The method.
    pub method: MethodName,
    /// Indices at which a pass can begin.
    pub entries: Vec<u32>,
    /// Indices just outside the place, which end a pass. Needed only if a pass can reach two entries.
    pub exits: Vec<u32>,
    /// Whether the place is the start of the method. A jump back to index 0 is then no pass.
    pub on_entry: bool,
    /// The targets of the branch edges on which the place depends. Whoever comes to one of them comes to the
    /// place, unless an exception or a call that does not return prevents it.
    pub gates: Vec<u32>,
}

/// A field, with the names of the class file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// Binary name of the declaring class.
    pub class: Arc<str>,
    /// Name of the field.
    pub name: Arc<str>,
    /// Whether it is static. A static field has no owner.
    pub is_static: bool,
}

/// The elements of arrays of one type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Element {
    /// Descriptor of the elements.
    pub descriptor: Arc<str>,
    /// Their index, if the chain gives one.
    pub index: Option<i32>,
}

/// What is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Making {
    /// An object.
    Object {
        /// Binary name of its class.
        class: Arc<str>,
        /// The places at which `this` is first initialised: in the constructors of the class or of a
        /// superclass.
        sites: Vec<MakingSite>,
    },
    /// An array; only probes observe this.
    Array {
        /// Descriptor of its type.
        descriptor: Arc<str>,
    },
}

/// A place in a constructor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MakingSite {
    /// The instruction after the call of the superclass constructor.
    pub site: Site,
    /// The index of that call.
    pub call: u32,
}

/// A query about the JDK collections of one class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// Binary name of the class.
    pub class: Arc<str>,
    /// The queried part of the contents.
    pub aspect: Aspect,
    /// It is a stream: its changes have no values, since it keeps nothing of what is printed on it.
    pub is_stream: bool,
    /// The source of an index or key reported by an earlier run: the kept value of a point.
    pub source: Option<(PointIndex, usize)>,
    /// The methods of the class and of related classes that can change the contents.
    pub calls: Vec<ContentsCall>,
}

impl Contents {
    /// Whether the JDK itself makes many such calls before those of the program.
    pub fn is_common(&self) -> bool {
        matches!(&*self.class, "java.lang.StringBuilder" | "java.lang.StringBuffer")
    }
}

/// The queried part of a collection's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// All contents.
    All,
    /// An element of a list.
    Element(i32),
    /// The value of a map for a key.
    Key(Key),
}

/// A key that can be looked up without running code of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// `null`
    Null,
    /// A string.
    Text(String),
    /// A boxed value: the letter of its type's descriptor, and the number.
    Boxed(char, i64),
}

impl Key {
    /// The value as a map key; `None` if its equality is identity or unknown.
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
    /// Formats the key as in Java.
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

/// A method that can change the contents of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentsCall {
    /// The method.
    pub method: MethodName,
    /// Whether it belongs to a view that writes on its own.
    pub is_view: bool,
    /// Whether it calls code passed to it. Changes made by that code count separately.
    pub calls: bool,
    /// When a call counts although the size of the collection did not change.
    pub counts: Counts,
}

/// When a call counts although the size of the collection did not change, for queries about all contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Never.
    No,
    /// Always, unless it throws: it puts the reference in this slot somewhere, even if it is already there.
    Put(u16, PutPosition),
    /// If it returns neither `false` nor `null`: it may have changed the contents.
    May,
}

/// The position at which a call puts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutPosition {
    /// The index in this slot.
    At(u16),
    /// The key in this slot.
    Key(u16),
    /// The position of the iterator.
    Here,
}

impl Event {
    /// The sites that led to a site of the event. For the start of a handler, these are the instructions that
    /// may have thrown; otherwise, the site itself.
    pub fn led_from(&self, site: Site) -> Vec<Site> {
        let handler = match self {
            Event::Branched(branches) => branches.iter().find(|b| b.is_handler() && b.site == site),
            _ => None,
        };
        let Some(handler) = handler else { return vec![site] };
        let left = handler.controls.values().flatten();
        left.map(|bci| Site { method: site.method.clone(), bci: *bci }).collect()
    }

    /// Whether the event occurs where a value is stored or returned.
    pub fn gives(&self) -> bool {
        matches!(
            self,
            Event::Written(_)
                | Event::ElementWritten(_)
                | Event::Stored(_)
                | Event::Returned(_)
                | Event::Copied(_)
        )
    }

    /// Whether only probes can observe it.
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

/// A line that an exception can bypass, in one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// The method that contains the line.
    pub method: MethodName,
    /// For each start of a handler, the throwing or calling instructions from which entering it bypasses the
    /// line.
    pub bypassed_from: BTreeMap<u32, Vec<u32>>,
    /// The instructions from which normal flow leads to the line. An exception that leaves the method there
    /// bypasses it too.
    pub left_from: Vec<u32>,
}

/// One store to a local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSite {
    /// The storing instruction; index 0 for a parameter, which is assigned at the method's entry.
    pub site: Site,
    /// Where the new value can be read: the next instruction (DESIGN §5.4), or the site itself for a
    /// parameter.
    pub value_at: u32,
    /// Whether the variable has a value immediately before.
    pub old_readable: bool,
    /// Slot of the variable.
    pub slot: u16,
    /// Descriptor of its type.
    pub descriptor: Arc<str>,
    /// The positions of frames in which the points read the variable stored here.
    pub asked_at: Vec<Site>,
}

/// A branch, or an exception handler, that decides whether a point is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchSite {
    /// The branch instruction, or the first instruction of the handler.
    pub site: Site,
    /// All possible next instructions; empty for a handler.
    pub targets: Vec<u32>,
    /// For each site of the effect, in any frame, the targets on which it is control dependent. For a
    /// handler, the instructions of its method whose exception led to the effect when caught there.
    pub controls: BTreeMap<Site, Vec<u32>>,
    /// If these targets leave an endless loop: the index of the loop's header.
    pub turns: Option<u32>,
}

impl BranchSite {
    /// Whether an effect is control dependent on this target.
    pub fn decides(&self, target: u32) -> bool {
        self.controls.values().any(|ways| ways.contains(&target))
    }

    /// Whether this is an exception handler.
    pub fn is_handler(&self) -> bool {
        self.targets.is_empty()
    }
}

/// The frames to which a constraint applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameSelector {
    /// One frame of the stack: 0 the newest, -1 the oldest.
    Nth(i32),
    /// Any frame of the stack.
    Any,
}

/// A value of an occurrence that is compared by `sameness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The object whose field was written or read, or that was created.
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
    /// Both references denote the same object.
    Sameness {
        /// The occurrence's reference.
        mine: Slot,
        /// The other point.
        point: PointIndex,
        /// The other point's reference.
        theirs: Slot,
    },
    /// Both values are equal: numbers and strings by value, other objects by identity, and `null` equals
    /// `null`.
    SameValue {
        /// The occurrence's value.
        mine: Slot,
        /// The other point.
        point: PointIndex,
        /// The other point's value.
        theirs: Slot,
    },
    /// The occurrence's activation is that of a frame of the point. Exact, where the paper compares stack
    /// shapes.
    MayAffect {
        /// The other point.
        point: PointIndex,
        /// The frame of that point.
        frame: FrameSelector,
    },
    /// The store is to the variable that the point's frame reads: the point's site is among the sites for
    /// which the store was found.
    StoresFor {
        /// The other point.
        point: PointIndex,
        /// The frame of that point.
        frame: i32,
    },
    /// The point depends on the edge taken (for a handler, on the instruction left by the exception), in the
    /// frame of the occurrence's activation.
    Controls(PointIndex),
    /// The point's activation is on the occurrence's stack.
    Within(PointIndex),
    /// The exception is caught in the newest activation of the line's method on the point's stack.
    CaughtIn(PointIndex),
}

impl Constraint {
    /// The point on which it depends.
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
