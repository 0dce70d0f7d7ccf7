//! A source line with its neighbours. The expression is marked if its text is unique in the line.

use super::{clipped, columns};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use answer::PointAnswer;

/// Width of the output and of its indentation, in columns.
const WIDTH: usize = 80;
const INDENT: usize = 3;

/// The source around a point; none when the source is unavailable. Each line is clipped on its own, and the
/// marked one keeps its mark visible.
pub fn snippet(point: &PointAnswer, color: bool) -> Option<String> {
    let line = point.line?;
    let first = point.neighbours.first()?.0;
    let last = point.neighbours.last()?.0;
    let at = point.neighbours.iter().position(|(number, _)| *number == line)?;
    let room = WIDTH - INDENT - last.to_string().len() - " | ".len();
    let source_line = &point.neighbours.get(at)?.1;
    let (start, length) = marked(point, source_line);
    let mut text = Vec::new();
    let mut span = 0..0;
    let mut before = 0;
    for (number, (_, neighbour)) in point.neighbours.iter().enumerate() {
        let shown = if number == at {
            let (shown, from) = window(neighbour, start, length, room);
            let until = (from + length).min(shown.trim_end_matches('…').len().max(from + 1));
            span = before + from..before + until.min(shown.len());
            shown
        } else {
            clipped(neighbour, room)
        };
        before += shown.len() + 1;
        text.push(shown);
    }
    let source = text.join("\n");
    let snippet = Snippet::source(source.as_str())
        .line_start(first as usize)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(span));
    let report = &[Level::INFO.no_name().secondary_title("").element(snippet)];
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    // The lines already fit, so the library, which would crop all of them alike, crops nothing.
    let rendered = renderer.term_width(2 * WIDTH).render(report);
    // Keep only the source: the point's header replaces the title.
    let body: Vec<&str> = rendered.lines().filter(|l| l.contains('|')).map(str::trim_end).collect();
    (!body.is_empty()).then(|| body.join("\n"))
}

/// Offset and length of the mark in the shown line, in bytes; without a mark, of the whole line.
fn marked(point: &PointAnswer, shown: &str) -> (usize, usize) {
    let indent = shown.len() - shown.trim_start().len();
    let whole = (indent, shown.trim().len());
    let (Some((offset, length)), Some(text)) = (point.mark, &point.text) else { return whole };
    let byte = |n: usize| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    // The mark counts characters of the file's line, where the shown line has spaces for tabs.
    let spaced = |part: Option<&str>| part.map(|part| part.replace('\t', "    ").len());
    let (start, end) = (byte(offset), byte(offset + length));
    match (spaced(text.get(..start)), spaced(text.get(start..end))) {
        (Some(start), Some(length)) if indent + start + length <= shown.len() => (indent + start, length),
        _ => whole,
    }
}

/// Clips a line so that its mark is visible, from the start of the line if possible. Also returns the offset
/// of the mark.
fn window(line: &str, start: usize, length: usize, room: usize) -> (String, usize) {
    let end = (start + length).min(line.len());
    let head = columns(line.get(..end).unwrap_or(line));
    if head < room || columns(line) <= room {
        return (clipped(line, room), start);
    }
    let marked = columns(line.get(start..end).unwrap_or_default());
    // Keep some text before the mark, as far as there is room.
    let before = room.saturating_sub(marked + 2).min(room / 2);
    let mut from = start;
    for (at, _) in line.get(..start).unwrap_or_default().char_indices().rev() {
        if columns(line.get(at..start).unwrap_or_default()) > before {
            break;
        }
        from = at;
    }
    if from == 0 {
        return (clipped(line, room), start);
    }
    let shown = format!("…{}", line.get(from..).unwrap_or_default());
    (clipped(&shown, room), '…'.len_utf8() + start - from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(lines: &[&str], at: u32, mark: &str) -> String {
        let text = lines[at as usize - 1].trim().to_owned();
        let mark = text.find(mark).map(|from| (text[..from].chars().count(), mark.chars().count()));
        let neighbours = (1..).zip(lines.iter().map(|line| line.replace('\t', "    "))).collect();
        let point =
            PointAnswer { line: Some(at), text: Some(text), neighbours, mark, ..PointAnswer::default() };
        snippet(&point, false).unwrap()
    }

    #[test]
    fn a_long_line_is_clipped_alone_and_the_mark_stays_below_its_text() {
        let long = format!("        call({});", "argument, ".repeat(20));
        let marked = format!("        int x = {}+ theCulprit + 1;", "something + ".repeat(10));
        let text = shown(&["    short = line;", &long, &marked, "\tint\ty = f(\tz);"], 3, "theCulprit");
        assert!(text.lines().all(|line| columns(line) <= WIDTH - INDENT), "{text}");
        assert!(text.contains("|     short = line;"), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        let culprit = lines.iter().position(|line| line.contains("theCulprit")).unwrap();
        let below = lines[culprit + 1];
        let at = |line: &str, what: &str| line.find(what).map(|at| line[..at].chars().count());
        assert_eq!(at(below, "^^^^^^^^^^"), at(lines[culprit], "theCulprit"), "{text}");
    }

    #[test]
    fn tabs_before_a_mark_move_it() {
        let text = shown(&["\tint\ty = f(\tz);"], 1, "f(\tz)");
        let lines: Vec<&str> = text.lines().collect();
        let at = lines.iter().position(|line| line.contains("f(")).unwrap();
        assert_eq!(lines[at + 1].find('^'), lines[at].find("f("), "{text}");
    }
}
