//! Where an occurrence of one run is to be found in another: by names and counts only, since nothing else
//! survives a relaunch.

use super::occurrence::Way;
use super::site::Site;
use std::sync::Arc;

/// The coordinate of an occurrence (DESIGN §5.14). It may use nothing above `model`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Coordinate {
    /// Which TraceQuery's event, by its place in the chain.
    pub query: u16,
    /// Where the event happens.
    pub site: Site,
    /// Name of the thread.
    pub thread: Arc<str>,
    /// Which of the event's hits there in threads of that name, from 1.
    pub ordinal: u32,
    /// What the occurrence's `way` is.
    pub way: Option<Way>,
}

/// What the VM said, at a point, of the last hit before it of another point's TraceQuery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Which TraceQuery, by its place in the chain.
    pub query: u16,
    /// The last hit.
    pub last: LastHit,
    /// Its number among all hits of the TraceQuery, where those are numbered.
    pub number: Option<u64>,
}

/// A last hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastHit {
    /// There was none.
    Never,
    /// It was here.
    At(Coordinate),
    /// That is not known, and why.
    Unknown(String),
    /// So the value came that a point sees.
    Came(Came),
}

/// The way by which a value came to where a point sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Came {
    /// From the point back to where it was computed. Never empty.
    pub steps: Vec<CameBy>,
    /// Why it is not followed further; none where the last step is where it was computed.
    pub end: Option<String>,
}

/// One step of a value's way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CameBy {
    /// Where it is seen to pass; the coordinate's `way` says which place of the TraceQuery's event it is.
    pub at: Coordinate,
    /// Where the caller stands, for a parameter and a result: it must be there.
    pub caller: Option<Site>,
    /// Where it was read, for what came out of a field or an element that this step wrote: of the same
    /// object.
    pub got: Option<Coordinate>,
}
