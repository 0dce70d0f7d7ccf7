//! Reads, checks and writes a chain file.

use super::error::ChainError;
use super::format::Chain;
use super::ron_options::options;
use super::spans;
use super::validate;
use ron::ser::PrettyConfig;
use std::path::Path;

/// The most bytes of a chain file.
const MOST_TEXT: u64 = 64 << 20;

impl Chain {
    /// Reads a chain from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a valid chain. The error shows the position and what was expected
    /// there.
    pub fn load(path: &Path) -> Result<Chain, ChainError> {
        let unreadable = |source| ChainError::Unreadable { path: path.to_owned(), source };
        let text = files::read_regular(path, MOST_TEXT, true).map_err(unreadable)?;
        let no_text = |_| unreadable(std::io::Error::other("it is no text in UTF-8"));
        let text = String::from_utf8(text).map_err(no_text)?;
        let mut chain = Chain::parse(&text, &path.display().to_string())?;
        chain.base = path.parent().map(Path::to_owned).unwrap_or_default();
        Ok(chain)
    }

    /// Reads a chain from its text; `name` is shown in errors.
    ///
    /// # Errors
    /// The text is not a valid chain. The error shows the position and what was expected there.
    pub fn parse(text: &str, name: &str) -> Result<Chain, ChainError> {
        let chain: Chain =
            options().from_str(text).map_err(|error| ChainError::of_ron(text, name, &error))?;
        chain.check_in(text, name)?;
        Ok(chain)
    }

    /// Checks a chain that was not read from a file. Errors point into the text that its file would have.
    ///
    /// # Errors
    /// The same as for a file.
    pub fn check(&self, name: &str) -> Result<(), ChainError> {
        self.check_in(&self.to_ron()?, name)
    }

    fn check_in(&self, text: &str, name: &str) -> Result<(), ChainError> {
        let problems = validate::problems(self);
        if problems.is_empty() {
            return Ok(());
        }
        let spans = spans::Spans::of(text);
        let faults = problems.into_iter().map(|problem| spans.fault(problem)).collect();
        Err(ChainError::invalid(text, name, faults))
    }

    /// The text of the chain's file: one line per point, in a stable order, without fields at their defaults.
    ///
    /// # Errors
    /// No valid chain is known to cause one; errors of the serialiser are passed on.
    pub fn to_ron(&self) -> Result<String, ChainError> {
        let pretty = PrettyConfig::new().depth_limit(2).new_line("\n").escape_strings(true);
        let mut text = options().to_string_pretty(self, pretty)?;
        text.push('\n');
        Ok(text)
    }
}
