//! One row of an export: a line of JSON, or a row of a Parquet file.

use past::EventShown;
use serde::Serialize;

/// An event with its place and its values as text.
#[derive(Default, Serialize)]
pub struct EventRow<'a> {
    /// The later run that recorded the event, by its folder in `details`; `None` for the first run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<&'a str>,
    /// The name of its thread.
    pub thread: &'a str,
    /// The turn, which orders the events of all threads.
    pub turn: u64,
    /// The call that contains the event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The class of the method.
    pub class: &'a str,
    /// The method.
    pub method: &'a str,
    /// Its descriptor.
    pub descriptor: &'a str,
    /// For an entry, the receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub this: Option<String>,
    /// For an entry, the arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<String>>,
    /// For a return, the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The exception that leaves the call or ends the thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// All other data of the event.
    #[serde(flatten)]
    pub event: EventShown,
}
