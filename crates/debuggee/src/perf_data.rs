//! Removes the performance data file of a killed HotSpot VM, `/tmp/hsperfdata_USER/PID` (`-XX:+UsePerfData`,
//! the default). A VM that ends normally removes it itself.

use std::path::Path;

/// Removes the files of these processes, which have ended.
pub(super) fn remove(pids: &[u32]) {
    if pids.is_empty() {
        return;
    }
    // The VM ignores `TMPDIR` here.
    let folders = std::fs::read_dir(Path::new("/tmp")).into_iter().flatten().flatten();
    for folder in folders.filter(|f| f.file_name().as_encoded_bytes().starts_with(b"hsperfdata_")) {
        for pid in pids {
            // The file is usually absent: the process was no VM, or it removed the file itself.
            let _ = std::fs::remove_file(folder.path().join(pid.to_string()));
        }
    }
}
