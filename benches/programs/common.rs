//! Shared by the benches of real programs: their jars, their compilation, and their own measurements.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// The folder of the project.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The divisor of document sizes: `QP_BENCH_SHARE=5` takes a fifth of each.
pub fn share() -> u32 {
    std::env::var("QP_BENCH_SHARE").ok().and_then(|n| n.parse().ok()).unwrap_or(1).max(1)
}

/// Compiles the programs into a folder. Returns the class path of their jars, which come from the system's
/// packages.
pub fn compiled(names: &[&str], sources: &[&str], to: &Path) -> Outcome<String> {
    let paths: Vec<PathBuf> =
        names.iter().map(|name| Path::new("/usr/share/java").join(format!("{name}.jar"))).collect();
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        return Err(format!("{} is missing: `./run test` installs it", missing.display()).into());
    }
    let class_path = paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(":");
    let mut javac = Command::new("javac");
    let sources = sources.iter().map(|name| root().join("benches/programs").join(name));
    javac.args(["-g", "-cp", &class_path, "-d"]).arg(to).args(sources);
    if javac.status()?.success() { Ok(class_path) } else { Err("javac failed".into()) }
}

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The program's own measurement of each run, in ms.
pub fn took(output: &Output) -> Vec<f64> {
    let all = [output.stdout.as_slice(), output.stderr.as_slice()].concat();
    let all = String::from_utf8_lossy(&all).into_owned();
    let own =
        all.lines().filter_map(|line| line.rsplit("| ").next()?.strip_prefix("took ")?.trim().parse().ok());
    own.collect()
}
