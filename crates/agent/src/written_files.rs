//! Reports the files and folders that the program writes, makes, removes or renames, and whether it starts
//! other processes or makes sockets: stands in front of the JDK's natives that do this.

use crate::state::{problem, with_state};
use jvmti_bindings::prelude::*;
use std::collections::HashSet;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use wire::Report;

/// Most files that are reported.
const MOST: usize = 10_000;
/// The bits of the modes of `RandomAccessFile` that allow writing: `O_RDWR`, `O_SYNC`, `O_DSYNC`.
const WRITABLE: jni::jint = 2 | 4 | 8;

/// Whether it was reported that the program starts other processes.
static FORKED: AtomicBool = AtomicBool::new(false);
/// Whether it was reported that the program makes sockets.
static HAS_SOCKETS: AtomicBool = AtomicBool::new(false);
/// The natives that make sockets, by class and name: the VM binds one when it is called first. The last one
/// is that of `java.net.Socket` before Java 13.
const SOCKETS: [(&str, &str); 3] = [
    ("Lsun/nio/ch/Net;", "socket0"),
    ("Lsun/nio/ch/UnixDomainSockets;", "socket0"),
    ("Ljava/net/PlainSocketImpl;", "socketCreate"),
];

/// The VM's functions, by address; 0 until it has bound them.
static OPEN_STREAM: AtomicUsize = AtomicUsize::new(0);
static OPEN_RANDOM: AtomicUsize = AtomicUsize::new(0);
static OPEN_PATH: AtomicUsize = AtomicUsize::new(0);
static RENAME_PATH: AtomicUsize = AtomicUsize::new(0);
static RENAME_FILE: AtomicUsize = AtomicUsize::new(0);
static MAKE_FILE: AtomicUsize = AtomicUsize::new(0);
static MAKE_FOLDER: AtomicUsize = AtomicUsize::new(0);
static REMOVE_FILE: AtomicUsize = AtomicUsize::new(0);
static MAKE_FOLDER_PATH: AtomicUsize = AtomicUsize::new(0);
static REMOVE_PATH: AtomicUsize = AtomicUsize::new(0);
static REMOVE_FOLDER_PATH: AtomicUsize = AtomicUsize::new(0);
static LINK_PATH: AtomicUsize = AtomicUsize::new(0);
static SYMLINK_PATH: AtomicUsize = AtomicUsize::new(0);
static FORK: AtomicUsize = AtomicUsize::new(0);

/// The files already reported.
static REPORTED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

type OpenStream = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jstring, jni::jboolean);
type OpenRandom = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jstring, jni::jint);
type OpenPath =
    unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong, jni::jint, jni::jint) -> jni::jint;
type RenamePath = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong, jni::jlong);
type RenameFile =
    unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jobject, jni::jobject) -> jni::jboolean;
type MakeFile = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jstring) -> jni::jboolean;
type OfFile = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jobject, jni::jobject) -> jni::jboolean;
type MakePath = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong, jni::jint);
type RemovePath = unsafe extern "system" fn(*mut jni::JNIEnv, jni::jclass, jni::jlong);
type Fork = unsafe extern "system" fn(
    *mut jni::JNIEnv,
    jni::jobject,
    jni::jint,
    jni::jobject,
    jni::jobject,
    jni::jobject,
    jni::jint,
    jni::jobject,
    jni::jint,
    jni::jobject,
    jni::jobject,
    jni::jboolean,
) -> jni::jint;

/// A native to stand in front of: its class, name and descriptor, where to keep its address, and what stands
/// in front of it.
struct Native {
    class: &'static str,
    name: &'static str,
    descriptor: &'static str,
    original: &'static AtomicUsize,
    function: fn() -> *mut c_void,
}

