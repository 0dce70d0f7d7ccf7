//! Gradle: an init script adds a task that writes the class path of the tests.

use super::module::TestModule;
use super::question::Question;
use std::path::{Path, PathBuf};

/// The init script. It names only what Gradle 4.4 to 8 have in common.
const SCRIPT: &str = include_str!("class_paths.gradle");

/// The nearest folder around a module that has settings, else the module.
pub fn root(module: &Path) -> PathBuf {
    let has_settings = |folder: &&Path| {
        ["settings.gradle", "settings.gradle.kts"].iter().any(|file| folder.join(file).is_file())
    };
    module.ancestors().find(has_settings).unwrap_or(module).to_owned()
}

/// Compiles the tests of a module and the modules inside it, and has the script write to `answer`.
pub fn question(root: &Path, module: &Path, answer: &Path) -> Question {
    let wrapper = root.join("gradlew");
    let program = if wrapper.is_file() { wrapper.display().to_string() } else { "gradle".to_owned() };
    let script = answer.with_extension("gradle");
    let mut command = vec![program];
    // A daemon would outlive `qp`. The script reads other projects, which the caches of newer versions
    // refuse.
    command.extend(["--no-daemon", "--quiet"].map(str::to_owned));
    command.extend(
        ["configuration-cache", "configureondemand", "unsafe.isolated-projects"]
            .map(|what| format!("-Dorg.gradle.{what}=false")),
    );
    command.push(format!("-Dquerypoint.answer={}", answer.display()));
    command.extend(["-I".to_owned(), script.display().to_string(), "querypointClassPaths".to_owned()]);
    Question { command, folder: module.to_owned(), script: Some((script, SCRIPT)) }
}

/// The modules with tests that the script wrote of; several tasks of a module are several of them.
pub fn modules_of(answer: &str) -> Vec<TestModule> {
    answer.lines().filter_map(|line| serde_json::from_str::<TestModule>(line).ok()).map(existing).collect()
}

/// Gradle names folders that it has not made, and options without a value.
fn existing(mut module: TestModule) -> TestModule {
    module.class_path.retain(|path| path.exists());
    module.options.retain(|option| option != "-Duser.country" && option != "-Duser.variant");
    module
}

/// What Gradle said when it failed.
pub fn complaint(printed: &str) -> Vec<&str> {
    let from = printed.find("* What went wrong").map_or(printed, |at| printed.get(at..).unwrap_or(printed));
    from.split("* Try").next().unwrap_or(from).lines().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first line is what Gradle 4.4 answered; the second was written by hand for later versions.
    #[test]
    fn the_script_writes_a_line_for_each_task() {
        let folder = tempfile::tempdir().unwrap();
        let classes = folder.path().join("till/build/classes/java/test");
        std::fs::create_dir_all(&classes).unwrap();
        let classes = classes.display();
        let of_4 = format!(
            r#"{{"project":"/p/till","folder":"/p/till","test_classes":["{classes}"],"class_path":["{classes}","/none"],
            "sources":["/p/till/src/test/java"],"options":["-Dwhere=a b","-Xmx200m","-Duser.country","-ea"],
            "environment":{{"SHOP":"x"}},"java":"/usr/bin/java"}}"#
        )
        .replace('\n', "");
        let of_8 = format!(
            r#"{{"project":"/p/till","folder":"/p/till","test_classes":["{classes}"],"class_path":["{classes}"],"sources":[],"options":["--add-opens=java.base/java.lang=ALL-UNNAMED","-Xmx512m","-ea"],"environment":{{}},"java":null}}"#
        );
        let modules = modules_of(&format!("{of_4}\n{of_8}\nno JSON\n"));
        let [one, other] = modules.as_slice() else { panic!("{modules:?}") };
        assert_eq!(one.class_path, [PathBuf::from(classes.to_string())]);
        assert_eq!(one.options, ["-Dwhere=a b", "-Xmx200m", "-ea"]);
        assert_eq!(
            (one.environment["SHOP"].as_str(), one.java.as_deref()),
            ("x", Some(Path::new("/usr/bin/java")))
        );
        assert_eq!((other.options[1].as_str(), &other.java), ("-Xmx512m", &None));
    }

    #[test]
    fn the_complaint_is_what_went_wrong() {
        let printed = "x\n\nFAILURE: Build failed with an exception.\n\n* What went wrong:\nCould not find y.\n\n* Try:\nRun with";
        assert_eq!(complaint(printed), ["* What went wrong:", "Could not find y.", ""]);
    }
}
