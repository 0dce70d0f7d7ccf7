//! The index of a log is kept beside the tables of a recording. Damage to it is repaired in silence.

use crate::recordings::{Recorded, java};
use crate::support::{compiled, finish, qp, said};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn answer(recorded: &Recorded) -> String {
    let output = recorded.query(&["ask", "event(Id, Thread, Event)", "--limit=100000"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(output.stderr.is_empty(), "{}", said(&output));
    String::from_utf8(output.stdout).expect("text")
}

fn recorded(name: &str, level: &str) -> (Recorded, PathBuf) {
    let classes = compiled("fixtures/queried", &["-g"]);
    let recorded = Recorded::new(name, level, &[], &java(&classes, "Queried"));
    let mut found = Vec::new();
    let mut folders = vec![recorded.folder.clone()];
    answer(&recorded);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path if path.ends_with("log.index") => found.push(path),
                _ => {}
            }
        }
    }
    let [file] = found.as_slice() else { panic!("{found:?}") };
    (recorded, file.clone())
}

#[test]
fn a_damaged_index_is_built_again() {
    let (recorded, file) = recorded("index-damaged", "all");
    let (right, expected) = (std::fs::read(&file).expect("an index"), answer(&recorded));
    let mut damaged: Vec<Vec<u8>> = vec![Vec::new(), vec![0; 3], right[..right.len() / 2].to_vec()];
    for at in (0..right.len()).step_by(right.len() / 25 + 1) {
        let mut bytes = right.clone();
        bytes[at] ^= 0x55;
        damaged.push(bytes);
    }
    damaged.push([right.clone(), vec![7]].concat());
    for bytes in damaged {
        std::fs::write(&file, &bytes).expect("written");
        assert_eq!(answer(&recorded), expected);
        let kept = std::fs::read(&file).expect("an index");
        assert_eq!(kept.len(), right.len(), "kept again");
    }
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(answer(&recorded), expected);
    assert_eq!(std::fs::read(&file).expect("an index").len(), right.len());
}

/// The index of another recording has a valid checksum, but another stamp.
#[test]
fn the_index_of_another_recording_is_not_read() {
    let ((one, file), (_, other)) = (recorded("index-one", "all"), recorded("index-other", "calls"));
    let expected = answer(&one);
    std::fs::copy(other, &file).expect("copied");
    assert_eq!(answer(&one), expected);
}

#[test]
fn a_folder_that_cannot_be_written_is_read() {
    let (recorded, file) = recorded("index-read-only", "all");
    let expected = answer(&recorded);
    std::fs::remove_file(&file).expect("removed");
    let folder = file.parent().expect("a folder");
    let mode = |mode| std::fs::set_permissions(folder, std::fs::Permissions::from_mode(mode)).expect("set");
    mode(0o555);
    let found = answer(&recorded);
    let output = finish(qp().args(["query", "threads"]).arg(&recorded.folder));
    mode(0o755);
    assert_eq!(found, expected);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}
