//! The Java programs that `qp` brings along: one runs a test, or the tests of one class, by the JUnit of the
//! program's class path; another compiles the file of `java FILE`.
//!
//! A command names it as its main class: `java -cp CLASSPATH querypoint.runner.RunTest CLASS#METHOD`. So
//! recordings and saved chains keep an ordinary command. Its class files are added to the class path only
//! when the command is launched.

use files::TemporaryFolder;
use std::ffi::OsString;
use std::io;
use std::path::Path;

/// The main class of the runner.
const RUNNER: &str = "querypoint.runner.RunTest";

/// The main class of the compiler of source files. Its arguments are the file, and options of `javac`.
pub(super) const COMPILER: &str = "querypoint.runner.CompileSource";

/// The folder of their package.
const PACKAGE: &str = "querypoint/runner";

macro_rules! class_files {
    ($($name:literal),*) => {
        [$(($name, include_bytes!(concat!("../../../java/runner/querypoint/runner/", $name)).as_slice())),*]
    };
}

const CLASSES: [(&str, &[u8]); 4] = class_files![
    "RunTest.class",
    "RunTest$NoTest.class",
    "CompileSource.class",
    "CompileSource$Source.class"
];

/// Options of `java` with a class path.
const CLASS_PATH: [&str; 3] = ["-cp", "-classpath", "--class-path"];

/// The command that runs a test: `CLASS#METHOD`, or `CLASS` for all its tests. Assertions are enabled, as in
/// the test VMs of build tools.
pub fn test_command(test: &str, class_path: &str) -> Vec<String> {
    ["java", "-ea", "-cp", class_path, RUNNER, test].map(str::to_owned).to_vec()
}

/// The class of the test that a command runs by this runner; `None` for other commands.
pub fn class_of_test(command: &[String]) -> Option<&str> {
    let at = command.iter().position(|word| word == RUNNER)? + 1;
    Some(command.get(at)?.split_once('#')?.0)
}

/// The command that runs all tests of these classes, from a command that runs one test by this runner; `None`
/// for other commands.
pub fn tests_of_classes(command: &[String], classes: &[String]) -> Option<Vec<String>> {
    let at = command.iter().position(|word| word == RUNNER)? + 1;
    let before = command.get(..at)?.iter();
    Some(before.chain(classes).chain(command.get(at + 1..)?).cloned().collect())
}

/// The class files of all these programs in a temporary folder.
pub(super) fn unpack() -> io::Result<TemporaryFolder> {
    let folder = TemporaryFolder::new("querypoint-")?;
    let package = folder.path().join(PACKAGE);
    std::fs::create_dir_all(&package)?;
    for (name, bytes) in CLASSES {
        std::fs::write(package.join(name), bytes)?;
    }
    Ok(folder)
}

/// The class files of the runner in a temporary folder, if a command needs them. They come last on the
/// command's class path, which `env` completes if the command names none.
///
/// # Errors
/// The folder cannot be written.
pub(super) fn add_runner(
    command: &mut Vec<String>,
    env: impl Fn(&str) -> Option<String>,
) -> io::Result<Option<TemporaryFolder>> {
    if !command.iter().any(|word| word == RUNNER) {
        return Ok(None);
    }
    let folder = unpack()?;
    let at = command.iter().position(|word| CLASS_PATH.contains(&word.as_str()));
    match at.and_then(|at| command.get_mut(at.saturating_add(1))) {
        Some(class_path) => *class_path = joined(class_path, folder.path()),
        None => {
            let class_path = env("CLASSPATH").filter(|path| !path.is_empty());
            let class_path = joined(class_path.as_deref().unwrap_or("."), folder.path());
            let at = command.len().min(1);
            command.splice(at..at, ["-cp".to_owned(), class_path]);
        }
    }
    Ok(Some(folder))
}

fn joined(class_path: &str, folder: &Path) -> String {
    let mut all = OsString::from(class_path);
    all.push(":");
    all.push(folder);
    all.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runner_comes_last_on_the_class_path() {
        let mut command = test_command("shop.CartTest#adds", "classes:junit.jar");
        let kept = command.clone();
        let folder = add_runner(&mut command, |_| None).unwrap().unwrap();
        assert!(folder.path().join("querypoint/runner/RunTest.class").is_file());
        assert_eq!(command[3], format!("classes:junit.jar:{}", folder.path().display()));
        assert_eq!((command[..3].to_vec(), command[4..].to_vec()), (kept[..3].to_vec(), kept[4..].to_vec()));
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }

    #[test]
    fn the_command_of_a_test_becomes_that_of_its_class() {
        let command = test_command("shop.CartTest#adds", "classes");
        assert_eq!(class_of_test(&command), Some("shop.CartTest"));
        let all = tests_of_classes(&command, &["shop.CartTest".to_owned()]);
        assert_eq!(all, Some(test_command("shop.CartTest", "classes")));
        let all = tests_of_classes(&command, &["shop.CartTest".to_owned(), "shop.TillTest".to_owned()]);
        assert_eq!(all.and_then(|all| all.last().cloned()), Some("shop.TillTest".to_owned()));
        assert_eq!(class_of_test(&test_command("shop.CartTest", "classes")), None);
        assert_eq!(class_of_test(&["java".to_owned(), "Main#x".to_owned()]), None);
    }

    #[test]
    fn other_commands_stay_as_they_are() {
        let mut command = ["java", "-cp", "classes", "Main"].map(str::to_owned).to_vec();
        let kept = command.clone();
        assert!(add_runner(&mut command, |_| None).unwrap().is_none());
        assert_eq!(command, kept);
    }

    #[test]
    fn without_a_class_path_that_of_the_environment_counts() {
        let mut command = ["java", RUNNER, "CartTest"].map(str::to_owned).to_vec();
        let folder = add_runner(&mut command, |_| Some("lib".to_owned())).unwrap().unwrap();
        assert_eq!(command[1..3], ["-cp".to_owned(), format!("lib:{}", folder.path().display())]);
    }
}
