//! A lower bound for the cost of recording calls: code that only writes the number of a place at each entry
//! and return, into memory that nobody reads. A tool inserts it into the classes before they run. It knows no
//! values and no threads, so every recorder of calls costs more.

use super::common::{Outcome, median, took};
use super::{Recorded, Row, recorded};
use std::path::Path;
use std::process::Command;

/// This bench needs more rounds, since the times differ by less.
const ROUNDS: usize = 7;

/// Measures the programs alternately: alone, with the lower bound, and recorded at `calls`.
pub fn measure<'a>(
    rows: impl Iterator<Item = &'a Row>,
    class_path: &str,
    scratch: &Path,
    share: u32,
) -> Outcome<()> {
    let woven = scratch.join("woven");
    let (_, jars) = class_path.split_once(':').ok_or("jars behind the programs")?;
    let mut weave = Command::new("java");
    weave.args(["-cp", class_path, "Least"]).arg(&woven).args(jars.split(':')).arg(scratch);
    if !weave.status()?.success() {
        return Err("the least cannot be put into the programs".into());
    }
    let least_path = format!("{}:{class_path}", woven.display());
    println!(
        "a word at each entry and return, into memory that nobody reads; and `calls`: medians of {ROUNDS} rounds in ms"
    );
    println!("{:<12} {:>7} {:>7} {:>6} {:>8} {:>6}", "", "plain", "least", "ratio", "recorded", "ratio");
    // Classes of the JDK come from no class path.
    for row in rows.filter(|row| row.options.is_empty()) {
        let (size, folder) = ((row.size / share).to_string(), scratch.display().to_string());
        let java = |class_path: &str| -> Vec<String> {
            let program = ["-cp", class_path, row.main, row.name, &size, &folder];
            ["java", "-Xmx2g"].iter().chain(row.vm).chain(&program).map(|&word| word.to_owned()).collect()
        };
        let (alone, least) = (java(class_path), java(&least_path));
        let words: Vec<&str> = alone.iter().map(String::as_str).collect();
        let (mut plain, mut woven, mut found): (Vec<f64>, Vec<f64>, Vec<Recorded>) = Default::default();
        for _ in 0..ROUNDS {
            for (command, times) in [(&alone, &mut plain), (&least, &mut woven)] {
                let output = Command::new("java").args(command.iter().skip(1)).output()?;
                if !output.status.success() {
                    return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
                }
                times.extend(took(&output));
            }
            found.push(recorded("calls", &[], &words, scratch)?);
        }
        let (plain, woven) = (median(plain), median(woven));
        let found = median(found.iter().map(|recorded| recorded.took).collect());
        println!(
            "{:<12} {plain:>7.0} {woven:>7.0} {:>6.2} {found:>8.0} {:>6.2}",
            row.name,
            woven / plain,
            found / plain
        );
    }
    Ok(())
}
