//! Command set 16, `StackFrame`: frames of suspended threads.

use crate::constants::Tag;
use crate::id::{FrameId, ThreadId};
use crate::value::{TaggedObject, Value};

commands! {
    /// The values of local variables, in the requested order.
    GetValues {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
        /// The variables.
        slots: Vec<Slot>,
    } -> Vec<Value>;
    /// Sets local variables.
    SetValues {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
        /// The variables and their new values.
        slot_values: Vec<SlotValue>,
    } -> ();
    /// The frame's `this`; `None` in static and native methods.
    ThisObject {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
    } -> Option<TaggedObject>;
    /// Pops this frame and all frames above it. Needs `canPopFrames`.
    PopFrames {
        /// The frame's thread.
        thread: ThreadId,
        /// The frame.
        frame: FrameId,
    } -> ();
}

records! {
    /// A local variable to read.
    Slot {
        /// Its slot in the frame.
        slot: i32,
        /// Its type: see [`Tag::of_signature`].
        sigbyte: Tag,
    }
    /// A local variable to set.
    SlotValue {
        /// Its slot in the frame.
        slot: i32,
        /// Its new value.
        value: Value,
    }
}
