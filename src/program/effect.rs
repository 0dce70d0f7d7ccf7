//! What code does of which nothing is recorded, by the method that is called. What is not listed may do
//! anything.

use super::purity::VALUES;
use bytecode::MethodRef;
use bytecode::op::Bootstrap;

/// What a call depends on besides what it is given, and what depends on it besides what it returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Computes,
    /// It depends on what objects of the JDK hold.
    Looks,
    /// It depends on what fields and elements hold, too.
    Reads,
    /// It prints: something else can read that from where it was printed to.
    Prints,
    /// It changes what objects of the JDK hold.
    Changes,
    /// It makes a collection of an array, which is written through it from then on.
    Backs,
    /// It may do anything.
    Foreign,
}

/// Further classes of which methods compute something of values that do not change, or tell of classes.
const COMPUTE: [&str; 3] = ["java.lang.StrictMath", "java.lang.Class", "java.util.Objects"];

/// The same of a call, by the class that the JDK declares its method in.
pub fn effect(class: &str, method: &MethodRef) -> Effect {
    let given = method.descriptor.split(')').next().unwrap_or_default();
    let has_arrays = given.contains('[');
    match (class, method.name.as_str()) {
        // What is printed is no value of the program, unless it prints into one of its own objects.
        ("java.io.PrintStream", _) => Effect::Prints,
        // One that counts is such a number too.
        ("java.lang.Number", _) => Effect::Looks,
        // These are of the system's properties.
        ("java.lang.Integer", "getInteger")
        | ("java.lang.Long", "getLong")
        | ("java.lang.Boolean", "getBoolean") => Effect::Looks,
        ("java.util.Objects", "deepEquals") => Effect::Reads,
        // Those of a collection, if it is one.
        ("java.lang.Object", "hashCode" | "toString") => Effect::Looks,
        ("java.lang.Object", "clone") => Effect::Reads,
        ("java.lang.Object", "wait" | "notify" | "notifyAll") => Effect::Foreign,
        ("java.lang.System", "nanoTime" | "currentTimeMillis" | "identityHashCode" | "lineSeparator") => {
            Effect::Computes
        }
        ("java.lang.Class", "newInstance" | "forName") => Effect::Foreign,
        ("java.lang.String", "getChars" | "getBytes") if has_arrays => Effect::Foreign,
        (of, "clone") if of.ends_with("[]") => Effect::Reads,
        // One that keeps the array that it is given.
        ("java.util.Arrays", "asList" | "stream") => Effect::Backs,
        ("java.util.Arrays", "toString" | "equals" | "hashCode" | "copyOf" | "copyOfRange") => Effect::Reads,
        ("java.lang.String" | "java.util.Objects", _) if has_arrays => Effect::Reads,
        (of, _) if (VALUES.contains(&of) || COMPUTE.contains(&of)) && !has_arrays => {
            if given_values(given) {
                Effect::Computes
            } else {
                Effect::Looks
            }
        }
        (of, _) if !has_arrays && keeps_to_itself(of) => Effect::Changes,
        _ => Effect::Foreign,
    }
}

/// Whether no parameter is of a class whose objects can change.
fn given_values(given: &str) -> bool {
    given
        .split(';')
        .filter_map(|one| Some(one.split_once('L')?.1.replace('/', ".")))
        .all(|class| class != "java.lang.Object" && (VALUES.contains(&&*class) || COMPUTE.contains(&&*class)))
}

/// Whether objects of a class hold values, and do nothing with other objects but call methods of theirs.
fn keeps_to_itself(class: &str) -> bool {
    const BESIDE: [&str; 5] = [
        "java.util.concurrent.",
        "java.util.function.",
        "java.util.stream.",
        "java.util.zip.",
        "java.util.jar.",
    ];
    let is_beside = BESIDE.iter().any(|package| class.starts_with(package));
    class.starts_with("java.util.") && !is_beside
        || [
            "StringBuilder",
            "StringBuffer",
            "AbstractStringBuilder",
            "Iterable",
            "Comparable",
            "CharSequence",
        ]
        .iter()
        .any(|name| class.strip_prefix("java.lang.") == Some(name))
        || class.starts_with("java.lang.") && (class.ends_with("Exception") || class.ends_with("Error"))
        || class == "java.lang.Throwable"
}

/// The same of `invokedynamic`.
pub fn dynamic(bootstrap: Option<&Bootstrap>) -> Effect {
    let Some(bootstrap) = bootstrap else { return Effect::Foreign };
    match bootstrap.method.class.as_str() {
        "java.lang.invoke.LambdaMetafactory" => Effect::Computes,
        "java.lang.invoke.StringConcatFactory" => Effect::Looks,
        "java.lang.runtime.SwitchBootstraps" => Effect::Looks,
        "java.lang.runtime.ObjectMethods" => Effect::Reads,
        _ => Effect::Foreign,
    }
}
