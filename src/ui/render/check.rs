//! The report of `qp check`: a line per chain, and for a failed chain the points that differ.

use super::junit::junit;
use super::{Paint, Text, palette, wrap};
use command::Outcome;
use command::check::{Checked, PointDifference, Report, Status};
use std::fmt::Write as _;
use std::path::Path;

const WIDTH: usize = 80;
const INDENT: usize = 9;

impl Text for Report {
    fn text(&self, color: bool) -> String {
        report(self, color)
    }

    fn beside(&self) -> Option<(&Path, std::io::Result<String>)> {
        self.junit.as_deref().map(|file| (file, junit(self, |one| report(one, false))))
    }
}

fn report(report: &Report, color: bool) -> String {
    let paint = Paint { color };
    let mut out = String::new();
    report.chains.iter().for_each(|c| chain(&mut out, c, paint));
    out.push_str(&summary(report, paint));
    out
}

fn word(status: Status) -> (&'static str, anstyle::Style) {
    match status {
        Status::Passed => ("passed", palette::HELD),
        Status::Failed => ("FAILED", palette::FAILED),
        Status::Unsure => ("unsure", palette::FAILED),
        Status::BadChain => ("bad", palette::FAILED),
        Status::Broken => ("broken", palette::FAILED),
        Status::Interrupted => ("stopped", palette::DIM),
    }
}

fn chain(out: &mut String, chain: &Checked, paint: Paint) {
    let (word, style) = word(chain.status);
    let seconds = paint.on(palette::DIM, format!("{:.1} s", chain.seconds));
    let _ = writeln!(out, "{}  {}  {seconds}", paint.on(style, format!("{word:<7}")), chain.chain);
    if chain.status == Status::Passed {
        return;
    }
    // Keep the layout of foreign text, such as a piece of the chain's file or a program's output.
    if chain.reason.contains('\n') {
        chain.reason.lines().for_each(|line| out.push_str(&format!("{}{line}\n", " ".repeat(INDENT))));
    } else {
        let words: Vec<String> = chain.reason.split(' ').map(str::to_owned).collect();
        out.push_str(&wrap(&words, "", INDENT, WIDTH));
    }
    chain.differences.iter().for_each(|d| difference(out, d, paint));
}

fn difference(out: &mut String, point: &PointDifference, paint: Paint) {
    let indent = " ".repeat(INDENT);
    let place = point.place.as_ref().map(|p| format!(", {p}")).unwrap_or_default();
    let _ = writeln!(out, "{indent}{}  {}{place}", paint.on(palette::POINT, &point.id), point.question);
    for part in &point.parts {
        let side = |sign: char, text: &str| format!("{indent}   {sign} {}: {text}", part.what);
        let _ = writeln!(out, "{}", paint.on(palette::HELD, side('-', &part.expected)));
        let found = part.found.as_deref().unwrap_or("nothing");
        let _ = writeln!(out, "{}", paint.on(palette::FAILED, side('+', found)));
    }
}

fn summary(report: &Report, paint: Paint) -> String {
    let count = |wanted: &[Status]| report.chains.iter().filter(|c| wanted.contains(&c.status)).count();
    let mut parts = vec![format!("{} of {} chains passed", count(&[Status::Passed]), report.chains.len())];
    for (statuses, word) in [
        (&[Status::Failed][..], "failed"),
        (&[Status::Unsure], "unsure"),
        (&[Status::BadChain], "bad"),
        (&[Status::Broken], "could not run"),
        (&[Status::Interrupted], "not checked"),
    ] {
        match count(statuses) {
            0 => {}
            n => parts.push(format!("{n} {word}")),
        }
    }
    let style = if report.exit_code() == 0 { palette::HELD } else { palette::FAILED };
    paint.on(style, parts.join(", ")) + "\n"
}
