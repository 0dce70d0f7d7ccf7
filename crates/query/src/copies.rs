//! The possible flows of a value to a point: every place in the program's classes that may have passed the
//! value on, and the sources of the value at each place. Computed from class files alone; the log of a run
//! says which flow it took.

use model::Site;
use std::fmt;
use std::sync::Arc;

/// Positions in [`Copies::sites`], ascending.
pub type SiteSet = Arc<[u32]>;

/// The possible value flows to one point.
#[derive(Clone)]
pub struct Copies {
    /// The places through which the value can flow, by number.
    pub sites: Vec<CopySite>,
    /// The variable that the point reads.
    pub seen: SeenCopy,
}

impl Copies {
    /// A place by its number.
    pub fn site(&self, number: u32) -> Option<&CopySite> {
        self.sites.get(usize::try_from(number).ok()?)
    }
}

impl fmt::Debug for Copies {
    /// Abbreviated, because there can be very many places.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} places, {:?}", self.sites.len(), self.seen)
    }
}

/// The variable that a point reads, with the places that can assign it.
#[derive(Clone, Debug)]
pub enum SeenCopy {
    /// A local variable of a frame. For each possible position of the frame, the places that may have stored
    /// the value read there.
    Local {
        /// The frame: 0 the newest, -1 the oldest.
        frame: i32,
        /// The places, by position of the frame.
        stores: Vec<(Site, SiteSet)>,
    },
    /// A field.
    Field {
        /// The index of the owner among the point's kept values; `None` for a static field.
        owner: Option<usize>,
        /// The places that write the field.
        puts: SiteSet,
    },
    /// An element of an array.
    Element {
        /// The index of the array among the point's kept values.
        array: usize,
        /// The index of the element index among the point's kept values.
        index: usize,
        /// The places that write elements.
        puts: SiteSet,
    },
}

/// A place through which a value can flow.
#[derive(Clone, Debug)]
pub struct CopySite {
    /// The instruction.
    pub site: Site,
    /// How the value is passed on.
    pub what: CopyWhat,
    /// The possible sources of the value; empty if the place passes none on.
    pub sources: Vec<Source>,
}

/// How a place passes a value on. Kinds are the first letters of descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CopyWhat {
    /// A parameter receives its value at the method's entry.
    Entered {
        /// Its slot.
        slot: u16,
        /// Its descriptor.
        descriptor: Arc<str>,
        /// The calls that can enter the method, ascending, with the position of the argument; `None` if a
        /// lambda captured it.
        callers: Arc<[(u32, Option<usize>)]>,
    },
    /// A local variable is stored.
    Stored {
        /// Its slot.
        slot: u16,
        /// The first letter of the descriptor of the stored value.
        kind: char,
    },
    /// A local variable is increased by `iinc`.
    Increased {
        /// Its slot.
        slot: u16,
        /// The increment.
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
        /// If `this` is not yet initialised: the call of the other constructor, after which it is.
        constructed: Option<u32>,
    },
    /// An element of an array is written.
    ElementPut {
        /// The first letter of the elements' descriptor.
        kind: char,
    },
    /// A method is about to be called.
    Called {
        /// For each relevant parameter, the possible sources of its argument.
        arguments: Vec<(usize, Vec<Source>)>,
    },
    /// The method returns a value.
    Returned {
        /// The first letter of its descriptor.
        kind: char,
    },
    /// A call has returned a value.
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
    /// Execution reaches an instruction that pushes a value that may be passed on.
    Chosen,
}

impl CopyWhat {
    /// The descriptor of the value observed here, as far as it is known: `I` may stand for any smaller type.
    /// `None` if no value can be observed.
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

/// A possible source of a value that is passed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A local variable of the same activation.
    Local {
        /// The place that identifies this source. Present if there are several sources, or if the variable
        /// may have been stored again since.
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
        /// The place after the call.
        back: u32,
        /// The possible return instructions.
        returns: SiteSet,
        /// The method for display: `Map.get`.
        method: Arc<str>,
    },
    /// The value was computed here, or its source cannot be traced.
    End {
        /// As in [`Source::Local`].
        mark: Option<u32>,
        /// Why it cannot be traced further; `None` if it was computed here.
        why: Option<Arc<str>>,
    },
}

impl Source {
    /// The place that identifies this source.
    pub fn mark(&self) -> Option<u32> {
        match self {
            Source::Local { mark, .. } | Source::End { mark, .. } => *mark,
            Source::Heap { got, .. } => Some(*got),
            Source::Result { back, .. } => Some(*back),
        }
    }
}
