//! The answer to a chain: each point with its place, its values and its deciding condition, then the chain as
//! a tree.

use super::omitted::{calls_to, of_passes};
use super::query::asked;
use super::snippet::snippet;
use super::tree::tree;
use super::way::way;
use super::{Paint, Text, clipped, frame_text, hanging, palette, wrap};
use answer::{Answer, ChainQueryAnswer, CopiedAnswer, FrameAnswer, LoaderAnswer, Outcome, PointAnswer};
use indexmap::IndexMap;
use model::short_class_name;
use std::collections::HashSet;
use std::fmt::Write as _;

const WIDTH: usize = 80;
const INDENT: usize = 3;
/// Number of frames to show.
const FRAMES: usize = 4;

impl Text for Answer {
    fn text(&self, color: bool) -> String {
        about(self, |_| true, color)
    }
}

/// One point as text.
pub fn point_in_full(p: &PointAnswer, color: bool) -> String {
    let mut out = String::new();
    point(&mut out, p, Paint { color });
    out.truncate(out.trim_end().len());
    out + "\n"
}

/// The answer as text, with only the selected points in full.
pub fn about(answer: &Answer, is_shown: impl Fn(&PointAnswer) -> bool, color: bool) -> String {
    let paint = Paint { color };
    let mut out = String::new();
    for (n, points) in answer.earlier.iter().enumerate() {
        let back = answer.earlier.len() - n;
        let _ =
            writeln!(out, "{}\n", paint.on(palette::DIM, format!("── root hit {back} before the last ──")));
        points.iter().for_each(|p| point(&mut out, p, paint));
    }
    answer.points.iter().filter(|p| is_shown(p)).for_each(|p| point(&mut out, p, paint));
    if answer.points.len() > 1 && answer.points.iter().any(|p| p.located) {
        out.push_str(&tree(&answer.points, paint));
        out.push('\n');
    }
    answer.queries.iter().for_each(|of_chain| query(&mut out, of_chain, paint));
    if !answer.last_output.is_empty() {
        out.push_str("The program's last output:\n");
        answer.last_output.iter().for_each(|line| out.push_str(&format!("  {line}\n")));
    }
    for warning in &answer.warnings {
        out.push_str(&wrap(&words(&format!("warning: {warning}")), "", 0, WIDTH));
    }
    out.push_str(&summary(answer, paint));
    out
}

fn counted_queries(count: usize) -> String {
    if count == 1 { "1 query".to_owned() } else { format!("{count} queries") }
}

/// A query of the chain with its answers.
fn query(out: &mut String, query: &ChainQueryAnswer, paint: Paint) {
    out.push_str(&hanging(
        &format!("{}  {}", paint.on(palette::POINT, &query.id), query.answers.goal),
        0,
        WIDTH,
    ));
    let indent = " ".repeat(INDENT);
    for line in asked(&query.answers, paint).lines() {
        out.push_str(&format!("{indent}{line}\n"));
    }
    for difference in query.expectation.iter().flat_map(|expected| &expected.differences) {
        let text = hanging(&format!("unexpected {difference}"), INDENT, WIDTH);
        out.push_str(&format!("{}\n", paint.on(palette::FAILED, text.trim_end_matches('\n'))));
    }
    out.push('\n');
}

fn summary(answer: &Answer, paint: Paint) -> String {
    let located = answer.points.iter().filter(|p| p.located).count();
    let total = answer.points.len();
    let of_points = answer.points.iter().filter_map(|p| p.expectation.as_ref());
    let of_queries = answer.queries.iter().filter_map(|query| query.expectation.as_ref());
    let expected: Vec<_> = of_points.chain(of_queries).collect();
    let held = expected.iter().filter(|e| e.held).count();
    let runs = match &answer.recording {
        Some(recording) => recording.clone(),
        None if answer.runs == 1 => "1 run".to_owned(),
        None => format!("{} runs", answer.runs),
    };
    let mut text = match total {
        0 => format!("{} asked in {runs}", counted_queries(answer.queries.len())),
        _ => format!("{located} of {total} points located in {runs}"),
    };
    if !expected.is_empty() {
        let _ = write!(text, ", {held} of {} expectations hold", expected.len());
    }
    match answer.outcome {
        Outcome::Held => paint.on(palette::HELD, text) + "\n",
        Outcome::TimedOut => paint.on(palette::FAILED, format!("{text}; the run timed out")) + "\n",
        Outcome::Interrupted => paint.on(palette::FAILED, format!("{text}; interrupted")) + "\n",
        _ => paint.on(palette::FAILED, text) + "\n",
    }
}

