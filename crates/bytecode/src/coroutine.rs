//! Where a suspended coroutine of Kotlin stands. Its compiler makes a class for each suspending function,
//! whose objects hold the state of a call that is suspended: the field `label` counts the places where the
//! function suspends, and `completion` is the state of its caller. The annotation `DebugMetadata` of the
//! class has a line for each place (Kotlin's standard library,
//! `kotlin.coroutines.jvm.internal.DebugMetadata`).

use crate::class::{Annotation, ClassFile};

/// The method that goes on with a suspended function.
pub const RESUMES: &str = "invokeSuspend";

/// The newest version of the annotation that is known.
const VERSION: i32 = 2;

/// The place where a function is suspended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    /// Binary name of the class of the function.
    pub class: String,
    /// Name of the function.
    pub method: String,
    /// Name of the source file.
    pub file: Option<String>,
    /// Source line of the call that has suspended it; `None` before the first one.
    pub line: Option<u32>,
}

/// The place where a function is suspended, by the class of its state and the value of `label`. `None` for
/// other classes, and those of a version that is not known.
pub fn suspension(class: &ClassFile, label: Option<i32>) -> Option<Suspension> {
    let is_of_coroutine = |of: &&Annotation| of.class == "kotlin.coroutines.jvm.internal.DebugMetadata";
    let facts = class.annotations.iter().find(is_of_coroutine)?;
    let text = |name: &str| facts.strings.iter().find(|(of, _)| of == name).map(|(_, text)| text.clone());
    let numbers = |name: &str| facts.numbers.iter().find(|(of, _)| of == name).map(|(_, all)| &**all);
    if numbers("v").and_then(<[i32]>::first).is_some_and(|version| *version > VERSION) {
        return None;
    }
    let place = label.and_then(|label| usize::try_from(label).ok()?.checked_sub(1));
    let line = place.and_then(|place| numbers("l")?.get(place).copied());
    let line = line.and_then(|line| u32::try_from(line).ok()).filter(|line| *line > 0);
    Some(Suspension { class: text("c")?, method: text("m")?, file: text("f"), line })
}
