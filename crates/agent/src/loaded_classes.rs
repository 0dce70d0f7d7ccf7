//! The classes that were loaded before the agent received class events.

use jvmti_bindings::prelude::*;

/// Lets the hook see the loaded classes that are concerned, by their names with slashes. Tells why the VM
/// refuses a class.
pub fn transform_loaded(jvmti: &Jvmti, concerns: &dyn Fn(&str) -> bool, refused: &dyn Fn(&str, String)) {
    let Ok(loaded) = jvmti.get_loaded_classes() else { return };
    for class in loaded {
        // SAFETY: the VM has just handed out the reference.
        let Ok((signature, _)) = (unsafe { jvmti.get_class_signature(class) }) else { continue };
        let name = signature.strip_prefix('L').and_then(|s| s.strip_suffix(';'));
        let Some(name) = name else { continue };
        // The code of a lambda is a method of the class with the lambda. The lambda's hidden class, whose
        // name has a dot, only calls that method.
        if name.contains('.') || !concerns(name) {
            continue;
        }
        // SAFETY: as above.
        let done = unsafe {
            match jvmti.is_modifiable_class(class) {
                Ok(true) => jvmti.retransform_classes(&[class]).map_err(|error| format!("{error:?}")),
                _ => Err("the VM does not allow changing it".to_owned()),
            }
        };
        if let Err(why) = done {
            refused(name, why);
        }
    }
}
