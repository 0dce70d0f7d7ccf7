//! The table of build tools, and how one is asked.

use super::error::{ProjectError, ToolFailure};
use super::module::TestModule;
use super::question::Question;
use super::{gradle, maven};
use debuggee::{DebuggeeError, run_to_end};
use files::TemporaryFolder;
use std::path::{Path, PathBuf};

/// Number of lines that an error shows of the tool's answer.
const SHOWN: usize = 12;

/// A build tool.
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Files that make a folder a module.
    pub files: &'static [&'static str],
    /// The folder for what it makes.
    output: &'static str,
    /// What compiles the tests.
    by_hand: &'static str,
    /// The outermost folder of a module's build.
    pub root: fn(&Path) -> PathBuf,
    question: fn(root: &Path, module: &Path, answer: &Path) -> Question,
    modules: fn(&str) -> Vec<TestModule>,
    complaint: fn(&str) -> Vec<&str>,
}

/// The build tools.
const TOOLS: [Tool; 2] = [
    Tool {
        name: "Maven",
        files: &["pom.xml"],
        output: "target",
        by_hand: "mvn test-compile",
        root: maven::root,
        question: maven::question,
        modules: maven::modules_of,
        complaint: maven::complaint,
    },
    Tool {
        name: "Gradle",
        files: &["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
        output: "build",
        by_hand: "gradle testClasses",
        root: gradle::root,
        question: gradle::question,
        modules: gradle::modules_of,
        complaint: gradle::complaint,
    },
];

/// The innermost module around a folder, and its tool. Of two tools, the one that has built it.
pub fn module_of(folder: &Path) -> Option<(&'static Tool, PathBuf)> {
    folder.ancestors().find_map(|folder| {
        let is_here = |tool: &&Tool| tool.files.iter().any(|file| folder.join(file).is_file());
        let here = || TOOLS.iter().filter(is_here);
        let built = here().find(|tool| folder.join(tool.output).is_dir());
        Some((built.or_else(|| here().next())?, folder.to_owned()))
    })
}

impl Tool {
    /// Whether a folder is a module by its files.
    pub fn has_module(&self, folder: &Path) -> bool {
        self.files.iter().any(|file| folder.join(file).is_file())
    }

    /// Asks for the tests of a module. The tool compiles them first. `test` is for errors.
    ///
    /// # Errors
    /// The tool is not there, fails, or knows no tests.
    pub async fn ask(
        &self,
        test: &str,
        root: &Path,
        module: &Path,
        tell: &dyn Fn(&str),
    ) -> Result<Vec<TestModule>, ProjectError> {
        let work = TemporaryFolder::new("querypoint-").map_err(DebuggeeError::TemporaryFolder)?;
        let file = work.path().join("answer");
        let Question { command, folder, script } = (self.question)(root, module, &file);
        if let Some((path, text)) = script {
            std::fs::write(path, text).map_err(DebuggeeError::TemporaryFolder)?;
        }
        let shown = shown(&command, work.path());
        tell(&format!("note: asking {} for the class path of the tests in {}", self.name, module.display()));
        let (exit, tail) = run_to_end(&command, &folder).await.map_err(|error| match error {
            DebuggeeError::NoProgram { program, .. } => {
                ProjectError::NoTool { test: test.to_owned(), program }
            }
            other => other.into(),
        })?;
        let answer = std::fs::read(&file).unwrap_or_default();
        let answer = String::from_utf8_lossy(&answer);
        if !exit.success() {
            let printed = tail.lines().map(|(_, line)| line).collect::<Vec<_>>().join("\n");
            let all = [printed.as_str(), &answer].join("\n");
            let said = (self.complaint)(&all);
            let said = said.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty());
            let said: String = said.take(SHOWN).map(|line| format!("\n  {line}")).collect();
            return Err(ProjectError::Failed(Box::new(ToolFailure {
                test: test.to_owned(),
                tool: self.name,
                exit: exit.to_string(),
                command: shown,
                folder,
                answer: said,
                by_hand: self.by_hand,
            })));
        }
        let modules = (self.modules)(&answer);
        if modules.is_empty() {
            let by_hand = self.by_hand;
            return Err(ProjectError::NoAnswer { test: test.to_owned(), command: shown, folder, by_hand });
        }
        Ok(modules)
    }
}

/// A command as somebody would type it: without the options that have this folder.
fn shown(command: &[String], folder: &Path) -> String {
    let is_inside = |word: &str| word.contains(&folder.display().to_string());
    let mut words = command.iter().map(String::as_str).peekable();
    let mut shown = Vec::new();
    while let Some(word) = words.next() {
        let has_value_inside = word.len() == 2 && words.next_if(|value| is_inside(value)).is_some();
        if !has_value_inside && !is_inside(word) {
            shown.push(word);
        }
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_files_of_qp() {
        let words = [
            "mvn",
            "-B",
            "-l",
            "/tmp/querypoint-1/answer",
            "-D=/tmp/querypoint-1/answer",
            "-pl",
            "core",
            "test",
        ];
        let command = words.map(str::to_owned);
        assert_eq!(shown(&command, Path::new("/tmp/querypoint-1")), "mvn -B -pl core test");
    }
}
