//! Command set 12, `ThreadGroupReference`: thread groups.

use crate::id::{ThreadGroupId, ThreadId};

commands! {
    /// The group's name.
    Name {
        /// The group.
        group: ThreadGroupId,
    } -> String;
    /// The parent group; `None` for a top-level group.
    Parent {
        /// The group.
        group: ThreadGroupId,
    } -> Option<ThreadGroupId>;
    /// The live threads and the groups directly in this group.
    Children {
        /// The group.
        group: ThreadGroupId,
    } -> ChildrenReply;
}

records! {
    /// The content of a thread group.
    ChildrenReply {
        /// Its live platform threads.
        child_threads: Vec<ThreadId>,
        /// Its subgroups.
        child_groups: Vec<ThreadGroupId>,
    }
}
