//! A hit: an event of a recording that is an event of a TraceQuery.

use model::{ActivationKey, FrameKey, StackKey};
use query::CopyHit;
use std::sync::Arc;
use trace::{Change, CollectionChange, EventPosition, EventTime, Value};

/// A hit, before the query's own conditions are checked.
pub(super) struct Hit {
    /// The query, by its position in the chain.
    pub query: u16,
    /// When it happened.
    pub when: EventTime,
    /// The event before which the variables of its frame are read.
    pub at: EventPosition,
    /// The number of its thread.
    pub thread: u32,
    /// The number of the hit at its place in its thread, from 1.
    pub ordinal: u32,
    /// Its frame.
    pub frame: FrameKey,
    /// Its stack.
    pub stack: StackKey,
    /// The activation of its frame.
    pub activation: Option<ActivationKey>,
    /// The last of the marked instructions that the activation executed.
    pub arm: Option<u32>,
    /// The last results of its calls, by the instruction that made the call.
    pub results: Vec<(u32, Value)>,
    /// What happened.
    pub what: Happened,
}

impl Hit {
    /// The hit of a copy, as the walk back through a value flow takes it.
    pub fn copy(&self) -> Option<CopyHit> {
        let Happened::Copied { way, part, .. } = &self.what else { return None };
        let (owner, index) = part.map_or((0, 0), |part| (part.object, part.index));
        let (ordinal, activation) = (self.ordinal.into(), self.at.node.into());
        Some(CopyHit { site: *way, ordinal, thread: self.thread, activation, owner, index })
    }
}

/// What happened at a hit.
#[derive(Clone)]
pub(super) enum Happened {
    /// A place was reached.
    Reached,
    /// A method returned, with its result if it has one.
    Returned(Option<Value>),
    /// A field was written; `owner` is `None` for a static one.
    Written {
        /// The declaring class, with its loader if several loaders define it.
        class: String,
        /// The object.
        owner: Option<u32>,
        /// Its value before, if it was recorded.
        old: Option<Value>,
        /// Its new value.
        new: Value,
        /// The method of the JDK that wrote it, if one did.
        by: Option<FrameKey>,
    },
    /// An element of an array was written.
    Element {
        /// The array.
        array: u32,
        /// The index.
        index: i32,
        /// The value before.
        old: Value,
        /// The new value.
        new: Value,
        /// The method of the JDK that wrote it, if one did.
        by: Option<FrameKey>,
    },
    /// A local variable was assigned: by the site of this number in the event.
    Stored {
        /// The site.
        store: u16,
        /// The new value; `None` if it was not recorded.
        new: Option<Value>,
    },
    /// A branch led to this code index.
    Branched {
        /// The code index.
        to: u32,
        /// The iterations of an endless loop that it left.
        turns: Option<u32>,
    },
    /// An object was created. The event is in a constructor with so many newer frames.
    Made {
        /// The object.
        object: u32,
        /// The frame of the constructor, if it is another one than that of the hit.
        constructor: Option<(FrameKey, u32)>,
    },
    /// The contents of a collection, builder or stream changed.
    Changed {
        /// The collection.
        collection: u32,
        /// The place of the change in it.
        change: ChangePlace,
        /// The method of the JDK that changed it, if the code tells.
        by: Option<FrameKey>,
    },
    /// A value flowed through a place.
    Copied {
        /// The place, by its position in the query's event.
        way: u32,
        /// The object whose field was written, or the array and the index of the element.
        part: Option<ObjectPart>,
        /// The value, if it was recorded.
        value: Option<Value>,
    },
    /// An exception was thrown, caught by a handler, or bypassed a line.
    Thrown(Arc<Flight>, FlightEnd),
}

/// A field of an object, or an element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ObjectPart {
    /// The object or array.
    pub object: u32,
    /// The index of the element; 0 for a field.
    pub index: i32,
}

/// How an exception concerns a hit.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlightEnd {
    /// It was thrown there.
    Thrown,
    /// It was caught there, and left this code index of the same frame.
    Caught(u32),
    /// It bypassed a line of the frame with so many newer ones.
    Bypassed(u32),
}

/// An exception on its way through the recorded frames.
pub(super) struct Flight {
    /// The exception.
    pub exception: u32,
    /// Where it was thrown, or where it entered recorded code.
    pub thrown: FrameKey,
    /// Whether code that was not recorded threw it, or the VM.
    pub is_raised: bool,
    /// Where it ended.
    pub ended: FlightsEnd,
}

/// Where the way of an exception ended.
#[derive(Clone, Copy)]
pub(super) enum FlightsEnd {
    /// A handler of a recorded frame caught it.
    Caught {
        /// The frame, where the exception passed through it.
        frame: FrameKey,
        /// The first instruction of the handler.
        handler: u32,
        /// Number of frames newer than it.
        above: u32,
        /// Its activation.
        activation: Option<ActivationKey>,
    },
    /// It left all recorded code of its thread.
    Left,
    /// Code that was not recorded caught it between two recorded frames.
    Elsewhere,
}

/// What a recorded change names: an index of a list, or a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangePlace {
    /// This element of a list is replaced.
    Set(usize),
    /// From this element of a list on, all move.
    From(usize),
    /// The value of this key.
    Key(u32),
    /// Any of them.
    Any,
    /// The collection is made with its contents.
    Made,
    /// The contents are listed, since code that was not recorded may have changed them.
    Listed,
}

impl ChangePlace {
    /// The place of a change; `None` if it changes nothing.
    pub fn of(change: &CollectionChange<'_>) -> Option<ChangePlace> {
        let key = || match change.rest.first() {
            Some(Value::Object(key)) => ChangePlace::Key(*key),
            _ => ChangePlace::Any,
        };
        Some(match change.change {
            Change::Insert | Change::Remove => ChangePlace::From(change.number(0)),
            Change::Set => ChangePlace::Set(change.number(0)),
            Change::Put | Change::PutBehind | Change::PutLast | Change::Unput => key(),
            Change::Clear | Change::Take | Change::Doubt => ChangePlace::Any,
            Change::AllOfList | Change::AllOfMap => ChangePlace::Listed,
            Change::Backed => return None,
        })
    }
}
