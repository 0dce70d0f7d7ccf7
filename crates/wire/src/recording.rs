//! The recording of a run: what of it is recorded, the rings in which its threads leave their events, and
//! what the numbers in those events mean. docs/trace-format.md describes it for readers of other programs.

pub use crate::place::{At, Of, Place, Places};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How much is recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Calls, with arguments and results, and exceptions.
    #[default]
    Calls,
    /// What is written too: fields, elements, arrays that are made.
    Writes,
    /// And lines, branches, local variables and locks.
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
    /// The next lower one.
    pub fn lower(self) -> Option<Level> {
        match self {
            Level::Calls => None,
            Level::Writes => Some(Level::Calls),
            Level::All => Some(Level::Writes),
        }
    }
}

/// What is recorded of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracePlan {
    /// How much.
    pub level: Level,
    /// Classes whose methods are recorded: patterns of names with dots. Without any, all but those of the
    /// JDK.
    pub scope: Vec<String>,
    /// Classes that are not recorded all the same.
    pub trust: Vec<String>,
    /// Where the rings are made: one file for each thread.
    pub rings: PathBuf,
    /// Only these calls.
    pub window: Option<Window>,
    /// Only what is done between these places.
    #[serde(default)]
    pub places: Option<Places>,
}

/// Calls of one thread, by their ordinals: the thread's calls of recorded methods are counted from 0 on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The name of the thread.
    pub thread: String,
    /// How many threads of this name have come before it.
    pub nth: u32,
    /// The first call.
    pub from: u64,
    /// The first call that is not one of them any more.
    pub to: u64,
    /// The calls around, outermost first: of these no more than calls is recorded.
    pub around: Vec<u64>,
}

/// Where the data of a ring begins. Before it are words of 8 bytes, little endian, at these offsets. A page
/// of any system.
pub const RING_DATA: u64 = 1 << 16;
/// How much data a ring holds, in bytes: those of the first threads, those of some more, and of all further
/// ones. Each is a power of two, and no less than a page of any system.
pub const RING_SIZES: [u64; 3] = [1 << 22, 1 << 20, 1 << 16];
/// How many rings have the first size, and how many the first two. Each further one is small: a program with
/// thousands of threads has a ring for each.
pub const LARGE_RINGS: [u32; 2] = [8, 128];
/// How many rings of a size lie in one file, one behind the other.
pub const RINGS_IN_FILE: [u32; 3] = [1, 8, 64];
/// No more rings than this are made, however many threads live at once.
pub const MOST_RINGS: u32 = 1 << 16;
/// The file beside the rings by which they are found that were written to: words of 8 bytes, then a byte for
/// each ring. It is there before the VM begins.
pub const BOARD: &str = "board";
/// Where the bytes of the rings begin in it: not 0 where a thread has gone on in that ring since the reader
/// has looked.
pub const BOARD_FLAGS: u64 = 64;
/// How long it is.
pub const BOARD_BYTES: u64 = BOARD_FLAGS + MOST_RINGS as u64;
/// The word of the board by which the reader says that it takes out no more.
pub const STOPPED: u64 = 0;
/// The word of the board by which the agent says that it could not write to its report.
pub const UNTOLD: u64 = 8;
/// How many bytes the thread has written in all: whole events.
pub const WRITTEN: u64 = 0;
/// How much the thread may have written before it looks at [`TAKEN`] again: it alone uses that.
pub const LIMIT: u64 = 8;
/// How much data the ring holds, less 1: a place modulo that is one of its bits.
pub const MASK: u64 = 16;
/// The number by which the system knows the thread that made the ring; 0 where it does not tell.
pub const THREAD: u64 = 24;
/// How many of them were taken out: written by who reads the ring.
pub const TAKEN: u64 = 64;
/// 1: the thread has ended. 2: all that it has written was taken out, too, and another thread may have the
/// ring.
pub const ENDED: u64 = 128;
/// See [`ENDED`]: written by who reads the ring.
pub const FREE: u64 = 2;
/// For how many microseconds the thread has waited until something was taken out.
pub const WAITED: u64 = 136;
/// The number of the thread whose events the ring holds.
pub const OWNER: u64 = 144;
/// Where the ring's byte of the board is, in the VM's memory: that alone uses it.
pub const FLAG: u64 = 152;
/// So many bytes have to be read to know all of these words.
pub const CONTROL: usize = 152;

