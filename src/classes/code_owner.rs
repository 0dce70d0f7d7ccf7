//! Whose code a class is: the user's own, a library's or a test harness's. Only own code is recorded unless
//! `--scope` names more (DESIGN §12).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// A group of classes that run tests, build or launch, and are never what a user looks for.
struct Harness {
    /// Its name for people.
    name: &'static str,
    /// Patterns of its classes, as `--trust` takes them.
    patterns: &'static [&'static str],
}

/// Test frameworks and their launchers. To add one, add a row.
const HARNESSES: &[Harness] = &[
    Harness {
        name: "JUnit",
        patterns: &["org.junit.**", "junit.**", "org.opentest4j.**", "org.apiguardian.**"],
    },
    Harness { name: "TestNG", patterns: &["org.testng.**"] },
    Harness { name: "Hamcrest", patterns: &["org.hamcrest.**"] },
    Harness { name: "AssertJ", patterns: &["org.assertj.**"] },
    Harness { name: "Truth", patterns: &["com.google.common.truth.**"] },
    Harness { name: "Mockito", patterns: &["org.mockito.**", "net.bytebuddy.**", "org.objenesis.**"] },
    Harness { name: "EasyMock", patterns: &["org.easymock.**"] },
    Harness {
        name: "Surefire",
        patterns: &["org.apache.maven.surefire.**", "org.apache.maven.plugin.surefire.**"],
    },
    Harness {
        name: "Maven",
        patterns: &["org.apache.maven.**", "org.codehaus.plexus.**", "org.codehaus.classworlds.**"],
    },
    Harness { name: "Gradle", patterns: &["org.gradle.**", "worker.org.gradle.**"] },
    Harness { name: "Ant", patterns: &["org.apache.tools.ant.**"] },
    Harness { name: "IDE runners", patterns: &["com.intellij.rt.**", "org.eclipse.jdt.internal.junit.**"] },
];

/// Number of libraries that a summary names.
const NAMED: usize = 3;

/// The classes outside the JDK by whose code they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CodeOwners {
    /// Classes of folders and of the jar that `-jar` names, by binary name.
    pub own: BTreeSet<String>,
    /// The folders and jars that hold them, as written.
    pub own_places: Vec<PathBuf>,
    /// Classes of other jars, by jar as written.
    pub libraries: BTreeMap<PathBuf, BTreeSet<String>>,
}

/// What is recorded if the user names nothing, in the form of the options `--scope` and `--trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultScope {
    /// Patterns of the recorded classes; if empty, all classes outside the JDK.
    pub scope: Vec<String>,
    /// Patterns of classes that are not recorded.
    pub trust: Vec<String>,
    /// One line that says what counts as whose code; none if all classes outside the JDK are the user's own.
    pub summary: Option<String>,
}

impl CodeOwners {
    /// What is recorded by default: own code. Without own code libraries are recorded, a harness never.
    pub fn default_scope(&self) -> DefaultScope {
        let all = || self.own.iter().chain(self.libraries.values().flatten());
        let present: Vec<&Harness> =
            HARNESSES.iter().filter(|harness| all().any(|class| harness.has(class))).collect();
        let mut trust: Vec<String> =
            present.iter().flat_map(|harness| harness.patterns).map(|&pattern| pattern.to_owned()).collect();
        let is_harness = |class: &str| HARNESSES.iter().any(|harness| harness.has(class));
        let own: BTreeSet<&str> =
            self.own.iter().map(String::as_str).filter(|class| !is_harness(class)).collect();
        let libraries: Vec<&PathBuf> = self
            .libraries
            .iter()
            .filter(|(_, classes)| classes.iter().any(|class| !is_harness(class)))
            .map(|(jar, _)| jar)
            .collect();
        let packages: BTreeSet<&str> = own.iter().map(|class| package(class)).collect();
        let limits = !own.is_empty() && !libraries.is_empty();
        let mut scope = Vec::new();
        if limits {
            scope.extend(packages.iter().map(|package| match *package {
                "" => "*".to_owned(),
                package => format!("{package}.*"),
            }));
            // A library can share a package with own code.
            let shared = self.libraries.values().flatten();
            let shared = shared.filter(|class| packages.contains(package(class)) && !is_harness(class));
            trust.extend(shared.map(|class| top_level(class).to_owned()).collect::<BTreeSet<String>>());
        }
        let summary = self.summary(&present, &libraries, (own.is_empty(), limits));
        DefaultScope { scope, trust, summary }
    }

    fn summary(
        &self,
        harnesses: &[&Harness],
        libraries: &[&PathBuf],
        (has_no_own, limits): (bool, bool),
    ) -> Option<String> {
        let mut left_out: Vec<String> = harnesses.iter().map(|harness| harness.name.to_owned()).collect();
        let file = |jar: &&PathBuf| jar.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names: Vec<String> = libraries.iter().take(NAMED).map(file).collect();
        let more = libraries.len().saturating_sub(names.len());
        let mut jars = names.join(", ");
        if more > 0 {
            jars.push_str(&format!(" and {more} more"));
        }
        if limits {
            left_out.push(format!("the libraries {jars}"));
        }
        if left_out.is_empty() {
            return None;
        }
        let left_out = left_out.join(", ");
        Some(match has_no_own {
            true => format!("no own code was found, so libraries are recorded ({jars}), but not {left_out}"),
            false => {
                let places: Vec<String> =
                    self.own_places.iter().take(NAMED).map(|place| place.display().to_string()).collect();
                format!("own code: {}; not recorded: {left_out} (--scope names more)", places.join(", "))
            }
        })
    }
}

