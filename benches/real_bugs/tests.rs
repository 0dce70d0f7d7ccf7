//! The tests of a library: finds those that fail by a fault.

use super::make::files;
use super::process::run;
use super::projects::Project;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Time limit of all tests of some classes.
const LIMIT: Duration = Duration::from_secs(45);
/// Time limit of a single test.
const SINGLE: Duration = Duration::from_secs(15);
/// Maximum number of test classes of a package to run.
const CLASSES: usize = 30;
/// Maximum number of failing tests to run alone.
const TRIED: usize = 4;

/// The test classes of a library, and their results without a fault.
pub struct Tests {
    classes: Vec<String>,
    /// The passing tests of each class, as far as they were run.
    passed: BTreeMap<String, BTreeSet<String>>,
}

impl Tests {
    pub fn of(project: &Project) -> Tests {
        let folder = project.tests();
        let names = files(&folder).into_iter().filter_map(|file| {
            let name = file.strip_prefix(&folder).ok()?.to_str()?.strip_suffix(".class")?.replace('/', ".");
            let simple = name.rsplit('.').next()?;
            let is_test =
                simple.starts_with("Test") || simple.ends_with("Test") || simple.ends_with("TestCase");
            let single =
                !simple.contains('$') && !simple.starts_with("TestAll") && !simple.starts_with("Abstract");
            (is_test && single).then_some(name)
        });
        Tests { classes: names.collect(), passed: BTreeMap::new() }
    }

    /// A test that passes without the fault, and fails with it; also when run alone.
    pub fn failing(&mut self, project: &Project, id: &str, file: &str) -> Option<String> {
        let name = file.strip_suffix(".java")?.replace('/', ".");
        let (package, simple) = name.rsplit_once('.')?;
        let names = [format!("Test{simple}"), format!("{simple}Test"), format!("{simple}TestCase")];
        let (of_package, elsewhere): (Vec<String>, Vec<String>) = self
            .classes
            .iter()
            .cloned()
            .partition(|class| class.rsplit_once('.').is_some_and(|(of, _)| of == package));
        let (mut own, mut others): (Vec<String>, Vec<String>) =
            of_package.into_iter().partition(|class| class.contains(simple));
        let is_named = |class: &String| names.iter().any(|name| class.rsplit('.').next() == Some(name));
        own.extend(elsewhere.into_iter().filter(is_named));
        others.truncate(CLASSES);
        [own, others].into_iter().find_map(|classes| self.failing_of(project, id, &classes))
    }

    fn failing_of(&mut self, project: &Project, id: &str, classes: &[String]) -> Option<String> {
        let new: Vec<&String> = classes.iter().filter(|class| !self.passed.contains_key(*class)).collect();
        for class in new {
            let passed = results(project, None, std::slice::from_ref(class)).into_iter().filter(|(_, p)| *p);
            self.passed.insert(class.clone(), passed.map(|(test, _)| test).collect());
        }
        if classes.is_empty() {
            return None;
        }
        let failed = results(project, Some(id), classes).into_iter().filter(|(test, passed)| {
            let class = test.split('#').next().unwrap_or_default();
            !passed && self.passed.get(class).is_some_and(|of_class| of_class.contains(test))
        });
        failed.map(|(test, _)| test).take(TRIED).find(|test| fails_by(project, id, test))
    }
}

/// Whether a test passes without a fault and fails with it, when run alone.
pub fn fails_by(project: &Project, id: &str, test: &str) -> bool {
    let code = |id| run(&project.command(id, test), &project.source(), SINGLE).code;
    code(Some(id)) == Some(1) && code(None) == Some(0)
}

/// The tests of these classes that end within the time limit, as `CLASS#METHOD`, and whether each passes.
fn results(project: &Project, id: Option<&str>, classes: &[String]) -> Vec<(String, bool)> {
    let command = project.command_of_all(id, classes, false);
    let ended = run(&command, &project.source(), LIMIT);
    let mut found: BTreeMap<String, bool> = BTreeMap::new();
    let mut order = Vec::new();
    for line in ended.output.lines() {
        let [how @ ("passed" | "failed"), class, method, _] = line.split(' ').collect::<Vec<_>>()[..] else {
            continue;
        };
        let plain = method.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        if plain {
            let test = format!("{class}#{method}");
            if !found.contains_key(&test) {
                order.push(test.clone());
            }
            // A test that is run many times passes if each run does.
            *found.entry(test).or_insert(true) &= how == "passed";
        }
    }
    order.into_iter().map(|test| (test.clone(), found[&test])).collect()
}
