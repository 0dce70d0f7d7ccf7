//! Which field an instruction names, by the class files.

use super::agent_report::NumberedSite;
use classes::ClassPool;
use query::Field;

/// Whether a site accesses this field, even if it names the field by another class.
pub fn means(pool: &ClassPool, field: &Field, site: &NumberedSite) -> bool {
    site.named_by.as_ref().is_none_or(|class| is_field_of(pool, field, class))
}

/// Whether the field has this name in a class, which declares or inherits it.
fn is_field_of(pool: &ClassPool, field: &Field, class: &str) -> bool {
    let mut next = Some(class.to_owned());
    // No class is its own superclass, but a malformed class file can claim it.
    for _ in 0..1000 {
        let Some(class) = next else { return false };
        if *class == *field.class {
            return true;
        }
        match pool.find(&class).ok().flatten() {
            Some(found) if found.file.field(&field.name).is_some() => return false,
            Some(found) => next = found.file.super_name.clone(),
            // Without a class file we cannot exclude that it is this field.
            None => return true,
        }
    }
    false
}

/// Number of classes up to which [`means_all`] reads them.
const MOST: usize = 3000;

/// Whether each instruction of the class path that accesses a field of this name means this field. Then the
/// VM can count its hits. Of many classes we do not read the code.
pub fn means_all(pool: &ClassPool, field: &Field) -> bool {
    if pool.user_classes().nth(MOST).is_some() {
        return false;
    }
    let is_other = |op: &bytecode::Op| {
        let named = op.field_access().filter(|(named, _)| *named.name == *field.name);
        named.is_some_and(|(named, _)| !is_field_of(pool, field, &named.class))
    };
    pool.user_classes().all(|class| {
        let Ok(Some(found)) = pool.find(class) else { return false };
        let mut code = found.file.methods.iter().filter_map(|method| method.code.as_ref());
        !code.any(|code| code.instructions.iter().any(|instruction| is_other(&instruction.op)))
    })
}
