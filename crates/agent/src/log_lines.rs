//! Writes the lines of log points into their pipe. A full pipe makes the program wait until `qp` has read.

use crate::state::with_state;
use jvmti_bindings::prelude::*;
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, PoisonError};
use wire::{LoggedLine, ToldThread};

/// The pipe. Nothing else waits for this lock.
static PIPE: Mutex<Pipe> = Mutex::new(Pipe::Unopened);

enum Pipe {
    Unopened,
    Open(File),
    /// Nobody reads it.
    Closed,
}

/// `QuerypointProbeAgent.line(String, String)`.
///
/// # Safety
/// Called by the VM only.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Java_java_lang_QuerypointProbeAgent_line(
    env: *mut jni::JNIEnv,
    _class: jni::jclass,
    thread: jni::jstring,
    text: jni::jstring,
) {
    // SAFETY: the VM passes its environment, and the recorder strings.
    let [thread, text] = unsafe {
        let env = JniEnv::from_raw(env);
        [thread, text].map(|text| env.get_string_lossy(text).unwrap_or_default())
    };
    let thread = ToldThread::parse(&thread).unwrap_or_default();
    let Ok(mut line) = serde_json::to_vec(&LoggedLine::new(thread, &text)) else { return };
    line.push(b'\n');
    let mut pipe = PIPE.lock().unwrap_or_else(PoisonError::into_inner);
    if let Pipe::Unopened = *pipe {
        let path = with_state(|state| state.probes.plan.lines.clone());
        let opened = path.and_then(|path| File::options().write(true).open(path).ok());
        *pipe = opened.map_or(Pipe::Closed, Pipe::Open);
    }
    if let Pipe::Open(file) = &mut *pipe
        && file.write_all(&line).is_err()
    {
        *pipe = Pipe::Closed;
    }
}
