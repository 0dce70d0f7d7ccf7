//! The table of results.

use super::measure::Measured;
use super::verdict::{Answer, Verdict};

/// What was measured of a library, or of several.
struct Group<'a> {
    name: &'a str,
    measured: Vec<&'a Measured>,
}

/// A group per library, then the libraries that are held out, the others, and all.
fn groups(measured: &[Measured]) -> Vec<Group<'_>> {
    let mut names: Vec<&str> = Vec::new();
    for one in measured {
        if !names.contains(&library(one)) {
            names.push(library(one));
        }
    }
    let group = |name, is_in: &dyn Fn(&Measured) -> bool| Group {
        name,
        measured: measured.iter().filter(|one| is_in(one)).collect(),
    };
    let libraries = names.into_iter().map(|name| group(name, &|one| library(one) == name));
    let mut groups: Vec<Group> = libraries.collect();
    groups.push(group("held out", &|one| one.held_out));
    groups.push(group("others", &|one| !one.held_out));
    groups.push(group("all", &|_| true));
    groups
}

/// Prints a table per command, with a line per group.
pub fn print(measured: &[Measured]) {
    let groups = groups(measured);
    for (title, of) in COMMANDS {
        if !measured.iter().any(|one| of(one).is_some()) {
            continue;
        }
        println!(
            "\n{title:<28} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>7} {:>8} {:>6}",
            "faults", "exact", "else", "none", "error", "limit", "plain s", "s", "times", "answers", "undec"
        );
        for group in &groups {
            line(group, *of);
        }
    }
    if measured.iter().any(|one| one.ranked.is_some()) {
        ranks(&groups);
    }
    if measured.iter().any(|one| one.foremost.is_some() && one.passing.is_some()) {
        println!("\n{:<28} {:>9} {:>9}", "answers where both found it", "foremost", "--passing");
        for group in &groups {
            // Answers on average, over the faults that both ways found.
            let both = group.measured.iter().filter_map(|one| {
                let found = |answer: &&Answer| answer.verdict == Verdict::Exact;
                Some((
                    one.foremost.as_ref().filter(found)?.answers,
                    one.passing.as_ref().filter(found)?.answers,
                ))
            });
            let (without, with): (Vec<usize>, Vec<usize>) = both.unzip();
            let (without, with) = (average(without.into_iter()), average(with.into_iter()));
            println!("{:<28} {without:>9.2} {with:>9.2}", group.name);
        }
    }
}

/// Prints in how many percent of the faults the faulty method comes first, and among the first ones: by
/// `qp diagnose --rank`, and by Ochiai's formula.
fn ranks(groups: &[Group]) {
    println!(
        "\n{:<16} {:>6} {:>7} {:>5} {:>5} {:>5} {:>5} {:>8} {:>5} {:>5} {:>5} {:>5}",
        "rank, % within", "faults", "s", "1", "3", "5", "10", "Ochiai:", "1", "3", "5", "10"
    );
    for Group { name, measured: these } in groups {
        let own = these.iter().map(|one| Some(f64::from(u32::try_from(one.ranked?.place?).expect("few"))));
        let own: Vec<Option<f64>> = own.collect();
        let ochiai: Vec<Option<f64>> = these.iter().map(|one| one.rank).collect();
        let within = |ranks: &[Option<f64>], most: f64| {
            let found = ranks.iter().flatten().filter(|rank| **rank <= most).count();
            100.0 * count(found) / count(these.len().max(1))
        };
        let seconds = median(these.iter().filter_map(|one| Some(one.ranked?.took_s)).collect());
        print!("{name:<16} {:>6} {seconds:>7.2}", these.len());
        TOP.iter().for_each(|most| print!(" {:>5.0}", within(&own, *most)));
        print!(" {:>8}", "");
        TOP.iter().for_each(|most| print!(" {:>5.0}", within(&ochiai, *most)));
        println!();
    }
}

/// The places up to which ranks are counted.
const TOP: [f64; 4] = [1.0, 3.0, 5.0, 10.0];

type Part = fn(&Measured) -> Option<&Answer>;

/// The commands.
const COMMANDS: &[(&str, Part)] = &[
    ("qp diff", |one| one.diff.as_ref()),
    ("qp diagnose --reference", |one| one.reference.as_ref()),
    ("foremost, with an oracle", |one| one.foremost.as_ref()),
    ("foremost, --passing-tests", |one| one.passing.as_ref()),
];

/// The library of a fault.
fn library(one: &Measured) -> &str {
    one.id.split('-').next().unwrap_or_default()
}

/// Prints the number of each verdict, medians of times, the median multiple of the plain test's time, and the
/// average numbers of answers and undecided calls.
fn line(group: &Group, of: Part) {
    let name = group.name;
    let answers: Vec<(&Answer, f64)> =
        group.measured.iter().filter_map(|one| Some((of(one)?, one.plain_s))).collect();
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