impl Harness {
    fn has(&self, class: &str) -> bool {
        self.patterns.iter().any(|pattern| {
            let package = pattern.trim_end_matches(".**");
            class.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

impl DefaultScope {
    /// The scope in which two versions of a program are comparable: what is recorded of one is recorded of
    /// the other. A class that is own code in one version can come from a library in the other.
    #[must_use]
    pub fn union(self, other: DefaultScope) -> DefaultScope {
        let both = !self.scope.is_empty() && !other.scope.is_empty();
        let mut scope = if both { self.scope } else { Vec::new() };
        if both {
            scope.extend(
                other.scope.into_iter().filter(|pattern| !scope.contains(pattern)).collect::<Vec<_>>(),
            );
        }
        // Neither version records a harness. A library's class in a package of own code must be left out of
        // both.
        let is_harness = |pattern: &String| pattern.ends_with(".**");
        let mut trust: Vec<String> =
            self.trust.iter().filter(|&of| is_harness(of) || other.trust.contains(of)).cloned().collect();
        trust.extend(other.trust.into_iter().filter(|of| is_harness(of) && !self.trust.contains(of)));
        DefaultScope { scope, trust, summary: self.summary.or(other.summary) }
    }
}

/// Whether a class belongs to a test framework, a build tool or a launcher.
pub fn is_of_harness(class: &str) -> bool {
    HARNESSES.iter().any(|harness| harness.has(class))
}

fn package(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The top-level class of a nested one.
fn top_level(class: &str) -> &str {
    let simple = class.rfind('.').map_or(0, |at| at + 1);
    match class.get(simple + 1..).and_then(|rest| rest.find('$')) {
        Some(at) => class.get(..simple + 1 + at).unwrap_or(class),
        None => class,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn owners(own: &[&str], libraries: &[(&str, &[&str])]) -> CodeOwners {
        let libraries = libraries.iter().map(|(jar, classes)| (PathBuf::from(jar), names(classes)));
        CodeOwners { own: names(own), own_places: vec!["classes".into()], libraries: libraries.collect() }
    }

    #[test]
    fn a_program_without_jars_is_recorded_whole() {
        assert_eq!(owners(&["Main", "shop.Order"], &[]).default_scope(), DefaultScope::default());
    }

    #[test]
    fn of_a_test_run_only_the_harness_is_left_out() {
        let junit: (&str, &[&str]) = ("/lib/junit4.jar", &["org.junit.Assert", "junit.framework.TestCase"]);
        let scope = owners(&["shop.OrderTest"], &[junit]).default_scope();
        assert!(scope.scope.is_empty());
        assert!(scope.trust.contains(&"org.junit.**".to_owned()), "{scope:?}");
        let summary = scope.summary.unwrap();
        assert_eq!(summary, "own code: classes; not recorded: JUnit (--scope names more)");
    }

    #[test]
    fn libraries_are_left_out_where_there_is_own_code() {
        let csv: (&str, &[&str]) = ("/lib/csv.jar", &["org.csv.Parser", "shop.Shared", "shop.Shared$Item"]);
        let scope = owners(&["Main", "shop.Order", "shop.Order$Row"], &[csv]).default_scope();
        assert_eq!(scope.scope, ["*", "shop.*"]);
        assert_eq!(scope.trust, ["shop.Shared"]);
        let summary = scope.summary.unwrap();
        assert_eq!(summary, "own code: classes; not recorded: the libraries csv.jar (--scope names more)");
    }

    #[test]
    fn libraries_are_recorded_where_there_is_no_own_code() {
        let csv: (&str, &[&str]) = ("/lib/csv.jar", &["org.csv.Parser"]);
        let junit: (&str, &[&str]) = ("/lib/junit4.jar", &["org.junit.Assert"]);
        let scope = owners(&[], &[csv, junit]).default_scope();
        assert!(scope.scope.is_empty() && scope.trust.contains(&"junit.**".to_owned()), "{scope:?}");
        assert!(scope.summary.unwrap().contains("(csv.jar), but not JUnit"));
    }

    #[test]
    fn two_versions_are_recorded_alike() {
        let csv: &[&str] = &["org.csv.Parser", "org.csv.Lexer"];
        let here = owners(&["CsvTest"], &[("csv.jar", csv)]).default_scope();
        // The corrected class stands in a folder before the jar.
        let there = owners(&["CsvTest", "org.csv.Parser"], &[("csv.jar", &csv[1..])]).default_scope();
        assert_eq!(there.trust, ["org.csv.Lexer"]);
        let both = here.clone().union(there);
        assert_eq!((both.scope, both.trust), (vec!["*".to_owned(), "org.csv.*".to_owned()], Vec::new()));
        let whole =
            here.union(DefaultScope { trust: vec!["junit.**".to_owned()], ..DefaultScope::default() });
        assert_eq!((whole.scope, whole.trust), (Vec::new(), vec!["junit.**".to_owned()]));
    }

    #[test]
    fn packages_and_top_level_classes_are_found_by_name() {
        assert_eq!((package("a.b.C$D"), package("C")), ("a.b", ""));
        assert_eq!(["a.B$C$1", "a.$B$C", "B"].map(top_level), ["a.B", "a.$B", "B"]);
        assert!(is_of_harness("org.junit.runner.JUnitCore") && !is_of_harness("org.junitother.X"));
    }
}
