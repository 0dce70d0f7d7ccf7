//! The rings in which recorded threads leave their events: memory that is a file, so that it outlives the VM, and what else
//! the recorder's class `QuerypointTraceAgent` asks for.

use crate::host::{problem, with_state};
use crate::space;
use crate::tracing::Tracer;
use jvmti_bindings::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wire::Report;
use wire::recording::{
    FIRST_RINGS, LIMIT, LONGEST_EVENT, MASK, RING_SIZES, RingReport, TAKEN, THREAD, WAITED, WRITTEN,
};

/// How long a thread waits while nothing at all is taken out.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long it sleeps before it looks again.
const NAP: Duration = Duration::from_micros(50);
/// A thread has waited so long in vain: no other one waits as long again.
static NOBODY_READS: AtomicBool = AtomicBool::new(false);

/// What the recorder may lose, by its number there.
const LOSSES: [&str; 7] = [
    "more threads lived at once than are recorded: those beyond are missing",
    "there was no memory or no space on disk for what a thread records: it is missing",
    "there was no memory for the name of a class: its objects have none",
    "a field that is written was not found: the writes to it are missing",
    "what collections hold could not be read: it is missing, or some of it",
    "an array was too long, or there was no memory, to find out what code that is not recorded has stored into it: that is missing",
    "a field was written by something that does not tell which one it is: that is missing",
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

/// `QuerypointTraceAgent.ring(String, int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_ring(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    thread: jni::jstring,
    object: jni::jint,
) -> jni::jlong {
    // SAFETY: the VM passes its environment, and the recorder the name of a thread.
    let thread = unsafe { JniEnv::from_raw(env).get_string_lossy(thread) }.unwrap_or_default();
    let made = with_state(|state| {
        let ring = state.tracer.as_mut()?.next_ring();
        let folder = state.probes.plan.trace.as_ref()?.rings.clone();
        let file = folder.join(RingReport::file(ring));
        // Where there is no room for a large one, there may be for a small one.
        let sizes = RING_SIZES.iter().skip(usize::from(ring > FIRST_RINGS));
        let (address, size) =
            sizes.copied().find_map(|size| memory::ring(&file, size).map(|address| (address, size)))?;
        // A ring that nobody is told of would never be read.
        let object = object.cast_unsigned();
        state.reporter.tell(&Report::Ring(RingReport { ring, thread, object })).then_some((address, size))
    });
    match made.flatten().and_then(|(address, size)| Some((jni::jlong::try_from(address).ok()?, size))) {
        Some((address, size)) => {
            // Where it begins at a place, the first event of each thread has to take a turn.
            let has_places = with_state(|state| state.tracer.as_ref().is_some_and(Tracer::has_places));
            let limit = if has_places == Some(true) { u64::MAX } else { size - LONGEST_EVENT };
            // SAFETY: the ring was just made.
            let [mask, own, first] = [MASK, THREAD, LIMIT].map(|at| unsafe { word(address, at) });
            mask.store(size - 1, Ordering::Relaxed);
            own.store(this_thread(), Ordering::Relaxed);
            first.store(limit, Ordering::Relaxed);
            address
        }
        None => {
            problem(LOSSES[1].to_owned());
            0
        }
    }
}

/// The number by which the system knows this thread.
#[cfg(target_os = "linux")]
fn this_thread() -> u64 {
    // SAFETY: it takes nothing and always succeeds.
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

/// `QuerypointTraceAgent.window(String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_window(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    thread: jni::jstring,
) -> jni::jlongArray {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes the name of a thread.
    let thread = unsafe { env.get_string_lossy(thread) }.unwrap_or_default();
    let window = with_state(|state| state.tracer.as_mut()?.window(&thread)).flatten();
    let Some(window) = window else { return std::ptr::null_mut() };
    let calls = window.into_iter().map(|call| jni::jlong::try_from(call).unwrap_or(jni::jlong::MAX));
    let calls: Vec<jni::jlong> = calls.collect();
    let length = jni::jsize::try_from(calls.len()).unwrap_or(0);
    let Some(array) = env.new_long_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_long_array_region(array, 0, length, &calls) };
    array
}

