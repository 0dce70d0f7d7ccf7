//! Decides whose files may run. A chain or recording names commands, and replaying it runs them. So `qp` runs
//! only files that this user has written with it, has approved at a terminal, or trusts by `--trust` or
//! `QUERYPOINT_TRUST`.
//!
//! A trusted file is recognised by a tag: a keyed hash (HMAC, RFC 2104) of everything the file would run, and
//! of the folder. The key belongs to this user and is in no file that leaves the machine, so nobody else can
//! make a tag. A recording carries its tag; the tags of chains are stored in the user's data folder.

use crate::consent::{Consent, Wanted};
use crate::context::Context;
use crate::error::SessionError;
use chain::{Chain, Point};
use files::{self, hex};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use trace::About;

/// Folders, separated as in `PATH`; files in and below them are trusted.
pub const TRUSTED_FOLDERS: &str = "QUERYPOINT_TRUST";
/// Length of the key, in bytes.
const KEY: usize = 32;
/// Block size of SHA-256, in bytes.
const BLOCK: usize = 64;
/// Maximum number of stored tags; beyond it, the oldest are removed.
const MOST: usize = 10_000;

impl Wanted {
    /// The commands that a chain would run.
    pub fn of_chain(file: &Path, chain: &Chain) -> Wanted {
        let debuggee = &chain.debuggee;
        let mut commands = Vec::new();
        for (field, words) in [
            ("build", &debuggee.build),
            ("before_run", &debuggee.before_run),
            ("command", &debuggee.command),
            ("relaunch", &debuggee.relaunch),
            ("drive", &debuggee.drive),
        ] {
            if !words.is_empty() {
                commands.push((field, shown(words)));
            }
        }
        let env = debuggee.env.iter().map(|(name, value)| format!("{name}={value}"));
        let stdin = debuggee.stdin.iter().map(|file| file.display().to_string());
        let calls = chain.points.iter().flat_map(called);
        for (field, texts) in [
            ("env", env.collect::<Vec<_>>()),
            ("stdin", stdin.collect()),
            ("attach", debuggee.attach.iter().cloned().collect()),
            ("calls", calls.collect()),
        ] {
            commands.extend(texts.iter().map(|text| (field, word(text))));
        }
        // The folder counts too: in another folder, the same words run other files.
        let text = format!("{debuggee:?} {commands:?}");
        Wanted::new("chain", file, chain.cwd(), commands, &text)
    }

    /// The commands that a recording would run, to record more of a call.
    pub fn of_recording(folder: &Path, about: &About) -> Wanted {
        let driven = &about.driven;
        let mut commands = vec![("command", shown(&about.command))];
        for (field, words) in [("before_run", &driven.before_run), ("drive", &driven.drive)] {
            commands.extend((!words.is_empty()).then(|| (field, shown(words))));
        }
        let text = match driven.is_default() {
            true => format!("{:?}", about.command),
            false => format!("{:?} {driven:?}", about.command),
        };
        let wanted = Wanted::new("recording", folder, about.cwd.clone(), commands, &text);
        Wanted { signature: about.signature.clone(), ..wanted }
    }

