//! Adjusts the paths of a chain for the file to which it is written.

use chain::Chain;
use std::path::{Component, Path, PathBuf};

/// The chain for writing to `file`: its working folder remains the current one.
pub fn portable(chain: &Chain, file: &Path) -> Chain {
    let mut saved = chain.clone();
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(file.parent().unwrap_or(Path::new("")));
    let cwd = here.join(chain.cwd());
    let relative = relative(&normal(&cwd), &normal(&folder));
    saved.debuggee.cwd = (relative != Path::new(".")).then_some(relative);
    saved
}

/// The path of a file in a chain written to `chain_file`: relative to the chain's working folder.
pub fn seen_from_cwd(chain: &Chain, chain_file: &Path, file: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let folder = here.join(chain_file.parent().unwrap_or(Path::new("")));
    let cwd = folder.join(chain.debuggee.cwd.as_deref().unwrap_or(Path::new(".")));
    relative(&normal(&here.join(file)), &normal(&cwd))
}

/// Removes `.` and `..` lexically.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The path of `to` relative to the folder `from`.
fn relative(to: &Path, from: &Path) -> PathBuf {
    let common = to.components().zip(from.components()).take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    if path.as_os_str().is_empty() { PathBuf::from(".") } else { path }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_file() {
        let seen = |to: &str, from: &str| relative(&normal(Path::new(to)), &normal(Path::new(from)));
        assert_eq!(seen("/a/b", "/a/b"), Path::new("."));
        assert_eq!(seen("/a/b/c", "/a/b"), Path::new("c"));
        assert_eq!(seen("/a/x", "/a/b/../b/c"), Path::new("../../x"));
    }
}