const NATIVES: [Native; 16] = [
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
    dispatcher("open0", "(JII)I", &OPEN_PATH, || open_path as OpenPath as *mut c_void),
    dispatcher("rename0", "(JJ)V", &RENAME_PATH, || rename_path as RenamePath as *mut c_void),
    file_system("rename0", "(Ljava/io/File;Ljava/io/File;)Z", &RENAME_FILE, || {
        rename_file as RenameFile as *mut c_void
    }),
    file_system("createFileExclusively", "(Ljava/lang/String;)Z", &MAKE_FILE, || {
        make_file as MakeFile as *mut c_void
    }),
    file_system("createFileExclusively0", "(Ljava/lang/String;)Z", &MAKE_FILE, || {
        make_file as MakeFile as *mut c_void
    }),
    file_system("createDirectory", "(Ljava/io/File;)Z", &MAKE_FOLDER, || {
        make_folder as OfFile as *mut c_void
    }),
    file_system("createDirectory0", "(Ljava/io/File;)Z", &MAKE_FOLDER, || {
        make_folder as OfFile as *mut c_void
    }),
    file_system("delete0", "(Ljava/io/File;)Z", &REMOVE_FILE, || remove_file as OfFile as *mut c_void),
    dispatcher("mkdir0", "(JI)V", &MAKE_FOLDER_PATH, || make_folder_path as MakePath as *mut c_void),
    dispatcher("unlink0", "(J)V", &REMOVE_PATH, || remove_path as RemovePath as *mut c_void),
    dispatcher("rmdir0", "(J)V", &REMOVE_FOLDER_PATH, || remove_folder_path as RemovePath as *mut c_void),
    dispatcher("link0", "(JJ)V", &LINK_PATH, || link_path as RenamePath as *mut c_void),
    dispatcher("symlink0", "(JJ)V", &SYMLINK_PATH, || symlink_path as RenamePath as *mut c_void),
    Native {
        class: "Ljava/lang/ProcessImpl;",
        name: "forkAndExec",
        descriptor: "(I[B[B[BI[BI[B[IZ)I",
        original: &FORK,
        function: || fork as Fork as *mut c_void,
    },
];

/// A native of `java.io.File`. Some have another name since Java 21.
const fn file_system(
    name: &'static str,
    descriptor: &'static str,
    original: &'static AtomicUsize,
    function: fn() -> *mut c_void,
) -> Native {
    Native { class: "Ljava/io/UnixFileSystem;", name, descriptor, original, function }
}

/// A native of `java.nio.file.Files`.
const fn dispatcher(
    name: &'static str,
    descriptor: &'static str,
    original: &'static AtomicUsize,
    function: fn() -> *mut c_void,
) -> Native {
    Native { class: "Lsun/nio/fs/UnixNativeDispatcher;", name, descriptor, original, function }
}

/// Stands in front of a native that the VM binds, if it changes files or starts a process.
pub fn bound(jvmti: &Jvmti, event: &mut NativeMethodBindEvent) {
    // SAFETY: the VM has just handed out the method.
    let found = unsafe {
        let Ok((name, descriptor, _)) = jvmti.get_method_name(event.method()) else { return };
        let makes_socket = SOCKETS.iter().any(|(_, of)| *of == name);
        if !makes_socket
            && !NATIVES.iter().any(|native| native.name == name && native.descriptor == descriptor)
        {
            return;
        }
        let Ok(class) = jvmti.get_method_declaring_class(event.method()) else { return };
        let Ok((class, _)) = jvmti.get_class_signature(class) else { return };
        if SOCKETS.iter().any(|(of, made)| *of == class && *made == name) {
            tell_once(&HAS_SOCKETS, &Report::Socket);
        }
        NATIVES.iter().find(|of| of.class == class && of.name == name && of.descriptor == descriptor)
    };
    let Some(native) = found else { return };
    native.original.store(event.address() as usize, Ordering::Release);
    // SAFETY: the function has the signature of the native, and calls it.
    unsafe { event.set_new_address((native.function)()) };
}

/// Whether the run is recorded.
fn is_recorded() -> bool {
    with_state(|state| state.tracer.is_some()) == Some(true)
}

/// Reports what the program does, unless it was reported.
fn tell_once(is_told: &AtomicBool, report: &Report) {
    if is_recorded() && !is_told.swap(true, Ordering::Relaxed) {
        with_state(|state| state.reporter.tell(report));
    }
}

