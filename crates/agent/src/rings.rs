//! The natives of the recorder's class `QuerypointTraceAgent`, mainly for the rings in which recorded threads
//! store their events.

use crate::space;
use crate::state::{problem, with_state};
use crate::tracing::Tracer;
use jvmti_bindings::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wire::Report;
use wire::recording::{LIMIT, LONGEST_EVENT, MASK, RingReport, TAKEN, WAITED, WRITTEN};
use wire::steering::{Occurrence, Steering};

/// How long a thread waits while no event at all is collected.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it sleeps between checks.
const NAP: Duration = Duration::from_micros(50);
/// Set after a thread has waited in vain, so that no other thread waits as long.
static NOBODY_READS: AtomicBool = AtomicBool::new(false);

/// Indices in [`LOSSES`].
const THREADS: jni::jint = 0;
const ROOM: jni::jint = 1;

/// Messages about lost data, by the recorder's loss number.
const LOSSES: [&str; 7] = [
    "more threads lived at once than can be recorded: the others are missing",
    "there was no memory or no space on disk for the events of a thread: they are missing",
    "there was no memory for the name of a class: its objects have no class name",
    "a written field was not found: the writes to it are missing",
    "contents of collections could not be read: some or all of them are missing",
    "an array was too long, or there was no memory, to find the stores into it by unrecorded code: \
     they are missing",
    "a field was written through a handle that does not name it: the write is missing",
];

/// `QuerypointTraceAgent.reserve(long)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_reserve(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    bytes: jni::jlong,
) -> jni::jlong {
    let Some(wanted) = usize::try_from(bytes).ok() else { return 0 };
    let reserved = space::reserve(wanted);
    with_state(|state| state.tracer.as_mut().map(|tracer| tracer.reserved(wanted, reserved)));
    reserved.and_then(|address| jni::jlong::try_from(address).ok()).unwrap_or(0)
}

/// `QuerypointTraceAgent.ring(String, long, boolean, String, int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_ring(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    thread: jni::jstring,
    number: jni::jlong,
    is_virtual: jni::jboolean,
    group: jni::jstring,
    object: jni::jint,
) -> jni::jlong {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes the name of a thread.
    let thread = unsafe { env.get_string_lossy(thread) }.unwrap_or_default();
    // SAFETY: the recorder passes the name of a group.
    let group = if group.is_null() { None } else { unsafe { env.get_string_lossy(group) } };
    let made = with_state(|state| {
        let Some(tracer) = state.tracer.as_mut() else { return Err(None) };
        if NOBODY_READS.load(Ordering::Relaxed) || tracer.pool.is_stopped() {
            return Err(None);
        }
        let Some((address, place)) = tracer.pool.take() else {
            return Err(Some(if tracer.pool.is_full() { THREADS } else { ROOM }));
        };
        let ring = tracer.next_ring();
        // If recording begins at a place, the first event of each thread must wait for its turn.
        tracer.pool.begin(address, ring, this_thread(), tracer.has_places());
        let (number, is_virtual, object) = (number.cast_unsigned(), is_virtual != 0, object.cast_unsigned());
        let report = RingReport { ring, thread, number, is_virtual, group, object, place };
        if state.reporter.tell(&Report::Ring(report)) {
            return Ok(address);
        }
        // A ring that was not reported would never be read.
        tracer.pool.give_back(address);
        Err(Some(ROOM))
    });
    match made {
        Some(Ok(address)) => jni::jlong::try_from(address).unwrap_or(0),
        Some(Err(Some(loss))) => {
            lose(loss);
            0
        }
        // The reader has reported the reason.
        Some(Err(None)) | None => 0,
    }
}

/// `QuerypointTraceAgent.ended(long)`.
///
/// # Safety
/// Called by the VM only, with the address of a ring.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_ended(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    ring: jni::jlong,
) {
    let Ok(address) = usize::try_from(ring) else { return };
    with_state(|state| state.tracer.as_mut().map(|tracer| tracer.pool.end(address)));
}

