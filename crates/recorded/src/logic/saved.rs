//! Files of rules: those that the user names, and the saved ones of the project and the user.
use logic::rules::Rules;
use session::SessionError;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of saved rules in a project.
const PROJECT: &str = "queries";

/// Reads files of rules; with `saved`, after the saved ones.
///
/// # Errors
/// A file cannot be read.
pub(super) fn rules(named: &[PathBuf], saved: bool) -> Result<Rules, SessionError> {
    let mut rules = Rules::default();
    let folders = user_folder().into_iter().chain([PathBuf::from(PROJECT)]);
    for folder in folders.filter(|_| saved) {
        for file in saved_in(&folder) {
            // A file that is named too is read once.
            if !named.contains(&file) {
                rules.files.push(read(&file)?);
            }
        }
    }
    for file in named {
        let paper = file.to_str().filter(|_| !file.exists()).and_then(Rules::paper);
        rules.files.push(match paper {
            Some(paper) => paper,
            None => read(file)?,
        });
    }
    Ok(rules)
}

/// The most bytes of a file of rules or facts.
const MOST_TEXT: u64 = 1 << 30;

/// The text of a file of rules or facts.
pub(super) fn rules_text(file: &Path) -> std::io::Result<String> {
    String::from_utf8(files::read_regular(file, MOST_TEXT, true)?)
        .map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error()))
}

fn read(file: &Path) -> Result<(String, String), SessionError> {
    let text = rules_text(file)
        .map_err(|error| SessionError::RulesFile { file: file.to_owned(), error: Arc::new(error) })?;
    Ok((file.display().to_string(), text))
}

/// The saved rules of the user.
fn user_folder() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|folder| folder.is_absolute());
    let config = config.or_else(|| std::env::home_dir().map(|home| home.join(".config")))?;
    Some(config.join("qp").join(PROJECT))
}

/// The files of rules in a folder, in the order of their names.
fn saved_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let files = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "pl")).collect();
    files.sort();
    files
}
