//! The callers of the coroutine of Kotlin that runs: they are suspended, so they are on no stack of the VM.

use super::error::PastError;
use super::fields::part_of;
use super::recording::Recording;
use super::stack::Frame;
use bytecode::coroutine::{RESUMES, suspension};
use bytecode::descriptor;
use trace::{CREATION, EventPosition, EventTime, HeldValue, Value};

/// Maximum number of suspended callers.
const MOST: usize = 256;

impl Recording {
    /// The suspended callers of the coroutine that runs on a stack, innermost first. They are known if the
    /// writes of fields were recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn suspended_callers(&mut self, stack: &[EventPosition]) -> Result<Vec<Frame>, PastError> {
        let calls = &self.calls;
        let resumes =
            |at: &&EventPosition| calls.method(at.node).is_some_and(|method| method.name == RESUMES);
        let resumed: Vec<EventPosition> = stack.iter().filter(resumes).copied().collect();
        let (Some(top), Some(innermost)) = (stack.first(), resumed.first()) else { return Ok(Vec::new()) };
        let now = self.calls.when_at(*top)?;
        let mut running = Vec::new();
        for at in &resumed {
            running.extend(self.calls.call(at.node)?.and_then(|call| call.this));
        }
        let mut state = self.calls.call(innermost.node)?.and_then(|call| call.this);
        let mut callers = Vec::new();
        while let Some(of) = state
            && callers.len() < MOST
        {
            // The constructor gets the state of the caller as its last argument.
            let made = self.calls.write_rows(of, CREATION)?.next();
            let made = made.and_then(|row| self.calls.call_at(self.calls.writes_in(row).first));
            let call = match made {
                Some(node) => self.calls.call(node)?,
                None => None,
            };
            let Some(Value::Object(caller)) = call.and_then(|call| call.arguments.last().copied()) else {
                break;
            };
            // A state whose function runs further down is not suspended.
            let Some(frame) = self.suspended_frame(caller, now)?.filter(|_| !running.contains(&caller))
            else {
                break;
            };
            callers.push(frame);
            state = Some(caller);
        }
        Ok(callers)
    }

    /// Where the function of a state is suspended.
    fn suspended_frame(&mut self, state: u32, now: EventTime) -> Result<Option<Frame>, PastError> {
        let Some(class) = self.calls.objects.class(state).map(ToString::to_string) else { return Ok(None) };
        let Some(part) = part_of(&self.calls, &class, "label") else { return Ok(None) };
        let HeldValue::Written(Value::Int(label), when) = self.calls.held(state, part, now)? else {
            return Ok(None);
        };
        let file = self.code.fields.pool().and_then(|pool| pool.find(&class).ok().flatten());
        let Some(place) = file.and_then(|found| suspension(&found.file, Some(label))) else {
            return Ok(None);
        };
        let Some(node) = self.calls.call_at(when) else { return Ok(None) };
        Ok(Some(Frame {
            at: EventPosition::new(node, when),
            node: self.calls.shown(node),
            name: descriptor::written::method(&place.class, &place.method),
            line: place.line.and_then(|line| u16::try_from(line).ok()),
            source: place.file.map(|file| self.source_of(&place.class, file)),
            is_suspended: true,
        }))
    }
}
