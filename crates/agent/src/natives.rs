//! The native methods of the recorder's class `QuerypointProbeAgent`.

use crate::reclaim;
use crate::state::{State, problem, tools, with_state};
use jvmti_bindings::prelude::*;

/// Marks the record of a dead owner; the recorder's `QuerypointProbeKept.GONE`.
const GONE: jni::jlong = jni::jlong::MIN;

/// Beside a query: its hits in the thread are not asked for; the recorder's
/// `QuerypointProbeSite.OTHER_THREAD`.
const OTHER_THREAD: jni::jlong = 1 << 32;

/// `QuerypointProbeAgent.budgets()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_budgets(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jintArray {
    let budgets = with_state(|state| {
        let all = state.probes.plan.queries.iter();
        // If a single armed hit is expected to be the last, no earlier hit is kept.
        let budget = |q: &wire::PlannedQuery| match q.budget {
            0 if q.armed.len() == 1 => -2,
            0 if !q.armed.is_empty() => -1,
            budget => jni::jint::try_from(budget).unwrap_or(jni::jint::MAX),
        };
        all.map(budget).collect::<Vec<_>>()
    });
    // SAFETY: the VM passes its environment.
    unsafe { ints(env, &budgets.unwrap_or_default()) }
}

/// `QuerypointProbeAgent.indices()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_indices(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jintArray {
    let indices = with_state(|state| {
        let plan = &state.probes.plan;
        let of = |query| plan.arrays.iter().find(|sites| usize::from(sites.query) == query);
        (0..plan.queries.len()).map(|query| of(query).and_then(|sites| sites.index).unwrap_or(-1)).collect()
    });
    // SAFETY: the VM passes its environment.
    unsafe { ints(env, &indices.unwrap_or_else(Vec::new)) }
}

/// An array of `int`; null if there is no memory for it.
unsafe fn ints(env: *mut jni::JNIEnv, values: &[jni::jint]) -> jni::jintArray {
    // SAFETY: the caller passes the VM's environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let length = jni::jsize::try_from(values.len()).unwrap_or(0);
    let Some(array) = env.new_int_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_int_array_region(array, 0, length, values) };
    array
}

/// `QuerypointProbeAgent.collection(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_collection(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jstring {
    let about = with_state(|state| {
        let mut asked = state.probes.plan.contents.iter();
        asked.find(|c| i32::from(c.query) == query).map(|c| c.about.clone())
    });
    let Some(about) = about.flatten() else { return std::ptr::null_mut() };
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    env.new_string_utf(&about).unwrap_or(std::ptr::null_mut())
}

/// `QuerypointProbeAgent.counting()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_counting(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jboolean {
    let counts = with_state(|state| state.probes.plan.counts).unwrap_or_default();
    jni::jboolean::from(counts)
}

/// `QuerypointProbeAgent.known()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_known(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jint {
    let known = with_state(|state| state.probes.sites.count()).unwrap_or_default();
    jni::jint::try_from(known).unwrap_or(jni::jint::MAX)
}

/// `QuerypointProbeAgent.about(int, long, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_about(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    site: jni::jint,
    number: jni::jlong,
    thread: jni::jstring,
) -> jni::jlongArray {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let number = number.cast_unsigned();
    // SAFETY: the recorder passes the name of a thread.
    let thread = unsafe { env.get_string_lossy(thread) }.unwrap_or_default();
    let about = with_state(|state| {
        let State { probes, .. } = state;
        let site = u32::try_from(site).ok().and_then(|number| probes.sites.get(number))?;
        let is_other = probes.plan.is_tested_elsewhere(site.query, &thread, number);
        let query = i64::from(site.query) | if is_other { OTHER_THREAD } else { 0 };
        let query = if probes.is_meant(site) { query } else { -1 };
        let armed = probes.sites.armed(&probes.plan, site, &thread, number);
        let armed = armed.into_iter().map(|hit| jni::jlong::try_from(hit).unwrap_or(jni::jlong::MAX));
        Some([query].into_iter().chain(armed).collect::<Vec<_>>())
    });
    let about = about.flatten().unwrap_or_else(|| vec![-1]);
    let length = jni::jsize::try_from(about.len()).unwrap_or(0);
    let Some(array) = env.new_long_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_long_array_region(array, 0, length, &about) };
    array
}

/// `QuerypointProbeAgent.write(long, long, long)`.
///
/// # Safety
/// Called by the VM only, with memory that the recorder has allocated.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_write(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    offset: jni::jlong,
    address: jni::jlong,
    length: jni::jlong,
) -> jni::jboolean {
    let path = with_state(|state| state.probes.plan.log.clone());
    let (Some(path), Ok(offset), Ok(at), Ok(length)) =
        (path, u64::try_from(offset), usize::try_from(address), usize::try_from(length))
    else {
        return 0;
    };
    // SAFETY: the recorder allocated it, and never frees it.
    let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, length) };
    u8::from(crate::reporter::write_at(&path, offset, bytes).is_ok())
}

/// `QuerypointProbeAgent.bury(int, long, int, int)`.
///
/// # Safety
/// Called by the VM only, with the place of rows as the recorder's `QuerypointProbeKept` has them.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_bury(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
    rows: jni::jlong,
    capacity: jni::jint,
    used: jni::jint,
) -> jni::jint {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let Some(tools) = tools() else { return -1 };
    // Hashes of array elements are not the numbers of their arrays.
    let owners = with_state(|state| {
        let owners = state.probes.plan.owners(query)?;
        (!owners.starts_with('[')).then_some(owners)
    });
    let (Some(Some(owners)), Ok(capacity), Ok(used)) =
        (owners, usize::try_from(capacity), u32::try_from(used))
    else {
        return -1;
    };
    let Some(alive) = reclaim::in_heap(&tools, &env, &owners, used / 2) else { return -1 };
    // SAFETY: the recorder allocated `capacity` rows of two words, and no other thread writes them.
    let rows = unsafe { std::slice::from_raw_parts_mut(rows as *mut [i64; 2], capacity) };
    let mut left = 0;
    for [word, record] in rows.iter_mut().filter(|[_, record]| *record != 0) {
        #[allow(clippy::cast_possible_truncation, reason = "the lower half is the hash")]
        if alive.contains(&(*word as jni::jint)) {
            left += 1;
        } else {
            *record |= GONE;
        }
    }
    left
}

/// `QuerypointProbeAgent.tell()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_tell(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) {
    problem("there was no stack left to count a hit, or to stop at it".to_owned());
}
