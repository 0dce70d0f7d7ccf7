//! The memory of a process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most memory that a process has had.
pub struct Memory(Arc<AtomicU64>);

impl Memory {
    /// Watches a process until it ends. Files that it maps are not its own: the system takes their pages
    /// back.
    pub fn of(process: u32) -> Memory {
        let file = format!("/proc/{process}/status");
        let most = Arc::new(AtomicU64::new(0));
        let seen = most.clone();
        std::thread::spawn(move || {
            while let Ok(status) = std::fs::read_to_string(&file) {
                let Some(line) = status.lines().find_map(|line| line.strip_prefix("RssAnon:")) else {
                    return;
                };
                let now = line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024;
                seen.fetch_max(now, Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Memory(most)
    }

    /// In bytes.
    pub fn most(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
