//! What the methods of the JDK do with references. The rules go by the package or class, then by the name of
//! the method: methods of one name mean the same in all collections.

use super::library::Source::{Argument, Arguments, Fresh, FreshOf, Receiver, Results, Unknown};
use super::library::{Effect, Source, Summary};

impl Summary {
    /// The summary of a method of the JDK, or [`Summary::unknown`] for other classes. The class name has
    /// dots.
    pub fn of_jdk(class: &str, name: &str, descriptor: &str) -> Summary {
        summary(class, name, descriptor)
    }
}

/// The summary of a method of the JDK; [`Summary::unknown`] for methods that have no rule.
pub(super) fn summary(class: &str, name: &str, descriptor: &str) -> Summary {
    match class {
        "java.lang.Object" | "[]" => object(name),
        "java.lang.Class" | "java.lang.reflect.Constructor" => reflection(name),
        "java.lang.Enum" if name == "valueOf" => {
            Summary::new().with(Effect::EnumConstants { class: Argument(0) })
        }
        "java.lang.System" | "java.util.Arrays" | "java.util.Objects" | "java.util.Collections" => {
            utility(class, name)
        }
        "java.lang.Thread" => thread(name),
        "java.security.AccessController" => function_result(Argument(0)),
        "java.lang.Iterable" => collection(name, descriptor),
        "java.lang.Runnable" | "java.util.concurrent.Callable" => function(name),
        "java.lang.ThreadLocal" => thread_local(name),
        "java.lang.StringBuilder" | "java.lang.StringBuffer" | "java.lang.AbstractStringBuilder" => {
            Summary::new().returns(Receiver).returns(Fresh)
        }
        "java.lang.AutoCloseable" => Summary::new(),
        "java.util.Optional" => optional(name),
        "java.util.Comparator" => comparator(name),
        "java.util.Scanner"
        | "java.util.Random"
        | "java.util.StringTokenizer"
        | "java.util.Formatter"
        | "java.util.Date"
        | "java.util.Calendar"
        | "java.util.UUID"
        | "java.util.BitSet" => holder(name),
        _ => of_package(class, name, descriptor),
    }
}

fn of_package(class: &str, name: &str, descriptor: &str) -> Summary {
    let Some(rest) = class.strip_prefix("java.") else { return Summary::unknown() };
    if let Some(rest) = rest.strip_prefix("util.") {
        return match rest.split_once('.') {
            Some(("function", _)) => function(name),
            Some(("stream", class)) => stream(class, name),
            Some(("regex" | "zip" | "jar" | "random", _)) => holder(name),
            Some(("concurrent", class)) => concurrent(class, name, descriptor),
            None => collection(name, descriptor),
            Some(_) => Summary::unknown(),
        };
    }
    match rest.split_once('.').map_or("", |(package, _)| package) {
        "lang" if rest.matches('.').count() == 1 => value(class, name, descriptor),
        "io" | "nio" | "net" | "time" | "text" | "math" => holder(name),
        "lang" if rest.starts_with("lang.invoke.StringConcatFactory") => Summary::new().returns(Fresh),
        "lang" if rest.starts_with("lang.runtime.") => Summary::new().returns(Fresh),
        "lang" if rest.starts_with("lang.ref.") => match name {
            "<init>" => Summary::new().stores(Argument(0), Receiver),
            _ => Summary::new().returns(Receiver.contents()),
        },
        _ => Summary::unknown(),
    }
}

/// A method that copies the contents of a source into a fresh object.
fn view(source: Source) -> Summary {
    Summary::new().view_of(source)
}

/// Returns a fresh object, such as a stream of lines, that may hold strings.
fn with_strings() -> Summary {
    Summary::new().stores(FreshOf("java.lang.String".to_owned()), Fresh).returns(Fresh)
}

/// Calls functions among the arguments with the contents of the receiver.
fn calling(summary: Summary) -> Summary {
    summary.calls(Arguments, vec![Receiver.contents(), Results, Arguments])
}

