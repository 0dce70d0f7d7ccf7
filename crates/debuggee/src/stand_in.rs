//! Commands that see a copy of a folder at the folder's own path: a mount that no other process has (Linux).
//!
//! The commands `unshare`, `mount` and `setpriv` make it, since the calls of the system would need `unsafe`.

use std::path::Path;
use std::process::{Command, Stdio};

/// Mounts `$1` at `$2`, goes there, and becomes the rest of the words.
const MOUNT: &str = r#"mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@""#;
/// The ways to mount: with the rights of the user, and with those that a namespace of users gives. The last
/// words of the second take these rights away again.
const WAYS: [(&[&str], &[&str]); 2] = [
    (&["unshare", "--mount"], &[]),
    (
        &["unshare", "--user", "--map-current-user", "--keep-caps", "--mount"],
        &["setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--"],
    ),
];

/// The words before a command by which it sees `copy` in place of `folder`. `None` if the system does not
/// allow that.
pub fn stand_in(copy: &Path, folder: &Path) -> Option<Vec<String>> {
    let (copy, folder) = (copy.to_str()?, folder.to_str()?);
    WAYS.iter().find_map(|(begin, end)| {
        let words = [*begin, &["sh", "-c", MOUNT, "sh", copy, folder], *end].concat();
        let (program, rest) = words.split_first()?;
        let mut command = Command::new(program);
        command.args(rest).args(["test", ".", "-ef", folder]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let is_possible = command.status().is_ok_and(|status| status.success());
        is_possible.then(|| words.iter().map(|word| (*word).to_owned()).collect())
    })
}