    fn new(
        kind: &str,
        file: &Path,
        cwd: PathBuf,
        commands: Vec<(&'static str, String)>,
        text: &str,
    ) -> Wanted {
        let cwd = cwd.canonicalize().or_else(|_| std::path::absolute(&cwd)).unwrap_or(cwd);
        let content = format!("querypoint 1 {kind} {cwd:?} {text}");
        Wanted { file: file.to_owned(), cwd, commands, content, signature: None }
    }

    /// The tag that marks it as trusted by this user; `None` without a key.
    pub fn tag(&self) -> Option<String> {
        Some(hex(&hmac(&key()?, self.content.as_bytes())))
    }

    /// Whether this user has already approved it.
    fn is_known(&self) -> bool {
        let Some(tag) = self.tag() else { return false };
        self.signature.as_ref() == Some(&tag) || folder().is_some_and(|folder| folder.join(&tag).is_file())
    }

    /// Whether it is in a folder that this user trusts.
    fn is_below_trusted(&self) -> bool {
        let Some(folders) = std::env::var_os(TRUSTED_FOLDERS) else { return false };
        let Ok(file) = self.file.canonicalize() else { return false };
        std::env::split_paths(&folders)
            .filter_map(|folder| folder.canonicalize().ok())
            .any(|folder| file.starts_with(folder))
    }

    /// The commands that would run, one per line.
    pub fn lines(&self) -> String {
        let mut text = format!("  in         {}\n", word(&self.cwd.display().to_string()));
        for (field, what) in &self.commands {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {field:<10} {what}");
        }
        text
    }
}

/// Checks whether the commands of a file may run, and asks the user if necessary.
///
/// # Errors
/// They may not run.
pub fn allow(wanted: &Wanted, context: &Context) -> Result<(), SessionError> {
    if wanted.is_known() || wanted.is_below_trusted() {
        return Ok(());
    }
    match context.progress().consents(wanted) {
        Consent::Once => Ok(()),
        Consent::Always => {
            remember(wanted);
            Ok(())
        }
        Consent::Refused => Err(SessionError::Declined { file: wanted.file.display().to_string() }),
        Consent::Unasked => {
            Err(SessionError::NotTrusted { file: wanted.file.display().to_string(), lines: wanted.lines() })
        }
    }
}

/// Trusts a chain that this user has just written. If the tag cannot be stored, the user is asked later.
pub fn trust_written(file: &Path) {
    // A device such as `/dev/stdout` cannot be read back.
    if !std::fs::metadata(file).is_ok_and(|there| there.is_file()) {
        return;
    }
    if let Ok(chain) = Chain::load(file) {
        remember(&Wanted::of_chain(file, &chain));
    }
}

/// Whether a recording may be run again without asking.
pub fn is_own(folder: &Path, about: &About) -> bool {
    Wanted::of_recording(folder, about).is_known()
}

fn remember(wanted: &Wanted) {
    let (Some(folder), Some(tag)) = (folder(), wanted.tag()) else { return };
    if !folder.is_dir() && files::create_folder(&folder).is_err() {
        return;
    }
    let text = format!("{}\n{}", wanted.file.display(), wanted.lines());
    drop(files::write_private(&folder.join(tag), text));
    forget(&folder);
}

/// Removes the oldest tags if there are too many.
fn forget(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut known: Vec<_> =
        entries.filter_map(|e| Some((e.metadata().ok()?.modified().ok()?, e.path()))).collect();
    if known.len() > MOST {
        known.sort();
        for (_, path) in known.iter().take(known.len() - MOST) {
            drop(std::fs::remove_file(path));
        }
    }
}

/// The user's own key, created on first use. `None` if it can be neither read nor stored.
fn key() -> Option<[u8; KEY]> {
    let folder = data()?;
    let path = folder.join("key");
    if let Some(key) = own_key(&path) {
        return Some(key);
    }
    if !folder.is_dir() {
        files::create_folder(&folder).ok()?;
    }
    let mut key = [0; KEY];
    std::fs::File::open("/dev/urandom").ok()?.read_exact(&mut key).ok()?;
    if path.symlink_metadata().is_ok() {
        // Others could have read the key, or it is truncated. The user is asked again about files signed with
        // it.
        files::write_private(&path, key).ok()?;
        return own_key(&path);
    }
    let mut new = tempfile::NamedTempFile::new_in(&folder).ok()?;
    std::io::Write::write_all(&mut new, &key).ok()?;
    // If another `qp` has created a key meanwhile, that one counts.
    drop(new.persist_noclobber(&path));
    own_key(&path)
}

/// Reads a key that only this user can have read or written.
fn own_key(path: &Path) -> Option<[u8; KEY]> {
    let there = path.symlink_metadata().ok()?;
    let own =
        there.is_file() && there.uid() == rustix::process::geteuid().as_raw() && there.mode() & 0o077 == 0;
    if !own {
        return None;
    }
    std::fs::read(path).ok()?.try_into().ok()
}

/// The folder of the tags.
fn folder() -> Option<PathBuf> {
    Some(data()?.join("trusted"))
}

/// XDG Base Directory Specification: an empty or relative `XDG_DATA_HOME` counts as unset.
fn data() -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let set = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(absolute);
    let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share")).filter(absolute);
    Some(set.or_else(home)?.join("querypoint"))
}

