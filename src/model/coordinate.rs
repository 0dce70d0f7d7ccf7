//! Where an occurrence of one run is to be found in another: by names and counts only, since nothing else survives a
//! relaunch.

use super::site::Site;
use std::sync::Arc;

/// The coordinate of an occurrence (DESIGN §5.14). It may use nothing above `model`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinate {
    /// Which TraceQuery's event, by its place in the chain.
    pub query: u16,
    /// Where the event happens.
    pub site: Site,
    /// Name of the thread.
    pub thread: Arc<str>,
    /// Which of the event's hits there in threads of that name, from 1.
    pub ordinal: u32,
}
