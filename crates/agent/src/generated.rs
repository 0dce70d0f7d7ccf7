//! Recognises classes that libraries generate while the program runs: nobody's own code, which is not
//! recorded (DESIGN §12). The names of the common ones are in `descriptor::generated`, and need no other
//! look. The others are recognised by how they are defined.

use crate::loaders;
use crate::state::with_state;
use descriptor::generated::{is_generated, is_superclass_of_generated};
use jvmti_bindings::prelude::*;
use rewrite::Scan;
use wire::Report;
use wire::scope::is_of_the_jdk;

/// Maximum number of frames between the definition of a class and the code that asks for it.
const MOST: jni::jint = 64;

/// The loaders of the JDK that read class files from the class path.
const FROM_FILES: [&str; 3] =
    ["jdk.internal.loader.BuiltinClassLoader", "java.net.URLClassLoader", "jdk.internal.loader.Loader"];

/// Whether a class that is being defined, given by its name with slashes, is one of those that the plan
/// selects, but generated. Reports it where that helps to read the recording.
pub(crate) fn leaves_out(
    context: &CallbackContext<'_>,
    event: &ClassFileLoadHookEvent<'_>,
    name: &str,
) -> bool {
    let is_selected = |name: &str| with_state(|state| state.selects(name)).unwrap_or(false);
    let Some(env) = context.jni().filter(|_| is_selected(name)) else { return false };
    let bytes = event.class_data();
    if !is_generated(name) && !is_made_by_library(context.jvmti(), env, bytes, is_selected) {
        return false;
    }
    // SAFETY: the VM has handed out the loader for this event.
    let loader = unsafe { loaders::number(context.jvmti(), env, event.loader()) };
    with_state(|state| {
        if let Some(class) = state.tracer.as_ref().and_then(|tracer| tracer.described(loader, bytes)) {
            state.reporter.tell(&Report::Traced(class));
        }
    });
    true
}

/// Whether the superclass is one of generated classes, or the class has no lines and code outside `is_own`,
/// given names with slashes, hands its bytes to the VM.
fn is_made_by_library(tools: &Jvmti, env: &JniEnv, bytes: &[u8], is_own: impl Fn(&str) -> bool) -> bool {
    let Ok(scan) = Scan::new(bytes) else { return false };
    let superclass = scan.superclass().unwrap_or_default().replace('/', ".");
    is_superclass_of_generated(&superclass)
        || !scan.has_lines() && definer(tools, env).is_some_and(|definer| !is_own(&definer))
}

/// The class outside the JDK, with slashes, that defines a class on this thread. `None` if a loader of the
/// JDK reads it from a file, or the JDK defines it for itself.
fn definer(tools: &Jvmti, env: &JniEnv) -> Option<String> {
    // SAFETY: null means the current thread (JVMTI specification of GetStackTrace).
    let frames = unsafe { tools.get_stack_trace(std::ptr::null_mut(), 0, MOST) }.ok()?;
    for frame in frames {
        // SAFETY: the method is on the stack, so its class is alive.
        let signature = unsafe {
            let class = tools.get_method_declaring_class(frame.method).ok()?;
            let signature = tools.get_class_signature(class);
            env.delete_local_ref(class);
            signature.ok()?.0
        };
        let class = signature.trim_start_matches('L').trim_end_matches(';');
        let dotted = class.replace('/', ".");
        if FROM_FILES.contains(&dotted.as_str()) {
            return None;
        }
        if !is_of_the_jdk(&dotted) {
            return Some(class.to_owned());
        }
    }
    None
}
