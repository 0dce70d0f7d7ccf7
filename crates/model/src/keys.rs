//! Keys of the data that the occurrences of one run share.

use std::num::NonZeroU64;

macro_rules! keys {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
    )*};
}

keys!(
    /// A class name of this run.
    ClassKey,
    /// A frame of this run: a site and its line.
    FrameKey,
    /// A stack of this run. [`StackKey::EMPTY`] has no frames.
    StackKey,
    /// A thread of this run.
    ThreadKey,
    /// A list of names under which values were collected. [`ShapeKey::NONE`] names nothing.
    ShapeKey,
    /// The reason why a value could not be read.
    ReasonKey
);

impl StackKey {
    /// The stack without frames.
    pub const EMPTY: StackKey = StackKey(0);
}

impl ShapeKey {
    /// The shape without names.
    pub const NONE: ShapeKey = ShapeKey(0);
}

/// An activation of a method: one execution of its body from entry to exit (DESIGN §5.5). Serial numbers
/// start at 1 and are never reused in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActivationKey(NonZeroU64);

impl ActivationKey {
    /// The activation with this serial number.
    pub(super) fn new(serial: NonZeroU64) -> ActivationKey {
        ActivationKey(serial)
    }

    /// The serial number.
    pub fn serial(self) -> u64 {
        self.0.get()
    }
}
