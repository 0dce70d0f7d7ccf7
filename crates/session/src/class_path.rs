//! The class path of a command: for the right version of a program, and for another working folder.

use std::path::{Component, Path, PathBuf};

/// The options of `java` that are followed by the class path.
const OPTIONS: [&str; 3] = ["-cp", "-classpath", "--class-path"];

/// Puts entries before the class path of a command. `None` if the command does not name a class path.
pub fn with_class_path(command: &[String], before: &str) -> Option<Vec<String>> {
    let at = command.iter().position(|word| OPTIONS.contains(&word.as_str()))?;
    let mut changed = command.to_vec();
    let class_path = changed.get_mut(at + 1)?;
    let all = std::env::split_paths(before).chain(std::env::split_paths(class_path)).collect::<Vec<_>>();
    *class_path = std::env::join_paths(all).ok()?.into_string().ok()?;
    Some(changed)
}

/// The class path with entries that begin at the root instead of `from`.
pub fn absolute_class_path(class_path: &str, from: &Path) -> Option<String> {
    let all = std::env::split_paths(class_path).map(|entry| from.join(entry));
    std::env::join_paths(all).ok()?.into_string().ok()
}

/// The class path that a command names; `None` if it names none or one that `java` expands.
pub fn class_path(command: &[String]) -> Option<String> {
    let at = command.iter().position(|word| OPTIONS.contains(&word.as_str()))?;
    command.get(at + 1).filter(|path| !path.contains('*')).cloned()
}

/// The options of launchers of other languages and of clusters, such as `scala` and `spark-submit`, that are
/// followed by a class path.
const LAUNCHER_OPTIONS: [&str; 2] = ["--classpath", "--driver-class-path"];

/// The places of classes that the command line of a script names, by options that launchers share with
/// `java`. Only what exists in its working folder.
pub fn class_path_of_script(command: &[String], cwd: &Path) -> Vec<PathBuf> {
    let is_option = |word: &str| OPTIONS.contains(&word) || LAUNCHER_OPTIONS.contains(&word);
    let values = command.iter().enumerate().skip(1).filter_map(|(at, word)| match word.split_once('=') {
        Some((option, value)) if is_option(option) => Some(value),
        _ if is_option(word) => command.get(at + 1).map(String::as_str),
        _ => None,
    });
    let exists = |path: &PathBuf| cwd.join(path).exists() || path.ends_with("*");
    values.flat_map(std::env::split_paths).filter(exists).collect()
}

/// The options of `java` that are followed by paths of classes.
const PATHS: [&str; 6] = ["-cp", "-classpath", "--class-path", "-p", "--module-path", "-jar"];

/// The same command for another working folder: paths of classes that lead out of `from` begin at the root.
/// The arguments of the program stay as they are.
pub fn leading_out_of(from: &Path, command: &[String]) -> Vec<String> {
    let mut changed = command.to_vec();
    let is_out = |path: &PathBuf| matches!(path.components().next(), Some(Component::ParentDir));
    let mut words = changed.iter_mut().skip(1);
    while let Some(option) = words.next().filter(|word| word.starts_with('-')) {
        if !PATHS.contains(&option.as_str()) {
            continue;
        }
        let is_last = option == "-jar";
        let Some(word) = words.next() else { break };
        let all = std::env::split_paths(word).map(|path| if is_out(&path) { from.join(path) } else { path });
        if let Some(joined) = std::env::join_paths(all).ok().and_then(|joined| joined.into_string().ok()) {
            *word = joined;
        }
        if is_last {
            break;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_right_version_stands_first() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let changed = with_class_path(&words("java -ea -cp a:b Main"), "right");
        assert_eq!(changed, Some(words("java -ea -cp right:a:b Main")));
        assert_eq!(with_class_path(&words("java -jar a.jar"), "right"), None);
        assert_eq!(with_class_path(&words("java -cp"), "right"), None);
    }

    #[test]
    fn a_script_names_a_class_path_as_java_does() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["classes", "lib"] {
            std::fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        let named = |text: &str| {
            let command: Vec<String> = text.split(' ').map(str::to_owned).collect();
            let found = class_path_of_script(&command, folder.path());
            found.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
        };
        assert_eq!(named("scala -cp classes:absent:lib/* Ledger"), "classes:lib/*");
        assert_eq!(named("spark-submit --driver-class-path=classes app.py"), "classes");
        assert_eq!(named("run.sh classes"), "");
        assert_eq!(named("scala -cp"), "");
    }

    #[test]
    fn classes_outside_the_folder_are_found_from_another_one() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let changed = |text: &str| leading_out_of(Path::new("/srv/work"), &words(text)).join(" ");
        assert_eq!(
            changed("java -ea -cp ../lib/a.jar:classes:/b Main ../c -p ../d"),
            "java -ea -cp /srv/work/../lib/a.jar:classes:/b Main ../c -p ../d"
        );
        assert_eq!(changed("java -jar ../a.jar -p ../d"), "java -jar /srv/work/../a.jar -p ../d");
        assert_eq!(changed("java -cp"), "java -cp");
    }
}
