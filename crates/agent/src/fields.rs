//! Natives for fields that recorded code writes. The recorder asks for their reflected fields, and reports
//! fields that a call has written.

use crate::state::{tools, with_state};
use jvmti_bindings::prelude::*;
use wire::Report;
use wire::recording::{WriteReport, WrittenVariable};

/// `QuerypointTraceAgent.field(int, Class)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_field(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    site: jni::jint,
    owner: jni::jclass,
) -> jni::jobject {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    let field = with_state(|state| state.tracer.as_ref()?.field(u32::try_from(site).ok()?));
    // SAFETY: the recorder passes the class of an object.
    field.flatten().and_then(|field| unsafe { find(&env, &field, owner) }).unwrap_or(std::ptr::null_mut())
}

/// `QuerypointTraceAgent.write(int, String, String, String, boolean)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_write(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    site: jni::jint,
    class: jni::jstring,
    name: jni::jstring,
    descriptor: jni::jstring,
    is_static: jni::jboolean,
) -> jni::jint {
    // SAFETY: the VM passes its environment.
    let env = unsafe { JniEnv::from_raw(env) };
    // SAFETY: the recorder passes strings.
    let [class, name, descriptor] =
        [class, name, descriptor].map(|text| unsafe { env.get_string_lossy(text) }.unwrap_or_default());
    let written = WrittenVariable { class: class.replace('.', "/"), name, descriptor };
    let told = with_state(|state| {
        let of = u32::try_from(site).ok()?;
        let id = state.tracer.as_mut()?.further(of, &written);
        let report = WriteReport { of, id, written, is_static: is_static != 0 };
        state.reporter.tell(&Report::Write(report)).then_some(id)
    });
    told.flatten().and_then(|id| jni::jint::try_from(id).ok()).unwrap_or(0)
}

/// Resolves a field like the VM (JVMS §5.4.3, "Field Resolution"): from the class by which it is named
/// upwards. This initialises no class.
///
/// # Safety
/// `owner` is a class.
pub(crate) unsafe fn find(env: &JniEnv, field: &WrittenVariable, owner: jni::jclass) -> Option<jni::jobject> {
    let tools = tools()?;
    let named = format!("L{};", field.class);
    let mut is_below = true;
    let mut class = Some(owner);
    while let Some(at) = class {
        // SAFETY: the VM handed out this class or superclass, and its fields.
        unsafe {
            is_below = is_below && tools.get_class_signature(at).ok()?.0 != named;
            if !is_below {
                for id in tools.get_class_fields(at).ok()? {
                    let (name, descriptor, _) = tools.get_field_name(at, id).ok()?;
                    if name == field.name && descriptor == field.descriptor {
                        return env.to_reflected_field(at, id, false);
                    }
                }
            }
            class = env.get_superclass(at);
        }
    }
    None
}
