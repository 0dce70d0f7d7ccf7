//! Command set 12, `ThreadGroupReference`: thread groups.

use crate::id::{ThreadGroupId, ThreadId};

commands! {
    /// The group's name.
    Name {
        /// The group.
        group: ThreadGroupId,
    } -> String;
    /// The group that contains this one; `None` for a top-level one.
    Parent {
        /// The group.
        group: ThreadGroupId,
    } -> Option<ThreadGroupId>;
    /// The live threads and the groups directly in this one.
    Children {
        /// The group.
        group: ThreadGroupId,
    } -> ChildrenReply;
}

records! {
    /// What is in a thread group.
    ChildrenReply {
        /// Its live platform threads.
        child_threads: Vec<ThreadId>,
        /// Its groups.
        child_groups: Vec<ThreadGroupId>,
    }
}
