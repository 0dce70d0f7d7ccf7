//! The table of results.

use super::measure::Measured;
use super::verdict::{Answer, Verdict};

/// Prints a line per library, and one for all.
pub fn print(measured: &[Measured]) {
    let name = |one: &Measured| one.id.split('-').next().unwrap_or_default().to_owned();
    let mut names: Vec<String> = Vec::new();
    for one in measured {
        if !names.contains(&name(one)) {
            names.push(name(one));
        }
    }
    println!(
        "{:<12} {:>6} {:>7} | {:>5} {:>5} {:>5} {:>5} {:>5} {:>7} {:>6} | {:>5} {:>5} {:>5} {:>5} {:>5} {:>7} {:>6} {:>7} {:>5}",
        "",
        "faults",
        "plain s",
        "diff",
        "else",
        "none",
        "error",
        "limit",
        "s",
        "times",
        "ref",
        "else",
        "none",
        "error",
        "limit",
        "s",
        "times",
        "answers",
        "undec"
    );
    for name_of in names.iter().map(Some).chain([None]) {
        let these: Vec<&Measured> =
            measured.iter().filter(|one| name_of.is_none_or(|n| name(one) == *n)).collect();
        let plain = median(these.iter().map(|one| one.plain_s).collect());
        print!("{:<12} {:>6} {plain:>7.2}", name_of.map_or("all", String::as_str), these.len());
        columns(&these, |one| one.diff.as_ref());
        columns(&these, |one| one.reference.as_ref());
        let of = |part: fn(&Answer) -> usize| {
            median(these.iter().filter_map(|one| one.reference.as_ref()).map(|a| count(part(a))).collect())
        };
        println!(" {:>7} {:>5}", of(|a| a.answers), of(|a| a.undecided));
    }
}

/// Prints the verdicts of a command, its median time, and the median multiple of the plain test's time.
fn columns(these: &[&Measured], of: fn(&Measured) -> Option<&Answer>) {
    let answers: Vec<(&Answer, f64)> = these.iter().filter_map(|one| Some((of(one)?, one.plain_s))).collect();
    print!(" |");
    let verdicts = [Verdict::Exact, Verdict::Elsewhere, Verdict::None, Verdict::Error, Verdict::OverLimit];
    for verdict in verdicts {
        print!(" {:>5}", answers.iter().filter(|(answer, _)| answer.verdict == verdict).count());
    }
    let seconds = median(answers.iter().map(|(answer, _)| answer.took_s).collect());
    let times = median(answers.iter().map(|(answer, plain)| answer.took_s / plain).collect());
    print!(" {seconds:>7.2} {times:>6.1}");
}

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn count(of: usize) -> f64 {
    f64::from(u32::try_from(of).expect("few"))
}
