//! Command set 11, `ThreadReference`: threads.

use crate::constants::{SuspendStatus, ThreadStatus};
use crate::id::{FrameId, ObjectId, ThreadGroupId, ThreadId};
use crate::value::{Location, TaggedObject, Value};

commands! {
    /// The thread's name.
    Name {
        /// The thread.
        thread: ThreadId,
    } -> String;
    /// Suspends the thread and increments its suspend count.
    Suspend {
        /// The thread.
        thread: ThreadId,
    } -> ();
    /// Decrements the thread's suspend count; the thread runs on at zero.
    Resume {
        /// The thread.
        thread: ThreadId,
    } -> ();
    /// What the thread is doing, and whether it is suspended.
    Status {
        /// The thread.
        thread: ThreadId,
    } -> StatusReply;
    /// The thread's group; `None` once the thread has ended.
    ThreadGroup {
        /// The thread.
        thread: ThreadId,
    } -> Option<ThreadGroupId>;
    /// Frames of the suspended thread, the current one first.
    Frames {
        /// The thread.
        thread: ThreadId,
        /// The first frame; zero is the current one.
        start_frame: i32,
        /// The number of frames; -1 means all remaining ones.
        length: i32,
    } -> Vec<Frame>;
    /// The number of frames of the suspended thread.
    FrameCount {
        /// The thread.
        thread: ThreadId,
    } -> i32;
    /// The monitors the suspended thread owns. Needs `canGetOwnedMonitorInfo`.
    OwnedMonitors {
        /// The thread.
        thread: ThreadId,
    } -> Vec<TaggedObject>;
    /// The monitor the suspended thread waits for. Needs `canGetCurrentContendedMonitor`.
    CurrentContendedMonitor {
        /// The thread.
        thread: ThreadId,
    } -> Option<TaggedObject>;
    /// Throws an exception in the thread, as `Thread.stop` did.
    Stop {
        /// The thread.
        thread: ThreadId,
        /// The exception.
        throwable: ObjectId,
    } -> ();
    /// Interrupts the thread.
    Interrupt {
        /// The thread.
        thread: ThreadId,
    } -> ();
    /// The thread's suspend count.
    SuspendCount {
        /// The thread.
        thread: ThreadId,
    } -> i32;
    /// The monitors that the suspended thread owns, and the frames that entered them. Needs
    /// `canGetMonitorFrameInfo`.
    OwnedMonitorsStackDepthInfo {
        /// The thread.
        thread: ThreadId,
    } -> Vec<OwnedMonitor>;
    /// Returns from the current method immediately. Needs `canForceEarlyReturn`.
    ForceEarlyReturn {
        /// The thread.
        thread: ThreadId,
        /// The value to return.
        value: Value,
    } -> ();
    /// Whether the thread is a virtual thread. Since JDK 21.
    IsVirtual {
        /// The thread.
        thread: ThreadId,
    } -> bool;
}

records! {
    /// The state of a thread.
    StatusReply {
        /// What it is doing.
        thread_status: ThreadStatus,
        /// Whether it is suspended.
        suspend_status: SuspendStatus,
    }
    /// A frame of a thread.
    Frame {
        /// The frame; valid until the thread is resumed.
        frame_id: FrameId,
        /// The current instruction: the next to execute, or the call that created the frame above.
        location: Location,
    }
    /// A monitor a thread owns.
    OwnedMonitor {
        /// The monitor.
        monitor: TaggedObject,
        /// The depth of the frame that entered it, from 0; -1 if unknown.
        stack_depth: i32,
    }
}