/// The expressions of a point that call methods of the program.
fn called(point: &Point) -> Vec<String> {
    let at = format!("{:?}", point.at);
    // The text before the first `:` names a point and its frame.
    let reference = at.split_once(':').map(|(_, expression)| expression.to_owned());
    let texts = point.when.iter().chain(point.collect.iter().flatten()).cloned().chain(reference);
    texts.filter(|text| calls_something(text)).collect()
}

/// Whether an opening parenthesis follows a name or a closing angle bracket.
fn calls_something(text: &str) -> bool {
    let mut before = ' ';
    for c in text.chars().filter(|c| !c.is_whitespace()) {
        if c == '(' && (before.is_alphanumeric() || matches!(before, '_' | '$' | '>')) {
            return true;
        }
        before = c;
    }
    false
}

fn shown(words: &[String]) -> String {
    words.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell, and escapes control characters that a terminal would interpret.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./=:,+@%*".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    let escaped: String = text
        .chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect();
    format!("'{}'", escaped.replace('\'', "'\\''"))
}

/// HMAC of RFC 2104 with SHA-256, for keys shorter than a block.
fn hmac(key: &[u8], text: &[u8]) -> [u8; 32] {
    let mut block = [0; BLOCK];
    block.iter_mut().zip(key).for_each(|(to, from)| *to = *from);
    let keyed = |pad: u8| block.map(|byte| byte ^ pad);
    let inner = Sha256::new().chain_update(keyed(0x36)).chain_update(text).finalize();
    Sha256::new().chain_update(keyed(0x5c)).chain_update(inner).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_what_the_standard_says() {
        // RFC 4231, case 2.
        let tag = hex(&hmac(b"Jefe", b"what do ya want for nothing?"));
        assert_eq!(tag, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    }

    fn content(text: &str) -> String {
        let chain = Chain::parse(text, "chain.ron").unwrap();
        Wanted::of_chain(Path::new("chain.ron"), &chain).content
    }

    #[test]
    fn what_is_run_counts_and_what_is_asked_does_not() {
        let chain = |debuggee: &str, point: &str| {
            content(&format!(
                "(format: 1, debuggee: ({debuggee}), points: [(id: \"A\", at: Line(\"X\", 3){point})])"
            ))
        };
        let plain = chain(r#"command: ["java", "X"]"#, "");
        assert_eq!(plain, chain(r#"command: ["java", "X"]"#, r#", when: "a * (b + 1) == 2", index: 1"#));
        for other in [
            chain(r#"command: ["java X"]"#, ""),
            chain(r#"command: ["java", "X"], env: {"PATH": "."}"#, ""),
            chain(r#"command: ["java", "X"], before_run: ["true"]"#, ""),
            chain(r#"command: ["java", "X"], cwd: "/""#, ""),
            chain(r#"command: ["java", "X"]"#, r#", when: "a.clear() == null""#),
            chain(r#"command: ["java", "X"]"#, r#", collect: ["Runtime.getRuntime()"]"#),
        ] {
            assert_ne!(plain, other);
        }
    }

    #[test]
    fn what_is_shown_has_no_control_characters() {
        assert_eq!(word("a\u{1b}[2Kb"), "'a\\u{1b}[2Kb'");
        assert_eq!(
            shown(&["sh".to_owned(), "-c".to_owned(), "echo 'x'".to_owned()]),
            "sh -c 'echo '\\''x'\\'''"
        );
    }
}
