//! What the patterns of a scope select, before a run is recorded.

use classes::ClassPool;
use session::SessionError;
use std::collections::BTreeSet;
use trace::{is_named, is_of_recorder, is_of_the_jdk};

/// Remarks about the scope of a run that is about to be recorded: patterns that select no class, and classes
/// that are never recorded.
///
/// # Errors
/// No pattern of the scope selects a class.
pub fn check(scope: &[String], pool: &ClassPool) -> Result<Vec<String>, SessionError> {
    let user: BTreeSet<&str> = pool.user_classes().collect();
    let selects_own = |pattern: &str| user.iter().any(|class| is_named(pattern, class));
    let runtime = match scope.iter().all(|pattern| selects_own(pattern) && !selects_jdk(pattern)) {
        true => BTreeSet::new(),
        false => pool.runtime_classes(),
    };
    let selects = |pattern: &str| selects_own(pattern) || runtime.iter().any(|c| is_named(pattern, c));
    let (known, unknown): (Vec<&String>, Vec<&String>) = scope.iter().partition(|p| selects(p));
    let quoted: Vec<String> = unknown.iter().map(|pattern| format!("`{pattern}`")).collect();
    let mut notes = Vec::new();
    match (known.is_empty(), quoted.is_empty()) {
        (_, true) => {}
        (true, false) => {
            let near = unknown.iter().flat_map(|pattern| pool.nearest(pattern.trim_end_matches(['.', '*'])));
            let near: Vec<String> = near.take(3).collect();
            let hint = match near.is_empty() {
                true => String::new(),
                false => format!(" (similar: {})", near.join(", ")),
            };
            return Err(SessionError::NotRecorded(format!(
                "the scope {} selects no class of the class path or of the JDK{hint}. A pattern is the full name of a class, `com.acme.*` or `com.acme.**`. For classes that the program loads from elsewhere, select its main class too",
                quoted.join(", ")
            )));
        }
        (false, false) => notes.push(format!("no class of the class path is named by {}", quoted.join(", "))),
    }
    let below = |class: &String| is_of_recorder(&class.replace('.', "/"));
    if runtime.iter().any(|class| below(class) && known.iter().any(|pattern| is_named(pattern, class))) {
        notes.push(
            "the recorder itself uses `java.lang.**`, `jdk.internal.**` and `java.io.ObjectStreamClass`, which are not recorded"
                .to_owned(),
        );
    }
    Ok(notes)
}

/// Whether a pattern can select classes of the JDK.
fn selects_jdk(pattern: &str) -> bool {
    pattern == "**" || is_of_the_jdk(pattern)
}
