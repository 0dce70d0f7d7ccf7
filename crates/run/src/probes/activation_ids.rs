//! Identifies activations by the serial numbers that rewritten methods assign on entry, so that no entry
//! needs an event.

use crate::activations::ActivationStack;
use crate::error::RunError;
use crate::stop::Stop;
use crate::watched::Watched;
use jdwp::Tag;
use jdwp::commands::{stack_frame, thread_reference};

/// Updates the activations of a stopped thread.
pub async fn update_by_ids(
    activations: &mut ActivationStack,
    watched: &mut Watched,
    stop: &mut Stop,
) -> Result<(), RunError> {
    let frames = stop.frames(&mut watched.vm).await?.to_vec();
    let mut above = Vec::new();
    let mut known = 0;
    for (index, frame) in frames.iter().enumerate() {
        let Some(method) = watched.tracked_at(&frame.location).await? else { continue };
        let depth = u32::try_from(frames.len() - index).unwrap_or(u32::MAX);
        let serial = activation_id(watched, stop, frame).await?;
        if serial > 0 && activations.is_numbered(method, depth, serial) {
            known = depth;
            break;
        }
        above.push((method, depth, serial));
    }
    above.reverse();
    activations.set_above(&mut watched.tables, known, &above);
    Ok(())
}

/// The serial number of a frame's activation; 0 if it has none.
pub async fn activation_id(
    watched: &mut Watched,
    stop: &Stop,
    frame: &thread_reference::Frame,
) -> Result<i64, RunError> {
    added_local(watched, stop, frame, wire::SERIAL).await
}

/// The value of a local that the agent added to a frame's method; 0 if it added none.
pub async fn added_local(
    watched: &mut Watched,
    stop: &Stop,
    frame: &thread_reference::Frame,
    name: &str,
) -> Result<i64, RunError> {
    let at = frame.location;
    let moved = watched.vm.rewritten(at.class, at.method).await?;
    let Some(slot) = moved.and_then(|method| method.slot(name)) else { return Ok(0) };
    let slots = vec![stack_frame::Slot { slot: slot.into(), sigbyte: Tag::Long }];
    let ask = stack_frame::GetValues { thread: stop.thread, frame: frame.frame_id, slots };
    match watched.vm.conn().send(ask).await {
        Ok(values) => Ok(match values.first() {
            Some(jdwp::Value::Long(value)) => *value,
            _ => 0,
        }),
        Err(e) if e.is_fatal() => Err(e.into()),
        Err(_) => Ok(0),
    }
}
