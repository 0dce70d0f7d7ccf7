//! A source line with its neighbours, and the expression marked in it where its text is unique.

use crate::session::PointAnswer;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

/// The source around a point; nothing when the source is not at hand.
pub fn snippet(point: &PointAnswer, color: bool) -> Option<String> {
    let line = point.line?;
    let first = point.neighbours.first()?.0;
    let text: Vec<&str> = point.neighbours.iter().map(|(_, text)| text.as_str()).collect();
    let at = point.neighbours.iter().position(|(number, _)| *number == line)?;
    let before: usize = text.get(..at)?.iter().map(|t| t.len() + 1).sum();
    let source_line = text.get(at)?;
    let indent = source_line.len() - source_line.trim_start().len();
    let trimmed = source_line.trim();
    let (start, length) = match point.mark {
        Some((offset, length)) => {
            let bytes = |n: usize| trimmed.char_indices().nth(n).map_or(trimmed.len(), |(i, _)| i);
            (bytes(offset), bytes(offset + length) - bytes(offset))
        }
        None => (0, trimmed.len()),
    };
    let start = before + indent + start;
    let source = text.join("\n");
    let snippet = Snippet::source(source.as_str())
        .line_start(first as usize)
        .fold(false)
        .annotation(AnnotationKind::Primary.span(start..start + length));
    let report = &[Level::INFO.no_name().secondary_title("").element(snippet)];
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let rendered = renderer.term_width(80).render(report);
    // The title is the point's own header, printed before; only the source is wanted here.
    let body: Vec<&str> = rendered.lines().filter(|l| l.contains('|')).map(str::trim_end).collect();
    (!body.is_empty()).then(|| body.join("\n"))
}
