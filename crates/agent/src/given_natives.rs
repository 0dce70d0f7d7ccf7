//! Natives for fields that calls of the JDK may write: they find the planned field of a query. They load and
//! initialise no class.

use crate::condition_natives::loaded;
use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;

/// `QuerypointProbeAgent.isStatic(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_isStatic(
    _env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jboolean {
    let is_static = with_state(|state| state.probes.plan.written(query).is_some_and(|field| field.is_static));
    jni::jboolean::from(is_static.unwrap_or_default())
}

/// `QuerypointProbeAgent.written(int, Class)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_written(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
    of: jni::jclass,
) -> jni::jobject {
    let field = with_state(|state| {
        let field = state.probes.plan.written(query)?;
        // A handle of a static field exists only if its class was loaded.
        let is_loaded = !field.is_static || state.probes.knows(&field.class);
        is_loaded.then(|| (field.class.clone(), field.name.clone(), field.is_static))
    });
    let Some((class, name, is_static)) = field.flatten() else { return std::ptr::null_mut() };
    // SAFETY: the VM passes its environment, and the recorder a class.
    let found = unsafe {
        let env = JniEnv::from_raw(env);
        let declares = match is_static {
            true => loaded(&env, of, &class),
            false => superclass(&env, of, &class),
        };
        declares.and_then(|declares| declared(&env, declares, &name, is_static))
    };
    found.unwrap_or(std::ptr::null_mut())
}

/// The class itself, or the superclass, with this name.
///
/// # Safety
/// `of` is a class.
unsafe fn superclass(env: &JniEnv, of: jni::jclass, name: &str) -> Option<jni::jclass> {
    let tools = tools()?;
    let signature = format!("L{name};");
    let mut class = Some(of);
    while let Some(at) = class {
        // SAFETY: the VM handed out this class or superclass.
        unsafe {
            if tools.get_class_signature(at).ok()?.0 == signature {
                return Some(at);
            }
            class = env.get_superclass(at);
        }
    }
    None
}

/// The field of this name that a class declares.
///
/// # Safety
/// `class` is a class.
unsafe fn declared(env: &JniEnv, class: jni::jclass, name: &str, is_static: bool) -> Option<jni::jobject> {
    let tools = tools()?;
    // SAFETY: the VM handed out the class and its fields.
    unsafe {
        for id in tools.get_class_fields(class).ok()? {
            if tools.get_field_name(class, id).ok()?.0 == name {
                return env.to_reflected_field(class, id, is_static);
            }
        }
    }
    None
}