/// Calls functions without objects, and returns what they return.
fn function_result(function: Source) -> Summary {
    Summary::new().calls(function, Vec::new()).returns(Results)
}

fn object(name: &str) -> Summary {
    match name {
        // The clone of an array or a container holds the same objects.
        "clone" => view(Receiver),
        "getClass" | "toString" => Summary::new().returns(Fresh),
        _ => Summary::new(),
    }
}

fn reflection(name: &str) -> Summary {
    match name {
        "newInstance" => Summary::new()
            .with(Effect::Instantiate { class: Receiver })
            .with(Effect::Instantiate { class: Receiver.contents() })
            .returns(Fresh),
        "getConstructor" | "getDeclaredConstructor" => Summary::new().stores(Receiver, Fresh).returns(Fresh),
        "getConstructors" | "getDeclaredConstructors" => {
            let one = || FreshOf("java.lang.reflect.Constructor".to_owned());
            Summary::new().stores(Receiver, one()).stores(one(), Fresh).returns(Fresh)
        }
        "cast" => Summary::new().returns(Argument(0)),
        "asSubclass" => Summary::new().returns(Receiver),
        "getEnumConstants" => Summary::new().returns(Source::FreshUnknown),
        _ => Summary::new().returns(Fresh),
    }
}

/// A class of `java.lang`: values, exceptions, `Process`.
fn value(class: &str, name: &str, descriptor: &str) -> Summary {
    if class.ends_with("Exception") || class.ends_with("Error") || class.ends_with("Throwable") {
        return throwable(name);
    }
    match name {
        "<init>" => Summary::new(),
        "addShutdownHook" => Summary::new().calls(Arguments, Vec::new()),
        "walk" | "transform" => function_result(Argument(0)).calls(Argument(0), vec![Receiver, Unknown]),
        // Optional results of `Comparable` and `CharSequence` are their receivers.
        _ if descriptor.ends_with("Ljava/lang/CharSequence;")
            || descriptor.ends_with("Ljava/lang/Appendable;") =>
        {
            Summary::new().returns(Receiver).returns(Fresh)
        }
        _ => with_strings(),
    }
}

fn throwable(name: &str) -> Summary {
    match name {
        "<init>" | "initCause" | "addSuppressed" => {
            Summary::new().stores(Arguments, Receiver).returns(Receiver)
        }
        "fillInStackTrace" => Summary::new().returns(Receiver),
        "getSuppressed" => view(Receiver),
        "getCause" | "getException" | "getTargetException" => Summary::new().returns(Receiver.contents()),
        _ => Summary::new().returns(Receiver.contents()).returns(Fresh),
    }
}

fn utility(class: &str, name: &str) -> Summary {
    match (class, name) {
        ("java.lang.System", "arraycopy") => Summary::new().stores(Argument(0).contents(), Argument(2)),
        ("java.lang.System", "setOut" | "setErr" | "setIn") => Summary::new().calls(Arguments, vec![Unknown]),
        ("java.util.Arrays", "asList") => Summary::new().live_view_of(Argument(0)),
        ("java.util.Arrays", "copyOf" | "copyOfRange" | "stream") => view(Argument(0)),
        ("java.util.Arrays", "fill") => {
            Summary::new().stores(Argument(1), Argument(0)).stores(Argument(3), Argument(0))
        }
        ("java.util.Arrays", "setAll") => {
            Summary::new().calls(Argument(1), Vec::new()).stores(Results, Argument(0))
        }
        ("java.util.Arrays", _) => {
            Summary::new().calls(Arguments, vec![Arguments.contents(), Arguments]).returns(Fresh)
        }
        ("java.util.Objects", "requireNonNull" | "requireNonNullElse" | "requireNonNullElseGet") => {
            let last = Summary::new().returns(Argument(0)).returns(Argument(1));
            last.calls(Argument(1), Vec::new()).returns(Results)
        }
        ("java.util.Objects", _) => {
            Summary::new().calls(Arguments, vec![Arguments]).returns(Fresh).returns(Argument(1))
        }
        ("java.util.Collections", "addAll") => Summary::new().stores(Argument(1).contents(), Argument(0)),
        ("java.util.Collections", "min" | "max") => {
            Summary::new().calls(Argument(1), vec![Argument(0).contents()]).returns(Argument(0).contents())
        }
        ("java.util.Collections", "sort" | "binarySearch") => {
            Summary::new().calls(Arguments, vec![Arguments.contents(), Argument(1)])
        }
        ("java.util.Collections", "fill") => Summary::new().stores(Argument(1), Argument(0)),
        ("java.util.Collections", "reverseOrder") => Summary::new().stores(Arguments, Fresh).returns(Fresh),
        ("java.util.Collections", "nCopies") => Summary::new().stores(Argument(1), Fresh).returns(Fresh),
        ("java.util.Collections", _) if name.starts_with("singleton") => {
            Summary::new().stores(Arguments, Fresh).returns(Fresh)
        }
        ("java.util.Collections", _) if name.starts_with("synchronized") || name.starts_with("checked") => {
            Summary::new().live_view_of(Argument(0))
        }
        ("java.util.Collections", _) => Summary::new().stores(Arguments.contents(), Fresh).returns(Fresh),
        _ => with_strings(),
    }
}

