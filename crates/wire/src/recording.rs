//! The recording of a run: what is recorded, the ring buffers into which threads write events, and the
//! meaning of the numbers in those events. docs/trace-format.md describes the format for other programs.

use crate::brief::Brief;
use crate::chosen::Chosen;
pub use crate::collection_change::Change;
pub use crate::place::{ClassOrFile, MethodOrLine, Place, Places};
use crate::steering::Steering;
pub use crate::text_change::{
    AT_END, OF_BYTES, ON_ERR, ON_OUT, TEXT_CHANGE, TWO_BYTES, TextEffect, text_digest,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The level of detail of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Calls, with arguments and results, and exceptions.
    #[default]
    Calls,
    /// Also writes: fields, elements, and created arrays.
    Writes,
    /// Also lines, branches, local variables and locks.
    All,
}

impl std::fmt::Display for Level {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Level::Calls => "calls",
            Level::Writes => "writes",
            Level::All => "all",
        })
    }
}

impl Level {
    /// The next lower level.
    pub fn lower(self) -> Option<Level> {
        match self {
            Level::Calls => None,
            Level::Writes => Some(Level::Calls),
            Level::All => Some(Level::Writes),
        }
    }
}

/// What to record of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracePlan {
    /// The level of detail.
    pub level: Level,
    /// Patterns of the classes to record, with dots. If empty, all classes outside the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes to exclude.
    pub trust: Vec<String>,
    /// The directory for the files with the rings.
    pub rings: PathBuf,
    /// Record only these calls.
    pub window: Option<Window>,
    /// Record only between these places.
    #[serde(default)]
    pub places: Option<Places>,
    /// The value that the program reads as `java.class.path`, if that is not what the VM uses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_path: Option<String>,
    /// Record only these methods and fields, instead of all at the level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<Chosen>,
    /// Methods that are recorded in less detail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<Brief>,
    /// The jump that goes another way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steering: Option<Steering>,
    /// Whether to note only which edges of control flow the recorded classes cover, instead of events. The
    /// level, the rings and the window then mean nothing.
    #[serde(default)]
    pub covers: bool,
}

/// A range of calls of one thread. The thread's calls of recorded methods are numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The name of the thread.
    pub thread: String,
    /// Its number in Java, if other threads have its name.
    #[serde(default)]
    pub number: Option<u64>,
    /// The number of earlier threads with this name, if its number is unknown.
    pub nth: u32,
    /// The first call.
    pub from: u64,
    /// The first call after the range.
    pub to: u64,
    /// The enclosing calls, outermost first. Only their entries and exits are recorded.
    pub around: Vec<u64>,
}

/// Offset of the data in a ring. Before it are the control words, 8 bytes each, little endian, at the
/// offsets below. A multiple of the page size of any system.
pub const RING_DATA: u64 = 1 << 16;
/// Size of a ring's data in bytes: for the first threads, for some more, and for all others. Each is a
/// power of two and at least a page.
pub const RING_SIZES: [u64; 3] = [1 << 22, 1 << 20, 1 << 16];
/// Number of rings of the first size, and of the first two sizes together. All others are small: a program
/// with thousands of threads has a ring for each.
pub const LARGE_RINGS: [u32; 2] = [8, 128];
/// Number of rings of each size in one file.
pub const RINGS_IN_FILE: [u32; 3] = [1, 8, 64];
/// Maximum number of rings, however many threads are alive at once.
pub const MOST_RINGS: u32 = 1 << 16;
/// The file that tells the reader which rings have new data: control words of 8 bytes, then one byte per
/// ring. It exists before the VM starts.
pub const BOARD: &str = "board";
/// Offset of the per-ring bytes. A byte is non-zero if its ring was written since the reader last checked.
pub const BOARD_FLAGS: u64 = 64;
/// Size of the file in bytes.
pub const BOARD_BYTES: u64 = BOARD_FLAGS + MOST_RINGS as u64;
/// Word of the board that the reader sets when it stops reading.
pub const STOPPED: u64 = 0;
/// Word of the board that the agent sets if it could not write to its report.
pub const UNTOLD: u64 = 8;
/// Word of the board that counts the objects of `StackOverflowError` that recorded code met.
pub const OVERFLOWS: u64 = 32;
/// Total number of bytes written by the thread; only whole events count.
pub const WRITTEN: u64 = 0;
/// The value of [`WRITTEN`] up to which the thread can write without checking [`TAKEN`]. Only the thread
/// uses it.
pub const LIMIT: u64 = 8;
/// Size of the ring's data minus 1, the mask for positions.
pub const MASK: u64 = 16;
/// The system's number of the thread that created the ring; 0 if unknown.
pub const THREAD: u64 = 24;
/// Total number of bytes consumed. Written by the reader.
pub const TAKEN: u64 = 64;
/// 1: the thread has ended. 2 ([`FREE`]): its events were also consumed, so another thread may take the
/// ring.
pub const ENDED: u64 = 128;
/// See [`ENDED`]; written by the reader.
pub const FREE: u64 = 2;
/// Time in microseconds that the thread has waited for the reader.
pub const WAITED: u64 = 136;
/// The number of the thread whose events the ring contains.
pub const OWNER: u64 = 144;
/// The address of the ring's byte of the board in the VM's memory. Only the VM uses it.
pub const FLAG: u64 = 152;
/// The number of the exception that is on its way through the thread's calls, 4 bytes. Only the VM uses
/// it.
pub const FLYING: u64 = 160;
/// Number of bytes to read to get all of these words except [`FLAG`] and [`FLYING`].
pub const CONTROL: usize = 152;

