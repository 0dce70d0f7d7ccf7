//! Reports the files that the program opens for writing: stands in front of the JDK's natives that open and
//! rename files.

use crate::state::{problem, with_state};
use jvmti_bindings::prelude::*;
use std::collections::HashSet;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use wire::Report;

/// Most files that are reported.
const MOST: usize = 10_000;
/// The bits of the modes of `RandomAccessFile` that allow writing: `O_RDWR`, `O_SYNC`, `O_DSYNC`.
const WRITABLE: jni::jint = 2 | 4 | 8;

/// The VM's functions, by address; 0 until it has bound them.
static OPEN_STREAM: AtomicUsize = AtomicUsize::new(0);
static OPEN_RANDOM: AtomicUsize = AtomicUsize::new(0);
static OPEN_PATH: AtomicUsize = AtomicUsize::new(0);
static RENAME_PATH: AtomicUsize = AtomicUsize::new(0);
static RENAME_FILE: AtomicUsize = AtomicUsize::new(0);

/// The files already reported.
static REPORTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

type OpenStream = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jstring, jni::jboolean);
type OpenRandom = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jstring, jni::jint);
type OpenPath =
    unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong, jni::jint, jni::jint) -> jni::jint;
type RenamePath = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong, jni::jlong);
type RenameFile =
    unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jobject, jni::jobject) -> jni::jboolean;

/// A native to stand in front of: its class, name and descriptor, where to keep its address, and what stands
/// in front of it.
struct Native {
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    original: &'static AtomicUsize,
    function: fn() -> *mut c_void,
}

const NATIVES: [Native; 5] = [
    Native {
        class: "Ljava/io/FileOutputStream;",
        name: "open0",
        descriptor: "(Ljava/lang/String;Z)V",
        original: &OPEN_STREAM,
        function: || open_stream as OpenStream as *mut c_void,
    },
    Native {
        class: "Ljava/io/RandomAccessFile;",
        name: "open0",
        descriptor: "(Ljava/lang/String;I)V",
        original: &OPEN_RANDOM,
        function: || open_random as OpenRandom as *mut c_void,
    },
    Native {
        class: "Lsun/nio/fs/UnixNativeDispatcher;",
        name: "open0",
        descriptor: "(JII)I",
        original: &OPEN_PATH,
        function: || open_path as OpenPath as *mut c_void,
    },
    Native {
        class: "Lsun/nio/fs/UnixNativeDispatcher;",
        name: "rename0",
        descriptor: "(JJ)V",
        original: &RENAME_PATH,
        function: || rename_path as RenamePath as *mut c_void,
    },
    Native {
        class: "Ljava/io/UnixFileSystem;",
        name: "rename0",
        descriptor: "(Ljava/io/File;Ljava/io/File;)Z",
        original: &RENAME_FILE,
        function: || rename_file as RenameFile as *mut c_void,
    },
];

/// Stands in front of a native that the VM binds, if it opens or renames files.
pub fn bound(jvmti: &Jvmti, event: &mut NativeMethodBindEvent) {
    // SAFETY: the VM has just handed out the method.
    let found = unsafe {
        let Ok((name, descriptor, _)) = jvmti.get_method_name(event.method()) else { return };
        if !NATIVES.iter().any(|native| native.name == name && native.descriptor == descriptor) {
            return;
        }
        let Ok(class) = jvmti.get_method_declaring_class(event.method()) else { return };
        let Ok((class, _)) = jvmti.get_class_signature(class) else { return };
        NATIVES.iter().find(|of| of.class == class && of.name == name && of.descriptor == descriptor)
    };
    let Some(native) = found else { return };
    native.original.store(event.address() as usize, Ordering::Release);
    // SAFETY: the function has the signature of the native, and calls it.
    unsafe { event.set_new_address((native.function)()) };
}

