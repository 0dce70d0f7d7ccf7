//! Several replays of one chain: the places of each point with their counts, the values that vary, and the
//! first point at which the replays differ.

use super::{Paint, Text, palette, wrap};
use command::replay::ReplayOutcome;
use indexmap::IndexMap;
use replay::repeat::{RepeatedPlace, RepeatedPoint, RepeatedReplay};
use std::fmt::Write as _;

const WIDTH: usize = 80;

impl Text for ReplayOutcome {
    fn text(&self, color: bool) -> String {
        match self {
            ReplayOutcome::Once(answer) => answer.text(color),
            ReplayOutcome::Repeatedly(counted) => repeated(counted, color),
        }
    }
}

/// The counted answers as text.
fn repeated(repeated: &RepeatedReplay, color: bool) -> String {
    let paint = Paint { color };
    let mut out = String::new();
    for point in &repeated.points {
        let _ = writeln!(out, "{}  {}", paint.on(palette::POINT, &point.id), point.question);
        places(&mut out, point, repeated.replays);
        out.push('\n');
    }
    let replays =
        if repeated.replays == 1 { "1 replay".to_owned() } else { format!("{} replays", repeated.replays) };
    let outcomes: Vec<String> = repeated.outcomes.iter().map(|(o, n)| format!("{n} {o}")).collect();
    let style = if repeated.exit_code == 0 { palette::HELD } else { palette::FAILED };
    let _ = writeln!(out, "{}", paint.on(style, format!("{replays}: {}", outcomes.join(", "))));
    match &repeated.first_difference {
        Some(id) => out.push_str(&format!("They differ first at {}.\n", paint.on(palette::POINT, id))),
        None if repeated.replays > 1 => out.push_str("They do not differ.\n"),
        None => {}
    }
    out
}

fn places(out: &mut String, point: &RepeatedPoint, replays: u32) {
    let several = point.places.len() + point.missing.len() > 1;
    for (n, place) in point.places.iter().enumerate() {
        let of = if n == 0 {
            format!("{} of {replays} replays", place.replays)
        } else {
            place.replays.to_string()
        };
        let text = place.text.as_ref().map(|t| format!(": {t}")).unwrap_or_default();
        line(out, 3, &format!("{} in {of}{text}", at(place)));
        for (name, counts) in &place.values {
            // Show a constant value only where it is the answer itself.
            let is_answer = matches!(name.as_str(), "new" | "taken" | "exception");
            if counts.len() > 1 || several && is_answer {
                line(out, 6, &format!("{name}: {}", counted(counts)));
            }
        }
    }
    for (reason, n) in &point.missing {
        line(out, 3, &format!("not located in {n}: {reason}"));
    }
}

fn at(place: &RepeatedPlace) -> String {
    let file = place.file.as_deref().unwrap_or(&place.class);
    match (place.line, place.bci) {
        (Some(line), _) => format!("{file}:{line}"),
        (None, Some(bci)) => format!("{}@{bci}", model::method_text(&place.class, &place.method)),
        (None, None) => model::method_text(&place.class, &place.method),
    }
}

fn counted(counts: &IndexMap<String, u32>) -> String {
    if let (1, Some((value, _))) = (counts.len(), counts.first()) {
        return value.clone();
    }
    let mut counts: Vec<(&String, &u32)> = counts.iter().collect();
    counts.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let shown = counts.iter().take(5).map(|(value, n)| format!("{value} in {n}"));
    let mut text = shown.collect::<Vec<_>>().join(", ");
    if counts.len() > 5 {
        let _ = write!(text, ", and {} more", counts.len() - 5);
    }
    text
}

fn line(out: &mut String, indent: usize, text: &str) {
    let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    out.push_str(&wrap(&words, "", indent, WIDTH));
}
