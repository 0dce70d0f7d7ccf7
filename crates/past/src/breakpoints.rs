//! Breakpoints of a recording: where they are, and what else has to hold there.

use crate::expression::ExpressionAt;
use crate::line_steps::SourceLine;
use crate::name::Variable;
use model::written;
use std::collections::HashMap;
use trace::{Calls, EventPosition, Traced, TracedEvent};

/// Where a breakpoint is.
#[derive(Clone, Debug, PartialEq)]
pub enum BreakpointPlace {
    /// Where a line begins.
    Line(SourceLine),
    /// Where a method is entered: its name, or its class and name as in `Shop.pay`.
    Method(String),
    /// Where an exception is thrown.
    Thrown(ThrownPlace),
    /// Where a variable is written, or the contents of the collection that it refers to are changed; with its
    /// name as the user wrote it.
    Changed(Variable, String),
}

/// Which throws are meant.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ThrownPlace {
    /// Those that recorded code, or code that it called, catches.
    pub caught: bool,
    /// Those that leave all recorded code.
    pub uncaught: bool,
    /// Names of classes, with `*` for any part; a class stands for its subclasses too. None means any class.
    pub classes: Vec<String>,
}

/// A breakpoint as an editor asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakpointRequest {
    /// Where it is.
    pub place: BreakpointPlace,
    /// A boolean Java expression that has to hold there.
    pub condition: Option<String>,
    /// Which of the hits of a thread stop.
    pub hits: Option<HitCount>,
    /// A text with expressions in braces. It is printed for each hit, and nothing stops there.
    pub log: Option<String>,
}

impl BreakpointRequest {
    /// A breakpoint that stops at each hit.
    pub fn at(place: BreakpointPlace) -> BreakpointRequest {
        BreakpointRequest { place, condition: None, hits: None, log: None }
    }

    /// Why a breakpoint is never hit, if that is certain.
    fn problem(&self, calls: &Calls) -> Option<String> {
        let parses = |text: &String| match expr::Expr::parse(text) {
            Ok(_) => None,
            Err(error) => Some(format!("the condition `{text}` is no Java expression: {error}")),
        };
        if let Some(problem) = self.condition.as_ref().and_then(parses) {
            return Some(problem);
        }
        match &self.place {
            BreakpointPlace::Line(line) => {
                let is_recorded = calls.sites.all().any(|site| {
                    site.line.map(u32::from) == Some(line.line)
                        && calls.sites.method(site.method).is_some_and(|method| line.is_of(&method.class))
                });
                (!is_recorded).then(|| "no code of this line was recorded".to_owned())
            }
            BreakpointPlace::Method(name) => {
                let is_recorded = calls.sites.methods().iter().any(|method| is_named(method, name));
                (!is_recorded).then(|| "no recorded method has this name".to_owned())
            }
            BreakpointPlace::Thrown(_) | BreakpointPlace::Changed(..) => None,
        }
    }
}

/// Which hits are meant, counted from 1 in the order of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitCount {
    /// Only this one.
    Exactly(u64),
    /// This one and all later ones.
    From(u64),
    /// All up to this one.
    UpTo(u64),
    /// Each hit whose number is a multiple.
    Each(u64),
}

impl HitCount {
    /// `5` or `== 5`, `>= 5`, `> 5`, `<= 5`, `< 5`, `% 5`.
    pub fn parse(text: &str) -> Option<HitCount> {
        let text = text.trim();
        let digits = text.find(|c: char| c.is_ascii_digit())?;
        let (sign, number) = text.split_at(digits);
        let number: u64 = number.parse().ok().filter(|number| *number > 0)?;
        Some(match sign.trim() {
            "" | "=" | "==" => HitCount::Exactly(number),
            ">=" => HitCount::From(number),
            ">" => HitCount::From(number.saturating_add(1)),
            "<=" => HitCount::UpTo(number),
            "<" => HitCount::UpTo(number - 1),
            "%" => HitCount::Each(number),
            _ => return None,
        })
    }

    /// Whether the hit with this number is meant.
    pub fn includes(self, number: u64) -> bool {
        match self {
            HitCount::Exactly(n) => number == n,
            HitCount::From(n) => number >= n,
            HitCount::UpTo(n) => number <= n,
            HitCount::Each(n) => number.is_multiple_of(n),
        }
    }
}

/// The breakpoints that an editor sets together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BreakpointGroup {
    /// Those of a source file, by its name.
    File(String),
    /// Those on methods.
    Methods,
    /// Those on exceptions.
    Exceptions,
    /// Those on variables.
    Variables,
}

