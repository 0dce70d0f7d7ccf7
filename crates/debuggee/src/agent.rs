//! The agent library embedded in `qp`, unpacked where a VM can load it, and the folder of a run's plan and
//! report.

use super::error::DebuggeeError;
use files::TemporaryFolder;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;
use wire::Pins;

/// The bytes of the agent library.
pub const LIBRARY: &[u8] = include_bytes!(env!("QP_AGENT"));

/// The agent of one run. Dropping it removes the run's folder.
#[derive(Debug)]
pub struct Agent {
    library: String,
    folder: TemporaryFolder,
    is_pinned: bool,
    /// Why the library is not in the user's cache folder; `None` if it is.
    pub note: Option<String>,
}

/// Makes the VM assign identity hash codes consecutively from 1 instead of at random. They then differ from
/// those that the recorder assigns.
const NUMBERS: [&str; 2] = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];
/// Keeps the VM's compilers from using code of their own in place of natives that pins replace.
const OF_PINS: [&str; 2] =
    ["-XX:+UnlockDiagnosticVMOptions", "-XX:DisableIntrinsic=_currentTimeMillis,_nanoTime"];
/// Age after which an incomplete unpacked file is removed.
const UNFINISHED: Duration = Duration::from_secs(60 * 60);
/// Name prefix of incomplete files.
const UNPACKING: &str = "unpacking-";

impl Agent {
    /// Unpacks the library into a cache folder that only this user can write to, unless it is there already,
    /// and creates a folder for one run. If the cache folder is unusable, the library goes into the run's
    /// folder. The agent pins the run if there are pins.
    ///
    /// # Errors
    /// No folder can be created, or a VM could load the library from none.
    pub fn new(cache: Option<&Path>, pins: Option<&Pins>) -> Result<Agent, DebuggeeError> {
        let folder = TemporaryFolder::new("querypoint-").map_err(DebuggeeError::TemporaryFolder)?;
        if let Some(pins) = pins {
            pins.write(folder.path()).map_err(DebuggeeError::TemporaryFolder)?;
        }
        let is_pinned = pins.is_some();
        let cached = match cache {
            Some(cache) => unpack_safely(&cache.join("agent")),
            None => Err("there is no cache folder: neither HOME nor XDG_CACHE_HOME is set".to_owned()),
        };
        let (library, note) = match cached {
            Ok(library) => (library, None),
            // This copy lives as long as the run.
            Err(why) => match unpack(folder.path()) {
                Ok(library) => (library, Some(why)),
                Err(beside) => return Err(DebuggeeError::Agent(format!("{why}; {beside}"))),
            },
        };
        Ok(Agent { library, folder, is_pinned, note })
    }

    /// The folder of the run's plan and report.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The VM options that load the agent.
    pub fn options(&self) -> Vec<String> {
        let option = format!("-agentpath:{}={}", self.library, self.folder.path().display());
        let of_pins = OF_PINS.iter().filter(|_| self.is_pinned);
        NUMBERS.iter().chain(of_pins).map(|option| (*option).to_owned()).chain([option]).collect()
    }
}

/// Quotes an option for `JAVA_TOOL_OPTIONS`, which the VM splits at white space outside quotes.
pub(super) fn quoted(option: &str) -> String {
    if !option.contains([' ', '\t', '\n', '\'', '"']) {
        return option.to_owned();
    }
    // A quote character is enclosed in quotes of the other kind.
    let parts = option.split('"').map(|part| format!("\"{part}\""));
    parts.collect::<Vec<_>>().join("'\"'")
}

/// Unpacks the library into a folder, if no other user can change its contents.
fn unpack_safely(folder: &Path) -> Result<String, String> {
    let unusable = |why: &str| format!("the agent's folder `{}` is not used: {why}", folder.display());
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).map_err(|error| unusable(&format!("it cannot be made: {error}")))?;
    safe(folder).map_err(|why| unusable(&why))?;
    unpack(folder)
}

/// Checks that only this user and root can change the contents of a folder.
fn safe(folder: &Path) -> Result<(), String> {
    let (user, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    let there = folder.symlink_metadata().map_err(|error| error.to_string())?;
    if !there.is_dir() {
        return Err("it is a link, or no folder; remove it".to_owned());
    }
    if there.uid() != user {
        return Err(format!("it belongs to another user ({}); remove it", there.uid()));
    }
    if there.mode() & 0o022 != 0 {
        return Err("others can write to it; run `chmod 700` on it after a look at what it holds".to_owned());
    }
    let folder = folder.canonicalize().map_err(|error| error.to_string())?;
    for above in folder.ancestors().skip(1) {
        let there = above.symlink_metadata().map_err(|error| error.to_string())?;
        // With one group per user, that group can usually write.
        let others = if there.gid() == group { 0o002 } else { 0o022 };
        // The sticky bit prevents other users from renaming what is not theirs.
        let open = there.mode() & others != 0 && there.mode() & 0o1000 == 0;
        if open || ![0, user].contains(&there.uid()) {
            return Err(format!("others can replace it, since they can write to `{}`", above.display()));
        }
    }
    Ok(())
}

/// Unpacks the library under a name derived from its content, so that versions do not collide. The error says
/// why a VM could not load it.
fn unpack(folder: &Path) -> Result<String, String> {
    let name = folder.display();
    let flags = rustix::fs::statvfs(folder).map(|system| system.f_flag);
    if flags.is_ok_and(|flags| flags.contains(rustix::fs::StatVfsMountFlags::NOEXEC)) {
        return Err(format!("`{name}` is on a file system from which nothing can be executed (noexec)"));
    }
    let path = folder.join(concat!(env!("QP_AGENT_HASH"), ".agent"));
    let text = match path.to_str() {
        // The VM takes everything after the first `=` as the agent's options.
        Some(text) if !text.contains('=') => text.to_owned(),
        Some(_) => return Err(format!("no VM can load the agent from `{name}`: its path has a `=`")),
        None => return Err(format!("no VM can load the agent from `{name}`: its path is not UTF-8")),
    };
    if is_unpacked(&path) {
        return Ok(text);
    }
    // Write atomically: another `qp` may unpack at the same time, and a VM may have the old file mapped.
    let write = || -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(UNPACKING).tempfile_in(folder)?;
        std::io::Write::write_all(&mut file, LIBRARY)?;
        file.as_file().set_permissions(PermissionsExt::from_mode(0o700))?;
        file.persist(&path).map_err(|e| e.error)?;
        Ok(())
    };
    write().map_err(|error| format!("the agent cannot be written to `{name}`: {error}"))?;
    remove_unfinished(folder);
    Ok(text)
}

