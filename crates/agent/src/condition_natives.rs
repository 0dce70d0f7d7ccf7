//! Natives for hits that are tested in the VM: what the names of a condition mean to the code at a site, and
//! who has called it. They load and initialise no class.

use crate::fields::find;
use crate::stacks::longs;
use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;
use wire::recording::WrittenVariable;

/// `QuerypointProbeAgent.field(Class, String, String, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_field(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    of: jni::jclass,
    from: jni::jstring,
    name: jni::jstring,
    descriptor: jni::jstring,
) -> jni::jobject {
    // SAFETY: the VM passes its environment, and the recorder strings and the class of an object.
    unsafe {
        let env = JniEnv::from_raw(env);
        let field = written(&env, [from, name, descriptor]);
        find(&env, &field, of).unwrap_or(std::ptr::null_mut())
    }
}

/// `QuerypointProbeAgent.staticField(Class, String, String, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_staticField(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    code: jni::jclass,
    declares: jni::jstring,
    name: jni::jstring,
    descriptor: jni::jstring,
) -> jni::jobject {
    // SAFETY: the VM passes its environment, and the recorder strings and a class.
    unsafe {
        let env = JniEnv::from_raw(env);
        let field = written(&env, [declares, name, descriptor]);
        let found = loaded(&env, code, &field.class).and_then(|class| static_field(&env, class, &field));
        found.unwrap_or(std::ptr::null_mut())
    }
}

/// `QuerypointProbeAgent.classOf(Class, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_classOf(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    code: jni::jclass,
    name: jni::jstring,
) -> jni::jclass {
    // SAFETY: the VM passes its environment, and the recorder a string and a class.
    unsafe {
        let env = JniEnv::from_raw(env);
        let name = env.get_string_lossy(name).unwrap_or_default();
        loaded(&env, code, &name).unwrap_or(std::ptr::null_mut())
    }
}

/// `QuerypointProbeAgent.asked(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_asked(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jlongArray {
    let asked = with_state(|state| {
        let planned = state.probes.plan.queries.get(usize::try_from(query).ok()?)?;
        let before =
            planned.before.map_or(-1, |before| jni::jlong::try_from(before).unwrap_or(jni::jlong::MAX));
        let lines = planned.lines.map_or(-1, |lines| jni::jlong::try_from(lines).unwrap_or(jni::jlong::MAX));
        Some([before, jni::jlong::from(planned.from.is_some()), lines])
    });
    // SAFETY: the VM passes its environment.
    asked.flatten().map_or(std::ptr::null_mut(), |asked| unsafe { longs(env, &asked) })
}

/// `QuerypointProbeAgent.isCalled(int)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_isCalled(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    query: jni::jint,
) -> jni::jboolean {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let from = with_state(|state| state.probes.plan.queries.get(usize::try_from(query).ok()?)?.from.clone());
    // If the stack cannot be read, the hit stops, and is looked at from outside.
    let is_called = from.flatten().and_then(|from| is_on_stack(&env, &from)).unwrap_or(true);
    jni::jboolean::from(is_called)
}

/// Whether a method is below the newest frame of the program.
fn is_on_stack(env: &JniEnv, from: &str) -> Option<bool> {
    let tools = tools()?;
    let mut at = 0;
    let mut is_below = false;
    loop {
        // SAFETY: null means the current thread (JVMTI specification of GetStackTrace).
        let frames = unsafe { tools.get_stack_trace(std::ptr::null_mut(), at, FRAMES).ok()? };
        let count = jni::jint::try_from(frames.len()).ok()?;
        for frame in frames {
            let (class, name) = named(&tools, env, frame.method)?;
            if class.starts_with(OWN) {
                continue;
            }
            if is_below && wire::is_method(&class, &name, from) {
                return Some(true);
            }
            is_below = true;
        }
        if count < FRAMES {
            return Some(false);
        }
        at += count;
    }
}

/// Frames that are read at once.
const FRAMES: jni::jint = 256;
/// The binary names of the recorder's classes begin like this.
const OWN: &str = "java.lang.QuerypointProbe";

/// The binary name of a method's class, and its name.
fn named(tools: &Jvmti, env: &JniEnv, method: jni::jmethodID) -> Option<(String, String)> {
    // SAFETY: the VM has just handed out the method id.
    unsafe {
        let (name, _, _) = tools.get_method_name(method).ok()?;
        let class = tools.get_method_declaring_class(method).ok()?;
        let signature = tools.get_class_signature(class).ok();
        env.delete_local_ref(class);
        let (signature, _) = signature?;
        let class = signature.strip_prefix('L')?.strip_suffix(';')?.replace('/', ".");
        Some((class, name))
    }
}

/// # Safety
/// These are strings.
unsafe fn written(env: &JniEnv, [class, name, descriptor]: [jni::jstring; 3]) -> WrittenVariable {
    // SAFETY: the caller's promise.
    let [class, name, descriptor] =
        [class, name, descriptor].map(|text| unsafe { env.get_string_lossy(text) }.unwrap_or_default());
    WrittenVariable { class, name, descriptor }
}

/// The loaded class of this name, with slashes, that the code of a class means: the only one, or else the one
/// of the same loader.
///
/// # Safety
/// `code` is a class.
pub(crate) unsafe fn loaded(env: &JniEnv, code: jni::jclass, name: &str) -> Option<jni::jclass> {
    let tools = tools()?;
    let signature = format!("L{name};");
    let mut found = Vec::new();
    // SAFETY: the VM handed out these classes.
    unsafe {
        for class in tools.get_loaded_classes().ok()? {
            if tools.get_class_signature(class).is_ok_and(|(of, _)| of == signature) {
                found.push(class);
            } else {
                env.delete_local_ref(class);
            }
        }
        if let [only] = found[..] {
            return Some(only);
        }
        let own = tools.get_class_loader(code).ok()?;
        found
            .into_iter()
            .find(|class| tools.get_class_loader(*class).is_ok_and(|loader| env.is_same_object(loader, own)))
    }
}

/// # Safety
/// `class` is a class.
unsafe fn static_field(env: &JniEnv, class: jni::jclass, field: &WrittenVariable) -> Option<jni::jobject> {
    let tools = tools()?;
    // SAFETY: the VM handed out the class and its fields.
    unsafe {
        for id in tools.get_class_fields(class).ok()? {
            let (name, descriptor, _) = tools.get_field_name(class, id).ok()?;
            if name == field.name && descriptor == field.descriptor {
                return env.to_reflected_field(class, id, true);
            }
        }
    }
    None
}