/// The number that begins an event which says that its thread goes on where another one has recorded before:
/// then a word of 8 bytes follows, which orders such events of all threads.
pub const TURN: u32 = 1;
/// The first number of a site: an event begins with that of its site.
pub const FIRST_SITE: u32 = 16;
/// The number that begins an event which tells of an object that is met for the first time, or for a second
/// time where two threads do so at once: then its number follows, a byte that says what it is, and its class.
pub const MEETING: u32 = 2;
/// The number that begins an event which says that its thread ends: the exception that nobody caught follows,
/// 0 for none.
pub const END: u32 = 3;
/// The number that begins an event which says that a call goes on whose entry was not recorded: the site of
/// its entry follows. The outermost comes first.
pub const AROUND: u32 = 5;
/// The number that begins an event which says that its thread starts another one: the number of that one as
/// an object follows.
pub const START: u32 = 6;
/// The number of the event that an element of an array was written through the list that stands on it: the
/// array, the index, and what it holds from here on.
pub const STORED: u32 = 7;
/// The number that begins an event which says what a collection of the JDK holds: its number follows, what is
/// done, and how many it holds then, -1 where that is not known; then what [`Change`] says.
pub const CONTENTS: u32 = 4;
/// The bit of a class's number by which its name follows.
pub const NAMED: u32 = 1 << 31;
/// No event is longer than so many bytes: a call with 255 arguments, or an object whose class has a long
/// name.
pub const LONGEST_EVENT: u64 = 1 << 12;
/// So many characters of a string are recorded, at most.
pub const TEXT: usize = 100;
/// So many bytes of a class's name are recorded, at most.
pub const NAME: usize = 400;
/// The object is a text: its length follows its class, and how it begins.
pub const IS_TEXT: u8 = 1;
/// It is an array: its length follows.
pub const IS_ARRAY: u8 = 2;
/// It is a box of a primitive value: that follows.
pub const IS_BOX: u8 = 3;
/// It is a constant of an enum: its name follows, as a text does.
pub const IS_CONSTANT: u8 = 4;
/// The same, of a constant that has a class of its own; the enum is the class above.
pub const IS_CONSTANT_WITH_BODY: u8 = 5;
/// It is an exception: its message follows, as a text does. The length is -1 where it has none.
pub const IS_EXCEPTION: u8 = 6;
/// It is a class: its name follows, as that of a class that is met for the first time.
pub const IS_CLASS: u8 = 7;
/// It is an object of the JDK that never changes, told by its fields: how many values follow (a byte), and
/// each of them, a letter as in descriptors and 8 bytes.
pub const IS_FIELDS: u8 = 8;

/// What an event at a site is, and so what follows its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Traced {
    /// The method is entered: its arguments follow, `this` first; a constructor's `this` is no object yet,
    /// and is left out.
    Enter,
    /// A constructor has called another one, and its `this` is an object: that follows.
    Born,
    /// The method returns: its result follows, if it has one.
    Return,
    /// An exception leaves the method, and follows.
    Leave,
    /// A handler of the method begins, and its exception follows.
    Catch,
    /// A field of an object is written: the object follows, what the field held, and what it holds from here
    /// on.
    Put,
    /// A field of a constructor's `this` is written before that is an object: what it holds from here on
    /// follows.
    Preset,
    /// A static field is written: what it held follows, and what it holds from here on.
    PutStatic,
    /// An element is written: the array follows, the index, what the element held, and what it holds from
    /// here on. The first letter of the elements' descriptor; `B` for `boolean` too, `L` for every reference.
    Element(char),
    /// An array was made, and follows.
    Array,
    /// A local variable was written, and what it holds follows.
    Local {
        /// Its slot.
        slot: u16,
        /// The first letter of a descriptor, `I` for all that the VM computes with as an `int`, `L` for every
        /// reference.
        kind: char,
    },
    /// A line begins.
    Line(u16),
    /// Execution goes on behind a branch, at this index.
    Branch(u16),
    /// An object was locked, and follows.
    Lock,
    /// An object is unlocked, and follows.
    Unlock,
    /// What a collection of the JDK holds is told, or changes: the collection follows, what is done, how many
    /// it holds then, and what [`Change`] says. It happens at no site of its own.
    Contents,
    /// A thread is about to be started: its object follows. It happens at no site of its own.
    Start,
}

