//! Names the loaders where an `instanceof` failed although the object's class has the name of the type.

use super::error::RunError;
use super::stop::Stop;
use super::vm::bci;
use super::watched::Watched;
use bytecode::Op;
use model::{Occurrence, Value, short_class_name};

/// Adds a note to a branch right after an `instanceof`, if the occurrence kept an object of another class of
/// that name.
pub async fn note_twins(
    watched: &mut Watched,
    stop: &Stop,
    occurrence: &mut Occurrence,
) -> Result<(), RunError> {
    let Some(tested) = tested_type(watched, stop, occurrence) else { return Ok(()) };
    let several = watched.vm.classes_named(&tested).await?;
    if several.len() < 2 {
        return Ok(());
    }
    let Some(seen) = watched.vm.seen_from(stop.location.class, &several).await? else { return Ok(()) };
    for value in &occurrence.kept {
        let Value::Object { id, .. } = value else { continue };
        let Some(of) = watched.vm.type_of(super::machine::wire_id(*id)) else { continue };
        if of == seen || !several.contains(&of) {
            continue;
        }
        let (vm, notices) = (&mut watched.vm, &mut watched.installed.notices);
        let [of, seen] = [notices.loader(vm, of).await?, notices.loader(vm, seen).await?];
        let name = short_class_name(&tested);
        let note = format!(
            "two classes are named {name}: the object's is that of the loader {of}, and `instanceof {name}` here \
             means that of {seen}"
        );
        occurrence.detail.get_or_insert_default().notes.push(note);
        break;
    }
    Ok(())
}

/// The type of the `instanceof` right before the branch of an occurrence.
fn tested_type(watched: &Watched, stop: &Stop, occurrence: &Occurrence) -> Option<String> {
    let method = &watched.tables.frame(occurrence.frame)?.site.method;
    let file = watched.pool().find(&method.class).ok().flatten()?;
    let code = file.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
    let at = code.instructions.iter().position(|i| i.pc == bci(stop.location.index))?;
    match &code.instructions.get(at.checked_sub(1)?)?.op {
        Op::InstanceOf(descriptor) => Some(descriptor.clone()),
        _ => None,
    }
}
