//! The most suspicious methods of a failed run as text.

use super::{Paint, hanging_at, palette};
use diagnose::{EdgeKind, ExceptionPart, FirstOnlyHere, RankedMethod, Ranking, RareEdge};

/// Width of a line, in columns.
const WIDTH: usize = 80;

/// A line for each method, with what makes it suspicious.
pub fn ranking(ranking: &Ranking, color: bool) -> String {
    let paint = Paint { color };
    let count = ranking.methods.len();
    let tests = match (ranking.passed, ranking.failed) {
        (0, _) => "compared with no run that passes".to_owned(),
        (passed, 1) => format!("compared with {}", ranking_of(ranking).all(passed)),
        (passed, failed) => {
            format!("compared with {}, and {failed} that fail", ranking_of(ranking).all(passed))
        }
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
    if let Some(FirstOnlyHere { node, method, source, edge }) = &ranking.first {
        let place =
            source.as_ref().zip(edge.line).map_or(String::new(), |(of, line)| format!(" ({of}:{line})"));
        let what = match (edge.edge, edge.to) {
            (EdgeKind::Entry, _) => "is called".to_owned(),
            (EdgeKind::Branch, Some(to)) => format!("takes its branch to line {to}"),
            (EdgeKind::Branch, None) => "takes a branch".to_owned(),
            (EdgeKind::Handler, _) => "reaches its exception handler".to_owned(),
        };
        let call = paint.on(palette::POINT, format!("#{node} {method}"));
        let kind = ranking_of(ranking).kind;
        let text = format!("first of all that no passing {kind} does, {call}{place} {what}");
        out.push_str(&hanging_at(&text, 0, 4, WIDTH));
    }
    out
}

/// How passing runs are called.
#[derive(Clone, Copy)]
struct Passing {
    kind: &'static str,
}

fn ranking_of(ranking: &Ranking) -> Passing {
    Passing { kind: if ranking.are_tests { "test" } else { "run" } }
}

impl Passing {
    /// All of them.
    fn all(self, count: u32) -> String {
        let Passing { kind } = self;
        if count == 1 { format!("1 {kind} that passes") } else { format!("{count} {kind}s that pass") }
    }
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
        reasons.push(rarest(method.rarest, ranking.passed, ranking_of(ranking)));
    }
    reasons
}

/// What a method did, and how many tests that pass do the same.
fn rarest(edge: RareEdge, passed: u32, of: Passing) -> String {
    let kind = of.kind;
    let tests = match edge.passed {
        0 => format!("no {kind} that passes"),
        1 if passed == 1 => format!("the {kind} that passes"),
        some if some == passed => format!("all {}", of.all(passed)),
        some => format!("{some} of {}", of.all(passed)),
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
