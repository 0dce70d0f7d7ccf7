//! Captures the stack of a hit, for programs whose runs never repeat, and names its methods. These are
//! natives of the recorder's `QuerypointProbeVaried`.

use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;

/// Maximum number of captured frames.
const MOST: jni::jint = 1 << 10;

/// `QuerypointProbeAgent.varied(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_varied(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jlongArray {
    let about = with_state(|state| {
        let plan = &state.probes.plan;
        let varied = plan.queries.get(usize::try_from(query).ok()?)?.varied?;
        let elements = plan.arrays.iter().any(|arrays| i32::from(arrays.query) == query);
        let number = |n: u64| jni::jlong::try_from(n).unwrap_or(jni::jlong::MAX);
        let with = varied.with.map_or(-1, jni::jlong::from);
        Some([number(varied.from), number(varied.to), varied.whole.into(), elements.into(), with])
    });
    // SAFETY: the VM passes its environment.
    about.flatten().map_or(std::ptr::null_mut(), |about| unsafe { longs(env, &about) })
}

/// `QuerypointProbeAgent.stack()`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_stack(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
) -> jni::jlongArray {
    let Some(tools) = tools() else { return std::ptr::null_mut() };
    // SAFETY: null means the current thread (JVMTI specification of GetStackTrace).
    let Ok(frames) = (unsafe { tools.get_stack_trace(std::ptr::null_mut(), 0, MOST) }) else {
        return std::ptr::null_mut();
    };
    let is_cut = i32::try_from(frames.len()) == Ok(MOST);
    let mut stack = Vec::with_capacity(2 * frames.len() + 1);
    for frame in frames {
        stack.extend([frame.method as jni::jlong, frame.location]);
    }
    stack.extend(is_cut.then_some(-1));
    // SAFETY: the VM passes its environment.
    unsafe { longs(env, &stack) }
}

/// `QuerypointProbeAgent.frames(long[])`.
///
/// # Safety
/// Called by the VM only, with the result of [`Java_java_lang_QuerypointProbeAgent_stack`]. Method ids are
/// valid as long as the classes of the frames, which the recorder's hit does not keep alive. The VM refuses
/// the id of an unloaded method.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_frames(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    stack: jni::jlongArray,
) -> jni::jstring {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let Some(tools) = tools() else { return std::ptr::null_mut() };
    // SAFETY: the recorder passes an array of `long`.
    let words = unsafe {
        let length = env.get_array_length(stack);
        let mut words = vec![0; usize::try_from(length).unwrap_or(0)];
        env.get_long_array_region(stack, 0, length, &mut words);
        words
    };
    let mut text = String::new();
    for frame in words.chunks(2) {
        let named = match frame {
            [method, index] => named(&tools, &env, *method, *index),
            _ => Some("cut".to_owned()),
        };
        let Some(named) = named else { return std::ptr::null_mut() };
        text.push_str(&named);
        text.push('\n');
    }
    env.new_string_utf(&text).unwrap_or(std::ptr::null_mut())
}

fn named(tools: &Jvmti, env: &JniEnv, method: jni::jlong, index: jni::jlong) -> Option<String> {
    let id = method as jni::jmethodID;
    // SAFETY: the VM handed out the method id, and validates it.
    unsafe {
        let (name, descriptor, _) = tools.get_method_name(id).ok()?;
        let class = tools.get_method_declaring_class(id).ok()?;
        let signature = tools.get_class_signature(class).ok();
        env.delete_local_ref(class);
        Some(format!("{method} {index} {} {name} {descriptor}", signature?.0))
    }
}

/// An array of `long`; null if there is no memory for it.
pub(crate) unsafe fn longs(env: *mut jni::JNIEnv, values: &[jni::jlong]) -> jni::jlongArray {
    // SAFETY: the caller passes the VM's environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let length = jni::jsize::try_from(values.len()).unwrap_or(0);
    let Some(array) = env.new_long_array(length) else { return std::ptr::null_mut() };
    // SAFETY: the array was just made, of this length.
    unsafe { env.set_long_array_region(array, 0, length, values) };
    array
}
