//! Removes passwords, tokens and keys from the recorded command.
//!
//! A value is hidden if its name is usual for a secret: `-Dpassword=…`, `--api-key …`, or `token=…` within a
//! word. The password in a URL is hidden too: `scheme://user:…@host`. Only the command is changed: the events
//! can still show the secrets that the program used.

use regex::Regex;

/// Replaces a secret.
pub const HIDDEN: &str = "***";

/// A name that contains one of these words is the name of a secret.
const WORDS: [&str; 16] = [
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pass",
    "pwd",
    "token",
    "tokens",
    "secret",
    "secrets",
    "key",
    "keys",
    "apikey",
    "credential",
    "credentials",
    "auth",
];
/// A word that ends like this counts too: `dbpassword`.
const ENDS: [&str; 6] = ["password", "passwd", "passphrase", "token", "secret", "apikey"];

/// What to hide in a command.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// Whether to keep the values of usual names.
    keeps: bool,
    patterns: Vec<Regex>,
}

impl Secrets {
    /// Hides what these regular expressions match, and the values of usual names unless `keeps` is set.
    ///
    /// # Errors
    /// A pattern is not a regular expression. The text says why.
    pub fn new(keeps: bool, patterns: &[String]) -> Result<Secrets, String> {
        let patterns = patterns.iter().map(|pattern| {
            Regex::new(pattern)
                .map_err(|error| format!("--redact `{pattern}` is no regular expression: {error}"))
        });
        Ok(Secrets { keeps, patterns: patterns.collect::<Result<_, _>>()? })
    }

    /// The command without its secrets.
    pub fn hide(&self, command: &[String]) -> Vec<String> {
        let mut hidden = Vec::with_capacity(command.len());
        // Whether the previous word is an option whose value is a secret.
        let mut is_value = false;
        for word in command {
            let mut kept = word.clone();
            if !self.keeps {
                kept = if is_value && !word.starts_with('-') { HIDDEN.to_owned() } else { usual(word) };
                is_value = word.starts_with('-') && !word.contains('=') && is_secret(word);
            }
            for pattern in &self.patterns {
                kept = pattern.replace_all(&kept, regex::NoExpand(HIDDEN)).into_owned();
            }
            hidden.push(kept);
        }
        hidden
    }
}

/// A word without the values of usual names for secrets.
fn usual(word: &str) -> String {
    let mut kept = String::with_capacity(word.len());
    let mut rest = word;
    let mut is_first = true;
    // `NAME=VALUE`, also within a word, as in `-Durl=jdbc:…?user=a&password=b`.
    while let Some((name, value)) = rest.split_once('=') {
        kept.push_str(name);
        kept.push('=');
        let own = name.rsplit(['?', '&', ';', ',', ' ', ':']).next().unwrap_or(name);
        if is_secret(own) {
            kept.push_str(HIDDEN);
            // In `NAME=VALUE` as a whole word, everything is hidden: a password may contain any character.
            rest = match value.find(['&', ';']).filter(|_| !is_first) {
                Some(end) => value.get(end..).unwrap_or_default(),
                None => "",
            };
        } else {
            rest = value;
        }
        is_first = false;
    }
    kept.push_str(rest);
    without_user(&kept)
}

/// A URL without its password.
fn without_user(word: &str) -> String {
    let Some((scheme, rest)) = word.split_once("://") else { return word.to_owned() };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    match authority.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
        Some((user, host)) => {
            let behind = rest.get(authority.len()..).unwrap_or_default();
            format!("{scheme}://{user}:{HIDDEN}@{host}{behind}")
        }
        None => word.to_owned(),
    }
}

/// Whether a name is usual for a secret, like `javax.net.ssl.keyStorePassword`, `API_KEY` and `dbpassword`,
/// but not `monkey`.
fn is_secret(name: &str) -> bool {
    let name = name.strip_prefix("-D").unwrap_or(name);
    let mut word = String::new();
    let mut was_lower = false;
    let is_one = |word: &str| WORDS.contains(&word) || ENDS.iter().any(|end| word.ends_with(end));
    for c in name.chars() {
        let begins = c.is_uppercase() && was_lower;
        if (begins || !c.is_alphanumeric()) && is_one(&std::mem::take(&mut word)) {
            return true;
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_numeric();
    }
    is_one(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(secrets: &Secrets, command: &str) -> String {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        secrets.hide(&words).join(" ")
    }

    #[test]
    fn usual_names_are_hidden() {
        let usual = |command| hidden(&Secrets::default(), command);
        for (command, kept) in [
            ("java -Dpassword=a=b&c;d -cp x Main", "java -Dpassword=*** -cp x Main"),
            (
                "java -Djavax.net.ssl.keyStorePassword=abc Main",
                "java -Djavax.net.ssl.keyStorePassword=*** Main",
            ),
            ("java -Ddbpassword=abc -Dapi.token=1 Main", "java -Ddbpassword=*** -Dapi.token=*** Main"),
            ("env API_KEY=1 SECRET=2 java Main", "env API_KEY=*** SECRET=*** java Main"),
            ("java Main --password hunter2 --token=x", "java Main --password *** --token=***"),
            ("java Main -apiKey k file", "java Main -apiKey *** file"),
            (
                "java -Durl=jdbc:x?user=a&password=b&ssl=true M",
                "java -Durl=jdbc:x?user=a&password=***&ssl=true M",
            ),
            ("java Main ftp://me:pw@host:80/p?q", "java Main ftp://me:***@host:80/p?q"),
            // These contain no secrets.
            (
                "java -cp a -Dmonkey=1 TokenMain -Dx.keyboard=2",
                "java -cp a -Dmonkey=1 TokenMain -Dx.keyboard=2",
            ),
            ("java Main ftp://host/a:b@c", "java Main ftp://host/a:b@c"),
            ("java Main --password -v file", "java Main --password -v file"),
        ] {
            assert_eq!(usual(command), kept);
        }
    }

    #[test]
    fn patterns_are_hidden_and_usual_names_can_be_kept() {
        let patterns = ["[0-9]{4}".to_owned(), "b+".to_owned()];
        let secrets = Secrets::new(true, &patterns).unwrap();
        assert_eq!(
            hidden(&secrets, "java -Dpassword=x -Dpin=1234 abba"),
            "java -Dpassword=x -Dpin=*** a***a"
        );
        assert!(Secrets::new(false, &["(".to_owned()]).unwrap_err().contains("--redact"));
    }
}
