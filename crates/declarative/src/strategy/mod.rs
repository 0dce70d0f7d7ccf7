//! The strategies that choose the next question: one file each, and one row each in [`STRATEGIES`].

mod by_coverage;
mod by_yes;
mod foremost;
mod hat_delta;
mod heaviest_first;
mod hirunkitti_hogger;
mod less_yes_first;
mod more_rules_first;
mod optimal;
mod shapiro;
mod single_stepping;
mod top_down;
mod zooming;

use super::forest::Row;
use super::situation::Situation;
use super::weights::Weights;

/// Chooses the next question.
pub trait Strategy {
    /// Chooses a call that can be asked about; `None` when the strategy has no preference.
    fn choose(&self, situation: &Situation<'_>) -> Option<u32>;
}

/// The coverage that a strategy needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// No coverage.
    Nothing,
    /// The control flow edges that calls cover.
    Edges,
    /// The def-use chains that calls cover.
    Chains,
}

/// A strategy.
pub struct StrategyRow {
    /// Its name.
    pub name: &'static str,
    /// A short description for users.
    pub about: &'static str,
    /// The coverage it needs.
    pub needs: Needs,
    /// Whether it treats a recursion as one call by default.
    pub compresses: bool,
    /// Creates the strategy; the number is `p` of JHyde §2.4, if it has one.
    make: fn(Option<f64>) -> Box<dyn Strategy>,
}

const fn row(
    name: &'static str,
    about: &'static str,
    needs: Needs,
    make: fn(Option<f64>) -> Box<dyn Strategy>,
) -> StrategyRow {
    StrategyRow { name, about, needs, compresses: false, make }
}

/// All strategies; the first one is the default.
pub const STRATEGIES: &[StrategyRow] = &[
    StrategyRow {
        compresses: true,
        ..row(
            "foremost",
            "least expected uncertainty by edge coverage; a recursion is one call",
            Needs::Edges,
            |_| Box::new(foremost::Foremost),
        )
    },
    row("top-down", "the callees of an invalid call, in order", Needs::Nothing, |_| {
        Box::new(top_down::TopDown)
    }),
    row(
        "top-down-zooming",
        "top-down, callees of the invalid call's own method first",
        Needs::Nothing,
        |_| Box::new(zooming::Zooming),
    ),
    row("heaviest-first", "top-down, the callee with the most calls below it first", Needs::Nothing, |_| {
        Box::new(heaviest_first::HeaviestFirst)
    }),
    row(
        "more-rules-first",
        "top-down, the callee with the most different methods below it first",
        Needs::Nothing,
        |_| Box::new(more_rules_first::MoreRulesFirst),
    ),
    row("single-stepping", "the call that ended first", Needs::Nothing, |_| {
        Box::new(single_stepping::SingleStepping)
    }),
    row(
        "hat-delta",
        "top-down, the callee whose methods were most often judged invalid",
        Needs::Nothing,
        |_| Box::new(hat_delta::HatDelta),
    ),
    row(
        "less-yes-first",
        "top-down, the callee whose methods were least often judged valid",
        Needs::Nothing,
        |_| Box::new(less_yes_first::LessYesFirst),
    ),
    row(
        "divide-by-yes-and-query",
        "divide by yes & query: halves the calls of methods not judged valid",
        Needs::Nothing,
        |_| Box::new(by_yes::ByYes),
    ),
    row("shapiro", "divide & query: the heaviest call of at most half the weight", Needs::Nothing, |_| {
        Box::new(shapiro::Shapiro)
    }),
    row("divide-and-query", "divide & query: the call nearest to half the weight", Needs::Nothing, |_| {
        Box::new(hirunkitti_hogger::HirunkittiHogger)
    }),
    row(
        "optimal-divide-and-query",
        "optimal divide & query: the call that leaves equally many calls either way",
        Needs::Nothing,
        |_| Box::new(optimal::Optimal),
    ),
    row("edge-coverage", "divide & query by coverage of control flow edges", Needs::Edges, |p| {
        Box::new(by_coverage::ByCoverage { p: p.unwrap_or(by_coverage::EDGES) })
    }),
    row("def-use-coverage", "divide & query by coverage of def-use chains", Needs::Chains, |p| {
        Box::new(by_coverage::ByCoverage { p: p.unwrap_or(by_coverage::CHAINS) })
    }),
];

/// The strategy with this name.
pub fn strategy(name: &str) -> Option<&'static StrategyRow> {
    STRATEGIES.iter().find(|row| row.name == name)
}

impl StrategyRow {
    /// Creates the strategy; `p` is that of JHyde §2.4, from 0 to 1.
    pub fn made(&self, p: Option<f64>) -> Box<dyn Strategy> {
        (self.make)(p)
    }
}

/// The outermost call with the heaviest tree, by the weight of single calls; the first one if several are.
fn first_of_most(situation: &Situation<'_>, outermost: &[u32], own: impl FnMut(Row) -> f64) -> Option<u32> {
    let weights = situation.weigh_each(outermost, own);
    let mut best: Option<(f64, u32)> = None;
    for (node, weight) in outermost.iter().zip(weights) {
        if best.is_none_or(|(most, _)| weight > most) {
            best = Some((weight, *node));
        }
    }
    best.map(|(_, node)| node)
}
