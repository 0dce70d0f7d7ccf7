//! Replays every saved chain of `querypoints/`; all its expectations hold.

use crate::support::{replay, root};
use std::path::{Path, PathBuf};

#[test]
fn every_saved_chain_holds() {
    let folder = std::fs::read_dir(root().join("querypoints")).expect("the folder of chains");
    let files = folder.map(|entry| entry.expect("an entry").path());
    let mut chains: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|e| e == "ron")).collect();
    chains.sort();
    // Most of the time is waited for VMs.
    std::thread::scope(|scope| {
        let replays: Vec<_> = chains.iter().map(|chain| scope.spawn(|| holds(chain))).collect();
        for replay in replays {
            replay.join().unwrap_or_else(|failure| std::panic::resume_unwind(failure));
        }
    });
    let names = chains.iter().map(|chain| chain.file_stem().expect("a name").to_string_lossy());
    let names: Vec<String> = names.map(std::borrow::Cow::into_owned).collect();
    assert_eq!(names, ["csv", "filelister", "intro", "mergesort", "null", "painting", "prices", "salted"]);
}

fn holds(chain: &Path) {
    let (code, answer) = replay(chain, &[]);
    assert_eq!(code, 0, "{}: {answer:#}", chain.display());
    let expected = answer["points"].as_array().expect("points").iter();
    let expected = expected.filter(|p| p["expectation"]["held"] == true).count();
    assert!(expected > 0, "{} expects something", chain.display());
    if chain.ends_with("painting.ron") {
        is_answered_by_probes(&answer);
    }
}

/// The number of repaints differs from run to run. A program that repeats itself needs four runs: one counts
/// hits, one stops at P2, and P3 and P4 each need the class of a calling frame. One more may see a change.
fn is_answered_by_probes(answer: &serde_json::Value) {
    let runs = answer["runs"].as_u64().expect("a number");
    assert!((4..=5).contains(&runs), "{answer:#}");
    assert!(answer["warnings"].as_array().is_none_or(Vec::is_empty), "{answer:#}");
}