/// First number of an event that says: another thread recorded events in between. A word of 8 bytes
/// follows, which orders such events across threads.
pub const TURN: u32 = 1;
/// The lowest site number. An event at a site begins with the number of the site.
pub const FIRST_SITE: u32 = 16;
/// First number of an event for the first use of an object; it can occur twice if two threads use the
/// object at once. The object's number, a byte for its kind, and its class follow.
pub const MEETING: u32 = 2;
/// First number of an event for the end of a thread. The uncaught exception follows, or 0.
pub const END: u32 = 3;
/// First number of an event for a call in progress whose entry was not recorded. The site of its entry
/// follows. The outermost call comes first.
pub const AROUND: u32 = 5;
/// First number of an event for the start of another thread, whose number as an object follows.
pub const START: u32 = 6;
/// First number of an event for a write to an array element through a list view of the array. The array,
/// the index and the new value follow.
pub const STORED: u32 = 7;
/// First number of an event for an exception that reaches its first recorded method, and that no recorded
/// `athrow` has thrown: the VM raised it, or unrecorded code threw it. The exception follows, and the line
/// in that method where it came, 0 if unknown. The event is right before the [`Traced::Leave`] or
/// [`Traced::Catch`].
pub const RAISED: u32 = 9;
/// First number of an event about the contents of a JDK collection. The collection's number, the kind of
/// change and the new size (-1 if unknown) follow, then the data described by [`Change`].
pub const CONTENTS: u32 = 4;
/// Bit of a class number that says that the class name follows.
pub const NAMED: u32 = 1 << 31;
/// Maximum size of an event in bytes: a call with 255 arguments, or an object whose class has a long name.
pub const LONGEST_EVENT: u64 = 1 << 12;
/// Maximum number of lines that follow from one event. Each has the position of one of the event's bytes
/// after the first, and an event has at least four bytes.
pub const DERIVED_LINES: usize = 3;
/// Maximum number of recorded characters of a string.
pub const TEXT: usize = 100;
/// Maximum number of recorded characters of an exception's message.
pub const MESSAGE: usize = 1000;
/// Maximum number of recorded bytes of a class name.
pub const NAME: usize = 400;
/// A string: its length and its first characters follow the class.
pub const IS_TEXT: u8 = 1;
/// An array: its length follows.
pub const IS_ARRAY: u8 = 2;
/// A boxed primitive: its value follows.
pub const IS_BOX: u8 = 3;
/// An enum constant: its name follows, encoded like a string.
pub const IS_CONSTANT: u8 = 4;
/// An enum constant with its own class body; the enum is the superclass. Its name follows, encoded like a
/// string.
pub const IS_CONSTANT_WITH_BODY: u8 = 5;
/// An exception: its message follows, encoded like a string. The length is -1 if there is no message. Then
/// the number of its cause follows, 0 if it has none.
pub const IS_EXCEPTION: u8 = 6;
/// A class object: the name of the class follows, encoded like that of a new class.
pub const IS_CLASS: u8 = 7;
/// An immutable JDK object described by its fields. The number of values (a byte) follows, then each value
/// as a descriptor letter and 8 bytes.
pub const IS_FIELDS: u8 = 8;

