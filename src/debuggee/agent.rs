//! The agent that `qp` carries inside itself, unpacked where a VM can load it, and the folder in which a run's plan and
//! report are.

use super::error::DebuggeeError;
use std::path::{Path, PathBuf};

/// The agent's library.
const LIBRARY: &[u8] = include_bytes!(env!("QP_AGENT"));

/// The agent of one run: the folder goes with it.
#[derive(Debug)]
pub struct Agent {
    library: PathBuf,
    folder: tempfile::TempDir,
}

/// The VM gives identity hash codes in turn, from 1 on, instead of by chance: so they are others than those that the recorder gives.
const NUMBERS: [&str; 2] = ["-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=3"];

impl Agent {
    /// Unpacks the library into a cache folder that only this user can write to, if it is not there yet, and makes a
    /// folder for one run.
    ///
    /// # Errors
    /// When neither can be written.
    pub fn new(cache: Option<&Path>) -> Result<Agent, DebuggeeError> {
        let folder = tempfile::Builder::new().prefix("querypoint-").tempdir();
        let folder = folder.map_err(DebuggeeError::TemporaryFolder)?;
        // Without a cache it lives as long as the run.
        let cached = cache.and_then(|cache| unpack(&cache.join("agent")).ok());
        let library = match cached {
            Some(library) => library,
            None => unpack(folder.path()).map_err(DebuggeeError::TemporaryFolder)?,
        };
        Ok(Agent { library, folder })
    }

    /// Where the run's plan and report are.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The VM's options that load it. None where the VM could not read them: a comma or a space ends an option.
    pub fn options(&self) -> Vec<String> {
        let option = format!("-agentpath:{}={}", self.library.display(), self.folder.path().display());
        if option.contains([' ', ',', '\n']) {
            return Vec::new();
        }
        NUMBERS.map(str::to_owned).into_iter().chain([option]).collect()
    }
}

/// The library's place, by its content: another version of `qp` has another.
fn unpack(folder: &Path) -> std::io::Result<PathBuf> {
    let path = folder.join(concat!(env!("QP_AGENT_HASH"), ".agent"));
    if std::fs::read(&path).is_ok_and(|there| there == LIBRARY) {
        return Ok(path);
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    // Whole or not at all: another qp may unpack at the same time, and a VM may have the old one mapped.
    let mut file = tempfile::Builder::new().prefix("unpacking-").tempfile_in(folder)?;
    std::io::Write::write_all(&mut file, LIBRARY)?;
    #[cfg(unix)]
    file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))?;
    file.persist(&path).map_err(|e| e.error)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_unpacked_once_and_mended() {
        let cache = tempfile::tempdir().unwrap();
        let agent = Agent::new(Some(cache.path())).unwrap();
        assert!(agent.library.starts_with(cache.path()), "{agent:?}");
        let modified = || std::fs::metadata(&agent.library).unwrap().modified().unwrap();
        let before = modified();
        Agent::new(Some(cache.path())).unwrap();
        assert_eq!(modified(), before);
        std::fs::write(&agent.library, "broken").unwrap();
        Agent::new(Some(cache.path())).unwrap();
        assert_eq!(std::fs::read(&agent.library).unwrap(), LIBRARY);
        let folder = agent.folder().to_owned();
        drop(agent);
        assert!(!folder.exists());
        assert_eq!(std::fs::read_dir(cache.path().join("agent")).unwrap().count(), 1);
    }

    #[test]
    fn a_cache_that_cannot_be_written_does_without() {
        let agent = Agent::new(Some(Path::new("/dev/null/x"))).unwrap();
        assert!(agent.library.starts_with(agent.folder()));
    }
}
