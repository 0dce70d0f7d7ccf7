//! How busy the machine is.

use std::path::Path;

/// Whether more tasks want to run than there are processors, on average over the last minute. False
/// where the system does not report it.
pub fn is_busy() -> bool {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    is_busy_in(Path::new(crate::PROC), processors)
}

fn is_busy_in(proc: &Path, processors: usize) -> bool {
    let text = std::fs::read_to_string(proc.join("loadavg")).unwrap_or_default();
    let load = text.split_whitespace().next().and_then(|load| load.parse::<f64>().ok());
    let processors = u32::try_from(processors).unwrap_or(u32::MAX);
    load.is_some_and(|load| load > f64::from(processors))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_tasks_than_processors_are_too_many() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_busy_in(folder.path(), 1), "nothing is reported");
        for (load, busy) in [("0.20 9.00 9.00 1/200 77\n", false), ("2.00 0 0", false), ("2.10 0 0", true)] {
            std::fs::write(folder.path().join("loadavg"), load).unwrap();
            assert_eq!(is_busy_in(folder.path(), 2), busy, "{load}");
        }
    }
}