fn point(out: &mut String, p: &PointAnswer, paint: Paint) {
    out.push_str(&hanging(&format!("{}  {}", paint.on(palette::POINT, &p.id), p.question), 0, WIDTH));
    if !p.located {
        let reason = p.reason.as_deref().unwrap_or("unknown reason");
        let text = format!("{} {reason}", paint.on(palette::FAILED, "not located:"));
        out.push_str(&wrap(&words(&text), "", INDENT, WIDTH));
        rejected(out, p, paint);
        expectation(out, p, paint);
        out.push('\n');
        return;
    }
    let thread = p.thread.as_deref().unwrap_or("?");
    let mut place = vec![format!("{},", place_text(p))];
    match p.hit {
        Some(hit) => place.extend([format!("thread {thread},"), format!("hit {hit}")]),
        None => place.push(format!("thread {thread}")),
    }
    out.push_str(&wrap(&place, "", INDENT, WIDTH));
    if let Some(loader) = &p.loader {
        let LoaderAnswer { name, class, others } = loader;
        let plural = if *others == 1 { "class has" } else { "classes have" };
        row(out, "loader", format!("{name}; {others} other {plural} the name {class}"));
    }
    if let Some(own) = &p.own_frame {
        let text = format!("in your code: {}", paint.on(palette::POINT, frame_text(&own.frame)));
        out.push_str(&hanging(&text, INDENT, WIDTH));
        if let Some(text) = &own.text {
            let _ = writeln!(out, "{}  {}", " ".repeat(INDENT), clipped(text, WIDTH - INDENT - 2));
        }
    }
    if let Some(source) = snippet(p, paint.color) {
        for line in source.lines() {
            let _ = writeln!(out, "{}{line}", " ".repeat(INDENT));
        }
    } else if let Some(text) = p.text.as_ref().or(p.assigned.as_ref()) {
        let _ = writeln!(out, "{}  {}", " ".repeat(INDENT), clipped(text, WIDTH - INDENT - 2));
    }
    statement(out, p);
    if let Some(CopiedAnswer { file, line, text }) = &p.copied_from {
        let text = text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        row(out, "copied from", format!("{file}:{line}{text}"));
    }
    let mut values = Values { contents: &p.contents, shown: HashSet::new(), paint };
    change(out, p, &mut values);
    omitted(out, p, paint);
    condition(out, p, &mut values);
    exception(out, p, &mut values);
    if let Some(result) = &p.result {
        row(out, "returned", values.full(result));
    }
    let collected: Vec<String> =
        p.collected.iter().map(|(e, v)| format!("{e} = {}", values.full(v))).collect();
    out.push_str(&wrap(&collected, ",", INDENT, WIDTH));
    stack(out, p, paint);
    out.push_str(&way(&p.steps, WIDTH, INDENT));
    for note in &p.notes {
        out.push_str(&wrap(&words(&format!("note: {note}")), "", INDENT, WIDTH));
    }
    rejected(out, p, paint);
    expectation(out, p, paint);
    out.push('\n');
}

/// The values of a point with their contents, each object's contents once.
struct Values<'a> {
    contents: &'a IndexMap<String, String>,
    shown: HashSet<&'a str>,
    paint: Paint,
}

impl Values<'_> {
    fn full(&mut self, value: &str) -> String {
        match self.contents.get_key_value(value) {
            Some((name, contents)) if self.shown.insert(name) => {
                format!("{} {contents}", self.paint.on(palette::VALUE, value))
            }
            _ => self.paint.on(palette::VALUE, value),
        }
    }

    /// The owner of a changed part; only a collection has contents.
    fn owner(&mut self, owner: &str) -> String {
        match self.contents.get_key_value(owner) {
            Some((name, contents)) if self.shown.insert(name) => format!("{owner} {contents}"),
            _ => owner.to_owned(),
        }
    }
}

fn row(out: &mut String, name: &str, value: String) {
    out.push_str(&wrap(&[format!("{name}:"), value], "", INDENT, WIDTH));
}

/// The place of a located point.
pub fn place_text(p: &PointAnswer) -> String {
    let method = p.method_text().unwrap_or_else(|| "?".to_owned());
    match (&p.file, p.line) {
        (Some(file), Some(line)) => format!("{method} ({file}:{line})"),
        (_, Some(line)) => format!("{method} (line {line})"),
        _ => format!("{method} (index {}, no line table)", p.bci.unwrap_or_default()),
    }
}

/// The first line of the statement, if it is another line.
fn statement(out: &mut String, p: &PointAnswer) {
    let Some(begins) = &p.statement else { return };
    let text = begins.text.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
    row(out, "statement", format!("line {}{text}", begins.line));
}

fn change(out: &mut String, p: &PointAnswer, values: &mut Values<'_>) {
    let Some(new) = &p.new else {
        match (&p.owner, &p.by) {
            (Some(stream), Some(by)) => row(out, "printed", format!("on {}, by {by}", values.owner(stream))),
            (Some(made), None) => row(out, "object", values.full(made)),
            (None, _) => {}
        }
        return;
    };
    let mut value = |v: &str| values.full(v);
    let text = match &p.old {
        // A collection of unchanged size can have changed contents.
        Some(old) if old != new || (p.by.is_some() && !p.unchanged) => {
            format!("{} → {}", value(old), value(new))
        }
        Some(_) => format!("{} (unchanged)", value(new)),
        None => value(new),
    };
    let name = match &p.old {
        Some(_) => "change",
        None if p.steps.is_empty() => "read",
        None => "value",
    };
    let of = p.owner.as_ref().map(|owner| match &p.by {
        Some(_) => format!(", of {}", values.owner(owner)),
        None => format!(", of {owner}"),
    });
    let of = of.unwrap_or_default();
    let by = p.by.as_ref().map(|by| format!(", by {by}")).unwrap_or_default();
    row(out, name, format!("{text}{of}{by}"));
    if !p.operands.is_empty() {
        row(out, "computed from", operands(p, values));
    }
}