fn thread(name: &str) -> Summary {
    match name {
        "<init>" => Summary::new().stores(Arguments, Receiver),
        "start" | "run" => Summary::new().calls(Receiver, Vec::new()).calls(Receiver.contents(), Vec::new()),
        "setUncaughtExceptionHandler" | "setDefaultUncaughtExceptionHandler" => {
            Summary::new().calls(Arguments, vec![Unknown])
        }
        _ => Summary::new().returns(Fresh),
    }
}

fn thread_local(name: &str) -> Summary {
    match name {
        "withInitial" => Summary::new().calls(Argument(0), Vec::new()).stores(Results, Fresh).returns(Fresh),
        "set" => Summary::new().stores(Argument(0), Receiver),
        "get" => {
            Summary::new().calls(Receiver, Vec::new()).stores(Results, Receiver).returns(Receiver.contents())
        }
        "<init>" => Summary::new(),
        _ => Summary::new().returns(Fresh),
    }
}

/// A call of a functional interface on an object that is not in the program: the functions that it was made
/// of are called.
fn function(name: &str) -> Summary {
    match name {
        "andThen" | "compose" | "negate" | "and" | "or" | "not" | "isEqual" | "minBy" | "maxBy" => {
            Summary::new().stores(Receiver, Fresh).stores(Arguments, Fresh).returns(Fresh)
        }
        // The identity returns its argument.
        _ => Summary::new()
            .calls(Receiver.contents(), vec![Arguments, Results])
            .returns(Results)
            .returns(Arguments)
            .returns(Fresh),
    }
}

fn comparator(name: &str) -> Summary {
    match name {
        "compare" => Summary::new().calls(Receiver.contents(), vec![Arguments, Results]),
        _ => Summary::new().stores(Receiver, Fresh).stores(Arguments, Fresh).returns(Fresh),
    }
}

fn optional(name: &str) -> Summary {
    match name {
        "of" | "ofNullable" => Summary::new().stores(Argument(0), Fresh).returns(Fresh),
        "get" | "orElseThrow" => calling(Summary::new().returns(Receiver.contents())),
        "orElse" => Summary::new().returns(Receiver.contents()).returns(Argument(0)),
        "orElseGet" => calling(Summary::new().returns(Receiver.contents()).returns(Results)),
        "map" => calling(Summary::new().stores(Results, Fresh).returns(Fresh)),
        "flatMap" => calling(Summary::new().returns(Results)),
        "or" => calling(Summary::new().returns(Receiver).returns(Results)),
        "filter" => calling(Summary::new().returns(Receiver)),
        "stream" => view(Receiver),
        _ => calling(Summary::new().returns(Fresh)),
    }
}

