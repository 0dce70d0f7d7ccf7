//! How a method is recorded.

use rewrite::Successors;
use wire::chosen::{Chosen, Constant};
use wire::recording::Level;

/// How a method is recorded.
pub struct Weaving<'a> {
    /// The level of detail.
    pub level: Level,
    /// Whether the method asks on entry whether it is inside a window, and how much to record.
    pub has_window: bool,
    /// Whether its calls are recorded, and not only writes to fields.
    pub is_called: bool,
    /// Whether the class may be one of the JDK whose objects the recorder tells by their fields or contents.
    pub is_of_jdk: bool,
    /// The methods and fields that are recorded, if not all of the level are. Lines then only tell places.
    pub chosen: Option<&'a Chosen>,
    /// What must hold of the arguments of its calls.
    pub tests: &'a [(usize, Constant)],
    /// Tells whether another class is recorded, by its name with slashes.
    pub is_recorded: &'a dyn Fn(&str) -> bool,
    /// How execution continues after each instruction; empty if each line has its event.
    pub flow: &'a [Successors],
}

impl Weaving<'_> {
    /// Whether some events have no ring, and are not recorded.
    pub fn may_skip(&self) -> bool {
        self.has_window || self.chosen.is_some_and(Chosen::has_tests)
    }
}