/// The kind of an event at a site, which determines the data after the site number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Traced {
    /// The method is entered. The arguments follow, `this` first. A constructor's `this` is uninitialised
    /// and left out.
    Enter,
    /// A constructor has called another constructor, which initialised `this`. `this` follows.
    Born,
    /// The method returns. Its result follows, if any.
    Return,
    /// An `athrow` instruction throws an exception, also again. The exception follows.
    Throw,
    /// An exception leaves the method. The exception follows.
    Leave,
    /// A handler of the method begins. The exception follows.
    Catch,
    /// A field of an object is written. The object, the old value and the new value follow.
    Put,
    /// A constructor writes a field of `this` before `this` is initialised. The new value follows.
    Preset,
    /// A static field is written. The old value and the new value follow.
    PutStatic,
    /// An array element is written. The array, the index, the old value and the new value follow. The
    /// letter is the first of the elements' descriptor: `B` also for `boolean`, `L` for all references.
    Element(char),
    /// An array was created. The array follows.
    Array,
    /// A local variable was written. The new value follows.
    Local {
        /// Its slot.
        slot: u16,
        /// The first letter of a descriptor: `I` for all types that the VM computes as `int`, `L` for all
        /// references.
        kind: char,
    },
    /// A line begins.
    Line(u16),
    /// Execution continues at this index after a branch.
    Branch(u16),
    /// An object was locked. The object follows.
    Lock,
    /// An object is unlocked. The object follows.
    Unlock,
    /// The contents of a JDK collection are listed or changed. The collection, the kind of change, the new
    /// size and the data described by [`Change`] follow. Not bound to a site.
    Contents,
    /// A thread is about to be started. Its thread object follows. Not bound to a site.
    Start,
    /// The text of a builder is recorded or changes, or something is printed on a stream. See
    /// [`TEXT_CHANGE`]. Not bound to a site.
    Text,
    /// An exception came that no recorded `athrow` has thrown. See [`RAISED`]. Not bound to a site.
    Raised,
}

impl Traced {
    /// The lowest level at which the event is recorded.
    pub fn level(self) -> Level {
        match self {
            Traced::Enter
            | Traced::Born
            | Traced::Return
            | Traced::Throw
            | Traced::Raised
            | Traced::Leave
            | Traced::Catch
            | Traced::Start => Level::Calls,
            Traced::Put
            | Traced::Preset
            | Traced::PutStatic
            | Traced::Element(_)
            | Traced::Array
            | Traced::Contents
            | Traced::Text => Level::Writes,
            Traced::Local { .. } | Traced::Line(_) | Traced::Branch(_) | Traced::Lock | Traced::Unlock => {
                Level::All
            }
        }
    }

    /// The word for the event in output.
    pub fn word(self) -> &'static str {
        Traced::WORDS[self.nth()]
    }

    /// The words for all events.
    pub const WORDS: [&str; 18] = [
        "enter", "return", "leave", "born", "catch", "field", "element", "array", "local", "line", "branch",
        "lock", "unlock", "contents", "start", "text", "throw", "raised",
    ];

    /// The position of the event's word in [`Traced::WORDS`].
    #[inline]
    pub fn nth(self) -> usize {
        match self {
            Traced::Enter => 0,
            Traced::Return => 1,
            Traced::Leave => 2,
            Traced::Born => 3,
            Traced::Catch => 4,
            Traced::Put | Traced::Preset | Traced::PutStatic => 5,
            Traced::Element(_) => 6,
            Traced::Array => 7,
            Traced::Local { .. } => 8,
            Traced::Line(_) => 9,
            Traced::Branch(_) => 10,
            Traced::Lock => 11,
            Traced::Unlock => 12,
            Traced::Contents => 13,
            Traced::Start => 14,
            Traced::Text => 15,
            Traced::Throw => 16,
            Traced::Raised => 17,
        }
    }
}