/// An object that holds what it is made of, and passes calls on to it: streams, readers, buffers, formats.
fn holder(name: &str) -> Summary {
    let given = vec![Unknown];
    let passed = Summary::new().calls(Arguments, given.clone());
    match name {
        "<init>" => passed.stores(Arguments, Receiver),
        "toString" | "hashCode" | "equals" | "length" | "size" => Summary::new().returns(Fresh),
        _ => passed
            .stores(Arguments, Fresh)
            .stores(Receiver, Fresh)
            .stores(Receiver.contents(), Fresh)
            .stores(FreshOf("java.lang.String".to_owned()), Fresh)
            .calls(Receiver.contents(), given)
            .returns(Fresh)
            .returns(Receiver)
            .returns(Receiver.contents())
            .returns(Argument(0)),
    }
}

/// The methods of collections and maps, their iterators and entries.
fn collection(name: &str, descriptor: &str) -> Summary {
    let contents = || Receiver.contents();
    let taken = Summary::new().returns(Receiver.contents());
    match name {
        // Collections are made of collections; comparators are called with what is stored later.
        "<init>" => Summary::new()
            .stores(Arguments.contents(), Receiver)
            .calls(Arguments, vec![contents()])
            .stores(if holds(descriptor) { Arguments } else { Arguments.contents() }, Receiver),
        "add" | "addFirst" | "addLast" | "offer" | "offerFirst" | "offerLast" | "push" | "put"
        | "putFirst" | "putLast" | "putIfAbsent" | "set" | "addElement" | "setElementAt"
        | "insertElementAt" | "replace" | "setValue" | "setProperty" | "offerIfAbsent" => {
            taken.stores(Arguments, Receiver).returns(Arguments)
        }
        "addAll" | "putAll" | "addAllAbsent" => Summary::new().stores(Arguments.contents(), Receiver),
        "get" | "remove" | "poll" | "pollFirst" | "pollLast" | "peek" | "peekFirst" | "peekLast" | "pop"
        | "first" | "last" | "element" | "next" | "previous" | "getKey" | "getValue" | "floor"
        | "ceiling" | "higher" | "lower" | "firstElement" | "lastElement" | "elementAt" | "getFirst"
        | "getLast" | "removeFirst" | "removeLast" | "firstKey" | "lastKey" | "floorKey" | "ceilingKey"
        | "higherKey" | "lowerKey" | "nextElement" | "take" | "getProperty" => taken,
        "getOrDefault" => taken.returns(Argument(1)),
        "iterator" | "keySet" | "values" | "stream" | "parallelStream" | "spliterator" | "elements"
        | "keys" | "descendingIterator" | "descendingKeySet" | "navigableKeySet" => view(Receiver),
        "listIterator" | "subList" | "headMap" | "tailMap" | "subMap" | "headSet" | "tailSet" | "subSet"
        | "descendingMap" | "descendingSet" | "reversed" => Summary::new().live_view_of(Receiver),
        "entrySet" => {
            let entry = || FreshOf("java.util.Map$Entry".to_owned());
            Summary::new()
                .stores(contents(), entry())
                .stores(entry().contents(), Receiver)
                .stores(entry(), Fresh)
                .returns(Fresh)
        }
        "firstEntry" | "lastEntry" | "floorEntry" | "ceilingEntry" | "higherEntry" | "lowerEntry"
        | "pollFirstEntry" | "pollLastEntry" | "clone" => view(Receiver),
        "toArray" => view(Receiver)
            .stores(contents(), Argument(0))
            .returns(Argument(0))
            .calls(Argument(0), Vec::new())
            .stores(contents(), Results)
            .returns(Results),
        "copyInto" => Summary::new().stores(contents(), Argument(0)),
        "of" | "ofEntries" | "entry" | "copyOf" | "noneOf" | "range" | "allOf" => Summary::new()
            .stores(Arguments, Fresh)
            .stores(Arguments.contents(), Fresh)
            .stores(Arguments.contents().contents(), Fresh)
            .with(Effect::EnumConstants { class: Arguments })
            .returns(Fresh),
        "comparator" => Summary::new().returns(Fresh),
        "computeIfAbsent" | "computeIfPresent" | "compute" | "merge" | "replaceAll" => calling(
            taken.stores(Results, Receiver).stores(Arguments, Receiver).returns(Results).returns(Arguments),
        ),
        "size" | "isEmpty" | "contains" | "containsKey" | "containsValue" | "indexOf" | "lastIndexOf"
        | "clear" | "hasNext" | "hasPrevious" | "hasMoreElements" | "equals" | "hashCode" | "containsAll"
        | "removeAll" | "retainAll" | "trimToSize" | "ensureCapacity" | "toString" | "search" => {
            Summary::new().returns(Fresh)
        }
        "forEach" | "forEachRemaining" | "removeIf" | "sort" | "tryAdvance" => calling(Summary::new()),
        _ if name.starts_with("remove") => taken,
        _ => Summary::unknown(),
    }
}

