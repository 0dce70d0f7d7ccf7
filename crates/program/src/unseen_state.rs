//! Objects whose state recordings do not have, such as an `AtomicInteger` or a `BitSet`: which classes those
//! are, and which methods may change them.

use super::hierarchy::lineage;
use bytecode::descriptor::{class_name, parameter_slots};
use bytecode::op::InvokeKind;
use bytecode::{ClassFile, Op};
use classes::ClassPool;
use jdk::Writes;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How the names of types begin whose objects never change, or whose state says nothing about the program.
const IMMUTABLE: [&str; 12] = [
    "java.time.",
    "java.math.",
    "java.nio.charset.",
    "java.nio.file.",
    "java.lang.invoke.",
    "java.lang.reflect.",
    "java.util.function.",
    "java.util.regex.Pattern",
    "java.util.Optional",
    "java.util.Objects",
    "sun.nio.fs.",
    "jdk.internal.",
];
/// Single types like that.
const VALUES: [&str; 20] = [
    "java.lang.Object",
    "java.lang.Math",
    "java.lang.Number",
    "java.lang.Comparable",
    "java.lang.CharSequence",
    "java.lang.Appendable",
    "java.lang.Iterable",
    "java.lang.Runnable",
    "java.lang.AutoCloseable",
    "java.lang.Cloneable",
    "java.lang.Throwable",
    "java.lang.StackTraceElement",
    "java.io.Serializable",
    "java.io.Closeable",
    "java.io.Flushable",
    "java.io.File",
    "java.net.URI",
    "java.util.Comparator",
    "java.util.Locale",
    "java.util.UUID",
];
/// Types whose objects mostly live in one call.
const PASSING: [&str; 8] = [
    "java.util.ListIterator",
    "java.util.Iterator",
    "java.util.Spliterator",
    "java.util.Enumeration",
    "java.util.Map$Entry",
    "java.util.StringTokenizer",
    "java.util.Scanner",
    "java.util.regex.Matcher",
];
/// Interfaces of collections whose contents events show, besides those of `jdk`.
const COLLECTIONS: [&str; 7] = [
    "java.util.Set",
    "java.util.SortedSet",
    "java.util.NavigableSet",
    "java.util.SequencedCollection",
    "java.util.SequencedSet",
    "java.util.SequencedMap",
    "java.util.concurrent.ConcurrentMap",
];
/// Methods that change what no object has: the beginnings of their names, by class.
const SETTINGS: [(&str, &str); 5] = [
    ("java.lang.System", "setPropert"),
    ("java.lang.System", "clearProperty"),
    ("java.util.Locale", "setDefault"),
    ("java.util.TimeZone", "setDefault"),
    ("java.lang.Thread", "setDefault"),
];

/// What a method's own code does to objects of unrecorded classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnseenUses {
    /// The types whose objects it may change, make or pass on.
    pub changed: BTreeSet<String>,
    /// The types of all objects that it uses.
    pub used: BTreeSet<String>,
    /// The methods that it calls to change settings of the whole program.
    pub settings: BTreeSet<String>,
}

/// Whether objects of this type mostly live in one call.
pub fn is_passing(class: &str) -> bool {
    PASSING.contains(&class) || class.starts_with("java.util.stream.")
}

/// Whether no event shows the state of objects of a type. Of the collections of `jdk`, and of the interfaces
/// above them, events show the contents.
pub fn is_unseen(class: &str) -> bool {
    !is_passing(class) && !COLLECTIONS.contains(&class) && jdk::class(class).is_none()
}

fn is_value(class: &str) -> bool {
    jdk::is_immutable(class)
        || VALUES.contains(&class)
        || IMMUTABLE.iter().any(|begin| class.starts_with(begin))
        || class.ends_with("Exception")
        || class.ends_with("Error")
}

/// The types of an object's class that have a state which no event shows: unrecorded ones. `is_recorded`
/// tells which classes are recorded.
pub fn unseen_types(
    pool: &ClassPool,
    class: &Arc<ClassFile>,
    is_recorded: &dyn Fn(&str) -> bool,
) -> BTreeSet<String> {
    // An interface has no state of its own.
    let first = ancestors(pool, class).find(|file| !is_recorded(&file.name));
    let Some(first) = first.filter(|first| !is_value(&first.name)) else { return BTreeSet::new() };
    let line = lineage(pool, &first);
    let names = line.iter().map(|file| &file.name);
    names.filter(|name| !is_recorded(name) && !is_value(name)).cloned().collect()
}

/// A class and its superclasses, nearest first.
fn ancestors<'a>(
    pool: &'a ClassPool,
    class: &Arc<ClassFile>,
) -> impl Iterator<Item = Arc<ClassFile>> + use<'a> {
    std::iter::successors(Some(class.clone()), |file| {
        Some(pool.find(file.super_name.as_ref()?).ok().flatten()?.file.clone())
    })
}

/// What the code of a method does to such objects.
pub fn unseen_uses(
    pool: &ClassPool,
    method: &bytecode::Method,
    is_recorded: &dyn Fn(&str) -> bool,
) -> UnseenUses {
    let mut uses = UnseenUses::default();
    for instruction in method.code.iter().flat_map(|code| &code.instructions) {
        let Op::Invoke { kind, method } = &instruction.op else { continue };
        let Some(class) = declaring(pool, &method.class, method, is_recorded) else { continue };
        let is_setting = |(of, begin): &&(&str, &str)| class == *of && method.name.starts_with(begin);
        if SETTINGS.iter().any(|setting| is_setting(&setting)) {
            uses.settings.insert(format!("{}.{}", bytecode::descriptor::short_name(&class), method.name));
        }
        if is_value(&class) || class == "java.lang.Thread" && !method.name.starts_with("set") {
            continue;
        }
        let facts = jdk::facts(&class, &method.name, &method.descriptor);
        let given = parameter_slots(&method.descriptor, true).into_iter().map(|(_, of)| of);
        let returned = method.descriptor.rsplit(')').next().unwrap_or_default().to_owned();
        let named = given.chain([returned]).filter_map(|of| {
            Some(class_name(of.strip_prefix('L')?.strip_suffix(';')?)).filter(|class| !is_value(class))
        });
        let receiver = (*kind != InvokeKind::Static).then(|| class.clone());
        let all: Vec<String> = named.chain(receiver).collect();
        if !matches!(facts.writes, Some(Writes::Nothing | Writes::Output)) {
            uses.changed.extend(all.iter().cloned());
        }
        uses.used.extend(all);
    }
    uses
}

/// The unrecorded class of a called method: a recorded class can inherit it. `None` if the method is
/// recorded.
fn declaring(
    pool: &ClassPool,
    owner: &str,
    method: &bytecode::MethodRef,
    is_recorded: &dyn Fn(&str) -> bool,
) -> Option<String> {
    if !is_recorded(owner) {
        return Some(owner.to_owned());
    }
    let found = pool.find(owner).ok().flatten()?;
    let declares = |file: &Arc<ClassFile>| file.method(&method.name, &method.descriptor).is_some();
    let declaring = ancestors(pool, &found.file).find(declares)?;
    (!is_recorded(&declaring.name)).then(|| declaring.name.clone())
}
