//! The most suspicious methods of a failed run as text.

use super::{Paint, hanging_at, palette};
use diagnose::{EdgeKind, ExceptionPart, RankedMethod, Ranking, RareEdge};

/// Width of a line, in columns.
const WIDTH: usize = 80;

/// A line for each method, with what makes it suspicious.
pub fn ranking(ranking: &Ranking, color: bool) -> String {
    let paint = Paint { color };
    let count = ranking.methods.len();
    let tests = match (ranking.passed, ranking.failed) {
        (0, _) => "no test that passes was compared".to_owned(),
        (passed, 1) => format!("compared with {}", tests_that_pass(passed)),
        (passed, failed) => format!("compared with {}, and {failed} that fail", tests_that_pass(passed)),
    };
    let head = match (count, ranking.of) {
        (0, _) => return "no method outside of tests was called: there is nothing to rank\n".to_owned(),
        (1, 1) => format!("one method was called; {tests}:"),
        (all, of) if all == of => format!("the {all} methods, the most suspicious first; {tests}:"),
        (some, of) => format!("the {some} most suspicious of {of} methods; {tests}:"),
    };
    let mut out = hanging_at(&head, 0, 4, WIDTH);
    for (place, method) in (1..).zip(&ranking.methods) {
        let name = paint.on(palette::POINT, method.method_text());
        let at = place_of(method).map_or(String::new(), |at| format!(" ({at})"));
        let reasons = paint.on(palette::DIM, reasons(method, ranking).join("; "));
        out.push_str(&hanging_at(&format!("{place:>2}  {name}{at} {reasons}"), 0, 8, WIDTH));
    }
    out
}

fn tests_that_pass(count: u32) -> String {
    if count == 1 { "1 test that passes".to_owned() } else { format!("{count} tests that pass") }
}

/// The source file and line to look at.
fn place_of(method: &RankedMethod) -> Option<String> {
    let source = method.source.as_deref()?;
    Some(method.rarest.line.map_or(source.to_owned(), |line| format!("{source}:{line}")))
}

/// What makes a method suspicious.
fn reasons(method: &RankedMethod, ranking: &Ranking) -> Vec<String> {
    let mut reasons = Vec::new();
    match method.exception {
        Some(ExceptionPart::Threw) => reasons.push("threw the exception".to_owned()),
        Some(ExceptionPart::Left) => reasons.push("the exception left it".to_owned()),
        None => {}
    }
    match (method.influential, method.calls) {
        (None, _) if ranking.has_slice => reasons.push("called in preparation".to_owned()),
        (None, _) => {}
        (Some(0), _) => reasons.push("no influence on what is wrong".to_owned()),
        (Some(1), 1) => reasons.push("influenced what is wrong".to_owned()),
        (Some(some), all) if some == all => reasons.push(format!("its {all} calls influenced what is wrong")),
        (Some(some), all) => reasons.push(format!("{some} of its {all} calls influenced what is wrong")),
    }
    if ranking.passed > 0 {
        reasons.push(rarest(method.rarest, ranking.passed));
    }
    reasons
}

/// What a method did, and how many tests that pass do the same.
fn rarest(edge: RareEdge, passed: u32) -> String {
    let tests = match edge.passed {
        0 => "no test that passes".to_owned(),
        1 if passed == 1 => "the test that passes".to_owned(),
        some if some == passed => format!("all {}", tests_that_pass(passed)),
        some => format!("{some} of {}", tests_that_pass(passed)),
    };
    let (verb, what) = match (edge.edge, edge.to) {
        (EdgeKind::Entry, _) => ("call", "it".to_owned()),
        (EdgeKind::Branch, Some(to)) => ("take", format!("its branch to line {to}")),
        (EdgeKind::Branch, None) => ("take", "this branch".to_owned()),
        (EdgeKind::Handler, _) => ("reach", "its exception handler".to_owned()),
    };
    let verb = if edge.passed < 2 { format!("{verb}s") } else { verb.to_owned() };
    format!("{tests} {verb} {what}")
}
