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