/// The operands with their values. Contents of collected objects are shown there.
fn operands(p: &PointAnswer, values: &mut Values<'_>) -> String {
    let operands = p.operands.iter().map(|(text, value)| {
        let is_collected = p.collected.values().any(|collected| collected == value);
        let value = if is_collected { values.paint.on(palette::VALUE, value) } else { values.full(value) };
        format!("{text} = {value}")
    });
    operands.collect::<Vec<_>>().join(", ")
}

/// The jump at which an operation was lost, and the operation.
fn omitted(out: &mut String, p: &PointAnswer, paint: Paint) {
    let Some(omitted) = &p.omitted else { return };
    let outcome = paint.on(palette::FAILED, &omitted.outcome);
    let jump = p.condition.iter().map(|text| format!("{text} ")).collect::<String>();
    let (missed, all) = omitted.passes;
    row(out, "jump", format!("{jump}{outcome}, {}", of_passes(missed, all)));
    let (through, away) = calls_to(&omitted.chain);
    let place = omitted.line.map(|line| format!("  {}:{line}", short_class_name(&omitted.class)));
    let would = format!(
        "would run: {through}{}{}, on {} ({}{away})",
        paint.on(palette::VALUE, &omitted.operation),
        place.unwrap_or_default(),
        omitted.target,
        omitted.certainty
    );
    out.push_str(&hanging(&would, INDENT, WIDTH));
    match omitted.others {
        0 => {}
        1 => row(out, "others", "1 more suggestion: `qp omitted` shows it".to_owned()),
        many => row(out, "others", format!("{many} more suggestions: `qp omitted` shows them")),
    }
}

fn condition(out: &mut String, p: &PointAnswer, values: &mut Values<'_>) {
    if p.omitted.is_some() {
        return;
    }
    let (Some(condition), Some(taken)) = (&p.condition, &p.taken) else { return };
    let taken = values.paint.on(palette::VALUE, taken);
    let mut words = vec!["condition:".to_owned(), condition.clone()];
    match &p.decided_by {
        Some(operand) => words.push(format!("decided by {operand}, which was {taken}")),
        None => words.push(format!("was {taken}")),
    }
    if let Some(turns) = p.turns {
        let turns = if turns == 1 { "1 turn".to_owned() } else { format!("{turns} turns") };
        words.push(format!("after {turns} of the loop that went on"));
    }
    if !p.operands.is_empty() {
        words.push(format!("({})", operands(p, values)));
    }
    out.push_str(&wrap(&words, "", INDENT, WIDTH));
}

fn exception(out: &mut String, p: &PointAnswer, values: &mut Values<'_>) {
    let Some(e) = &p.exception else { return };
    let caught = match &e.caught {
        Some(frame) => format!("caught in {}", frame_text(frame)),
        None => "not caught".to_owned(),
    };
    let thrown = format!("thrown in {},", frame_text(&e.thrown));
    let object = format!("{},", values.full(&e.object));
    out.push_str(&wrap(&["exception:".to_owned(), object, thrown, caught], "", INDENT, WIDTH));
}

fn stack(out: &mut String, p: &PointAnswer, paint: Paint) {
    if p.stack.len() < 2 {
        return;
    }
    let callers = p.stack.len() - 1;
    let mut shown = 0;
    let most = if p.shows_all_frames { usize::MAX } else { FRAMES };
    let is_shown = |frame: &FrameAnswer| p.shows_all_frames || !frame.is_machinery;
    let frames = p.stack.iter().enumerate().skip(1).filter(|(_, frame)| is_shown(frame));
    for (number, frame) in frames.take(most) {
        // As in a reference: `A(1):total`.
        let text = format!("({number}) called from {}", frame_text(frame));
        out.push_str(&hanging(&paint.on(palette::DIM, text), INDENT, WIDTH));
        shown += 1;
    }
    if callers > shown {
        let text = format!("… and {} more", callers - shown);
        let _ = writeln!(out, "{}{}", " ".repeat(INDENT), paint.on(palette::DIM, text));
    }
}

fn rejected(out: &mut String, p: &PointAnswer, paint: Paint) {
    for r in &p.rejected {
        let owner = r.owner.as_ref().map(|o| format!(" of {o}")).unwrap_or_default();
        let text = format!("○ hit {} {}{owner}: {}", r.hit, frame_text(&r.place), r.reason);
        out.push_str(&wrap(&words(&paint.on(palette::DIM, text)), "", INDENT, WIDTH));
    }
}

fn expectation(out: &mut String, p: &PointAnswer, paint: Paint) {
    let Some(e) = p.expectation.as_ref().filter(|e| !e.held) else { return };
    for difference in &e.differences {
        row(out, &paint.on(palette::FAILED, "unexpected"), difference.clone());
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}
