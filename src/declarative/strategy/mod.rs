//! How the next question is chosen. A file for each strategy, and a row for it in [`STRATEGIES`].

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
    /// A call that can be asked; none where the strategy has no opinion.
    fn choose(&self, situation: &Situation<'_>) -> Option<u32>;
}

/// What a strategy needs to know besides the trees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// Which edges of the control flow graph calls have covered.
    Edges,
    /// Which def-use chains they have covered.
    Chains,
}

/// A strategy.
pub struct StrategyRow {
    /// Its name.
    pub name: &'static str,
    /// What it asks next.
    pub about: &'static str,
    /// What it needs.
    pub needs: Needs,
    /// Whether it judges a recursion by the call that begins it, unless told otherwise.
    pub compresses: bool,
    /// Makes it; the number is `p` of JHyde §2.4, where it has one.
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

/// The strategies, the one that is taken where none is named first.
pub const STRATEGIES: &[StrategyRow] = &[
    StrategyRow {
        compresses: true,
        ..row("foremost", "edge coverage, where a recursion is one call", Needs::Edges, |_| {
            Box::new(foremost::Foremost)
        })
    },
    row("top-down", "the calls of an invalid call in their order", Needs::Nothing, |_| {
        Box::new(top_down::TopDown)
    }),
    row(
        "top-down-zooming",
        "top-down, calls of the same method as the invalid one first",
        Needs::Nothing,
        |_| Box::new(zooming::Zooming),
    ),
    row("heaviest-first", "top-down, the call with most calls below it first", Needs::Nothing, |_| {
        Box::new(heaviest_first::HeaviestFirst)
    }),
    row(
        "more-rules-first",
        "top-down, the call with most different methods below it first",
        Needs::Nothing,
        |_| Box::new(more_rules_first::MoreRulesFirst),
    ),
    row("single-stepping", "the call that ended first", Needs::Nothing, |_| {
        Box::new(single_stepping::SingleStepping)
    }),
    row("hat-delta", "top-down, the call whose methods were said to be wrong most", Needs::Nothing, |_| {
        Box::new(hat_delta::HatDelta)
    }),
    row(
        "less-yes-first",
        "top-down, the call whose methods were said to be right least",
        Needs::Nothing,
        |_| Box::new(less_yes_first::LessYesFirst),
    ),
    row(
        "divide-by-yes-and-query",
        "divide by yes & query: halves what was not said to be right",
        Needs::Nothing,
        |_| Box::new(by_yes::ByYes),
    ),
    row("shapiro", "divide & query: the heaviest call of no more than half", Needs::Nothing, |_| {
        Box::new(shapiro::Shapiro)
    }),
    row("divide-and-query", "divide & query: the call nearest to half", Needs::Nothing, |_| {
        Box::new(hirunkitti_hogger::HirunkittiHogger)
    }),
    row(
        "optimal-divide-and-query",
        "optimal divide & query: the call that leaves as many either way",
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

/// A strategy by its name.
pub fn strategy(name: &str) -> Option<&'static StrategyRow> {
    STRATEGIES.iter().find(|row| row.name == name)
}

impl StrategyRow {
    /// Makes it; the number is `p` of JHyde §2.4, from 0 to 1.
    pub fn made(&self, p: Option<f64>) -> Box<dyn Strategy> {
        (self.make)(p)
    }
}

/// Of the outermost calls that with the heaviest tree, by what each call weighs itself; the first one of
/// those that weigh as much.
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