/// What is done to a collection, by the number that tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// All that a list or set holds: the place of the first of these, how many these are, and these.
    AllOfList = 1,
    /// All that a map holds: the place of the first of these words, how many these are, and these: each key,
    /// and its value.
    AllOfMap = 2,
    /// Everything was removed.
    Clear = 3,
    /// An element was put in: the index, and the element.
    Insert = 4,
    /// One was replaced: the index, and the new one.
    Set = 5,
    /// One was removed: the index.
    Remove = 6,
    /// One was removed, wherever it was: the element.
    Take = 7,
    /// A key has a value: the key, and the value. A new one is the last.
    Put = 8,
    /// A new key: the key, the value, whether another one is before it in the map's order (1, else 0), and
    /// that.
    PutBehind = 9,
    /// A key is the last one now: the key, and the value.
    PutLast = 10,
    /// A key was removed: the key.
    Unput = 11,
    /// It holds what another collection or array holds: that, and whether only the keys of that (1, else 0).
    Backed = 12,
    /// A key of some map, it is not known which, has a value: the key, and the value.
    Doubt = 13,
}

impl Change {
    /// All, by their numbers from 1 on.
    const ALL: [Change; 13] = [
        Change::AllOfList,
        Change::AllOfMap,
        Change::Clear,
        Change::Insert,
        Change::Set,
        Change::Remove,
        Change::Take,
        Change::Put,
        Change::PutBehind,
        Change::PutLast,
        Change::Unput,
        Change::Backed,
        Change::Doubt,
    ];

    /// That of a number.
    pub fn of(number: u32) -> Option<Change> {
        Change::ALL.get(usize::try_from(number.checked_sub(1)?).ok()?).copied()
    }

    /// One word for it.
    pub fn word(self) -> &'static str {
        match self {
            Change::AllOfList | Change::AllOfMap => "all",
            Change::Clear => "clear",
            Change::Insert => "insert",
            Change::Set => "set",
            Change::Remove | Change::Take | Change::Unput => "remove",
            Change::Put | Change::PutBehind => "put",
            Change::PutLast => "last",
            Change::Backed => "backed",
            Change::Doubt => "doubt",
        }
    }
}

impl Traced {
    /// From which level on it is recorded.
    pub fn level(self) -> Level {
        match self {
            Traced::Enter | Traced::Born | Traced::Return | Traced::Leave | Traced::Catch | Traced::Start => {
                Level::Calls
            }
            Traced::Put
            | Traced::Preset
            | Traced::PutStatic
            | Traced::Element(_)
            | Traced::Array
            | Traced::Contents => Level::Writes,
            Traced::Local { .. } | Traced::Line(_) | Traced::Branch(_) | Traced::Lock | Traced::Unlock => {
                Level::All
            }
        }
    }

    /// One word for it.
    pub fn word(self) -> &'static str {
        Traced::WORDS[self.nth()]
    }

    /// The words for what happens.
    pub const WORDS: [&str; 15] = [
        "enter", "return", "leave", "born", "catch", "field", "element", "array", "local", "line", "branch",
        "lock", "unlock", "contents", "start",
    ];

    /// The place of its word among these.
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
        }
    }
}

/// A field or local variable that is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Written {
    /// The class by which the instruction names a field, with slashes: that which declares it, or one below.
    /// Empty for a local variable.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
}

/// A site of events.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedSite {
    /// Its number, in this run only.
    pub id: u32,
    /// The index, of the class file's code; that of the method's end for [`Traced::Leave`].
    pub bci: u32,
    /// What happens there.
    pub what: Traced,
    /// The line of the source that it is in, if the class file says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u16>,
    /// Of a branch: the line where execution goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    /// What is written there; of a local variable where the class file names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
    /// Of a call: the method that has written it, `java.util.Arrays.sort`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// A further site, where another one is: a call of code that is not recorded has written a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteReport {
    /// That other one.
    pub of: u32,
    /// The number of this one.
    pub id: u32,
    /// The field.
    pub written: Written,
    /// Whether it is static.
    pub is_static: bool,
}

/// A method that is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedMethod {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Its access flags (JVMS §4.6).
    pub access: u16,
    /// How much of it is recorded.
    pub level: Level,
    /// The names of its parameters, as far as they are known.
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