/// A field or local variable that an event writes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WrittenVariable {
    /// The class that the instruction names for a field, with slashes: the declaring class or a subclass.
    /// Empty for a local variable.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A site of recorded events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedSite {
    /// Its number, valid in this run only.
    pub id: u32,
    /// The code index in the class file; for [`Traced::Leave`], that of the end of the code.
    pub bci: u32,
    /// The kind of its events.
    pub what: Traced,
    /// Its source line, if the class file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// For a branch: the line at which execution continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    /// The field or local variable written; `None` for a local variable that the class file does not name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<WrittenVariable>,
    /// For a call: the method that wrote, such as `java.util.Arrays.sort`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The sites of lines that have no events of their own: each event of this site is followed, before any
    /// other event of its call, by the beginnings of these lines, in this order. At most [`DERIVED_LINES`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<u32>,
}

/// An additional site at the code index of another one: an unrecorded method called there wrote a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteReport {
    /// The number of the other site.
    pub of: u32,
    /// The number of this site.
    pub id: u32,
    /// The field.
    pub written: WrittenVariable,
    /// Whether it is static.
    pub is_static: bool,
}

/// A recorded method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its access flags (JVMS §4.6).
    pub access: u16,
    /// The level at which it is recorded.
    pub level: Level,
    /// The names of its parameters, as far as known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Option<String>>,
    /// Its sites.
    pub sites: Vec<TracedSite>,
}

impl TracedMethod {
    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.access & 0x0008 != 0
    }
}

/// A field that a recorded class declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredField {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its access flags (JVMS §4.5).
    pub access: u16,
}

impl DeclaredField {
    /// Whether it is static.
    pub fn is_static(&self) -> bool {
        self.access & 0x0008 != 0
    }
}

/// A recorded class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedClass {
    /// Its name, with slashes.
    pub class: String,
    /// The number of the loader that defines it; 0 for the VM's own.
    #[serde(default)]
    pub loader: u32,
    /// Its source file, if the class file names it.
    pub source: Option<String>,
    /// Its superclass, with slashes.
    pub superclass: Option<String>,
    /// Its access flags (JVMS §4.1).
    pub access: u16,
    /// The interfaces that it names, with slashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interfaces: Vec<String>,
    /// Its declared fields.
    pub fields: Vec<DeclaredField>,
    /// Its recorded methods.
    pub methods: Vec<TracedMethod>,
    /// Its methods that could not be recorded: name, descriptor and reason.
    pub left: Vec<(String, String, String)>,
}

/// The ring of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingReport {
    /// The number of the thread, which also identifies its chunks.
    pub ring: u32,
    /// The name of the thread.
    pub thread: String,
    /// Its number in Java (`Thread.threadId`).
    #[serde(default)]
    pub number: u64,
    /// For a thread without a name: whether it is virtual.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_virtual: bool,
    /// The name of its group, if it has one: a thread that has ended has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The number of the thread object.
    pub object: u32,
    /// The position of the ring. Other threads may have used it before, or use it after this one ends.
    pub place: RingPlace,
}

/// The position of a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingPlace {
    /// The number of its file.
    pub file: u32,
    /// Its offset in the file, in bytes.
    pub at: u64,
    /// The index of its byte in the board.
    pub slot: u32,
}

impl RingPlace {
    /// The name of its file.
    pub fn name(self) -> String {
        format!("rings-{}", self.file)
    }
}

impl TracePlan {
    /// Whether a class, given by its name with dots, is recorded.
    pub fn records(&self, class: &str) -> bool {
        crate::scope::is_recorded(&self.scope, &self.trust, class)
    }

    /// Whether the patterns select a class, given by its name with dots, whether or not it is generated.
    pub fn selects(&self, class: &str) -> bool {
        crate::scope::selects(&self.scope, &self.trust, class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_event_has_a_word() {
        use Traced::*;
        let all = [
            (Enter, "enter"),
            (Return, "return"),
            (Leave, "leave"),
            (Born, "born"),
            (Catch, "catch"),
            (Put, "field"),
            (Preset, "field"),
            (PutStatic, "field"),
            (Element('I'), "element"),
            (Array, "array"),
            (Local { slot: 1, kind: 'I' }, "local"),
            (Line(1), "line"),
            (Branch(1), "branch"),
            (Lock, "lock"),
            (Unlock, "unlock"),
            (Contents, "contents"),
            (Start, "start"),
            (Text, "text"),
            (Throw, "throw"),
            (Raised, "raised"),
        ];
        assert!(all.iter().all(|(what, word)| what.word() == *word));
        assert!(Traced::WORDS.iter().all(|word| all.iter().any(|(_, known)| known == word)));
    }
}
