//! From the name of a test to the command that runs it.

use super::error::ProjectError;
use super::junit5;
use super::kept::{Answers, newest_build_file};
use super::module::{TestModule, newest};
use super::places::module_of_test;
use super::reports::{TestReport, project_of, reports};
use super::tools::{Tool, module_of};
use super::walk::files;
use debuggee::test_command;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How a test is launched without its build tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestLaunch {
    /// The command.
    pub command: Vec<String>,
    /// Its working folder; `None` for the one where the user stands.
    pub cwd: Option<PathBuf>,
    /// Variables added to the environment.
    pub env: BTreeMap<String, String>,
    /// The folders of the sources; empty if they are not known.
    pub sources: Vec<PathBuf>,
}

/// How the test `CLASS[#METHOD]` is launched by somebody who stands in this folder. A class may be written
/// without its package. `tell` shows a note.
///
/// # Errors
/// There is no project or no such test, or its build tool fails.
pub async fn test_launch(test: &str, here: &Path, tell: &dyn Fn(&str)) -> Result<TestLaunch, ProjectError> {
    let here = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    let Some((tool, own)) = module_of(&here) else {
        return Err(ProjectError::NoProject { test: test.to_owned(), folder: here });
    };
    let root = (tool.root)(&own);
    let module = module_of_test(tool, &root, &here, test)?.unwrap_or(own);
    let asked = modules(tool, test, &root, &module, tell).await;
    match asked.and_then(|modules| of_modules(&modules, test, &module)) {
        Err(error) if error.is_of_tool() => match reported(test, &here) {
            Some((launch, report)) => {
                let file = report.file.display();
                tell(&format!("note: {error}\nnote: the class path is that of the report {file}"));
                Ok(launch)
            }
            None => Err(error),
        },
        launch => launch,
    }
}

/// The kept answer of the tool, or a new one.
async fn modules(
    tool: &Tool,
    test: &str,
    root: &Path,
    module: &Path,
    tell: &dyn Fn(&str),
) -> Result<Vec<TestModule>, ProjectError> {
    let answers = Answers::of(tool.name, root, module);
    if let Some(modules) = answers.kept() {
        return Ok(modules);
    }
    let asked = SystemTime::now();
    let modules = tool.ask(test, root, module, tell).await?;
    answers.keep(&modules, asked);
    Ok(modules)
}

/// The launch of a test in one of these modules; this one comes first.
fn of_modules(all: &[TestModule], test: &str, first: &Path) -> Result<TestLaunch, ProjectError> {
    let (class, method) = test.split_once('#').map_or((test, None), |(class, method)| (class, Some(method)));
    let mut all: Vec<&TestModule> = all.iter().collect();
    all.sort_by_key(|module| module.project != first);
    let found = all.iter().map(|module| (module, module.classes_named(class)));
    match found.into_iter().find(|(_, classes)| !classes.is_empty()) {
        Some((module, classes)) => match classes.as_slice() {
            [class] => Ok(launch_in(module, class, method)),
            _ => Err(ProjectError::Several {
                test: test.to_owned(),
                found: classes,
                advice: "write the package of the class",
            }),
        },
        None => {
            let folders = all.iter().flat_map(|module| &module.test_classes);
            let folders = folders.map(|folder| folder.display().to_string()).collect();
            Err(ProjectError::NoClass { test: test.to_owned(), class: class.to_owned(), folders })
        }
    }
}

fn launch_in(module: &TestModule, class: &str, method: Option<&str>) -> TestLaunch {
    let test = method.map_or_else(|| class.to_owned(), |method| format!("{class}#{method}"));
    let mut paths = module.class_path.clone();
    junit5::complete(&mut paths);
    let texts: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    let mut command = test_command(&test, &texts.join(":"));
    // The tool's own options say whether assertions are enabled.
    command.retain(|word| word != "-ea");
    command.splice(1..1, module.options.iter().cloned());
    if let (Some(java), Some(first)) =
        (module.java.as_ref().filter(|java| !is_on_path(java)), command.first_mut())
    {
        *first = java.display().to_string();
    }
    TestLaunch {
        command,
        cwd: Some(module.folder.clone()),
        env: module.environment.clone(),
        sources: module.sources.iter().filter(|folder| folder.is_dir()).cloned().collect(),
    }
}

/// Whether this `java` is what the path leads to.
fn is_on_path(java: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).map(|folder| folder.join("java")).find(|java| java.is_file());
    let canonical = |path: &Path| path.canonicalize().ok();
    first.is_some_and(|first| canonical(&first) == canonical(java))
}

/// The launch by the class path of the test's last report, if nothing was changed since.
fn reported(test: &str, here: &Path) -> Option<(TestLaunch, TestReport)> {
    let (class, method) = test.split_once('#').map_or((test, None), |(class, method)| (class, Some(method)));
    let simple = |name: &str| name.rsplit('.').next().map(str::to_owned);
    let project = project_of(here)?;
    let report = reports(&project).into_iter().find(|report| {
        report.class == class || !class.contains('.') && simple(&report.class).as_deref() == Some(class)
    })?;
    let changed = newest_build_file(&project).max(newest(files(&project)));
    let class_path = report.class_path.clone()?;
    // `MODULE/target/surefire-reports/TEST-CLASS.xml`
    let folder = report.file.ancestors().nth(3)?.to_owned();
    let module = TestModule { folder, class_path, options: vec!["-ea".to_owned()], ..TestModule::default() };
    let is_current = changed.is_none_or(|changed| changed <= report.written) && module.is_whole();
    is_current.then(|| (launch_in(&module, &report.class, method), report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_has_what_the_tool_gives_its_test_vm() {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("classes");
        std::fs::create_dir_all(classes.join("shop")).unwrap();
        std::fs::write(classes.join("shop/CartTest.class"), "").unwrap();
        let module = TestModule {
            project: PathBuf::from("/p/core"),
            folder: PathBuf::from("/p/core"),
            test_classes: vec![classes.clone()],
            class_path: vec![classes.clone(), PathBuf::from("/r/junit.jar")],
            options: ["-ea", "-Drate=3"].map(str::to_owned).to_vec(),
            java: Some(PathBuf::from("/jdk/bin/java")),
            ..TestModule::default()
        };
        let all = [TestModule::default(), module];
        let launch = of_modules(&all, "CartTest#adds", Path::new("/p")).unwrap();
        let class_path = format!("{}:/r/junit.jar", classes.display());
        let expected = ["/jdk/bin/java", "-ea", "-Drate=3", "-cp", &class_path, "querypoint.runner.RunTest"];
        assert_eq!(launch.command[..6], expected);
        assert_eq!(
            (launch.command[6].as_str(), launch.cwd),
            ("shop.CartTest#adds", Some(PathBuf::from("/p/core")))
        );
        let error = of_modules(&all, "Other#adds", Path::new("/p")).unwrap_err();
        assert!(!error.is_of_tool() && error.to_string().contains("no class `Other`"), "{error}");
    }
}
