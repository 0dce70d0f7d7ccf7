//! Replays every saved chain of `querypoints/`; all its expectations hold.

use crate::support::{replay, root};

#[test]
fn every_saved_chain_holds() {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("querypoints")).expect("the folder of chains") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "ron") {
            continue;
        }
        let (code, answer) = replay(&path, &[]);
        assert_eq!(code, 0, "{}: {answer:#}", path.display());
        let expected = answer["points"].as_array().expect("points").iter();
        let expected = expected.filter(|p| p["expectation"]["held"] == true).count();
        assert!(expected > 0, "{} expects something", path.display());
        names.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
    }
    names.sort();
    assert_eq!(names, ["csv", "filelister", "intro", "mergesort", "null", "painting", "prices", "salted"]);
}
