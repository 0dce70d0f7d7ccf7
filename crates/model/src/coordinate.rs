//! Identifies an occurrence across runs. Uses only names and counts, since nothing else survives a relaunch.

use super::keys::FrameKey;
use super::site::Site;
use super::thread_identity::ThreadIdentity;
use super::value::Value;
use super::way::Way;

/// The coordinate of an occurrence (DESIGN §5.14).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinate {
    /// The TraceQuery, by its position in the chain.
    pub query: u16,
    /// The site of the event.
    pub site: Site,
    /// The thread. Its number may differ in another run.
    pub thread: ThreadIdentity,
    /// The number of the hit among those of the event at this site in this thread, from 1.
    pub ordinal: u32,
    /// The `way` of the occurrence.
    pub way: Option<Way>,
}

/// What a run reported, at one point, about the last preceding hit of another point's TraceQuery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The TraceQuery, by its position in the chain.
    pub query: u16,
    /// The last hit.
    pub last: LastHit,
    /// The number of that hit among all hits of the TraceQuery, if they are numbered.
    pub number: Option<u64>,
}

/// The last hit before a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastHit {
    /// There was none.
    Never,
    /// It is at this coordinate.
    At(Coordinate),
    /// Unknown, with the reason.
    Unknown(String),
    /// The value flow that ends at the point.
    Flow(ValueFlow),
}

/// The flow of a value from its origin to a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFlow {
    /// From the point back to where the value was computed. Never empty.
    pub steps: Vec<FlowStep>,
    /// Why the flow is not traced further; `None` if the last step computed the value.
    pub end: Option<String>,
}

/// One step of a value flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowStep {
    /// Where the value passes. The coordinate's `way` is the position of the site in the TraceQuery's event.
    pub at: Coordinate,
    /// For a parameter or result: the required position of the caller.
    pub caller: Option<Site>,
    /// For a field or element written by this step: where the value was read from the same object.
    pub got: Option<Coordinate>,
}

/// An observed step of a value flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowVisit {
    /// The coordinate of the step.
    pub at: Coordinate,
    /// The value that passed, if visible.
    pub value: Option<Value>,
    /// The unboxed value, if it is a box.
    pub unboxed: Option<Value>,
    /// The object or array that holds it as a field or element.
    pub owner: Option<Value>,
    /// The arm of an expression that produced the value: the last marked instruction that the activation
    /// executed.
    pub arm: Option<u32>,
    /// The frame of the step.
    pub frame: FrameKey,
    /// The frame of its caller.
    pub caller: Option<FrameKey>,
}
