//! The reports that build tools write of tests, as `TEST-CLASS.xml`: which tests failed, and the class path
//! that a report of Maven's Surefire names.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The folders of reports below that of a module: of Maven's Surefire and Failsafe, and of Gradle.
const REPORTS: [&str; 3] = ["target/surefire-reports", "target/failsafe-reports", "build/test-results"];
/// Files that make a folder a project.
const PROJECTS: [&str; 4] = ["pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle"];
/// How deep modules are looked for below the project.
const DEEPEST: usize = 4;
/// The properties with the class path of the tests, the best first.
const CLASS_PATHS: [&str; 2] = ["surefire.test.class.path", "java.class.path"];

/// The report of a test class.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// The binary name of the class.
    pub class: String,
    /// The file.
    pub file: PathBuf,
    /// When it was written.
    pub written: SystemTime,
    /// The class path of the tests, if the report names it.
    pub class_path: Option<Vec<PathBuf>>,
    /// The tests that failed.
    pub failed: Vec<FailedTest>,
}

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedTest {
    /// `Class#method`.
    pub test: String,
    /// The class of the exception, if the report names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<String>,
    /// Its message, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

impl FailedTest {
    /// The test and how it failed, in one line.
    pub fn shown(&self) -> String {
        let how = self.message.as_ref().or(self.exception.as_ref());
        how.map_or_else(|| self.test.clone(), |how| format!("{}: {how}", self.test))
    }
}

/// The project of a folder: the outermost of the folders around it that are projects, without a gap.
pub fn project_of(folder: &Path) -> Option<PathBuf> {
    let is_project = |folder: &&Path| PROJECTS.iter().any(|file| folder.join(file).is_file());
    let from = folder.ancestors().skip_while(|folder| !is_project(folder));
    from.take_while(is_project).last().map(Path::to_owned)
}

/// The reports of a project and its modules, the newest first.
pub fn reports(project: &Path) -> Vec<TestReport> {
    let mut found = Vec::new();
    let mut left = vec![(project.to_owned(), 0)];
    while let Some((folder, depth)) = left.pop() {
        for reports in REPORTS {
            collect(&folder.join(reports), 0, &mut found);
        }
        let inside = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let modules = inside.map(|entry| entry.path()).filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_other =
                name.starts_with('.') || ["src", "target", "build", "node_modules"].contains(&&*name);
            depth < DEEPEST && !is_other && path.is_dir() && !path.is_symlink()
        });
        left.extend(modules.map(|module| (module, depth + 1)));
    }
    found.sort_by(|one, other| other.written.cmp(&one.written).then_with(|| one.class.cmp(&other.class)));
    found
}

/// The reports in a folder, and in the folders of Gradle's tasks inside it.
fn collect(folder: &Path, depth: usize, found: &mut Vec<TestReport>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if depth == 0 && path.is_dir() {
            collect(&path, 1, found);
        } else if name.starts_with("TEST-") && name.ends_with(".xml") {
            let written =
                entry.metadata().and_then(|about| about.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            found.extend(report(&text).map(|report| TestReport { file: path, written, ..report }));
        }
    }
}

