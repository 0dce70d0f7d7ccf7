//! Omissions as text: each jump, what would have run, and how sure that is.

use super::{Paint, Text, hanging, hanging_at, palette};
use crate::model::short_class_name;
use crate::session::{
    Confirmation, FlipVerdict, JumpKind, OmissionAnswer, OmissionCertainty, OmissionPlace, Suggestion,
    TriedSuggestion,
};

/// Width of a line, in columns.
const WIDTH: usize = 80;

impl Text for OmissionAnswer {
    fn text(&self, color: bool) -> String {
        let paint = Paint { color };
        let value = match self.value.as_str() {
            "" => String::new(),
            value if *value == self.target => String::new(),
            value => format!(" = {}", paint.on(palette::VALUE, value)),
        };
        let mut out = format!("{}{value} at {}\n", paint.on(palette::POINT, &self.target), self.at);
        if self.suggestions.is_empty() {
            out.push_str("no omission found\n");
        }
        let width = self.suggestions.len().to_string().len();
        for (number, suggestion) in (1..).zip(&self.suggestions) {
            out.push_str(&one(number, width, suggestion, &self.target, paint));
        }
        if self.more > 0 {
            out.push_str(&format!("{} more, which are less likely: --limit shows them\n", self.more));
        }
        for reason in self.reasons.iter().chain(&self.notes) {
            out.push_str(&paint.on(palette::DIM, hanging(reason, 0, WIDTH).trim_end()));
            out.push('\n');
        }
        out
    }
}

fn one(number: usize, width: usize, tried: &TriedSuggestion, target: &str, paint: Paint) -> String {
    let Suggestion { jump, passes, operation, certainty, .. } = &tried.suggestion;
    let passed = match (passes.missed, passes.all) {
        (missed, all) if missed == all => {
            format!("{all} of {all} {}", if all == 1 { "pass" } else { "passes" })
        }
        (missed, all) => format!("{missed} of {all} passes"),
    };
    let condition = jump.condition.as_deref().unwrap_or("a branch");
    let was = paint.on(palette::FAILED, &jump.was);
    let what = match jump.kind {
        JumpKind::Branch if condition.starts_with("switch") => {
            format!("{condition}   was {was}, not {}", jump.would_be)
        }
        JumpKind::Branch => format!("if ({condition})   was {was}"),
        JumpKind::LoopEnd => format!("loop while {condition}   ended"),
        JumpKind::Exception => format!("threw {was}"),
        JumpKind::Dispatch => format!("{condition}   ran {was}, not {}", jump.would_be),
    };
    let first = format!("{number:>width$}  {}   {what}, {passed}", at(&jump.place));
    let mut out = hanging_at(&first, 0, width + 2, WIDTH);
    let sure = match certainty {
        OmissionCertainty::Certain => paint.on(palette::HELD, "certain"),
        OmissionCertainty::May => "may".to_owned(),
        OmissionCertainty::ByType => "by type".to_owned(),
    };
    let calls = operation.chain.len().saturating_sub(1);
    let away = match calls {
        0 => String::new(),
        1 => ", 1 call away".to_owned(),
        many => format!(", {many} calls away"),
    };
    let through = operation.chain.iter().skip(1).map(|name| format!("{name}() → ")).collect::<String>();
    let would = format!(
        "would run  {through}{}  {}, on {target} ({sure}{away})",
        paint.on(palette::VALUE, &operation.text),
        line_of(&operation.place)
    );
    out.push_str(&hanging(&would, width + 2, WIDTH));
    if let Some(Confirmation { verdict, found }) = &tried.confirmation {
        let style = if *verdict == FlipVerdict::Right { palette::HELD } else { palette::FAILED };
        let text = format!("taken the other way: {}: {found}", paint.on(style, verdict.words()));
        out.push_str(&hanging(&text, width + 2, WIDTH));
    }
    if let (Some(operand), Some(line)) = (&jump.operand, jump.place.line) {
        let class = short_class_name(&jump.place.class);
        let next = format!("next: qp why {operand} --at {class}:{line}");
        out.push_str(&" ".repeat(width + 2));
        out.push_str(&paint.on(palette::DIM, next));
        out.push('\n');
    }
    out
}

fn at(place: &OmissionPlace) -> String {
    let class = short_class_name(&place.class);
    match place.line {
        Some(line) => format!("{class}.{}:{line}", place.method),
        None => format!("{class}.{}", place.method),
    }
}

fn line_of(place: &OmissionPlace) -> String {
    let class = short_class_name(&place.class);
    place.line.map_or_else(|| format!("{class}.{}", place.method), |line| format!("{class}:{line}"))
}
