//! Occurrences: one event at a site in one run, with what the locator may need of it.

use super::content::HeldByObject;
use super::coordinate::Forecast;
use super::tables::{ActivationKey, FrameKey, ShapeKey, StackKey, ThreadKey};
use super::value::Value;
use std::num::NonZeroU16;

/// What an `Exception` occurrence knows beside its place.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceptionDetail {
    /// The frame that catches it and where its handler starts (a bytecode index); `None` when nothing does.
    pub caught: Option<Catch>,
    /// Where it was thrown, when the occurrence itself stands in an older frame (`SkippedLine`, DESIGN
    /// §5.10).
    pub thrown: FrameKey,
}

/// Where an exception is caught.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// The frame that catches, standing at the instruction that let the exception through.
    pub frame: FrameKey,
    /// Bytecode index at which its handler starts.
    pub handler: u32,
    /// Frames newer than the catching one: 0 when the thrower catches it itself.
    pub above: u32,
    /// The activation that catches, when its method is tracked.
    pub activation: Option<ActivationKey>,
}

/// The place of an event whose occurrence stands in an older frame: that of an object's making is in a
/// constructor, and the occurrence where the `new` is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happened {
    /// The newest frame.
    pub frame: FrameKey,
    /// Frames newer than that of the occurrence.
    pub above: u32,
}

/// What is to be seen of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct Sight {
    /// The TraceQuery that asks about it, by its place in the chain.
    pub query: u16,
    /// The element, the value of the key, or how much it holds.
    pub value: Value,
    /// Of all that it holds: equal for two that hold the same objects. 0 for an element or value.
    pub print: i64,
}

/// What only some occurrences have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// The exception of an `Exception` or `SkippedLine` occurrence.
    pub exception: Option<ExceptionDetail>,
    /// The exception object of an exceptional occurrence.
    pub thrown: Option<Value>,
    /// Where its event happened, when the occurrence itself stands in an older frame of that stack.
    pub happened: Option<Happened>,
    /// The method of the JDK, called in the frame of the occurrence, that changed a collection.
    pub by: Option<FrameKey>,
    /// Whether that method has put there what was there before.
    pub unchanged: bool,
    /// What was to be seen of collections that other points ask about, or this one.
    pub sights: Vec<Sight>,
    /// Which arm of an expression gave the value: the last of the marked instructions that ran in the
    /// activation.
    pub arm: Option<u32>,
    /// The value a method returned.
    pub result: Option<Value>,
    /// Remarks that belong to the answer: what may be missed, what is uncertain.
    pub notes: Vec<String>,
    /// Where a branch has left an endless loop: how many turns of it, since it last did in that call, have
    /// not.
    pub turns: Option<u32>,
    /// Of the points whose answers depend on this one, where the VM had seen the last hit.
    pub forecasts: Vec<Forecast>,
    /// What its objects held when it happened.
    pub held: HeldByObject,
}

/// A number below 65,535, such as a bytecode index: code has less than 65,536 bytes (JVMS §4.7.3).
/// `Option<Way>` takes two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way(NonZeroU16);

impl Way {
    /// The number, if it is one.
    pub fn new(number: impl TryInto<u16>) -> Option<Way> {
        NonZeroU16::new(number.try_into().ok()?.checked_add(1)?).map(Way)
    }

    /// The number.
    pub fn get(self) -> u16 {
        self.0.get() - 1
    }
}

/// One occurrence of a TraceQuery's event that satisfied everything that can be checked where it happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Order in the run: earlier occurrences have smaller numbers.
    pub sequence: u64,
    /// Which TraceQuery it may be an instance of, by its place in the chain.
    pub query: u16,
    /// Which hit of its event's place it is in the threads of this name, from 1, whether the hits before were
    /// occurrences or not. With the place and the thread's name it is the coordinate by which another run
    /// finds it.
    pub ordinal: u32,
    /// The thread it happened in.
    pub thread: ThreadKey,
    /// Its site: the newest frame, or the frame that was skipped through.
    pub frame: FrameKey,
    /// The stack, newest frame first.
    pub stack: StackKey,
    /// The newest tracked activation on its stack.
    pub activation: Option<ActivationKey>,
    /// The object whose field was written or read.
    pub owner: Value,
    /// The value before, [`Value::Unassigned`] where there was none.
    pub old: Value,
    /// The value after.
    pub new: Value,
    /// The bytecode index that followed, for a branch; that of the instruction left, for an exception caught;
    /// which of the event's sites, for a store.
    pub way: Option<Way>,
    /// Names of the collected values.
    pub shape: ShapeKey,
    /// First the values that constraints of other points compare, in the order of the TraceQuery's `keep`;
    /// then the collected values, in the order of `shape`.
    pub kept: Box<[Value]>,
    /// The rest.
    pub detail: Option<Box<Detail>>,
}

impl Occurrence {
    /// Where its event happened: its hits are counted there.
    pub fn event_frame(&self) -> FrameKey {
        let happened = self.detail.as_ref().and_then(|d| d.happened.as_ref());
        happened.map_or(self.frame, |h| h.frame)
    }

    /// For a handler entered: where it was entered from, as a bytecode index in the same frame. The
    /// occurrence stands at the handler, but what led to it led to the instruction that the exception left.
    pub fn left(&self) -> Option<u32> {
        let exception = self.detail.as_ref()?.exception.as_ref()?;
        exception.caught.as_ref().and(self.way).map(|way| way.get().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million of them, each with a few kept values, must fit in 200 MB.
    #[test]
    fn an_occurrence_stays_small() {
        assert!(std::mem::size_of::<Occurrence>() <= 112);
    }
}
