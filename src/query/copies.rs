//! The ways by which a value can have come to where a point sees it: every place of the program's own classes
//! that may have passed it on, and where each had it from. Found from class files alone; which of the ways a
//! run took, its log tells.

use crate::model::Site;
use std::fmt;
use std::sync::Arc;

/// Places in [`Copies::sites`], ascending.
pub type SiteSet = Arc<[u32]>;

/// The ways of one point.
#[derive(Clone)]
pub struct Copies {
    /// The places, by number.
    pub sites: Vec<CopySite>,
    /// The variable that the point sees.
    pub seen: SeenCopy,
}

impl Copies {
    /// A place by its number.
    pub fn site(&self, number: u32) -> Option<&CopySite> {
        self.sites.get(usize::try_from(number).ok()?)
    }
}

impl fmt::Debug for Copies {
    /// Short: there can be very many.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} places, {:?}", self.sites.len(), self.seen)
    }
}

/// The variable that a point sees, with the places that give it its value.
#[derive(Clone, Debug)]
pub enum SeenCopy {
    /// A local variable of a frame. By where the frame stands: the places that may have stored what it sees
    /// there.
    Local {
        /// Which frame: 0 the newest, -1 the oldest.
        frame: i32,
        /// The places.
        stores: Vec<(Site, SiteSet)>,
    },
    /// A field.
    Field {
        /// Which of the point's kept values is the owner; none for a static field.
        owner: Option<usize>,
        /// The places.
        puts: SiteSet,
    },
    /// An element of an array.
    Element {
        /// Which of the point's kept values is the array.
        array: usize,
        /// Which is the index.
        index: usize,
        /// The places.
        puts: SiteSet,
    },
}

/// A place that a value can pass.
#[derive(Clone, Debug)]
pub struct CopySite {
    /// Where it is.
    pub site: Site,
    /// What happens there.
    pub what: CopyWhat,
    /// Where the value can be from that is passed on here; empty where none is.
    pub sources: Vec<Source>,
}

/// What happens at a place. Values are described by the first letters of their descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyWhat {
    /// A parameter has its value, as the method is entered.
    Entered {
        /// Its slot.
        slot: u16,
        /// Its descriptor.
        descriptor: Arc<str>,
        /// The calls that can enter the method, ascending, and which of their arguments it is; none where a
        /// lambda has captured it.
        callers: Arc<[(u32, Option<usize>)]>,
    },
    /// A local variable is stored.
    Stored {
        /// Its slot.
        slot: u16,
        /// The first letter of what is stored.
        kind: char,
    },
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// By how much.
        by: i32,
    },
    /// A field is written.
    Put {
        /// Its name.
        name: Arc<str>,
        /// Its descriptor.
        descriptor: Arc<str>,
        /// Whether it is static.
        is_static: bool,
        /// Where `this` is no object yet: the call of the other constructor, behind which it is.
        constructed: Option<u32>,
    },
    /// An element of an array is written.
    ElementPut {
        /// The first letter of the elements' descriptor.
        kind: char,
    },
    /// A method is about to be called.
    Called {
        /// For each of its parameters that may matter, where its argument can be from.
        arguments: Vec<(usize, Vec<Source>)>,
    },
    /// The method returns a value.
    Returned {
        /// The first letter of its descriptor.
        kind: char,
    },
    /// A call has come back with a value.
    Back,
    /// A field is about to be read.
    Got {
        /// The first letter of its descriptor.
        kind: char,
        /// Whether it is static.
        is_static: bool,
    },
    /// An element of an array is about to be read.
    GotElement,
    /// Execution comes by an instruction that pushes what may be passed on.
    Chosen,
}

impl CopyWhat {
    /// The descriptor of the value that can be seen to pass here, as far as it is known: `I` may stand for
    /// any of the smaller types. None where no value can be seen.
    pub fn value_descriptor(&self) -> Option<String> {
        match self {
            CopyWhat::Entered { descriptor, .. } | CopyWhat::Put { descriptor, constructed: None, .. } => {
                Some(descriptor.to_string())
            }
            CopyWhat::Stored { kind, .. } | CopyWhat::ElementPut { kind } | CopyWhat::Returned { kind } => {
                Some(kind.to_string())
            }
            CopyWhat::Increased { .. } => Some("I".to_owned()),
            CopyWhat::Put { constructed: Some(_), .. }
            | CopyWhat::Called { .. }
            | CopyWhat::Back
            | CopyWhat::Got { .. }
            | CopyWhat::GotElement
            | CopyWhat::Chosen => None,
        }
    }
}

/// Where a value can be from that is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A local variable of the same activation.
    Local {
        /// The place that tells that it was this source, where there are several, or where the variable may
        /// have been stored again since.
        mark: Option<u32>,
        /// The places that may have stored it.
        stores: SiteSet,
    },
    /// A field or an element.
    Heap {
        /// The place that reads it.
        got: u32,
        /// The places that write it.
        puts: SiteSet,
    },
    /// The result of a method.
    Result {
        /// The place behind the call.
        back: u32,
        /// The returns that can be meant.
        returns: SiteSet,
        /// The method, for people: `Map.get`.
        method: Arc<str>,
    },
    /// It was computed, or came from where nothing can be followed.
    End {
        /// As in [`Source::Local`].
        mark: Option<u32>,
        /// Why it cannot be followed further; none where it was computed.
        why: Option<Arc<str>>,
    },
}

impl Source {
    /// The place that tells that it was this source.
    pub fn mark(&self) -> Option<u32> {
        match self {
            Source::Local { mark, .. } | Source::End { mark, .. } => *mark,
            Source::Heap { got, .. } => Some(*got),
            Source::Result { back, .. } => Some(*back),
        }
    }
}
