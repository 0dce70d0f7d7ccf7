//! Names of classes, methods and files in logs and queries.

use std::borrow::Cow;
use trace::Method;

/// The name of the source file of a method; without that, the name of its outermost class.
pub(super) fn source_file(method: &Method) -> Cow<'_, str> {
    match &method.source {
        Some(source) => Cow::Borrowed(source),
        None => {
            let class = method.class.rsplit_once('.').map_or(&*method.class, |(_, class)| class);
            // The VM makes classes such as `$Proxy4`, which have no source.
            match class.split('$').next().filter(|outer| !outer.is_empty()) {
                Some(outer) => Cow::Owned(format!("{outer}.java")),
                None => Cow::Borrowed(class),
            }
        }
    }
}

/// The binary name of a class; of an array, the name as Java writes it.
pub(super) fn java_name(class: &str) -> Cow<'_, str> {
    match class.starts_with('[') {
        true => Cow::Owned(bytecode::descriptor::java_type(&class.replace('.', "/"))),
        false => Cow::Borrowed(class),
    }
}
