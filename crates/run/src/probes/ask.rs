//! Reads the arguments with which the recorder stops, and calls the recorder's methods in a stopped thread.

use super::recorder::{Recorder, newest_frames, own_frames};
use crate::error::RunError;
use crate::stop::Stop;
use crate::vm::or_default;
use crate::watched::Watched;
use jdwp::commands::thread_reference::Frame;
use jdwp::commands::{array_reference, class_type, stack_frame, string_reference};
use jdwp::{ArrayId, InvokeOptions, Location, MethodId, ReferenceTypeId, StringId, Tag, ThreadId};
use model::{CollectionState, ThreadIdentity, Value};
use wire::ToldThread;

/// A hit that interrupts the program.
pub struct RecorderStop {
    /// The number of its site.
    pub site: u32,
    /// Its ordinal among the hits of the site in its thread.
    pub ordinal: u64,
    /// The owner of the field, or the array.
    pub owner: jdwp::Value,
    /// The index of the array element.
    pub index: i32,
    /// The new value if it is primitive: an `int` or `long`, or the bits of a `float` or `double`.
    pub bits: i64,
    /// The new value, if it is a reference.
    pub value: jdwp::Value,
    /// The number of the stop among those of its thread, from 1; 0 if unknown.
    pub nth: u32,
    /// Number of recorder frames above the program's newest frame.
    pub hidden: usize,
    /// The location of the program in its rewritten code.
    pub location: Location,
    /// The program's frames, if the stack was read.
    pub frames: Option<Vec<Frame>>,
}

/// A stack with more frames is read only on demand.
const DEEP: usize = 200;

/// Reads the arguments with which the recorder stops.
pub async fn stopped(watched: &mut Watched, thread: ThreadId) -> Result<Option<RecorderStop>, RunError> {
    let Some(recorder) = watched.recorder.as_mut() else { return Ok(None) };
    let vm = &mut watched.vm;
    let conn = vm.conn().clone();
    let slot = |slot: i32, sigbyte: Tag| stack_frame::Slot { slot, sigbyte };
    let slots = vec![
        slot(0, Tag::Int),
        slot(1, Tag::Long),
        slot(3, Tag::Object),
        slot(4, Tag::Int),
        slot(5, Tag::Long),
        slot(7, Tag::Object),
        slot(8, Tag::Int),
    ];
    let (frames, hidden, values) = if recorder.is_deep(thread) {
        let (frames, hidden) = newest_frames(vm, thread).await?;
        let Some(newest) = frames.first() else { return Ok(None) };
        let ask = stack_frame::GetValues { thread, frame: newest.frame_id, slots };
        (frames, hidden, conn.send(ask).await?)
    } else {
        let (frames, values) = vm.top.stack_and_values(&conn, thread, slots).await?;
        let hidden = own_frames(vm, &frames).await?;
        (frames, hidden, values)
    };
    let Some(program) = frames.get(hidden) else { return Ok(None) };
    let location = program.location;
    let frames = if recorder.is_deep(thread) {
        None
    } else {
        if frames.len() > DEEP {
            recorder.mark_deep(thread);
        }
        Some(frames.into_iter().skip(hidden).collect())
    };
    let [
        jdwp::Value::Int(site),
        jdwp::Value::Long(ordinal),
        owner,
        jdwp::Value::Int(index),
        jdwp::Value::Long(bits),
        value,
        jdwp::Value::Int(nth),
    ] = values[..]
    else {
        return Ok(None);
    };
    Ok(Some(RecorderStop {
        site: u32::try_from(site).unwrap_or(u32::MAX),
        ordinal: u64::try_from(ordinal).unwrap_or(0),
        owner,
        index,
        bits,
        value,
        nth: u32::try_from(nth).unwrap_or(0),
        hidden,
        location,
        frames,
    }))
}
/// The recorder's answer about the last hit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LastHitReply {
    /// There was none.
    None,
    /// The hit.
    Hit {
        /// The number of its site.
        site: u32,
        /// Its ordinal.
        ordinal: u64,
        /// Its thread.
        thread: ThreadIdentity,
    },
    /// The last hit is unknown; with the reason.
    Unknown(String),
}

/// Asks for the last hit of a query on an owner before the stop. `index` is the index of an array element;
/// else 0.
pub async fn last(
    watched: &mut Watched,
    stop: &mut Stop,
    query: u16,
    owner: jdwp::Value,
    index: i32,
) -> Result<LastHitReply, RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else {
        return Ok(LastHitReply::Unknown("the recorder is not there".to_owned()));
    };
    let arguments = vec![jdwp::Value::Int(query.into()), owner, jdwp::Value::Int(index)];
    Ok(match text_of(watched, stop, class.id, class.last, arguments).await? {
        Some(text) => parse(&text),
        None => LastHitReply::Unknown("the recorder failed".to_owned()),
    })
}