/// The report of a file; `None` if it is no such report.
fn report(text: &str) -> Option<TestReport> {
    let mut reader = Reader::from_str(text);
    let mut report: Option<TestReport> = None;
    let mut paths: [Option<String>; CLASS_PATHS.len()] = [const { None }; CLASS_PATHS.len()];
    let mut test = None;
    loop {
        let event = match reader.read_event() {
            Ok(Event::Eof) | Err(_) => break,
            Ok(event) => event,
        };
        let (Event::Start(element) | Event::Empty(element)) = event else { continue };
        let named = |name: &str| attribute(&element, name);
        match element.name().as_ref() {
            "testsuite" => {
                let class = named("name")?;
                let (file, written) = (PathBuf::new(), SystemTime::UNIX_EPOCH);
                report = Some(TestReport { class, file, written, class_path: None, failed: Vec::new() });
            }
            "property" => {
                let name = named("name").unwrap_or_default();
                let known = CLASS_PATHS.iter().zip(&mut paths).find(|(known, _)| **known == name);
                if let Some((_, path)) = known {
                    *path = named("value");
                }
            }
            "testcase" => {
                let class = named("classname").or_else(|| Some(report.as_ref()?.class.clone()));
                test = class.zip(named("name")).map(|(class, name)| {
                    // JUnit 5 adds parameters: `adds(int)[1]`.
                    let method = name.split(['(', '[', '{', ' ']).next().unwrap_or_default();
                    // What prepares a class fails as the class itself.
                    let is_method = !method.is_empty() && !method.contains('.') && method != class;
                    if is_method { format!("{class}#{method}") } else { class }
                });
            }
            "failure" | "error" => {
                let failed = test.take().map(|test| FailedTest {
                    test,
                    exception: named("type"),
                    message: named("message").and_then(|text| text.lines().next().map(str::to_owned)),
                });
                if let (Some(report), Some(failed)) = (&mut report, failed)
                    && report.failed.iter().all(|known| known.test != failed.test)
                {
                    report.failed.push(failed);
                }
            }
            _ => {}
        }
    }
    let class_path = paths.into_iter().flatten().find(|path| !path.is_empty());
    let class_path = class_path.map(|paths| {
        std::env::split_paths(&paths).filter(|path| !path.as_os_str().is_empty()).collect::<Vec<_>>()
    });
    report.map(|report| TestReport { class_path, ..report })
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let found = element.try_get_attribute(name).ok()??;
    quick_xml::escape::unescape(&found.value).ok().map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUREFIRE: &str = r#"<?xml version="1.0"?>
        <testsuite name="shop.CartTest" tests="3"><properties>
          <property name="java.class.path" value="/a/booter.jar"/>
          <property name="surefire.test.class.path" value="/a/test-classes:/a/classes:/r/a&amp;b.jar:"/>
        </properties>
        <testcase name="adds" classname="shop.CartTest"/>
        <testcase name="sells" classname="shop.CartTest"><failure message="expected:&lt;5&gt;
          but" type="java.lang.AssertionError">java.lang.AssertionError</failure></testcase>
        <testcase name="sums(int)[2]" classname="shop.CartTest"><error type="shop.Bad"/></testcase>
        <testcase name="shop.CartTest" classname="shop.CartTest"><error type="shop.Bad"/></testcase>
        </testsuite>"#;

    #[test]
    fn a_report_names_what_failed_and_the_class_path() {
        let read = report(SUREFIRE).unwrap();
        assert_eq!(read.class, "shop.CartTest");
        let expected = ["/a/test-classes", "/a/classes", "/r/a&b.jar"].map(PathBuf::from).to_vec();
        assert_eq!(read.class_path, Some(expected));
        let failed = |test: &str, exception: &str, message: Option<&str>| FailedTest {
            test: test.to_owned(),
            exception: Some(exception.to_owned()),
            message: message.map(str::to_owned),
        };
        let sells = failed("shop.CartTest#sells", "java.lang.AssertionError", Some("expected:<5>"));
        assert_eq!(
            read.failed,
            [
                sells,
                failed("shop.CartTest#sums", "shop.Bad", None),
                failed("shop.CartTest", "shop.Bad", None)
            ]
        );
    }

    #[test]
    fn a_report_of_gradle_has_no_class_path() {
        let text = r#"<testsuite name="CartTest"><properties/><testcase name="adds()" classname="CartTest">
            <failure message="no" type="E">at</failure></testcase></testsuite>"#;
        let read = report(text).unwrap();
        assert_eq!((read.class_path, read.failed[0].test.as_str()), (None, "CartTest#adds"));
        assert!(report("<html/>").is_none() && report("no XML").is_none());
    }

    #[test]
    fn modules_of_a_project_are_searched() {
        let folder = tempfile::tempdir().unwrap();
        let module = folder.path().join("shop/till");
        let reports_of = module.join("target/surefire-reports");
        std::fs::create_dir_all(&reports_of).unwrap();
        for project in [folder.path(), &folder.path().join("shop"), &module] {
            std::fs::write(project.join("pom.xml"), "<project/>").unwrap();
        }
        std::fs::write(reports_of.join("TEST-shop.CartTest.xml"), SUREFIRE).unwrap();
        assert_eq!(project_of(&module.join("src/main")), Some(folder.path().to_owned()));
        assert_eq!(reports(folder.path()).len(), 1);
        assert_eq!(project_of(Path::new("/")), None);
    }
}