/// A class that is recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedClass {
    /// Its name, with slashes.
    pub class: String,
    /// The file of its source, if the class file says so.
    pub source: Option<String>,
    /// The class that it extends, with slashes.
    pub superclass: Option<String>,
    /// The names of the fields that it declares.
    pub fields: Vec<String>,
    /// Its methods that are recorded.
    pub methods: Vec<TracedMethod>,
    /// Those that are not, and why.
    pub left: Vec<(String, String, String)>,
}

/// The ring of a thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingReport {
    /// The number of the thread, which its chunks have.
    pub ring: u32,
    /// The name of its thread.
    pub thread: String,
    /// The number of its thread as an object.
    pub object: u32,
    /// Where its ring is. Another thread may have had it before, and have it when this one has ended.
    pub place: RingPlace,
}

/// Where a ring is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RingPlace {
    /// The number of its file.
    pub file: u32,
    /// The byte of that with which it begins.
    pub at: u64,
    /// The number of its byte of the board.
    pub slot: u32,
}

impl RingPlace {
    /// The name of the file.
    pub fn name(self) -> String {
        format!("rings-{}", self.file)
    }
}

/// Whether a class is named by a pattern: `com.acme.Shop` names that class and those inside it, `com.acme.*`
/// the classes of a package, `com.acme.**` those of the packages below it too, `**` all.
pub fn is_named(pattern: &str, class: &str) -> bool {
    let below = |package: &str| class.strip_prefix(package).and_then(|rest| rest.strip_prefix('.'));
    if pattern == "**" {
        true
    } else if let Some(package) = pattern.strip_suffix(".**") {
        below(package).is_some()
    } else if let Some(package) = pattern.strip_suffix(".*") {
        below(package).is_some_and(|name| !name.contains('.'))
    } else {
        class.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    }
}

/// The packages of the JDK, which are recorded only where a pattern names them.
const OF_THE_JDK: [&str; 6] =
    ["java.**", "javax.**", "jdk.**", "sun.**", "com.sun.**", "netscape.javascript.*"];

impl TracePlan {
    /// Whether a class is recorded, by its name with dots.
    pub fn records(&self, class: &str) -> bool {
        let named = |patterns: &[String]| patterns.iter().any(|pattern| is_named(pattern, class));
        let wanted = if self.scope.is_empty() {
            !OF_THE_JDK.iter().any(|pattern| is_named(pattern, class))
        } else {
            named(&self.scope)
        };
        wanted && !named(&self.trust)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_found_by_their_numbers() {
        let numbers: Vec<u32> = (0..20).filter(|number| Change::of(*number).is_some()).collect();
        assert_eq!(numbers, (1..=13).collect::<Vec<u32>>());
        assert!((1..=13).all(|number| Change::of(number).is_some_and(|change| change as u32 == number)));
    }

    #[test]
    fn each_thing_that_happens_has_its_word() {
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
        ];
        assert!(all.iter().all(|(what, word)| what.word() == *word));
        assert!(Traced::WORDS.iter().all(|word| all.iter().any(|(_, known)| known == word)));
    }

    #[test]
    fn patterns_name_classes_and_packages() {
        for (pattern, class, named) in [
            ("com.acme.Shop", "com.acme.Shop", true),
            ("com.acme.Shop", "com.acme.Shop$Item", true),
            ("com.acme.Shop", "com.acme.Shopping", false),
            ("com.acme.*", "com.acme.Shop", true),
            ("com.acme.*", "com.acme.till.Till", false),
            ("com.acme.**", "com.acme.till.Till", true),
            ("com.acme.**", "com.acmeother.Till", false),
            ("**", "Main", true),
        ] {
            assert_eq!(is_named(pattern, class), named, "{pattern} {class}");
        }
    }

    #[test]
    fn the_jdk_is_recorded_where_it_is_named() {
        let plan = |scope: &[&str], trust: &[&str]| TracePlan {
            level: Level::Calls,
            scope: scope.iter().map(ToString::to_string).collect(),
            trust: trust.iter().map(ToString::to_string).collect(),
            rings: PathBuf::new(),
            window: None,
            places: None,
        };
        assert!(plan(&[], &[]).records("Main") && !plan(&[], &[]).records("java.util.ArrayList"));
        assert!(plan(&["com.sun.tools.javac.**"], &[]).records("com.sun.tools.javac.Main"));
        assert!(!plan(&["Main"], &[]).records("Other"));
        assert!(!plan(&[], &["org.lib.**"]).records("org.lib.a.B"));
    }
}
