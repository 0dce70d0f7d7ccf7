//! The table of results.

use super::measure::Measured;
use super::verdict::{Answer, Verdict};

/// Prints a table per command, with a line per library and one for all.
pub fn print(measured: &[Measured]) {
    let mut names: Vec<Option<&str>> = Vec::new();
    for one in measured {
        if !names.contains(&Some(name(one))) {
            names.push(Some(name(one)));
        }
    }
    names.push(None);
    for (title, of) in COMMANDS {
        if !measured.iter().any(|one| of(one).is_some()) {
            continue;
        }
        println!(
            "\n{title:<28} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>8} {:>6}",
            "faults", "exact", "else", "none", "error", "limit", "plain s", "s", "times", "answers", "undec"
        );
        for one in &names {
            line(one.unwrap_or("all"), &of_library(measured, *one), *of);
        }
    }
    if measured.iter().any(|one| one.rank.is_some()) {
        println!(
            "\n{:<28} {:>6} {:>6} {:>8} {:>9} {:>9}",
            "Ochiai", "ranked", "first", "median", "foremost", "--passing"
        );
        for one in &names {
            let ranks: Vec<f64> = of_library(measured, *one).iter().filter_map(|one| one.rank).collect();
            let first = ranks.iter().filter(|rank| **rank < 2.0).count();
            let of = one.unwrap_or("all");
            // Answers on average, over the faults that both ways found.
            let both = of_library(measured, *one).into_iter().filter_map(|one| {
                let found = |answer: &&Answer| answer.verdict == Verdict::Exact;
                Some((
                    one.foremost.as_ref().filter(found)?.answers,
                    one.passing.as_ref().filter(found)?.answers,
                ))
            });
            let (without, with): (Vec<usize>, Vec<usize>) = both.unzip();
            println!(
                "{of:<28} {:>6} {first:>6} {:>8.1} {:>9.2} {:>9.2}",
                ranks.len(),
                median(ranks.clone()),
                average(without.into_iter()),
                average(with.into_iter())
            );
        }
    }
}

type Part = fn(&Measured) -> Option<&Answer>;

/// The commands.
const COMMANDS: &[(&str, Part)] = &[
    ("qp diff", |one| one.diff.as_ref()),
    ("qp diagnose --reference", |one| one.reference.as_ref()),
    ("foremost, with an oracle", |one| one.foremost.as_ref()),
    ("foremost, --passing-tests", |one| one.passing.as_ref()),
];

/// The library of a fault.
fn name(one: &Measured) -> &str {
    one.id.split('-').next().unwrap_or_default()
}

fn of_library<'a>(measured: &'a [Measured], library: Option<&str>) -> Vec<&'a Measured> {
    measured.iter().filter(|one| library.is_none_or(|library| name(one) == library)).collect()
}

/// Prints the number of each verdict, medians of times, the median multiple of the plain test's time, and the
/// average numbers of answers and undecided calls.
fn line(name: &str, these: &[&Measured], of: Part) {
    let answers: Vec<(&Answer, f64)> = these.iter().filter_map(|one| Some((of(one)?, one.plain_s))).collect();
    print!("{name:<28} {:>6}", answers.len());
    let verdicts = [Verdict::Exact, Verdict::Elsewhere, Verdict::None, Verdict::Error, Verdict::OverLimit];
    for verdict in verdicts {
        print!(" {:>6}", answers.iter().filter(|(answer, _)| answer.verdict == verdict).count());
    }
    let plain = median(answers.iter().map(|(_, plain)| *plain).collect());
    let seconds = median(answers.iter().map(|(answer, _)| answer.took_s).collect());
    let times = median(answers.iter().map(|(answer, plain)| answer.took_s / plain).collect());
    let given = average(answers.iter().map(|(answer, _)| answer.answers));
    let undecided = average(answers.iter().map(|(answer, _)| answer.undecided));
    println!(" {plain:>7.2} {seconds:>7.2} {times:>7.1} {given:>8.2} {undecided:>6.1}");
}

/// The average.
fn average(values: impl Iterator<Item = usize>) -> f64 {
    let values: Vec<f64> = values.map(count).collect();
    values.iter().sum::<f64>() / count(values.len().max(1))
}

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn count(of: usize) -> f64 {
    f64::from(u32::try_from(of).expect("few"))
}
