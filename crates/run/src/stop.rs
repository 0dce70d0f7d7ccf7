//! A thread suspended by an event. Its frames are read on first use and dropped on resume.

use super::error::RunError;
use super::vm::Vm;
use expr::EventPart;
use jdwp::commands::{stack_frame, thread_reference};
use jdwp::{FrameId, Location, ThreadId};
use model::{FrameKey, StackKey, Tables, ThreadKey, Value, Way};

/// The values of the event itself (DESIGN §6: a leading dot).
#[derive(Clone, Debug, Default)]
pub struct EventParts {
    pub owner: Option<Value>,
    /// The class object of the static field that was written or read.
    pub class: Option<Value>,
    pub old: Option<Value>,
    pub new: Option<Value>,
    pub exception: Option<Value>,
    pub result: Option<Value>,
    pub index: Option<Value>,
}

impl EventParts {
    /// The value of one part.
    pub fn get(&self, part: EventPart) -> Option<Value> {
        match part {
            EventPart::Owner => self.owner.clone(),
            EventPart::Old => self.old.clone(),
            EventPart::New => self.new.clone(),
            EventPart::Exception => self.exception.clone(),
            EventPart::Result => self.result.clone(),
            EventPart::Index => self.index.clone(),
        }
    }
}

/// One suspended thread.
pub struct Stop {
    /// The thread.
    pub thread: ThreadId,
    /// Its key in the run's tables.
    pub key: ThreadKey,
    /// The location of its newest frame.
    pub location: Location,
    /// The values of the event.
    pub parts: EventParts,
    /// The ordinal of the hit, if the VM counted it, and which variant of its place was hit.
    pub counted: Option<(u32, Option<Way>)>,
    /// Number of earlier hits that satisfied the query's conditions, which the VM has counted and not
    /// reported.
    pub passed: u64,
    /// Number of recorder frames above the program's newest frame.
    hidden: usize,
    depth: Option<u32>,
    newest: Option<FrameId>,
    frames: Option<Vec<thread_reference::Frame>>,
    /// Locals of the newest frame that were read together with the frames.
    locals: Vec<(stack_frame::Slot, jdwp::Value)>,
    stack: Option<(StackKey, Vec<FrameKey>)>,
}

impl Stop {
    /// A thread stopped at `location`.
    pub fn new(thread: ThreadId, key: ThreadKey, location: Location) -> Stop {
        let parts = EventParts::default();
        let (depth, newest, frames, locals, stack) = (None, None, None, Vec::new(), None);
        let (counted, passed, hidden) = (None, 0, 0);
        Stop { thread, key, location, parts, counted, passed, hidden, depth, newest, frames, locals, stack }
    }

    /// A thread stopped at `location`, with `hidden` frames of the recorder above it.
    pub fn below(thread: ThreadId, key: ThreadKey, location: Location, hidden: usize) -> Stop {
        Stop { hidden, ..Stop::new(thread, key, location) }
    }

    /// The same stopped thread seen from an older frame, as if that were its newest.
    pub fn at_frame(&self, index: usize, location: Location) -> Stop {
        let frames = self.frames.as_ref().and_then(|f| f.get(index..)).map(<[_]>::to_vec);
        let depth = frames.as_ref().map(|f| u32::try_from(f.len()).unwrap_or(u32::MAX));
        let (thread, key, parts) = (self.thread, self.key, self.parts.clone());
        let (newest, locals, stack) = (None, Vec::new(), None);
        let (counted, passed, hidden) = (self.counted, self.passed, self.hidden + index);
        Stop { thread, key, location, parts, counted, passed, hidden, depth, newest, frames, locals, stack }
    }

    /// Whether the recorder stopped the thread, so that the recorder's frames are above the program's.
    pub fn is_in_recorder(&self) -> bool {
        self.hidden > 0
    }

    /// Number of frames on its stack.
    pub async fn depth(&mut self, vm: &Vm) -> Result<u32, RunError> {
        if let Some(depth) = self.depth {
            return Ok(depth);
        }
        let count = vm.conn().send(thread_reference::FrameCount { thread: self.thread }).await?;
        let hidden = i32::try_from(self.hidden).unwrap_or(i32::MAX);
        let depth = u32::try_from(count.saturating_sub(hidden)).unwrap_or(0);
        self.depth = Some(depth);
        Ok(depth)
    }

