//! Reads local variables of a thread's top frame in one round trip instead of two.
//!
//! `StackFrame.GetValues` needs a frame id, which `ThreadReference.Frames` returns and which becomes invalid
//! when the thread runs. A debugger that stops a thread repeatedly pays for two sequential round trips.
//! HotSpot assigns new frame ids at each stop by counting on, so the next id can be guessed. This module
//! sends the guess together with the request for the real id. If the guess was right, that reply, from the
//! same stop, confirms it. If it was wrong, the virtual machine refuses it or this module discards the
//! values, and requests them again. The result never depends on the guess; only the time does.

use std::collections::HashMap;

use crate::commands::Command;
use crate::commands::stack_frame::{GetValues, Slot};
use crate::commands::thread_reference::{Frame, Frames};
use crate::connection::Connection;
use crate::error::Error;
use crate::error_code::ErrorCode;
use crate::id::{FrameId, ThreadId};
use crate::value::Value;

/// Reads top frames and predicts the ids of the next ones, per thread.
#[derive(Debug, Clone, Default)]
pub struct TopFrames {
    threads: HashMap<ThreadId, Numbering>,
}

/// The id of a thread's last top frame, and its difference from the one before.
#[derive(Debug, Clone, Copy)]
struct Numbering {
    last: u64,
    step: u64,
}

impl TopFrames {
    /// The top frame of a suspended thread and the values of its variables, in the requested order. Which
    /// variables are visible depends on the location, which the event that stopped the thread contains.
    ///
    /// # Errors
    /// Those of `ThreadReference.Frames` and `StackFrame.GetValues`; `NO_MORE_FRAMES` if the thread has no
    /// frames.
    pub async fn values(
        &mut self,
        connection: &Connection,
        thread: ThreadId,
        slots: Vec<Slot>,
    ) -> Result<(Frame, Vec<Value>), Error> {
        let (frames, values) = self.read(connection, thread, 1, slots).await?;
        match frames.into_iter().next() {
            Some(frame) => Ok((frame, values)),
            None => Err(Error::Jdwp { command: Frames::NAME, code: ErrorCode::NO_MORE_FRAMES }),
        }
    }

    /// The whole stack of a suspended thread, newest frame first, and the values of variables in its top
    /// frame.
    ///
    /// # Errors
    /// Those of [`TopFrames::values`].
    pub async fn stack_and_values(
        &mut self,
        connection: &Connection,
        thread: ThreadId,
        slots: Vec<Slot>,
    ) -> Result<(Vec<Frame>, Vec<Value>), Error> {
        self.read(connection, thread, -1, slots).await
    }

    async fn read(
        &mut self,
        connection: &Connection,
        thread: ThreadId,
        length: i32,
        slots: Vec<Slot>,
    ) -> Result<(Vec<Frame>, Vec<Value>), Error> {
        let frames = connection.send(Frames { thread, start_frame: 0, length });
        let guess = self.threads.get(&thread).map(|seen| FrameId::new(seen.last.wrapping_add(seen.step)));
        let guessed = guess.map(|frame| connection.send(GetValues { thread, frame, slots: slots.clone() }));
        let frames = frames.await?;
        let Some(frame) = frames.first().map(|f| f.frame_id) else {
            return Err(Error::Jdwp { command: Frames::NAME, code: ErrorCode::NO_MORE_FRAMES });
        };
        self.learn(thread, frame);
        let values = match guessed {
            Some(values) if guess == Some(frame) => values.await?,
            _ => connection.send(GetValues { thread, frame, slots }).await?,
        };
        Ok((frames, values))
    }

    /// Forgets a thread that has ended.
    pub fn forget(&mut self, thread: ThreadId) {
        self.threads.remove(&thread);
    }

    fn learn(&mut self, thread: ThreadId, frame: FrameId) {
        let last = frame.raw();
        let step = self.threads.get(&thread).map_or(0, |seen| last.wrapping_sub(seen.last));
        // A second request at the same stop returns the same id, which does not help to predict the next
        // stop.
        match self.threads.get_mut(&thread) {
            Some(_) if step == 0 => {}
            _ => {
                self.threads.insert(thread, Numbering { last, step });
            }
        }
    }
}
