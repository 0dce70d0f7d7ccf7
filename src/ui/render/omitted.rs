//! Omissions as text: each jump, what would have run, and how sure that is.

use super::{Paint, Text, hanging, hanging_at, palette};
use model::{short_class_name, short_method_name};
use omission::{
    Certainty as OmissionCertainty, Confirmation, FlippedPasses, OmissionAnswer, Place as OmissionPlace,
    Suggestion, TriedSuggestion, Verdict as FlipVerdict,
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
        // One jump can lose several operations.
        let mut jumps: Vec<Vec<&TriedSuggestion>> = Vec::new();
        for of in &self.suggestions {
            let jump = &of.suggestion.jump;
            match jumps.iter_mut().find(|known| known.first().is_some_and(|of| of.suggestion.jump == *jump)) {
                Some(known) => known.push(of),
                None => jumps.push(vec![of]),
            }
        }
        let width = jumps.len().to_string().len();
        for (number, jump) in (1..).zip(&jumps) {
            out.push_str(&one(number, width, jump, &self.target, paint));
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

/// The suggestions of a jump by their number; `width` is that of the largest number.
pub fn one(number: usize, width: usize, of_jump: &[&TriedSuggestion], target: &str, paint: Paint) -> String {
    let Some(Suggestion { jump, passes, .. }) = of_jump.first().map(|first| &first.suggestion) else {
        return String::new();
    };
    let passed = of_passes(passes.missed, passes.all);
    let outcome = jump.outcome(&paint.on(palette::FAILED, &jump.was));
    let what = jump.text().map_or(outcome.clone(), |text| format!("{text}   {outcome}"));
    let first = format!("{number:>width$}  {}   {what}, {passed}", at(&jump.place));
    let mut out = hanging_at(&first, 0, width + 2, WIDTH);
    for (nth, tried) in of_jump.iter().enumerate() {
        let Suggestion { operation, certainty, .. } = &tried.suggestion;
        let sure = match certainty {
            OmissionCertainty::Certain => paint.on(palette::HELD, certainty.words()),
            OmissionCertainty::May | OmissionCertainty::ByType => certainty.words().to_owned(),
        };
        let (through, away) = calls_to(&operation.chain);
        let would = format!(
            "would run  {through}{}  {}, on {target} ({sure}{away})",
            paint.on(palette::VALUE, &operation.text),
            line_of(&operation.place)
        );
        out.push_str(&hanging(&would, width + 2, WIDTH));
        // The operations behind a jump mostly share a try.
        let next = of_jump.get(nth + 1);
        if let Some(confirmation) = &tried.confirmation
            && next.is_none_or(|next| next.confirmation.as_ref() != Some(confirmation))
        {
            out.push_str(&hanging(&confirmed(confirmation, paint), width + 2, WIDTH));
        }
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

/// What became of a jump that was tried.
fn confirmed(Confirmation { verdict, found, passes, flipped }: &Confirmation, paint: Paint) -> String {
    let style = if *verdict == FlipVerdict::Right { palette::HELD } else { palette::FAILED };
    let at = match passes {
        FlippedPasses::One => String::new(),
        FlippedPasses::EqualOperands => format!(" at {flipped} passes with equal operands"),
        FlippedPasses::Two => " at two passes".to_owned(),
        FlippedPasses::All => format!(" at all {flipped} passes"),
        FlippedPasses::Inverted => " with the condition inverted".to_owned(),
        FlippedPasses::OncePerLoop => format!(" once per loop, {flipped} times"),
        FlippedPasses::BeforeThrow => " before the throw".to_owned(),
    };
    format!("taken the other way{at}: {}: {found}", paint.on(style, verdict.words()))
}

/// The calls from a jump to an operation, and their number, as text.
pub(super) fn calls_to(chain: &[String]) -> (String, String) {
    let away = match chain.len().saturating_sub(1) {
        0 => String::new(),
        1 => ", 1 call away".to_owned(),
        many => format!(", {many} calls away"),
    };
    (chain.iter().skip(1).map(|name| format!("{name}() → ")).collect(), away)
}

/// How many passes of a jump missed the way, as text.
pub(super) fn of_passes(missed: u64, all: u64) -> String {
    format!("{missed} of {all} {}", if all == 1 { "pass" } else { "passes" })
}

fn at(place: &OmissionPlace) -> String {
    let method = short_method_name(&place.class, &place.method);
    match place.line {
        Some(line) => format!("{method}:{line}"),
        None => method,
    }
}

fn line_of(place: &OmissionPlace) -> String {
    let class = short_class_name(&place.class);
    let method = || short_method_name(&place.class, &place.method);
    place.line.map_or_else(method, |line| format!("{class}:{line}"))
}
