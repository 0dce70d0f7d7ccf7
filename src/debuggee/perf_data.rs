//! The file that a killed HotSpot VM leaves behind: its performance data, `/tmp/hsperfdata_USER/PID`
//! (`-XX:+UsePerfData`, which is the default). A VM that ends by itself removes it; so must whoever kills
//! one.

use std::path::Path;

/// Removes the files of these processes, which have ended.
pub(super) fn remove(pids: &[u32]) {
    if pids.is_empty() {
        return;
    }
    // The VM writes there whatever `TMPDIR` says.
    let folders = std::fs::read_dir(Path::new("/tmp")).into_iter().flatten().flatten();
    for folder in folders.filter(|f| f.file_name().as_encoded_bytes().starts_with(b"hsperfdata_")) {
        for pid in pids {
            // Nearly always there is none: the process was no VM, or ended in time.
            let _ = std::fs::remove_file(folder.path().join(pid.to_string()));
        }
    }
}
