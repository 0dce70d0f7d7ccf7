//! Occurrences: one event at a site in one run, with the data that the locator needs.

use super::content::ContentsByObject;
use super::coordinate::Forecast;
use super::keys::{ActivationKey, FrameKey, ShapeKey, StackKey, ThreadKey};
use super::value::Value;
use super::way::Way;

/// Details of an exception.
#[derive(Clone, Debug, PartialEq)]
pub struct ExceptionDetail {
    /// The frame that catches it and the start of its handler; `None` if it is uncaught.
    pub caught: Option<Catch>,
    /// Where it was thrown, if the occurrence itself is in an older frame (`SkippedLine`, DESIGN §5.10).
    pub thrown: FrameKey,
    /// The frame whose line it bypassed, if a `SkippedLine` asked.
    pub bypassed: Option<BypassedFrame>,
}

/// A frame that an exception left, or in which it was caught behind the line.
#[derive(Clone, Debug, PartialEq)]
pub struct BypassedFrame {
    /// Number of newer frames.
    pub above: u32,
    /// Its activation, if its method is tracked.
    pub activation: Option<ActivationKey>,
}

/// Where an exception is caught.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// The catching frame, at the instruction through which the exception passed.
    pub frame: FrameKey,
    /// Bytecode index of the start of the handler.
    pub handler: u32,
    /// Number of frames newer than the catching one; 0 if the throwing frame catches it itself.
    pub above: u32,
    /// The catching activation, if its method is tracked.
    pub activation: Option<ActivationKey>,
}

/// The frame of an event whose occurrence is in an older frame. For example, an object is created in a
/// constructor, but the occurrence is at the `new`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFrame {
    /// The newest frame.
    pub frame: FrameKey,
    /// Number of frames newer than that of the occurrence.
    pub above: u32,
}

/// The observed state of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionState {
    /// The TraceQuery about the collection, by its position in the chain.
    pub query: u16,
    /// The element, the value for the key, or the size.
    pub value: Value,
    /// A fingerprint of all contents: equal if two collections hold the same objects. 0 for an element or
    /// value.
    pub print: i64,
}

/// A value that was on the operand stack and that the instruction of the occurrence uses.
#[derive(Clone, Debug, PartialEq)]
pub struct StackValue {
    /// The bytecode index of the instruction before or after which it was on top of the stack.
    pub pc: u32,
    /// Whether it was on top before that instruction, rather than after it.
    pub is_before: bool,
    /// The value.
    pub value: Value,
}

/// Data that only some occurrences have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Detail {
    /// The exception of an `Exception` or `SkippedLine` occurrence.
    pub exception: Option<ExceptionDetail>,
    /// The exception object of an exceptional exit.
    pub thrown: Option<Value>,
    /// The frame of the event, if the occurrence itself is in an older frame of that stack.
    pub happened: Option<EventFrame>,
    /// The JDK method, called in the frame of the occurrence, that changed a collection or wrote the field or
    /// element.
    pub by: Option<FrameKey>,
    /// Whether that method stored the value that was already there.
    pub unchanged: bool,
    /// The observed states of collections about which this or other points ask.
    pub sights: Vec<CollectionState>,
    /// Which arm of an expression produced the value: the last marked instruction executed in the activation.
    pub arm: Option<u32>,
    /// The value a method returned.
    pub result: Option<Value>,
    /// Notes for the answer: what may have been missed, what is uncertain.
    pub notes: Vec<String>,
    /// For a branch that left an endless loop: the number of iterations that did not leave it, since the
    /// branch last left it in that call.
    pub turns: Option<u32>,
    /// For the points whose answers depend on this one: the last hits that the VM has seen.
    pub forecasts: Vec<Forecast>,
    /// With probes: the values of the operand stack that its branch or store uses.
    pub stack_values: Vec<StackValue>,
    /// The contents of its objects at the time of the occurrence.
    pub contents: ContentsByObject,
    /// Number of earlier instances of its TraceQuery that the VM has counted and not reported.
    pub passed: u64,
}

/// One occurrence of a TraceQuery's event that satisfied all conditions that can be checked on the spot.
#[derive(Clone, Debug, PartialEq)]
pub struct Occurrence {
    /// Order in the run: earlier occurrences have smaller numbers.
    pub sequence: u64,
    /// The TraceQuery of which it may be an instance, by its position in the chain.
    pub query: u16,
    /// The number of the hit among all hits of the event at this place in its thread, from 1. Hits that were
    /// not occurrences count. Place, thread and ordinal are the coordinate by which another run finds it.
    pub ordinal: u32,
    /// The thread in which it happened.
    pub thread: ThreadKey,
    /// Its site: the newest frame, or the frame whose line was skipped.
    pub frame: FrameKey,
    /// The stack, newest frame first.
    pub stack: StackKey,
    /// The newest tracked activation on its stack.
    pub activation: Option<ActivationKey>,
    /// The object whose field was written or read.
    pub owner: Value,
    /// The old value; [`Value::Unassigned`] if there was none.
    pub old: Value,
    /// The new value.
    pub new: Value,
    /// For a branch, the bytecode index executed next. For a caught exception, the index of the instruction
    /// that the exception left. For a store, the position of the site in the event.
    pub way: Option<Way>,
    /// Names of the collected values.
    pub shape: ShapeKey,
    /// The values that constraints of other points compare, in the order of the TraceQuery's `keep`, then the
    /// collected values, in the order of `shape`.
    pub kept: Box<[Value]>,
    /// Rarely needed data.
    pub detail: Option<Box<Detail>>,
}

impl Occurrence {
    /// The frame of its event, where hits are counted.
    pub fn event_frame(&self) -> FrameKey {
        let happened = self.detail.as_ref().and_then(|d| d.happened.as_ref());
        happened.map_or(self.frame, |h| h.frame)
    }

    /// All of its values except its owner.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        let kept = self.kept.iter().chain(self.stack_values());
        [&self.old, &self.new].into_iter().chain(self.outcome()).chain(kept)
    }

    /// The values whose contents are shown: all but the first `keep` kept ones, which only constraints
    /// compare. The owner is one only if its contents have changed: an object under construction, or one
    /// whose field is being written, holds only part of them.
    pub fn shown(&self, keep: usize, has_changed: bool) -> impl Iterator<Item = &Value> {
        let owner = Some(&self.owner).filter(|_| has_changed);
        let collected = self.kept.get(keep..).unwrap_or_default();
        let values = [&self.new, &self.old].into_iter().chain(self.outcome()).chain(owner);
        values.chain(collected).chain(self.stack_values())
    }

    /// The exception thrown and the value returned.
    fn outcome(&self) -> impl Iterator<Item = &Value> {
        self.detail.iter().flat_map(|detail| [&detail.thrown, &detail.result]).flatten()
    }

    fn stack_values(&self) -> impl Iterator<Item = &Value> {
        self.detail.iter().flat_map(|detail| &detail.stack_values).map(|kept| &kept.value)
    }

    /// For a handler that was entered: the instruction that the exception left, as a bytecode index in the
    /// same frame. The occurrence is at the handler, but the cause of reaching it is what led to that
    /// instruction.
    pub fn left(&self) -> Option<u32> {
        let exception = self.detail.as_ref()?.exception.as_ref()?;
        exception.caught.as_ref().and(self.way).map(|way| way.get().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A million occurrences, each with a few kept values, must fit in 200 MB.
    #[test]
    fn an_occurrence_stays_small() {
        assert!(std::mem::size_of::<Occurrence>() <= 112);
    }
}
