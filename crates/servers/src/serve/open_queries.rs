//! The query prompt of a page.

use command::query::QueryDialogue;

/// The prompt of a recording.
pub struct OpenQueries {
    /// The recording.
    pub trace: usize,
    /// Its dialogue.
    pub dialogue: QueryDialogue,
}