/// One of the words of a ring.
///
/// # Safety
/// The address is that of a ring, which lives as long as the VM.
unsafe fn word(ring: jni::jlong, at: u64) -> &'static AtomicU64 {
    let address = usize::try_from(ring).unwrap_or_default() + usize::try_from(at).unwrap_or_default();
    // SAFETY: as the caller says; the words lie at multiples of 8.
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
    // SAFETY: the recorder passes what it was given.
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
        if now != last.0 {
            last = (now, Instant::now());
        } else if last.1.elapsed() > PATIENCE {
            // Threads may come here at once: one of them says it.
            if !NOBODY_READS.swap(true, Ordering::Relaxed) {
                problem("nobody takes out what is recorded any more: what came later is missing".to_owned());
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
    let loss = usize::try_from(what).ok().and_then(|what| LOSSES.get(what));
    let new = with_state(|state| state.tracer.as_mut().is_some_and(|tracer| tracer.loses(what)));
    if let (Some(loss), Some(true)) = (loss, new) {
        problem((*loss).to_owned());
    }
}

#[cfg(unix)]
mod memory {
    use crate::space;
    use std::fs::File;
    use std::os::fd::AsRawFd;
    use std::path::Path;
    use wire::recording::RING_DATA;

    const BOTH: libc::c_int = libc::PROT_READ | libc::PROT_WRITE;

    fn found(address: *mut libc::c_void) -> Option<usize> {
        (address != libc::MAP_FAILED).then_some(address as usize)
    }

    /// Makes a ring that holds so many bytes in a file of its own. Its data lies in memory twice, one behind the other: an event never
    /// has to be put together from two ends.
    pub fn ring(path: &Path, bytes: u64) -> Option<usize> {
        let (data, size) = (usize::try_from(RING_DATA).ok()?, usize::try_from(bytes).ok()?);
        let mut options = File::options();
        // What it holds is the program's: only its user may read it.
        options.read(true).write(true).create(true).truncate(true);
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path).ok()?;
        let made = allocate(&file, RING_DATA + bytes).and_then(|()| map(&file, data, size));
        if made.is_none() {
            // What it takes on the disk is needed there.
            drop(std::fs::remove_file(path));
        }
        made
    }

    fn map(file: &File, data: usize, size: usize) -> Option<usize> {
        let base = space::reserve(data + 2 * size)?;
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        let fd = file.as_raw_fd();
        // SAFETY: both lie inside of what was just reserved; the file is as long as what is mapped of it.
        let mapped = unsafe {
            found(libc::mmap(base as *mut _, data + size, BOTH, flags, fd, 0)).and(found(libc::mmap(
                (base + data + size) as *mut _,
                size,
                BOTH,
                flags,
                fd,
                libc::off_t::try_from(RING_DATA).ok()?,
            )))
        };
        if mapped.is_none() {
            // SAFETY: nobody was told of it.
            unsafe { space::release(base, data + 2 * size) };
        }
        mapped.map(|_| base)
    }

    /// All of the file's space is taken at once: where the disk is full the VM would be killed for a write to its memory.
    fn allocate(file: &File, length: u64) -> Option<()> {
        #[cfg(target_os = "linux")]
        {
            let length = libc::off_t::try_from(length).ok()?;
            // SAFETY: the file is open.
            let refused = unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, length) };
            (refused == 0).then_some(())
        }
        #[cfg(not(target_os = "linux"))]
        {
            let zeros = vec![0; 1 << 16];
            for at in (0..length).step_by(zeros.len()) {
                std::os::unix::fs::FileExt::write_all_at(file, &zeros, at).ok()?;
            }
            Some(())
        }
    }
}

#[cfg(not(unix))]
mod memory {
    /// The rings need a system that maps a file twice.
    pub fn ring(_path: &std::path::Path, _bytes: u64) -> Option<usize> {
        None
    }
}
