//! Registers the recorder's natives with the VM in advance. Otherwise the VM would look up each on its first
//! call, which runs code of `java.util`. If a scope includes that package, this code is recorded and calls
//! the same native.

use crate::fields::{
    Java_java_lang_QuerypointTraceAgent_field as field, Java_java_lang_QuerypointTraceAgent_write as write,
};
use crate::rings::{
    Java_java_lang_QuerypointTraceAgent_await as room, Java_java_lang_QuerypointTraceAgent_ended as ended,
    Java_java_lang_QuerypointTraceAgent_lose as lose, Java_java_lang_QuerypointTraceAgent_pause as pause,
    Java_java_lang_QuerypointTraceAgent_reached as reached, Java_java_lang_QuerypointTraceAgent_ring as ring,
    Java_java_lang_QuerypointTraceAgent_window as window,
};
use jvmti_bindings::prelude::*;
use std::ffi::{CStr, c_void};

/// `QuerypointTraceAgent.link()`: registers the natives that are first called after recording starts. It
/// throws if the VM refuses. The class itself must call this: the VM prints a warning if other code registers
/// natives of its own classes.
///
/// # Safety
/// Called by the VM, with arguments that match the signature.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointTraceAgent_link(
    env: *mut jni::JNIEnv,
    class: jni::jclass,
) {
    let native = |name: &CStr, signature: &CStr, function: *mut c_void| jni::JNINativeMethod {
        name: name.as_ptr(),
        signature: signature.as_ptr(),
        fnPtr: function,
    };
    let natives = [
        native(c"ring", c"(Ljava/lang/String;JZLjava/lang/String;I)J", ring as *mut c_void),
        native(c"ended", c"(J)V", ended as *mut c_void),
        native(c"await", c"(J)Z", room as *mut c_void),
        native(c"pause", c"()V", pause as *mut c_void),
        native(c"lose", c"(I)V", lose as *mut c_void),
        native(c"reached", c"(Z)V", reached as *mut c_void),
        native(c"window", c"(Ljava/lang/String;J)[J", window as *mut c_void),
        native(
            c"write",
            c"(ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;Z)I",
            write as *mut c_void,
        ),
        native(c"field", c"(ILjava/lang/Class;)Ljava/lang/reflect/Field;", field as *mut c_void),
    ];
    // SAFETY: the VM passes its environment and the class. Names and signatures match the source, and the
    // functions accept what the VM passes to such natives. An error comes with an exception, which propagates
    // from here.
    let _ = unsafe { JniEnv::from_raw(env).register_natives(class, &natives) };
}
