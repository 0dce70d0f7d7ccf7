//! The estimated cost of a replay, as a table of 80 columns with notes.

use comfy_table::{Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use replay::cost::{Cost, PointCost};
use replay::cost_model::Forecast;
use trace::thousands;

/// Maximum width of the table, in characters.
const WIDTH: u16 = 80;
/// Minimum width of a column of numbers, with its margins.
const NUMBER: u16 = 13;
/// The text of an unknown value.
const NOTHING: &str = "-";

/// The table, then the notes.
pub fn cost(cost: &Cost) -> String {
    let mut table = Table::new();
    table.load_style(presets::ASCII_FULL_CONDENSED);
    table.set_content_arrangement(ContentArrangement::Dynamic).set_width(WIDTH);
    table.set_header(row("Point", "Querypoint", ["Hits", "JDWP", "Probes"].map(str::to_owned)));
    // Wide enough for usual numbers: times differ between runs, and the table should not.
    for number in table.column_iter_mut().skip(2) {
        number.set_constraint(ColumnConstraint::LowerBoundary(Width::Fixed(NUMBER)));
    }
    if let Some(plain_s) = cost.plain_s {
        let plain = time(&Forecast { seconds: plain_s, at_least: false });
        table.add_row(row("", "the program alone", [String::new(), plain.clone(), plain]));
    }
    for point in &cost.points {
        let times = [&point.jdwp, &point.probe].map(|f| f.as_ref().map_or(NOTHING.to_owned(), more));
        let [jdwp, probe] = times;
        table.add_row(row(&point.id, &point.question, [hits(point), jdwp, probe]));
    }
    if let Some(entries) = &cost.entries {
        let cells = [thousands(entries.hits), more(&entries.jdwp), NOTHING.to_owned()];
        table.add_row(row("", "calls, to tell activations apart", cells));
    }
    let [jdwp, probe] = [&cost.jdwp, &cost.probe].map(|f| f.as_ref().map_or(NOTHING.to_owned(), time));
    table.add_row(row("", "a replay", [String::new(), jdwp, probe]));
    let mut out = format!("{table}\n\n");
    out.push_str(&format!("`--backend auto` begins with {}\n", backend(cost.auto)));
    for note in notes(cost) {
        let words: Vec<String> = format!("note, {note}").split(' ').map(str::to_owned).collect();
        let text = super::wrap(&words, "", 2, WIDTH.into());
        out.push_str(text.strip_prefix("  ").unwrap_or(&text));
    }
    out
}

fn backend(name: &str) -> &str {
    if name == "probe" { "probes" } else { "JDWP events" }
}

fn row(point: &str, question: &str, numbers: [String; 3]) -> Vec<Cell> {
    let numbers = numbers.map(|text| Cell::new(text).set_alignment(CellAlignment::Right));
    [Cell::new(point), Cell::new(question)].into_iter().chain(numbers).collect()
}

fn notes(cost: &Cost) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(ended) = &cost.cut_off {
        notes.push(format!(
            "the run did not reach its end ({ended}): the hits are counted up to there, and a full run takes longer"
        ));
    }
    for point in &cost.points {
        notes.extend(point.uncounted.iter().map(|why| format!("{} is not counted: {why}", point.id)));
    }
    notes.extend(cost.notes.iter().cloned());
    if cost.plain_s.is_some() {
        notes.push(
            "the times are of a program that runs to its end; a replay ends it when every point is located"
                .to_owned(),
        );
    }
    notes
}

fn hits(point: &PointCost) -> String {
    let bound = if point.at_least { "≥ " } else { "" };
    point.hits.map_or(NOTHING.to_owned(), |hits| format!("{bound}{}", thousands(hits)))
}

/// The additional time of a point.
fn more(forecast: &Forecast) -> String {
    format!("+ {}", time(forecast))
}

/// A time with at most two digits: the estimate is less precise than that.
fn time(forecast: &Forecast) -> String {
    let bound = if forecast.at_least { "≥ " } else { "" };
    let text = match forecast.seconds {
        s if s < 0.000_95 => "0 ms".to_owned(),
        s if s < 0.095 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5970.0 => format!("{:.0} min", s / 60.0),
        s if s < 48.0 * 3600.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86400.0),
    };
    format!("{bound}{text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_numbers_are_short() {
        let of = |seconds: f64| time(&Forecast { seconds, at_least: false });
        let said = [0.0, 0.0011, 0.12, 7.0, 61.0, 600.0, 7300.0, 1e6].map(of);
        assert_eq!(said, ["0 ms", "1 ms", "0.1 s", "7.0 s", "61 s", "10 min", "2 h", "12 days"]);
        assert_eq!(time(&Forecast { seconds: 7.0, at_least: true }), "≥ 7.0 s");
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }
}