/// The last hit of an owner in a run with numbered hits.
pub struct KeptHit {
    /// Its number among all hits of the query.
    pub number: u64,
    /// The bits of the new value, if it is primitive.
    pub bits: i64,
    /// The new value, if it is a reference.
    pub value: jdwp::Value,
    /// The bits written by the previous hit, if there was one.
    pub old_bits: Option<i64>,
    /// The reference written by the previous hit.
    pub old_value: jdwp::Value,
    /// The frames, one per line, if they were kept.
    pub frames: Option<String>,
}

/// Asks for the last hit of a query on an owner, with the data kept about it. `index` selects an array
/// element.
pub async fn kept_hit(
    watched: &mut Watched,
    stop: &mut Stop,
    query: u16,
    owner: jdwp::Value,
    index: i32,
) -> Result<Option<KeptHit>, RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else { return Ok(None) };
    let arguments = vec![jdwp::Value::Int(query.into()), owner, jdwp::Value::Int(index)];
    let reply = call(watched, stop, class.id, class.seen, arguments).await?;
    let Some(reply @ jdwp::Value::Object { id: Some(_), .. }) = reply else { return Ok(None) };
    let [text, frames, value, old_value] = elements(watched, reply).await?[..] else { return Ok(None) };
    let (Some(text), frames) = (read(watched, text).await?, read(watched, frames).await?) else {
        return Ok(None);
    };
    let numbers: Vec<i64> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
    let [number, bits, has_old, old_bits] = numbers[..] else { return Ok(None) };
    let number = u64::try_from(number).unwrap_or(0);
    Ok(Some(KeptHit { number, bits, value, old_bits: (has_old == 1).then_some(old_bits), old_value, frames }))
}

async fn read(watched: &mut Watched, text: jdwp::Value) -> Result<Option<String>, RunError> {
    let Some(id) = text.object() else { return Ok(None) };
    let ask = string_reference::Value { string_object: StringId::of(id) };
    Ok(Some(watched.vm.conn().send(ask).await?.into_string()))
}

/// Calls a method of the recorder that returns a string.
async fn text_of(
    watched: &mut Watched,
    stop: &mut Stop,
    class: ReferenceTypeId,
    method: MethodId,
    arguments: Vec<jdwp::Value>,
) -> Result<Option<String>, RunError> {
    let reply = call(watched, stop, class, method, arguments).await?;
    let Some(jdwp::Value::Object { id: Some(id), .. }) = reply else { return Ok(None) };
    let ask = string_reference::Value { string_object: StringId::of(id) };
    Ok(Some(watched.vm.conn().send(ask).await?.into_string()))
}

/// The recorder's reply after it has written the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogState {
    /// The number of the stopped thread in the log.
    pub thread: u16,
    /// The log's id of the requested object; 0 for none.
    pub owner: u32,
    /// Whether the thread's last record marks that it stopped.
    pub marked: bool,
}

/// Makes the recorder write the log to its file, and asks for the log's id of an object.
pub async fn logged(
    watched: &mut Watched,
    stop: &mut Stop,
    owner: jdwp::Value,
) -> Result<Result<LogState, String>, RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else {
        return Ok(Err("the recorder is not there".to_owned()));
    };
    let reply = text_of(watched, stop, class.id, class.logged, vec![owner]).await?;
    Ok(reply.map_or(Err("the recorder failed".to_owned()), |text| parse_logged(&text)))
}

/// A thread in the log.
pub async fn named(
    watched: &mut Watched,
    stop: &mut Stop,
    thread: u16,
) -> Result<Option<ThreadIdentity>, RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else { return Ok(None) };
    let arguments = vec![jdwp::Value::Int(thread.into())];
    let text = text_of(watched, stop, class.id, class.named, arguments).await?;
    Ok(text.and_then(|text| ToldThread::parse(&text)).map(identity))
}

/// The thread that the agent told.
pub fn identity(told: ToldThread) -> ThreadIdentity {
    ThreadIdentity { name: told.name.into(), number: told.number, is_virtual: told.is_virtual }
}

fn parse_logged(text: &str) -> Result<LogState, String> {
    if let Some(why) = text.strip_prefix("? ") {
        return Err(why.to_owned());
    }
    let mut words = text.split(' ');
    let mut number = || words.next().and_then(|word| word.parse::<i32>().ok());
    match (number(), number(), number()) {
        (Some(thread), Some(owner), Some(marked)) => {
            let thread = u16::try_from(thread).unwrap_or(u16::MAX);
            Ok(LogState { thread, owner: owner.cast_unsigned(), marked: marked == 1 })
        }
        _ => Err(format!("the recorder said `{text}`")),
    }
}

