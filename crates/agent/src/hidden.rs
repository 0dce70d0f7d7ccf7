//! Hidden classes, such as those of `Lookup.defineHiddenClass`. The VM shows them to no load hook and does
//! not allow changing them (JVMTI specification of ClassFileLoadHook and RetransformClasses). The agent
//! reports those whose code may contain sites when they are prepared, before any of that code runs.

use crate::state::{State, problem, with_state};
use jvmti_bindings::prelude::*;
use wire::HiddenClass;

/// ACC_SYNTHETIC (JVMS table 4.1-B): the class is not in the source.
const SYNTHETIC: jni::jint = 0x1000;

/// Handles a prepared class.
pub(crate) fn prepared(tools: &Jvmti, class: jni::jclass) {
    // SAFETY: the VM has just handed out the reference.
    let Ok((signature, _)) = (unsafe { tools.get_class_signature(class) }) else { return };
    let Some(name) = file_name(&signature) else { return };
    // SAFETY: as above.
    let (loader, modifiers) = unsafe { (tools.get_class_loader(class), tools.get_class_modifiers(class)) };
    let is_of_vm = loader.is_ok_and(|loader| loader.is_null());
    let is_synthetic = modifiers.is_ok_and(|modifiers| modifiers & SYNTHETIC != 0);
    let records = with_state(|state| state.tracer.as_ref().map(|tracer| tracer.is_in_scope(name)));
    match records {
        None => {}
        // The generated class of a lambda only calls a method of the enclosing class, which is recorded.
        Some(Some(in_scope)) if in_scope && !(is_synthetic && name.contains("$$Lambda")) => {
            report(HiddenClass { class: name.to_owned(), queries: Vec::new() });
        }
        Some(Some(_)) => {}
        Some(None) => match outline(tools, class, name) {
            // The VM is ending and runs no more code of the program.
            Err(Unread::VmEnds) => {}
            Ok(outline) => {
                let found = with_state(|state| state.probes.hidden(name, &outline, is_of_vm));
                match found {
                    None => {}
                    Some(Ok(queries)) if queries.is_empty() => {}
                    Some(Ok(queries)) => {
                        report(HiddenClass { class: name.to_owned(), queries });
                    }
                    Some(Err(error)) => unread(name, &error.to_string()),
                }
            }
            Err(Unread::Refused(why)) => unread(name, &why),
        },
    }
}

fn report(class: HiddenClass) {
    with_state(|State { hidden, reporter, .. }| {
        if let Some(line) = hidden.line(class) {
            let _ = reporter.tell(&line);
        }
    });
}

fn unread(name: &str, why: &str) {
    problem(format!("{} is a hidden class whose code cannot be read: {why}", name.replace('/', ".")));
}

/// The class file name of a hidden class, from its signature; none for other classes. The VM appends a dot
/// and a number to the name (JVMTI specification of GetClassSignature). No other signature contains a dot.
fn file_name(signature: &str) -> Option<&str> {
    let name = signature.strip_prefix('L')?.strip_suffix(';')?;
    name.rsplit_once('.').map(|(name, _)| name)
}

/// Why a hidden class cannot be scanned.
enum Unread {
    /// The VM has left its live phase (JVMTI specification, WRONG_PHASE).
    VmEnds,
    /// The VM or the scan refused, with the reason.
    Refused(String),
}

impl From<jvmti::jvmtiError> for Unread {
    fn from(error: jvmti::jvmtiError) -> Unread {
        match error {
            jvmti::jvmtiError::WRONG_PHASE => Unread::VmEnds,
            other => Unread::Refused(format!("{other:?}")),
        }
    }
}

/// The scannable parts of a class without a class file.
fn outline(tools: &Jvmti, class: jni::jclass, name: &str) -> Result<Vec<u8>, Unread> {
    // SAFETY: the class is prepared, and the VM has handed out these references.
    unsafe {
        let pool = tools.get_constant_pool(class)?;
        let mut fields = Vec::new();
        for field in tools.get_class_fields(class)? {
            fields.push(tools.get_field_name(class, field)?.0);
        }
        let mut codes = Vec::new();
        for method in tools.get_class_methods(class)? {
            match tools.get_bytecodes(method) {
                Ok(code) if code.is_empty() => {}
                Ok(code) => codes.push(code),
                Err(jvmti::jvmtiError::NATIVE_METHOD) => {}
                Err(error) => return Err(error.into()),
            }
        }
        rewrite::outline(name, &pool, &fields, &codes).map_err(|error| Unread::Refused(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hidden_classes_have_a_number_behind_their_name() {
        assert_eq!(file_name("La/B$Writer.0x00007f98b8001000;"), Some("a/B$Writer"));
        for other in ["La/B$Writer;", "LB;", "[I", "I"] {
            assert_eq!(file_name(other), None);
        }
    }

    #[test]
    fn a_class_prepared_while_the_vm_ends_is_no_problem() {
        assert!(matches!(Unread::from(jvmti::jvmtiError::WRONG_PHASE), Unread::VmEnds));
        let Unread::Refused(why) = Unread::from(jvmti::jvmtiError::OUT_OF_MEMORY) else { panic!("refused") };
        assert!(why.contains("OUT_OF_MEMORY"), "{why}");
    }
}
