//! What a recording lacks, and whether that matters for an answer.

use super::recording::Recording;
use trace::{Exit, Level};

/// Most classes that a note names.
const SHOWN: usize = 5;

impl Recording {
    /// What the recording lacks, and why.
    pub fn missing(&self) -> Vec<String> {
        let mut missing = self.lost();
        missing.extend(self.not_recorded());
        missing
    }

    /// What the recording lacks that can matter for the behaviour of a call. If the end of the call was
    /// recorded, the call is complete, since a thread can lose only the end of its events.
    pub fn missing_in(&self, node: u32) -> Vec<String> {
        match self.calls.exit(node) {
            Exit::Returned | Exit::Threw => self.not_recorded(),
            Exit::Open | Exit::Unrecorded => self.missing(),
        }
    }

    /// What the recording lacks that can matter for the state of objects before a call ended. If the
    /// recording is damaged, writes of other threads may be missing.
    pub fn missing_until(&self, node: u32) -> Vec<String> {
        if self.is_damaged() { self.missing() } else { self.missing_in(node) }
    }

    fn is_damaged(&self) -> bool {
        let recorded = self.about.recorded.as_ref();
        !self.calls.missing.is_empty() || recorded.is_some_and(|recorded| self.calls.bytes < recorded.bytes)
    }

    /// What the recording has lost because it was cut off or damaged.
    fn lost(&self) -> Vec<String> {
        let mut lost = self.calls.missing.clone();
        match &self.about.recorded {
            None => lost.push(
                "the recording has not ended, or was cut off: only the events written so far are shown"
                    .to_owned(),
            ),
            Some(recorded) if self.calls.bytes < recorded.bytes => lost.push(format!(
                "of {} bytes of events, {} are left: the file of events was cut off or changed",
                recorded.bytes, self.calls.bytes
            )),
            Some(_) => {}
        }
        lost
    }

    /// A note that names the hidden classes, whose code can write fields of other classes.
    pub fn hidden(&self) -> Option<String> {
        let all: Vec<&str> = self.calls.sites.hidden.iter().map(String::as_str).collect();
        (!all.is_empty())
            .then(|| format!("calls and writes of hidden classes were not recorded: {}", all.join(", ")))
    }

    /// A note that names the recorded classes with code that writes fields unseen: by `Unsafe`, or by handles
    /// that are no `VarHandle`.
    pub fn unseen_writers(&mut self) -> Option<String> {
        if self.about.level < Level::Writes {
            return None;
        }
        let classes = self.lines.unseen_writers(&self.calls);
        let (shown, more) = classes.split_at(classes.len().min(SHOWN));
        let more = if more.is_empty() { String::new() } else { format!(" and {} others", more.len()) };
        let note = "writes by Unsafe and by method handles are not recorded, and can be in";
        (!shown.is_empty()).then(|| format!("{note} {}{more}", shown.join(", ")))
    }

    /// What the recorder could not record or keep.
    pub fn not_recorded(&self) -> Vec<String> {
        let recorded = self.about.recorded.iter().flat_map(|recorded| &recorded.missing);
        let mut missing: Vec<String> = self.about.dropped.iter().map(ToString::to_string).collect();
        for what in recorded.chain(&self.calls.sites.problems) {
            if !missing.contains(what) {
                missing.push(what.clone());
            }
        }
        missing
    }
}