fn parse(text: &str) -> LastHitReply {
    if text.is_empty() {
        return LastHitReply::None;
    }
    if let Some(why) = text.strip_prefix("? ") {
        return LastHitReply::Unknown(why.to_owned());
    }
    let mut parts = text.splitn(3, ' ');
    let mut next = || parts.next();
    match (next().map(str::parse), next().map(str::parse), next().and_then(ToldThread::parse)) {
        (Some(Ok(site)), Some(Ok(ordinal)), Some(thread)) => {
            LastHitReply::Hit { site, ordinal, thread: identity(thread) }
        }
        _ => LastHitReply::Unknown(format!("the recorder said `{text}`")),
    }
}

/// The current state of a queried collection: all of its contents (`all`) or the queried part.
pub async fn now(
    watched: &mut Watched,
    stop: &mut Stop,
    query: u16,
    all: bool,
    owner: jdwp::Value,
) -> Result<Option<CollectionState>, RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else { return Ok(None) };
    let arguments = vec![jdwp::Value::Int(query.into()), owner];
    let reply = call(watched, stop, class.id, class.now, arguments).await?;
    let Some(reply @ jdwp::Value::Object { id: Some(_), .. }) = reply else { return Ok(None) };
    let values = elements(watched, reply).await?;
    let Some(value) = values.first() else {
        return Ok(Some(CollectionState { query, value: Value::Absent, print: 0 }));
    };
    let value = watched.vm.value(&mut watched.tables, *value).await?;
    let print = match &value {
        Value::Str(text) if all => text.text.split_once(' '),
        _ => None,
    };
    let numbers = print.and_then(|(size, print)| Some((size.parse().ok()?, print.parse().ok()?)));
    Ok(Some(match numbers {
        Some((size, print)) => CollectionState { query, value: Value::Int(size), print },
        None => CollectionState { query, value, print: 0 },
    }))
}

/// The elements of an array.
pub async fn elements(watched: &mut Watched, array: jdwp::Value) -> Result<Vec<jdwp::Value>, RunError> {
    let Some(id) = array.object() else { return Ok(Vec::new()) };
    let array_object = ArrayId::of(id);
    let length = watched.vm.conn().send(array_reference::Length { array_object }).await?;
    if length == 0 {
        return Ok(Vec::new());
    }
    let ask = array_reference::GetValues { array_object, first_index: 0, length };
    Ok(watched.vm.conn().send(ask).await?.iter().collect())
}

/// Makes the recorder ignore what the stopped thread does (`on`), or stop ignoring it.
pub async fn quiet(watched: &mut Watched, stop: &mut Stop, on: bool) -> Result<(), RunError> {
    let Some(class) = watched.recorder.as_deref().and_then(Recorder::class) else { return Ok(()) };
    call(watched, stop, class.id, class.quiet, vec![jdwp::Value::Boolean(on)]).await.map(drop)
}

async fn call(
    watched: &mut Watched,
    stop: &mut Stop,
    class: ReferenceTypeId,
    method: MethodId,
    arguments: Vec<jdwp::Value>,
) -> Result<Option<jdwp::Value>, RunError> {
    let thread = stop.thread;
    let options = InvokeOptions::SINGLE_THREADED;
    let pending =
        watched.vm.conn().send(class_type::InvokeMethod { clazz: class, thread, method, arguments, options });
    // This call is made by `qp`, not by the user's expression.
    let called = watched.report.called_methods;
    let reply = watched.while_running(thread, pending).await;
    watched.report.called_methods = called;
    stop.ran();
    let reply = or_default(reply_of(reply)?)?;
    Ok(reply)
}

type Reply = Result<Option<jdwp::Value>, jdwp::Error>;

fn reply_of(reply: Result<class_type::InvokeReply, RunError>) -> Result<Reply, RunError> {
    match reply {
        Ok(reply) if reply.exception.is_none() => Ok(Ok(Some(reply.return_value))),
        Ok(_) => Ok(Ok(None)),
        Err(RunError::Vm(error)) => Ok(Err(error)),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        assert_eq!(parse(""), LastHitReply::None);
        let thread = ThreadIdentity { number: 12, ..ThreadIdentity::named("pool 1 thread 2") };
        assert_eq!(
            parse("7 1000 12 0 pool 1 thread 2"),
            LastHitReply::Hit { site: 7, ordinal: 1000, thread }
        );
        let thread = ThreadIdentity { number: 31, is_virtual: true, ..ThreadIdentity::default() };
        assert_eq!(parse("7 1000 31 1 "), LastHitReply::Hit { site: 7, ordinal: 1000, thread });
        assert_eq!(parse("? no memory"), LastHitReply::Unknown("no memory".to_owned()));
        assert!(matches!(parse("7"), LastHitReply::Unknown(_)));
    }
}
