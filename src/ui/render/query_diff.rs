//! The differences of two answers as text.

use super::query::{shown_row, shown_solution};
use super::{Paint, counted, hanging, palette};
use logic::rules::AskedSolution;
use logic::saved::{AnswerDifference, ChangedPart, ComparedRow, RowDifference, RowSide};

/// Width of a line, in columns.
const WIDTH: usize = 80;

/// The differences as text.
pub(super) fn difference(found: &AnswerDifference, paint: Paint) -> String {
    let mut out = String::new();
    for (name, (question, recording)) in ["A", "B"].iter().zip(found.questions.iter().zip(&found.recordings))
    {
        out.push_str(&hanging(&format!("{name}: {question}, {recording}"), 0, WIDTH));
    }
    out.push('\n');
    for part in &found.whole {
        changed(&mut out, part, 0, paint);
    }
    for row in &found.rows {
        match row {
            RowDifference::OnlyInA { a } => side(&mut out, "- only in A", a, palette::HELD, paint),
            RowDifference::OnlyInB { b } => side(&mut out, "+ only in B", b, palette::FAILED, paint),
            RowDifference::Changed { a, b, parts } => {
                let heading = match a.number == b.number {
                    true => format!("~ row {} differs", a.number),
                    false => format!("~ row {} of A and row {} of B differ", a.number, b.number),
                };
                out.push_str(&format!("{}\n", paint.on(palette::POINT, heading)));
                out.push_str(&row_text(&a.row));
                parts.iter().for_each(|part| changed(&mut out, part, 4, paint));
            }
        }
    }
    if !found.renamed.is_empty() {
        let pairs: Vec<String> = found.renamed.iter().map(|[a, b]| format!("{a} is {b}")).collect();
        out.push_str(&hanging(&format!("objects of A in B: {}", pairs.join(", ")), 0, WIDTH));
    }
    for note in &found.notes {
        out.push_str(&hanging(&format!("note: {note}"), 0, WIDTH));
    }
    let same = counted(u64::try_from(found.same).unwrap_or(u64::MAX), "row");
    match found.is_equal() {
        true => out.push_str(&format!("{}\n", paint.on(palette::HELD, format!("equal: {same} in both")))),
        false => {
            let differ = counted(u64::try_from(found.rows.len()).unwrap_or(u64::MAX), "row");
            let text = format!("different: {differ}; {same} the same in both");
            out.push_str(&format!("{}\n", paint.on(palette::FAILED, text)));
        }
    }
    out
}

fn side(out: &mut String, heading: &str, side: &RowSide, style: anstyle::Style, paint: Paint) {
    out.push_str(&format!("{}\n", paint.on(style, format!("{heading}, row {}", side.number))));
    out.push_str(&row_text(&side.row));
}

/// A row, indented.
fn row_text(row: &ComparedRow) -> String {
    let plain = Paint { color: false };
    let text = match row {
        ComparedRow::Row(row) => shown_row(row, plain),
        ComparedRow::Solution(bindings) => {
            let solution = AskedSolution { bindings: bindings.clone(), terms: Vec::new() };
            shown_solution(&solution, true, plain)
        }
        ComparedRow::Output(text) => format!("{text}\n"),
    };
    text.lines().map(|line| hanging(line.trim_start(), 4, WIDTH)).collect()
}

fn changed(out: &mut String, part: &ChangedPart, indent: usize, paint: Paint) {
    for (name, style, value) in [("A", palette::HELD, &part.a), ("B", palette::FAILED, &part.b)] {
        let value = value.as_deref().unwrap_or("none");
        let text = hanging(&format!("{name} {}: {value}", part.part), indent + 2, WIDTH);
        out.push_str(&format!("{}\n", paint.on(style, text.trim_end_matches('\n'))));
    }
}