/// The operating system's id of this thread.
#[cfg(target_os = "linux")]
fn this_thread() -> u64 {
    // SAFETY: the function takes nothing and always succeeds.
    u64::try_from(unsafe { libc::gettid() }).unwrap_or(0)
}

#[cfg(not(target_os = "linux"))]
fn this_thread() -> u64 {
    0
}

/// `QuerypointTraceAgent.windowed()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_windowed(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let has_window = with_state(|state| state.tracer.as_ref().is_some_and(Tracer::has_window));
    jni::jboolean::from(has_window.unwrap_or_default())
}

/// `QuerypointTraceAgent.tested()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_tested(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let has_tests = with_state(|state| state.tracer.as_ref().is_some_and(Tracer::has_tests));
    jni::jboolean::from(has_tests.unwrap_or_default())
}

/// `QuerypointTraceAgent.places()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_places(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let has_places = with_state(|state| state.tracer.as_ref().is_some_and(Tracer::has_places));
    jni::jboolean::from(has_places.unwrap_or_default())
}

/// `QuerypointTraceAgent.waits()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_waits(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    jni::jboolean::from(hits(false) > 0)
}

/// `QuerypointTraceAgent.hits(boolean)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_hits(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    is_end: jni::jboolean,
) -> jni::jint {
    hits(is_end != 0)
}

fn hits(is_end: bool) -> jni::jint {
    let hits = with_state(|state| state.tracer.as_ref().map_or(0, |tracer| tracer.hits(is_end)));
    hits.and_then(|hits| jni::jint::try_from(hits).ok()).unwrap_or(0)
}

/// `QuerypointTraceAgent.reached(boolean)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_reached(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    is_end: jni::jboolean,
) {
    with_state(|state| state.reporter.tell(&Report::Reached { is_end: is_end != 0 }));
}

/// `QuerypointTraceAgent.steering()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_steering(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlong {
    let counts = with_state(|state| state.tracer.as_ref().and_then(Tracer::steering_counts)).flatten();
    counts.and_then(|address| jni::jlong::try_from(address).ok()).unwrap_or(0)
}

/// `QuerypointTraceAgent.overflows()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_overflows(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlong {
    let word = with_state(|state| state.tracer.as_ref().and_then(Tracer::overflows)).flatten();
    word.and_then(|address| jni::jlong::try_from(address).ok()).unwrap_or(0)
}

/// The execution that is steered, by the name of its threads; `None` if all are.
fn steered() -> Option<(String, u64)> {
    with_state(|state| {
        let (thread, n) = state.tracer.as_ref()?.steering()?.which.nth()?;
        Some((thread.to_owned(), n))
    })
    .flatten()
}

/// `QuerypointTraceAgent.steeredThread()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_steeredThread(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jstring {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // Without memory for the name, the VM throws.
    steered().and_then(|(thread, _)| env.new_string_utf(&thread)).unwrap_or(std::ptr::null_mut())
}

/// `QuerypointTraceAgent.steeredExecution()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_steeredExecution(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlong {
    steered().map_or(0, |(_, n)| jni::jlong::try_from(n).unwrap_or(jni::jlong::MAX))
}

/// `QuerypointTraceAgent.steeredLater()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_steeredLater(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlong {
    let later = with_state(|state| state.tracer.as_ref()?.steering()?.which.later()).flatten();
    later.and_then(|n| jni::jlong::try_from(n).ok()).unwrap_or(-1)
}

/// `QuerypointTraceAgent.steersEqual()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_steersEqual(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let steering = with_state(|state| state.tracer.as_ref().and_then(Tracer::steering).cloned()).flatten();
    let is_equal = matches!(steering, Some(Steering { which: Occurrence::EqualOperands { .. }, .. }));
    jni::jboolean::from(is_equal)
}

