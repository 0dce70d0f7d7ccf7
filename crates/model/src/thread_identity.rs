//! Threads and how they are shown. A name alone does not tell threads apart: pools may give the same name to
//! all of theirs, and most virtual threads have none.

use std::sync::Arc;

/// A thread of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ThreadIdentity {
    /// Its name; empty for most virtual threads.
    pub name: Arc<str>,
    /// Its number in Java (`Thread.threadId`), which no other thread of the run has; 0 if unknown.
    pub number: u64,
    /// For a thread without a name: whether it is virtual.
    pub is_virtual: bool,
}

impl ThreadIdentity {
    /// A thread that is known by its name only.
    pub fn named(name: impl Into<Arc<str>>) -> ThreadIdentity {
        ThreadIdentity { name: name.into(), ..ThreadIdentity::default() }
    }

    /// Whether this can be a thread of another run. Without a number, it is any thread of its name.
    pub fn may_be(&self, other: &ThreadIdentity) -> bool {
        self.name == other.name && (self.number == 0 || self.number == other.number)
    }

    /// Its name, or its kind if it has none. Other threads may share it.
    pub fn base(&self) -> Arc<str> {
        match &*self.name {
            "" if self.is_virtual => "virtual".into(),
            "" => "thread".into(),
            _ => self.name.clone(),
        }
    }

    /// The text by which a person tells it from the other threads of its run. Threads without a name of their
    /// own have a number, as in Java's thread dumps.
    pub fn label(&self, is_shared: bool) -> Arc<str> {
        if self.number == 0 || !is_shared && !self.name.is_empty() {
            return self.base();
        }
        format!("{} #{}", self.base(), self.number).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_threads_without_a_name_of_their_own_show_their_number() {
        let thread = ThreadIdentity { number: 31, ..ThreadIdentity::named("worker") };
        assert_eq!([&*thread.label(false), &*thread.label(true)], ["worker", "worker #31"]);
        let unnamed = ThreadIdentity { number: 31, is_virtual: true, ..ThreadIdentity::default() };
        assert_eq!([&*unnamed.label(false), &*unnamed.label(true)], ["virtual #31", "virtual #31"]);
        assert_eq!(&*ThreadIdentity::named("main").label(true), "main");
    }
}
