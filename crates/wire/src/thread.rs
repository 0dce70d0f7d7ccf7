//! Threads as the recorder tells them.

use serde::{Deserialize, Serialize};

/// A thread of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldThread {
    /// Its number in Java (`Thread.threadId`).
    pub number: u64,
    /// For a thread without a name: whether it is virtual.
    pub is_virtual: bool,
    /// Its name.
    pub name: String,
}

impl ToldThread {
    /// Parses the recorder's text: "number virtual name".
    pub fn parse(text: &str) -> Option<ToldThread> {
        let mut parts = text.splitn(3, ' ');
        let number = parts.next()?.parse().ok()?;
        let is_virtual = parts.next()? == "1";
        Some(ToldThread { number, is_virtual, name: parts.next()?.to_owned() })
    }
}

/// Whether a user who names a thread means this one: by its name, or by its name and number (`worker #31`,
/// `virtual #31`).
pub fn names_thread(written: &str, name: &str, number: u64) -> bool {
    if written == name {
        return true;
    }
    let Some((before, digits)) = written.rsplit_once(" #") else { return false };
    let is_same = before == name || name.is_empty() && ["virtual", "thread"].contains(&before);
    is_same && digits.parse() == Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_read_and_named() {
        let told = |text: &str| ToldThread::parse(text).map(|t| (t.number, t.is_virtual, t.name));
        assert_eq!(told("31 0 pool 1 thread 2"), Some((31, false, "pool 1 thread 2".to_owned())));
        assert_eq!(told("31 1 "), Some((31, true, String::new())));
        assert_eq!(told("31"), None);
        assert!(names_thread("worker", "worker", 31) && names_thread("worker #31", "worker", 31));
        assert!(names_thread("virtual #31", "", 31) && names_thread("", "", 31));
        assert!(!names_thread("worker #32", "worker", 31) && !names_thread("worker", "main", 31));
    }
}
