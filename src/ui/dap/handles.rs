//! What the numbers in an editor's requests mean: frames, lists of variables, targets, sources, and variables
//! with breakpoints.

use super::adapter::Refusal;
use super::shown::number;
use crate::session::{EventPosition, VariableGroup, WatchedVariable};

/// Maximum number of frames, lists or targets that are known at a position.
const MOST: usize = 100_000;

/// The meanings. A number is an index plus 1.
#[derive(Default)]
pub struct Handles {
    frames: Vec<EventPosition>,
    groups: Vec<VariableGroup>,
    targets: Vec<EventPosition>,
    calls: Vec<u32>,
    /// Classes and file names.
    sources: Vec<(String, String)>,
    watched: Vec<WatchedVariable>,
}

impl Handles {
    /// Forgets what holds for one position only.
    pub fn moved(&mut self) {
        self.frames.clear();
        self.groups.clear();
        self.calls.clear();
    }

    /// The number of a frame.
    pub fn of_frame(&mut self, at: EventPosition) -> i64 {
        known_or_new(&mut self.frames, at)
    }

    /// The frame of a request; the innermost one of the session if it names none.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn frame(&self, id: Option<i64>) -> Result<EventPosition, Refusal> {
        let unknown = || Refusal::Request("there is no such frame any more".to_owned());
        at(&self.frames, id.unwrap_or(0)).copied().ok_or_else(unknown)
    }

    /// The number of a list of variables; 0 for none.
    pub fn of_group(&mut self, group: Option<VariableGroup>) -> i64 {
        group.map_or(0, |group| known_or_new(&mut self.groups, group))
    }

    /// A list of variables.
    ///
    /// # Errors
    /// There is no such list.
    pub fn group(&self, id: i64) -> Result<VariableGroup, Refusal> {
        let unknown = || Refusal::Request("these variables are out of date".to_owned());
        at(&self.groups, id).copied().ok_or_else(unknown)
    }

    /// The number of a place to which one can go.
    pub fn of_target(&mut self, place: EventPosition) -> i64 {
        known_or_new(&mut self.targets, place)
    }

    /// A place to which one can go.
    ///
    /// # Errors
    /// There is no such place.
    pub fn target(&self, id: i64) -> Result<EventPosition, Refusal> {
        let unknown = || Refusal::Request("there is no such target".to_owned());
        at(&self.targets, id).copied().ok_or_else(unknown)
    }

    /// The number of a call that a line makes.
    pub fn of_call(&mut self, node: u32) -> i64 {
        known_or_new(&mut self.calls, node)
    }

    /// A call that a line makes.
    ///
    /// # Errors
    /// There is no such call.
    pub fn call(&self, id: i64) -> Result<u32, Refusal> {
        let unknown = || Refusal::Request("there is no such target".to_owned());
        at(&self.calls, id).copied().ok_or_else(unknown)
    }

    /// The number of a source that is in no file of its own.
    pub fn of_source(&mut self, class: &str, name: &str) -> i64 {
        known_or_new(&mut self.sources, (class.to_owned(), name.to_owned()))
    }

    /// The class and the file name of a source.
    ///
    /// # Errors
    /// There is no such source.
    pub fn source(&self, id: i64) -> Result<(String, String), Refusal> {
        let unknown = || Refusal::Request("there is no such source".to_owned());
        at(&self.sources, id).cloned().ok_or_else(unknown)
    }

    /// The name of a variable with a breakpoint.
    pub fn of_watched(&mut self, variable: WatchedVariable) -> String {
        known_or_new(&mut self.watched, variable).to_string()
    }

    /// A variable with a breakpoint.
    pub fn watched(&self, id: &str) -> Option<WatchedVariable> {
        at(&self.watched, id.parse().ok()?).cloned()
    }
}

fn at<T>(known: &[T], id: i64) -> Option<&T> {
    known.get(usize::try_from(id).ok()?.checked_sub(1)?)
}

/// The number of an entry. When there are too many, the oldest lose their meaning.
fn known_or_new<T: PartialEq>(known: &mut Vec<T>, entry: T) -> i64 {
    if let Some(at) = known.iter().position(|known| *known == entry) {
        return number(at + 1);
    }
    if known.len() >= MOST {
        known.clear();
    }
    known.push(entry);
    number(known.len())
}
