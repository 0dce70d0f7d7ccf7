//! What the numbers in an editor's requests mean: frames, lists of variables, targets, sources, and variables
//! with breakpoints.

use super::answer::{Refusal, number};
use past::{Variable, VariableGroup};
use trace::EventPosition;

/// Maximum number of frames, lists or targets that are known at a position.
const MOST: usize = 20_000;

/// The meanings.
#[derive(Default)]
pub struct Handles {
    frames: Numbered<EventPosition>,
    /// With an expression that means the object, if there is one.
    groups: Numbered<(VariableGroup, Option<String>)>,
    targets: Numbered<EventPosition>,
    calls: Numbered<u32>,
    /// Classes and file names.
    sources: Numbered<(String, String)>,
    /// With their names as the user wrote them.
    /// With their names as the user wrote them.
    watched: Numbered<(Variable, String)>,
}

impl Handles {
    /// Forgets what holds for one position only. Its numbers are never used again.
    pub fn moved(&mut self) {
        self.frames.forget();
        self.groups.forget();
        self.calls.forget();
    }

    /// Forgets everything: another run has other objects and positions.
    pub fn restarted(&mut self) {
        self.moved();
        self.targets.forget();
        self.watched.forget();
    }

    /// The number of a frame.
    pub fn of_frame(&mut self, at: EventPosition) -> i64 {
        self.frames.number_of(at)
    }

    /// The frame of a request; the innermost one of the session if it names none.
    ///
    /// # Errors
    /// There is no such frame.
    pub fn frame(&self, id: Option<i64>) -> Result<EventPosition, Refusal> {
        let unknown = || Refusal::Stale("there is no such frame any more".to_owned());
        self.frames.at(id.unwrap_or(0)).ok_or_else(unknown)
    }

    /// The number of a list of variables, 0 for none. `expression` means the object whose parts they are.
    pub fn of_group(&mut self, group: Option<VariableGroup>, expression: Option<String>) -> i64 {
        group.map_or(0, |group| self.groups.number_of((group, expression)))
    }

    /// A list of variables.
    ///
    /// # Errors
    /// There is no such list.
    pub fn group(&self, id: i64) -> Result<(VariableGroup, Option<String>), Refusal> {
        let unknown = || Refusal::Stale("these variables are out of date".to_owned());
        self.groups.at(id).ok_or_else(unknown)
    }

    /// The number of a place to which one can go.
    pub fn of_target(&mut self, place: EventPosition) -> i64 {
        self.targets.number_of(place)
    }

    /// A place to which one can go.
    ///
    /// # Errors
    /// There is no such place.
    pub fn target(&self, id: i64) -> Result<EventPosition, Refusal> {
        let unknown = || Refusal::Request("there is no such target".to_owned());
        self.targets.at(id).ok_or_else(unknown)
    }

    /// The number of a call that a line makes.
    pub fn of_call(&mut self, node: u32) -> i64 {
        self.calls.number_of(node)
    }

    /// A call that a line makes.
    ///
    /// # Errors
    /// There is no such call.
    pub fn call(&self, id: i64) -> Result<u32, Refusal> {
        let unknown = || Refusal::Request("there is no such target".to_owned());
        self.calls.at(id).ok_or_else(unknown)
    }

    /// The number of a source that is in no file of its own.
    pub fn of_source(&mut self, class: &str, name: &str) -> i64 {
        self.sources.number_of((class.to_owned(), name.to_owned()))
    }

    /// The class and the file name of a source.
    ///
    /// # Errors
    /// There is no such source.
    pub fn source(&self, id: i64) -> Result<(String, String), Refusal> {
        let unknown = || Refusal::Request("there is no such source".to_owned());
        self.sources.at(id).ok_or_else(unknown)
    }

    /// The handle of a variable with a breakpoint, with its name as the user wrote it.
    pub fn of_watched(&mut self, variable: Variable, name: String) -> String {
        self.watched.number_of((variable, name)).to_string()
    }

    /// A variable with a breakpoint.
    pub fn watched(&self, id: &str) -> Option<(Variable, String)> {
        self.watched.at(id.parse().ok()?)
    }
}

/// Entries with numbers from 1.
struct Numbered<T> {
    /// The number of entries that were forgotten.
    forgotten: usize,
    entries: Vec<T>,
}

impl<T> Default for Numbered<T> {
    fn default() -> Self {
        Numbered { forgotten: 0, entries: Vec::new() }
    }
}

impl<T: PartialEq + Clone> Numbered<T> {
    fn forget(&mut self) {
        self.forgotten += self.entries.len();
        self.entries.clear();
    }

    fn at(&self, id: i64) -> Option<T> {
        let index = usize::try_from(id).ok()?.checked_sub(self.forgotten + 1)?;
        self.entries.get(index).cloned()
    }

    /// The number of an entry. When there are too many, all earlier ones are forgotten.
    fn number_of(&mut self, entry: T) -> i64 {
        if let Some(at) = self.entries.iter().position(|known| *known == entry) {
            return number(self.forgotten + at + 1);
        }
        if self.entries.len() >= MOST {
            self.forget();
        }
        self.entries.push(entry);
        number(self.forgotten + self.entries.len())
    }
}
