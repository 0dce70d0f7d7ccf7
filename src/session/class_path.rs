//! The command that runs the right version.

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

/// The class path that a command names; `None` if it names none or one that `java` expands.
pub fn class_path(command: &[String]) -> Option<String> {
    let at = command.iter().position(|word| OPTIONS.contains(&word.as_str()))?;
    command.get(at + 1).filter(|path| !path.contains('*')).cloned()
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
}