/// Whether a constructor takes objects that become contents: `SimpleEntry(key, value)`.
fn holds(descriptor: &str) -> bool {
    descriptor.contains("Ljava/lang/Object;")
}

fn stream(class: &str, name: &str) -> Summary {
    if class.starts_with("Collectors") {
        // The functions of a collector are called by `collect`.
        return Summary::new().stores(Arguments, Fresh).returns(Fresh);
    }
    match name {
        "map" | "mapToObj" => calling(Summary::new().stores(Results, Fresh).returns(Fresh)),
        "flatMap" => calling(Summary::new().stores(Results.contents(), Fresh).returns(Fresh)),
        "of" | "ofNullable" | "concat" | "iterate" | "generate" | "builder" | "empty" | "add" | "accept"
        | "build" | "stream" | "range" | "rangeClosed" => calling(
            Summary::new()
                .stores(Arguments, Fresh)
                .stores(Arguments.contents(), Fresh)
                .stores(Receiver.contents(), Fresh)
                .stores(Arguments, Receiver)
                .stores(Results, Fresh)
                .returns(Fresh)
                .returns(Receiver),
        ),
        "collect" => calling(view(Receiver).stores(Results, Fresh).stores(Fresh, Fresh).returns(Results)),
        "reduce" => calling(
            view(Receiver)
                .stores(Arguments, Fresh)
                .stores(Results, Fresh)
                .returns(Receiver.contents())
                .returns(Results)
                .returns(Argument(0)),
        ),
        _ => calling(view(Receiver)),
    }
}

fn concurrent(class: &str, name: &str, descriptor: &str) -> Summary {
    if class.starts_with("atomic.") {
        return match name {
            "<init>" | "set" | "lazySet" => Summary::new().stores(Arguments, Receiver),
            _ => calling(
                Summary::new()
                    .stores(Arguments, Receiver)
                    .stores(Results, Receiver)
                    .returns(Receiver.contents())
                    .returns(Results)
                    .returns(Arguments),
            ),
        };
    }
    if class.starts_with("locks.") || class == "TimeUnit" || class == "CountDownLatch" {
        return Summary::new().returns(Fresh);
    }
    let runs = ["Executor", "Future", "ForkJoin", "Completion", "Timer"].iter().any(|w| class.contains(w));
    match name {
        // What is computed is in the contents of the future.
        "get" | "join" | "getNow" | "take" | "poll" if runs => Summary::new()
            .calls(Receiver.contents(), Vec::new())
            .returns(Receiver.contents())
            .returns(Results)
            .returns(Arguments),
        _ if runs => calling(
            Summary::new()
                .calls(Arguments.contents(), Vec::new())
                .calls(Receiver.contents(), Vec::new())
                .stores(Arguments, Receiver)
                .stores(Arguments, Fresh)
                .stores(Results, Receiver)
                .stores(Results, Fresh)
                .stores(Results.contents(), Fresh)
                .stores(Receiver.contents(), Fresh)
                .stores(Fresh, Fresh)
                .returns(Fresh)
                .returns(Receiver)
                .returns(Results),
        ),
        _ => collection(name, descriptor),
    }
}