/// Reports a file, once.
fn tell(path: &Path) {
    // The file of the report is written by the agent itself, under the lock of the state.
    let is_recorded = with_state(|state| state.tracer.is_some()) == Some(true);
    let Ok(path) = std::path::absolute(path) else { return };
    if !is_recorded {
        return;
    }
    let path = path.to_string_lossy().into_owned();
    {
        let mut reported = REPORTED.lock().unwrap_or_else(PoisonError::into_inner);
        let reported = reported.get_or_insert_default();
        if reported.len() > MOST || !reported.insert(path.clone()) {
            return;
        }
        if reported.len() > MOST {
            return problem(format!("more than {MOST} files were written: further ones are not compared"));
        }
    }
    with_state(|state| state.reporter.tell(&Report::Wrote(path)));
}

/// Reports a file that Java names.
unsafe fn tell_named(env: *mut jni::JNIEnv, name: jni::jstring) {
    // SAFETY: the caller passes the VM's environment and a string or null.
    if let Some(name) = unsafe { JniEnv::from_raw(env).get_string(name) } {
        tell(Path::new(&name));
    }
}

/// Reports a file whose name is at this address.
unsafe fn tell_at(address: jni::jlong) {
    let Ok(address) = usize::try_from(address) else { return };
    if address != 0 {
        // SAFETY: the JDK passes the address of a name that ends with 0.
        let name = unsafe { CStr::from_ptr(std::ptr::with_exposed_provenance::<c_char>(address)) };
        tell(Path::new(OsStr::from_bytes(name.to_bytes())));
    }
}

/// The VM's own function, for use in an `unsafe` block. The VM bound it to a native of this signature, and
/// calls what stands in front of it only after that.
macro_rules! original {
    ($kept:ident as $function:ty) => {
        std::mem::transmute::<usize, $function>($kept.load(Ordering::Acquire))
    };
}

unsafe extern "system" fn open_stream(
    env: *mut jni::JNIEnv,
    this: jni::jobject,
    name: jni::jstring,
    appends: jni::jboolean,
) {
    // SAFETY: the arguments are the VM's.
    unsafe {
        tell_named(env, name);
        original!(OPEN_STREAM as OpenStream)(env, this, name, appends);
    }
}

unsafe extern "system" fn open_random(
    env: *mut jni::JNIEnv,
    this: jni::jobject,
    name: jni::jstring,
    mode: jni::jint,
) {
    // SAFETY: the arguments are the VM's.
    unsafe {
        if mode & WRITABLE != 0 {
            tell_named(env, name);
        }
        original!(OPEN_RANDOM as OpenRandom)(env, this, name, mode);
    }
}

unsafe extern "system" fn open_path(
    env: *mut jni::JNIEnv,
    class: jni::jclass,
    path: jni::jlong,
    flags: jni::jint,
    mode: jni::jint,
) -> jni::jint {
    // SAFETY: the arguments are the VM's.
    unsafe {
        if flags & libc::O_ACCMODE != libc::O_RDONLY {
            tell_at(path);
        }
        original!(OPEN_PATH as OpenPath)(env, class, path, flags, mode)
    }
}

unsafe extern "system" fn rename_path(
    env: *mut jni::JNIEnv,
    class: jni::jclass,
    from: jni::jlong,
    to: jni::jlong,
) {
    // SAFETY: the arguments are the VM's.
    unsafe {
        tell_at(to);
        original!(RENAME_PATH as RenamePath)(env, class, from, to);
    }
}

unsafe extern "system" fn rename_file(
    env: *mut jni::JNIEnv,
    this: jni::jobject,
    from: jni::jobject,
    to: jni::jobject,
) -> jni::jboolean {
    // SAFETY: the arguments are the VM's; a `java.io.File` has its path in this field.
    unsafe {
        let jni = JniEnv::from_raw(env);
        let path = (!to.is_null()).then(|| jni.get_object_class(to));
        let path = path.and_then(|class| jni.get_field_id(class, "path", "Ljava/lang/String;"));
        match path {
            Some(path) => tell_named(env, jni.get_object_field(to, path)),
            None => jni.exception_clear(),
        }
        original!(RENAME_FILE as RenameFile)(env, this, from, to)
    }
}
