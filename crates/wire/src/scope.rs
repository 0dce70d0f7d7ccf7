//! The classes that a run records: those that patterns select, without those that the recorder uses.

use descriptor::generated::is_generated;

/// Whether a pattern matches a class. `com.acme.Shop` matches that class and its nested classes,
/// `com.acme.*` the classes of a package, `com.acme.**` also those of its subpackages, `*` the classes
/// without a package, and `**` everything.
pub fn is_named(pattern: &str, class: &str) -> bool {
    let below = |package: &str| class.strip_prefix(package).and_then(|rest| rest.strip_prefix('.'));
    if pattern == "**" {
        true
    } else if pattern == "*" {
        !class.contains('.')
    } else if let Some(package) = pattern.strip_suffix(".**") {
        below(package).is_some()
    } else if let Some(package) = pattern.strip_suffix(".*") {
        below(package).is_some_and(|name| !name.contains('.'))
    } else {
        class.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
    }
}

/// The packages of the JDK, which are recorded only if a pattern names them.
const OF_THE_JDK: [&str; 6] =
    ["java.**", "javax.**", "jdk.**", "sun.**", "com.sun.**", "netscape.javascript.*"];

/// Classes on which the recorder itself depends. They cannot be recorded, because the recorder would record
/// itself.
const OF_THE_RECORDER: [&str; 4] = ["java/lang/", "jdk/internal/", "sun/misc/", "java/io/ObjectStreamClass"];

/// Whether the recorder depends on a class, given by its name with slashes.
pub fn is_of_recorder(class: &str) -> bool {
    OF_THE_RECORDER.iter().any(|below| class.starts_with(below))
}

/// Whether a class or a pattern, given with dots, is in a package of the JDK.
pub fn is_of_the_jdk(class: &str) -> bool {
    OF_THE_JDK.iter().any(|pattern| is_named(pattern, class))
}

/// Whether the patterns of the classes to record select a class, given by its name with dots, or, if there
/// are none, whether it is outside the JDK; and whether no pattern excludes it.
pub fn selects(scope: &[String], trust: &[String], class: &str) -> bool {
    let named = |patterns: &[String]| patterns.iter().any(|pattern| is_named(pattern, class));
    let wanted = match scope {
        [] => !is_of_the_jdk(class),
        scope => named(scope),
    };
    wanted && !named(trust)
}

/// Whether a class, given by its name with dots, is recorded: the patterns select it, and its name is not
/// that of a generated class, such as a mock. No source tells what such a class should do.
pub fn is_recorded(scope: &[String], trust: &[String], class: &str) -> bool {
    selects(scope, trust, class) && !is_generated(class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_classes_and_packages() {
        for (pattern, class, named) in [
            ("com.acme.Shop", "com.acme.Shop", true),
            ("com.acme.Shop", "com.acme.Shop$Item", true),
            ("com.acme.Shop", "com.acme.Shopping", false),
            ("com.acme.*", "com.acme.Shop", true),
            ("com.acme.*", "com.acme.till.Till", false),
            ("com.acme.**", "com.acme.till.Till", true),
            ("com.acme.**", "com.acmeother.Till", false),
            ("**", "Main", true),
            ("*", "Main$Inner", true),
            ("*", "com.acme.Shop", false),
        ] {
            assert_eq!(is_named(pattern, class), named, "{pattern} {class}");
        }
    }

    #[test]
    fn the_jdk_is_recorded_only_if_a_pattern_names_it() {
        let records = |scope: &[&str], trust: &[&str], class: &str| {
            let [scope, trust] =
                [scope, trust].map(|of| of.iter().map(ToString::to_string).collect::<Vec<_>>());
            is_recorded(&scope, &trust, class)
        };
        assert!(records(&[], &[], "Main") && !records(&[], &[], "java.util.ArrayList"));
        assert!(records(&["com.sun.tools.javac.**"], &[], "com.sun.tools.javac.Main"));
        assert!(!records(&["Main"], &[], "Other"));
        assert!(!records(&[], &["org.lib.**"], "org.lib.a.B"));
        assert!(!records(&["com.acme.Shop"], &[], "com.acme.Shop$MockitoMock$1942057621"));
    }
}