/// Whether the library is already there and only this user can change it.
fn is_unpacked(path: &Path) -> bool {
    let own = path.symlink_metadata().is_ok_and(|there| {
        there.is_file() && there.uid() == rustix::process::geteuid().as_raw() && there.mode() & 0o022 == 0
    });
    own && std::fs::read(path).is_ok_and(|there| there == LIBRARY)
}

/// Removes files that a killed `qp` did not finish unpacking.
fn remove_unfinished(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let age = entry.metadata().and_then(|there| there.modified()).map(|then| then.elapsed());
        let is_old = age.is_ok_and(|age| age.is_ok_and(|age| age > UNFINISHED));
        if is_old && entry.file_name().to_string_lossy().starts_with(UNPACKING) {
            drop(std::fs::remove_file(entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder that only this user can write to, as a cache folder should be.
    fn cache() -> tempfile::TempDir {
        let cache = tempfile::tempdir().unwrap();
        std::fs::set_permissions(cache.path(), PermissionsExt::from_mode(0o700)).unwrap();
        cache
    }

    #[test]
    fn the_library_is_unpacked_once_and_repaired() {
        let cache = cache();
        let agent = Agent::new(Some(cache.path()), None).unwrap();
        assert!(Path::new(&agent.library).starts_with(cache.path()) && agent.note.is_none(), "{agent:?}");
        let modified = || std::fs::metadata(&agent.library).unwrap().modified().unwrap();
        let before = modified();
        Agent::new(Some(cache.path()), None).unwrap();
        assert_eq!(modified(), before);
        std::fs::write(&agent.library, "broken").unwrap();
        Agent::new(Some(cache.path()), None).unwrap();
        assert_eq!(std::fs::read(&agent.library).unwrap(), LIBRARY);
        let folder = agent.folder().to_owned();
        drop(agent);
        assert!(!folder.exists());
        assert_eq!(std::fs::read_dir(cache.path().join("agent")).unwrap().count(), 1);
    }

    #[test]
    fn an_unusable_cache_is_replaced_by_the_runs_folder() {
        let agent = Agent::new(Some(Path::new("/dev/null/x")), None).unwrap();
        assert!(Path::new(&agent.library).starts_with(agent.folder()));
        assert!(agent.note.is_some_and(|note| note.contains("cannot be made")));
    }

    #[test]
    fn a_folder_that_others_can_change_is_refused() {
        let refused = |cache: &Path, why: &str| {
            let agent = Agent::new(Some(cache), None).unwrap();
            assert!(Path::new(&agent.library).starts_with(agent.folder()), "{agent:?}");
            let note = agent.note.unwrap();
            assert!(note.contains(why), "{note}");
        };
        let parent = cache();
        let folder = parent.path().join("agent");
        std::fs::create_dir(&folder).unwrap();
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o770)).unwrap();
        refused(parent.path(), "others can write to it");
        std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
        std::fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o777)).unwrap();
        refused(parent.path(), "others can replace it");
        std::fs::set_permissions(parent.path(), PermissionsExt::from_mode(0o700)).unwrap();
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
            refused(parent.path(), "belongs to another user (65534)");
        }
        std::fs::remove_dir(&folder).unwrap();
        std::fs::create_dir(parent.path().join("elsewhere")).unwrap();
        symlink(parent.path().join("elsewhere"), &folder).unwrap();
        refused(parent.path(), "it is a link");
        assert_eq!(std::fs::read_dir(parent.path().join("elsewhere")).unwrap().count(), 0);
    }

    #[test]
    fn a_library_that_others_can_change_is_replaced() {
        let cache = cache();
        let agent = Agent::new(Some(cache.path()), None).unwrap();
        std::fs::set_permissions(&agent.library, PermissionsExt::from_mode(0o777)).unwrap();
        Agent::new(Some(cache.path()), None).unwrap();
        assert_eq!(std::fs::metadata(&agent.library).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn options_with_blanks_are_quoted() {
        assert_eq!(quoted("-Dx=1"), "-Dx=1");
        assert_eq!(quoted("-agentpath:/a b/c=d"), "\"-agentpath:/a b/c=d\"");
        assert_eq!(quoted("a \"b\""), "\"a \"'\"'\"b\"'\"'\"\"");
    }
}
