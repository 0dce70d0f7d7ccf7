//! An event that a search has found.

use crate::log::{DecodedBlock, LogEvent};
use std::sync::Arc;

/// An event that fits.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its id.
    pub id: u64,
    /// The block that contains it.
    pub block: Arc<DecodedBlock>,
    /// The event.
    pub event: LogEvent,
}
