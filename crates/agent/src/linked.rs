//! The functions that the recorder asks for, handed to the VM at once. It would look for each when that is
//! called first, and runs code of `java.util` for that: where a scope names that package, code that is
//! recorded, which calls the same function.

use crate::fields::{
    Java_java_lang_QuerypointTraceAgent_field as field, Java_java_lang_QuerypointTraceAgent_write as write,
};
use crate::rings::{
    Java_java_lang_QuerypointTraceAgent_await as room, Java_java_lang_QuerypointTraceAgent_ended as ended,
    Java_java_lang_QuerypointTraceAgent_lose as lose, Java_java_lang_QuerypointTraceAgent_reached as reached,
    Java_java_lang_QuerypointTraceAgent_ring as ring, Java_java_lang_QuerypointTraceAgent_window as window,
};
use jvmti_bindings::prelude::*;
use std::ffi::{CStr, c_void};

/// `QuerypointTraceAgent.link()`: hands over those functions that are called later than its other ones, which
/// are called before anything is recorded. Where the VM refuses it throws. The class itself asks for this:
/// natives of the VM's own classes that come from elsewhere it would tell of, in what the program prints.
///
/// # Safety
/// Called by the VM, with what the signature says.
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
        native(c"ring", c"(Ljava/lang/String;I)J", ring as *mut c_void),
        native(c"ended", c"(J)V", ended as *mut c_void),
        native(c"await", c"(J)Z", room as *mut c_void),
        native(c"lose", c"(I)V", lose as *mut c_void),
        native(c"reached", c"(Z)V", reached as *mut c_void),
        native(c"window", c"(Ljava/lang/String;)[J", window as *mut c_void),
        native(
            c"write",
            c"(ILjava/lang/String;Ljava/lang/String;Ljava/lang/String;Z)I",
            write as *mut c_void,
        ),
        native(c"field", c"(ILjava/lang/Class;)Ljava/lang/reflect/Field;", field as *mut c_void),
    ];
    // SAFETY: the VM passes its environment and the class. The names are as the source has them, and the
    // functions take what the VM hands to natives of these signatures. What it answers is an error only with
    // an exception, which goes on from here.
    let _ = unsafe { JniEnv::from_raw(env).register_natives(class, &natives) };
}