/// What became of a requested breakpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BreakpointState {
    /// Its number, by which stops name it.
    pub id: i64,
    /// Why it is never hit; `None` if it can be hit.
    pub problem: Option<String>,
}

/// The breakpoints of a debugger, in the order in which they were set.
#[derive(Default)]
pub struct Breakpoints {
    pub(crate) all: Vec<Breakpoint>,
    /// The number of the last breakpoint.
    last_id: i64,
}

impl Breakpoints {
    /// Replaces the breakpoints of a group. The states are in the order of the requests.
    pub fn replace(
        &mut self,
        group: &BreakpointGroup,
        requests: Vec<BreakpointRequest>,
        calls: &Calls,
    ) -> Vec<BreakpointState> {
        // A breakpoint that stays keeps its number and what is known of it.
        let (mut old, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.all).into_iter().partition(|known| known.group == *group);
        self.all = others;
        let mut states = Vec::new();
        for request in requests {
            let known = old.iter().position(|known| known.request == request);
            let breakpoint = match known {
                Some(known) => old.swap_remove(known),
                None => {
                    self.last_id += 1;
                    Breakpoint {
                        id: self.last_id,
                        group: group.clone(),
                        request,
                        conditions: HashMap::new(),
                        numbers: None,
                    }
                }
            };
            let problem = breakpoint.request.problem(calls);
            states.push(BreakpointState { id: breakpoint.id, problem });
            self.all.push(breakpoint);
        }
        states
    }

    /// The place of the first breakpoint with one of these numbers.
    pub(crate) fn first_place(&self, ids: &[i64]) -> Option<&BreakpointPlace> {
        self.all.iter().find(|known| ids.contains(&known.id)).map(|known| &known.request.place)
    }
}

/// A breakpoint that was set.
pub(crate) struct Breakpoint {
    pub id: i64,
    pub group: BreakpointGroup,
    pub request: BreakpointRequest,
    /// Its condition, by method and code index.
    pub conditions: HashMap<(u32, u32), Result<ExpressionAt, String>>,
    /// The numbers of the hits in their threads, if it counts hits.
    pub numbers: Option<HashMap<EventPosition, u64>>,
}

impl Breakpoint {
    /// Whether it is at an event. Of the throws it may be at more, since one event does not tell whether the
    /// exception is caught.
    pub fn may_be_at(&self, calls: &Calls, seen: &TracedEvent<'_>) -> bool {
        match &self.request.place {
            BreakpointPlace::Line(line) => line.is_at(calls, seen),
            BreakpointPlace::Method(name) => {
                seen.site.what == Traced::Enter && seen.method(calls).is_some_and(|m| is_named(m, name))
            }
            BreakpointPlace::Thrown(_) => matches!(seen.site.what, Traced::Throw | Traced::Raised),
            BreakpointPlace::Changed(..) => false,
        }
    }
}

/// Whether a method has this name, or this class and name.
pub(crate) fn is_named(method: &trace::Method, name: &str) -> bool {
    let name = name.split('(').next().unwrap_or(name).trim();
    if written::is_method(&method.class, &method.name, name) {
        return true;
    }
    match name.rsplit_once('.') {
        None => method.name == name,
        Some((class, name)) => {
            let whole = method.class.replace('$', ".");
            let ends = whole == class || whole.strip_suffix(class).is_some_and(|rest| rest.ends_with('.'));
            let simple = class.rsplit('.').next();
            let is_constructor = method.name == "<init>" && simple == Some(name);
            (method.name == name || is_constructor) && (ends || *method.class == *class)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HitCount;

    #[test]
    fn hit_counts_are_read_as_editors_write_them() {
        let which = |text: &str| {
            let count = HitCount::parse(text).unwrap_or_else(|| panic!("{text}"));
            (1..=6).filter(|n| count.includes(*n)).collect::<Vec<u64>>()
        };
        assert_eq!(which("3"), [3]);
        assert_eq!(which("== 3"), [3]);
        assert_eq!(which(">=5"), [5, 6]);
        assert_eq!(which("> 5"), [6]);
        assert_eq!(which("<= 2"), [1, 2]);
        assert_eq!(which("< 2"), [1]);
        assert_eq!(which("% 3"), [3, 6]);
        for wrong in ["", "x", "0", "!= 3", "3 x", "-1"] {
            assert_eq!(HitCount::parse(wrong), None, "{wrong}");
        }
    }
}