    /// Reads these locals of its newest frame together with all its frames (`whole`) or the newest frame.
    /// This saves one of two round trips.
    pub async fn prefetch(
        &mut self,
        vm: &mut Vm,
        slots: &[stack_frame::Slot],
        whole: bool,
    ) -> Result<(), RunError> {
        if self.frames.is_some() || self.newest.is_some() || slots.is_empty() || vm.is_probed() {
            return Ok(());
        }
        let conn = vm.conn().clone();
        let read = if whole {
            let read = vm.top.stack_and_values(&conn, self.thread, slots.to_vec()).await;
            read.map(|(frames, values)| (Some(frames), None, values))
        } else {
            let read = vm.top.values(&conn, self.thread, slots.to_vec()).await;
            read.map(|(newest, values)| (None, Some(newest.frame_id), values))
        };
        match read {
            Ok((frames, newest, values)) => {
                if let Some(frames) = &frames {
                    self.depth = Some(u32::try_from(frames.len()).unwrap_or(u32::MAX));
                }
                self.frames = frames;
                self.newest = newest;
                self.locals = slots.iter().cloned().zip(values).collect();
                Ok(())
            }
            Err(e) if e.is_fatal() => Err(e.into()),
            // If the combined request fails, the values are read one by one, and fail one by one.
            Err(_) => Ok(()),
        }
    }

    /// A local of the newest frame, if already read.
    pub fn local(&self, slot: i32) -> Option<jdwp::Value> {
        self.locals.iter().find(|(known, _)| known.slot == slot).map(|(_, value)| *value)
    }

    /// The id of its newest frame, valid until the thread runs again. Does not read the whole stack, which
    /// can be thousands of frames deep.
    pub async fn newest(&mut self, vm: &Vm) -> Result<Option<FrameId>, RunError> {
        if let Some(frames) = &self.frames {
            return Ok(frames.first().map(|f| f.frame_id));
        }
        if self.newest.is_none() {
            let start_frame = i32::try_from(self.hidden).unwrap_or(i32::MAX);
            let first = thread_reference::Frames { thread: self.thread, start_frame, length: 1 };
            self.newest = vm.conn().send(first).await?.first().map(|f| f.frame_id);
        }
        Ok(self.newest)
    }

    /// Its frames, newest first. Their ids are valid until the thread runs again.
    pub async fn frames(&mut self, vm: &mut Vm) -> Result<&[thread_reference::Frame], RunError> {
        if self.frames.is_none() {
            let start_frame = i32::try_from(self.hidden).unwrap_or(i32::MAX);
            let all = thread_reference::Frames { thread: self.thread, start_frame, length: -1 };
            let frames = vm.conn().send(all).await?;
            self.read(vm, frames).await?;
        }
        Ok(self.frames.as_deref().unwrap_or_default())
    }

    /// Stores its frames as received from the VM.
    pub async fn read(
        &mut self,
        vm: &mut Vm,
        mut frames: Vec<thread_reference::Frame>,
    ) -> Result<(), RunError> {
        if vm.is_probed() {
            for frame in &mut frames {
                frame.location = vm.original(frame.location).await?;
            }
            if let Some(newest) = frames.first_mut().filter(|_| self.hidden > 0) {
                // The code of a probed branch target lies behind the method's own code.
                newest.location = self.location;
            }
        }
        self.depth = Some(u32::try_from(frames.len()).unwrap_or(u32::MAX));
        self.frames = Some(frames);
        Ok(())
    }

    /// The key of its whole stack, with the keys of its frames, newest first.
    pub async fn stack(
        &mut self,
        vm: &mut Vm,
        tables: &mut Tables,
    ) -> Result<(StackKey, &[FrameKey]), RunError> {
        if self.stack.is_none() {
            let locations: Vec<Location> = self.frames(vm).await?.iter().map(|f| f.location).collect();
            let mut keys = Vec::with_capacity(locations.len());
            for location in locations {
                keys.push(vm.frame_key(tables, location).await?);
            }
            self.stack = Some((tables.stack_key(&keys), keys));
        }
        let (stack, keys) = self.stack.as_ref().map_or((StackKey::EMPTY, &[][..]), |(s, k)| (*s, k));
        Ok((stack, keys))
    }

    /// The index in [`Stop::frames`] of a frame as counted in references: 0 the newest, -1 the oldest.
    pub async fn frame_index(&mut self, vm: &mut Vm, frame: i32) -> Result<Option<usize>, RunError> {
        let count = self.frames(vm).await?.len();
        let index = match usize::try_from(frame) {
            Ok(index) => Some(index),
            Err(_) => count.checked_sub(frame.unsigned_abs() as usize),
        };
        Ok(index.filter(|i| *i < count))
    }

    /// Records that the thread ran because a method was called in it. Frame ids are stale; the stack is
    /// unchanged.
    pub fn ran(&mut self) {
        self.frames = None;
        self.newest = None;
        self.locals.clear();
    }
}
