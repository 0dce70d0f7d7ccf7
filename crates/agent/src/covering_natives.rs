//! The native methods of the recorder's class `QuerypointCover`.

use crate::covering::{Coverer, ROOM};
use crate::state::with_state;
use jvmti_bindings::prelude::*;
use wire::{CoveredRun, Report};

/// `QuerypointCover.room()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointCover_room(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlong {
    jni::jlong::from(ROOM)
}

/// `QuerypointCover.known()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointCover_known(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jint {
    let edges = with_state(|state| state.coverer.as_ref().map(Coverer::edges));
    edges.flatten().map_or(0, u32::cast_signed)
}

/// `QuerypointCover.tell(String, boolean, byte[], int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointCover_tell(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    test: jni::jstring,
    passed: jni::jboolean,
    covered: jni::jbyteArray,
    edges: jni::jint,
) {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes a string or null.
    let test = (!test.is_null()).then(|| unsafe { env.get_string_lossy(test) }.unwrap_or_default());
    let mut noted = vec![0; usize::try_from(edges).unwrap_or(0)];
    // SAFETY: the recorder passes an array that is at least so long.
    unsafe { env.get_byte_array_region(covered, 0, edges, &mut noted) };
    let edges = (0_u32..).zip(&noted).filter(|(_, noted)| **noted != 0).map(|(number, _)| number);
    let run = CoveredRun { test, passed: passed != 0, edges: edges.collect() };
    with_state(|state| state.reporter.tell(&Report::Covered(run)));
}
