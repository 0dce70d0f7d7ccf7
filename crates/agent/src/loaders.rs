//! Numbers the class loaders that define recorded classes, since several can define a class of one name.

use crate::state::with_state;
use jvmti_bindings::prelude::*;
use std::sync::{Mutex, PoisonError};
use wire::{LoaderReport, Report};

/// Maximum number of loaders above one another; no program has that many.
const MOST_ABOVE: u32 = 1000;

/// The last number of a loader.
static LAST: Mutex<u32> = Mutex::new(0);

/// The number of a loader, which is reported with its class and its parent at first; 0 for the VM's own.
///
/// # Safety
/// `loader` is a class loader or null, and valid on this thread.
pub(crate) unsafe fn number(tools: &Jvmti, env: &JniEnv, loader: jni::jobject) -> u32 {
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: as the caller guarantees.
    unsafe { numbered(tools, env, loader, &mut last, MOST_ABOVE) }
}

unsafe fn numbered(tools: &Jvmti, env: &JniEnv, loader: jni::jobject, last: &mut u32, left: u32) -> u32 {
    if loader.is_null() || left == 0 {
        return 0;
    }
    // SAFETY: the loader is valid, and so are what the VM hands out for it.
    unsafe {
        if let Ok(known) = tools.get_tag(loader)
            && known > 0
        {
            return u32::try_from(known).unwrap_or(0);
        }
        let above = parent(env, loader);
        let parent = numbered(tools, env, above, last, left - 1);
        *last += 1;
        let number = *last;
        // Without the tag the same loader would get another number each time.
        if tools.set_tag(loader, number.into()).is_err() {
            return 0;
        }
        let class = env.get_object_class(loader);
        let signature = tools.get_class_signature(class).map(|(signature, _)| signature).unwrap_or_default();
        env.delete_local_ref(class);
        if !above.is_null() {
            env.delete_local_ref(above);
        }
        let class = signature.trim_start_matches('L').trim_end_matches(';').to_owned();
        with_state(|state| state.reporter.tell(&Report::Loader(LoaderReport { number, class, parent })));
        number
    }
}

/// The loader to which a loader delegates; null if there is none, or this VM keeps it elsewhere.
unsafe fn parent(env: &JniEnv, loader: jni::jobject) -> jni::jobject {
    // SAFETY: the class is the VM's own, and the field is one of each loader.
    unsafe {
        let found = env.find_class("java/lang/ClassLoader").and_then(|class| {
            let field = env.get_field_id(class, "parent", "Ljava/lang/ClassLoader;");
            env.delete_local_ref(class);
            field
        });
        match found {
            Some(field) => env.get_object_field(loader, field),
            None => {
                env.exception_clear();
                std::ptr::null_mut()
            }
        }
    }
}