/// Reports a file or folder, once.
fn tell(path: &Path) {
    // The file of the report is written by the agent itself, under the lock of the state.
    let Ok(path) = std::path::absolute(path) else { return };
    if !is_recorded() {
        return;
    }
    let was_there = path.symlink_metadata().is_ok();
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
    let report = if was_there { Report::Existed(path) } else { Report::Wrote(path) };
    with_state(|state| state.reporter.tell(&report));
}

/// Reports the path of a `java.io.File`.
unsafe fn tell_file(env: *mut jni::JNIEnv, file: jni::jobject) {
    if file.is_null() {
        return;
    }
    // SAFETY: the caller passes the VM's environment and a `java.io.File`, which has its path in this field.
    unsafe {
        let jni = JniEnv::from_raw(env);
        match jni.get_field_id(jni.get_object_class(file), "path", "Ljava/lang/String;") {
            Some(path) => tell_named(env, jni.get_object_field(file, path)),
            None => jni.exception_clear(),
        }
    }
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
        tell_at(from);
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
    // SAFETY: the arguments are the VM's.
    unsafe {
        tell_file(env, from);
        tell_file(env, to);
        original!(RENAME_FILE as RenameFile)(env, this, from, to)
    }
}

unsafe extern "system" fn make_file(
    env: *mut jni::JNIEnv,
    this: jni::jobject,
    name: jni::jstring,
) -> jni::jboolean {
    // SAFETY: the arguments are the VM's.
    unsafe {
        tell_named(env, name);
        original!(MAKE_FILE as MakeFile)(env, this, name)
    }
}

/// What stands in front of natives that do something to a `java.io.File`, or to one or two paths.
macro_rules! in_front {
    (file $name:ident, $kept:ident) => {
        unsafe extern "system" fn $name(
            env: *mut jni::JNIEnv,
            this: jni::jobject,
            file: jni::jobject,
        ) -> jni::jboolean {
            // SAFETY: the arguments are the VM's.
            unsafe {
                tell_file(env, file);
                original!($kept as OfFile)(env, this, file)
            }
        }
    };
    (removed $name:ident, $kept:ident) => {
        unsafe extern "system" fn $name(env: *mut jni::JNIEnv, class: jni::jclass, path: jni::jlong) {
            // SAFETY: the arguments are the VM's.
            unsafe {
                tell_at(path);
                original!($kept as RemovePath)(env, class, path);
            }
        }
    };
    (linked $name:ident, $kept:ident) => {
        unsafe extern "system" fn $name(
            env: *mut jni::JNIEnv,
            class: jni::jclass,
            target: jni::jlong,
            link: jni::jlong,
        ) {
            // SAFETY: the arguments are the VM's.
            unsafe {
                tell_at(link);
                original!($kept as RenamePath)(env, class, target, link);
            }
        }
    };
}

in_front!(file make_folder, MAKE_FOLDER);
in_front!(file remove_file, REMOVE_FILE);
in_front!(removed remove_path, REMOVE_PATH);
in_front!(removed remove_folder_path, REMOVE_FOLDER_PATH);
in_front!(linked link_path, LINK_PATH);
in_front!(linked symlink_path, SYMLINK_PATH);

unsafe extern "system" fn make_folder_path(
    env: *mut jni::JNIEnv,
    class: jni::jclass,
    path: jni::jlong,
    mode: jni::jint,
) {
    // SAFETY: the arguments are the VM's.
    unsafe {
        tell_at(path);
        original!(MAKE_FOLDER_PATH as MakePath)(env, class, path, mode);
    }
}

#[allow(clippy::too_many_arguments, reason = "the native has these")]
unsafe extern "system" fn fork(
    env: *mut jni::JNIEnv,
    this: jni::jobject,
    mode: jni::jint,
    spawner: jni::jobject,
    program: jni::jobject,
    arguments: jni::jobject,
    count: jni::jint,
    environment: jni::jobject,
    variables: jni::jint,
    folder: jni::jobject,
    streams: jni::jobject,
    joined: jni::jboolean,
) -> jni::jint {
    tell_once(&FORKED, &Report::Forked);
    // SAFETY: the arguments are the VM's.
    unsafe {
        original!(FORK as Fork)(
            env,
            this,
            mode,
            spawner,
            program,
            arguments,
            count,
            environment,
            variables,
            folder,
            streams,
            joined,
        )
    }
}
