//! The supertypes of classes.

use bytecode::{ClassFile, Method};
use classes::ClassPool;
use model::MethodName;
use std::sync::Arc;

/// The name of a method, as sites use it.
pub fn method_name(class: &ClassFile, method: &Method) -> MethodName {
    MethodName::new(class.name.as_str(), method.name.as_str(), method.descriptor.as_str())
}

/// The class with its superclasses and superinterfaces, nearest first. It omits those without class files.
pub fn lineage(pool: &ClassPool, class: &Arc<ClassFile>) -> Vec<Arc<ClassFile>> {
    let mut line = vec![class.clone()];
    let mut at = 0;
    while let Some(file) = line.get(at).cloned() {
        at += 1;
        for above in file.super_name.iter().chain(&file.interfaces) {
            if !line.iter().any(|f| f.name == *above)
                && let Some(found) = pool.find(above).ok().flatten()
            {
                line.push(found.file.clone());
            }
        }
    }
    line
}