/// `QuerypointTraceAgent.contents()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_contents(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let has_contents = with_state(|state| state.tracer.as_ref().is_some_and(Tracer::has_contents));
    jni::jboolean::from(has_contents.unwrap_or_default())
}

/// `QuerypointTraceAgent.window(String, long)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_window(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    thread: jni::jstring,
    number: jni::jlong,
) -> jni::jlongArray {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes the name of a thread.
    let thread = unsafe { env.get_string_lossy(thread) }.unwrap_or_default();
    let window = with_state(|state| state.tracer.as_mut()?.window(&thread, number.cast_unsigned())).flatten();
    let Some(window) = window else { return std::ptr::null_mut() };
    let calls = window.into_iter().map(|call| jni::jlong::try_from(call).unwrap_or(jni::jlong::MAX));
    let calls: Vec<jni::jlong> = calls.collect();
    let length = jni::jsize::try_from(calls.len()).unwrap_or(0);
    let Some(array) = env.new_long_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_long_array_region(array, 0, length, &calls) };
    array
}

/// A word of a ring.
///
/// # Safety
/// The address is that of a ring, which lives as long as the VM.
unsafe fn word(ring: jni::jlong, at: u64) -> &'static AtomicU64 {
    let address = usize::try_from(ring).unwrap_or_default() + usize::try_from(at).unwrap_or_default();
    // SAFETY: as the caller guarantees; words are aligned to 8 bytes.
    unsafe { &*(address as *const AtomicU64) }
}

/// `QuerypointTraceAgent.ordered()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_ordered(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    jni::jboolean::from(cfg!(any(target_arch = "x86_64", target_arch = "x86")))
}

/// `QuerypointTraceAgent.pause()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_pause(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) {
    std::thread::sleep(Duration::from_micros(50));
}

/// `QuerypointTraceAgent.await(long)`.
///
/// # Safety
/// Called by the VM only, with the address of a ring.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_await(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    ring: jni::jlong,
) -> jni::jboolean {
    let began = Instant::now();
    // SAFETY: the recorder passes the address of a ring.
    let [written, limit, mask, taken, waited] =
        [WRITTEN, LIMIT, MASK, TAKEN, WAITED].map(|at| unsafe { word(ring, at) });
    let size = mask.load(Ordering::Relaxed) + 1;
    let until = written.load(Ordering::Relaxed) + LONGEST_EVENT;
    let mut last = (taken.load(Ordering::Acquire), began);
    loop {
        let now = taken.load(Ordering::Acquire);
        if until <= now + size {
            limit.store(now + size - LONGEST_EVENT, Ordering::Relaxed);
            let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
            waited.fetch_add(micros, Ordering::Relaxed);
            return 1;
        }
        if NOBODY_READS.load(Ordering::Relaxed) {
            return 0;
        }
        // The reader reports the reason.
        if with_state(|state| state.tracer.as_ref().is_some_and(|tracer| tracer.pool.is_stopped()))
            == Some(true)
        {
            NOBODY_READS.store(true, Ordering::Relaxed);
            return 0;
        }
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() > PATIENCE {
            // Several threads may arrive here at once; only one reports.
            if !NOBODY_READS.swap(true, Ordering::Relaxed) {
                problem("nobody collects the recorded events any more: later events are missing".to_owned());
            }
            return 0;
        }
        std::thread::sleep(NAP);
    }
}

/// `QuerypointTraceAgent.lose(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_lose(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    what: jni::jint,
) {
    lose(what);
}

/// Reports a loss by its number, once.
fn lose(what: jni::jint) {
    let loss = usize::try_from(what).ok().and_then(|what| LOSSES.get(what));
    let new = with_state(|state| state.tracer.as_mut().is_some_and(|tracer| tracer.loses(what)));
    if let (Some(loss), Some(true)) = (loss, new) {
        problem((*loss).to_owned());
    }
}
