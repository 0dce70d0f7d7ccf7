//! The state of one diagnosis: takes verdicts about calls and chooses the next question until one call is
//! left.

use super::coverage::Coverage;
use super::fault_estimates::own_weights;
use super::forest::{Forest, Row};
use super::judgeable::JudgeableCalls;
use super::situation::Situation;
use super::strategy::Strategy;
use super::suspects::Suspects;
use super::verdict::{JudgedCall, Verdict};
use std::collections::BTreeSet;

/// The next step of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask about this call.
    Ask(u32),
    /// This call is buggy: it is invalid, and all its callees are valid.
    Buggy(u32),
    /// Either this invalid call or one of these unanswered calls below it is buggy.
    Undecided(Option<u32>, Vec<u32>),
    /// No ended call is buggy, but some calls still run.
    NotEnded,
    /// No call is buggy.
    NoneLeft,
}

/// A diagnosis of recorded calls.
pub struct Diagnosis {
    forest: Forest,
    strategy: Box<dyn Strategy>,
    coverage: Option<Coverage>,
    compressed: bool,
    /// Methods that are trusted from the start.
    trusted: BTreeSet<u32>,
    /// Methods whose calls are asked about last.
    postponed: BTreeSet<u32>,
    /// The invalid call at which the search starts, if any.
    start: Option<u32>,
    answers: Vec<JudgedCall>,
    suspects: Suspects,
    /// The calls that have ended, are no steps of a compressed recursion, and are not trusted.
    judgeable: JudgeableCalls,
    valid_sets: Vec<u32>,
}

impl Diagnosis {
    /// Creates a diagnosis without answers.
    pub fn new(forest: Forest, strategy: Box<dyn Strategy>, coverage: Option<Coverage>) -> Diagnosis {
        let mut made = Diagnosis {
            forest,
            strategy,
            coverage,
            compressed: false,
            trusted: BTreeSet::new(),
            postponed: BTreeSet::new(),
            start: None,
            answers: Vec::new(),
            suspects: Suspects::default(),
            judgeable: JudgeableCalls::default(),
            valid_sets: Vec::new(),
        };
        made.begin();
        made
    }

    /// Searches only below this call, which is invalid.
    pub fn start_below(&mut self, node: u32) {
        self.start = Some(node);
        self.begin();
    }

    /// Trusts these methods, by number.
    pub fn trust(&mut self, methods: &BTreeSet<u32>) {
        self.trusted.extend(methods);
        self.begin();
    }

    /// Asks about the calls of these methods, by number, only if no others are left.
    pub fn postpone(&mut self, methods: BTreeSet<u32>) {
        self.postponed = methods;
    }

    /// Asks only about the outermost call of a recursion: if it is invalid, its method is at fault just as
    /// well.
    pub fn compress(&mut self) {
        self.compressed = true;
        self.coverage = self.coverage.take().map(|coverage| coverage.compressed(&self.forest));
        self.begin();
    }

    /// Replaces the coverage of the calls. The answers stay.
    pub fn cover(&mut self, coverage: Option<Coverage>) {
        self.coverage = match self.compressed {
            true => coverage.map(|coverage| coverage.compressed(&self.forest)),
            false => coverage,
        };
        self.begin();
    }

    fn begin(&mut self) {
        self.suspects = Suspects::new(0..self.forest.count());
        self.valid_sets = vec![0; self.coverage.as_ref().map_or(0, |coverage| coverage.sets().len())];
        self.trusted.iter().for_each(|method| self.suspects.trust(*method));
        if let Some(start) = self.start {
            self.suspects.invalid(&self.forest, start);
        }
        for answered in std::mem::take(&mut self.answers) {
            self.take(answered);
        }
        self.count();
    }

    /// Recomputes which calls can be judged, after answers about methods.
    fn count(&mut self) {
        let (suspects, compressed) = (&self.suspects, self.compressed);
        let rows = self.forest.rows(0..self.forest.count());
        let is_countable = |row: Row| {
            row.ended
                && !(compressed && row.repeats)
                && !(suspects.has_trusted() && suspects.is_trusted(row.method))
        };
        self.judgeable = JudgeableCalls::of(rows.map(is_countable));
    }

    /// The answers in order.
    pub fn answers(&self) -> &[JudgedCall] {
        &self.answers
    }

    /// The execution trees.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Adds an answer about a call; it replaces an earlier one.
    pub fn answer(&mut self, node: u32, verdict: Verdict) {
        if self.suspects.is_answered(node) && self.answers.iter().any(|known| known.node == node) {
            // A later answer replaces an earlier one.
            self.answers.retain(|known| known.node != node);
            self.begin();
        }
        let is_of_methods = matches!(verdict, Verdict::Trusted(_));
        self.take(JudgedCall { node, verdict });
        if is_of_methods {
            self.count();
        }
    }

    fn take(&mut self, answered: JudgedCall) {
        // Ignore a verdict about a call that does not exist.
        if answered.node >= self.forest.count() {
            return;
        }
        let JudgedCall { node, verdict } = &answered;
        let (forest, suspects) = (&self.forest, &mut self.suspects);
        if matches!(verdict, Verdict::Invalid | Verdict::Wrong(_) | Verdict::Failed(..))
            && suspects.is_ruled_out(*node)
            && !suspects.encloses_invalid(forest, *node)
        {
            suspects.reopen(forest, *node);
            let below = forest.tree(*node);
            let valid = self.answers.iter().filter(|known| known.verdict == Verdict::Valid);
            let valid = valid.filter(|known| known.node > *node && below.contains(&known.node));
            valid.for_each(|known| suspects.valid(forest, known.node));
        }
        match verdict {
            // An invalid call below remains invalid, whatever the verdict about its caller.
            Verdict::Valid | Verdict::Invalid | Verdict::Wrong(_) | Verdict::Failed(..)
                if suspects.encloses_invalid(forest, *node) =>
            {
                suspects.mark_answered(*node);
            }
            Verdict::Valid => {
                if let Some(coverage) = &self.coverage {
                    // Calls that were already valid give no new information.
                    for below in forest.tree(*node).filter(|below| suspects.holds(forest, *below)) {
                        if let Some(count) = self.valid_sets.get_mut(coverage.set_of(below)) {
                            *count += 1;
                        }
                    }
                }
                suspects.valid(forest, *node);
            }
            Verdict::Invalid => suspects.invalid(forest, *node),
            Verdict::Wrong(influential) => {
                suspects.invalid_with_influences(forest, *node, influential.clone())
            }
            Verdict::Failed(from, influential) => {
                suspects.failed(forest, *node, *from, influential.clone());
            }
            Verdict::Trusted(methods) => methods.iter().for_each(|method| suspects.trust(*method)),
            Verdict::Unknown => suspects.unknown(*node),
            Verdict::Inadmissible => suspects.inadmissible(forest, *node),
        }
        self.answers.push(answered);
    }

    /// Removes the answer at an index and returns it; `None` if there is none.
    pub fn retract(&mut self, at: usize) -> Option<JudgedCall> {
        let taken = (at < self.answers.len()).then(|| self.answers.remove(at));
        self.begin();
        taken
    }

    /// Removes all answers that satisfy the predicate.
    pub fn retract_all(&mut self, is_meant: impl Fn(&JudgedCall) -> bool) {
        self.answers.retain(|answered| !is_meant(answered));
        self.begin();
    }

    /// Replaces the trees by larger ones. `renumbered` maps the calls of the answers to their new numbers.
    pub fn grown(&mut self, forest: Forest, coverage: Option<Coverage>, renumbered: impl Fn(u32) -> u32) {
        self.coverage = match self.compressed {
            true => coverage.map(|coverage| coverage.compressed(&forest)),
            false => coverage,
        };
        self.forest = forest;
        self.start = self.start.map(&renumbered);
        for answered in &mut self.answers {
            answered.node = renumbered(answered.node);
            let influential = match &mut answered.verdict {
                Verdict::Wrong(influential) => Some(influential),
                Verdict::Failed(from, influential) => {
                    *from = renumbered(*from);
                    influential.as_mut()
                }
                _ => None,
            };
            if let Some(influential) = influential {
                *influential = influential.iter().copied().map(&renumbered).collect();
            }
        }
        self.begin();
    }

    /// Number of suspicious calls.
    pub fn remaining(&self) -> u64 {
        self.suspects.ranges().map(|range| self.judgeable.count(range)).sum()
    }

    /// Number of suspicious calls that influenced the wrong value and can still be asked about; `None` if no
    /// answer named a wrong value.
    pub fn influential(&self) -> Option<u64> {
        let all = self.seen(false, false);
        let these = self.suspects.influential()?.filter(|node| all.can_be_asked(*node));
        Some(u64::try_from(these.count()).unwrap_or(u64::MAX))
    }

    /// The state that a strategy sees.
    pub fn situation(&self) -> Situation<'_> {
        let is_asked = |narrowed: bool, postpones: bool| {
            let seen = self.seen(false, postpones);
            match narrowed {
                true => {
                    let mut influential = self.suspects.influential().into_iter().flatten();
                    influential.any(|node| seen.can_be_asked(node))
                }
                false => seen.outermost_in_turn().next().is_some(),
            }
        };
        let postpones = !self.postponed.is_empty() && is_asked(false, true);
        self.seen(is_asked(true, postpones), postpones)
    }

    fn seen(&self, narrowed: bool, postpones: bool) -> Situation<'_> {
        Situation {
            forest: &self.forest,
            suspects: &self.suspects,
            judgeable: &self.judgeable,
            answers: &self.answers,
            coverage: self.coverage.as_ref(),
            compressed: self.compressed,
            narrowed,
            postponed: Some(&self.postponed).filter(|_| postpones),
            valid_sets: &self.valid_sets,
        }
    }

    /// These calls with the likeliest first: those that influenced the wrong value before others, those of
    /// postponed methods last, and else by what valid calls covered. Of equals, the last one comes first.
    pub fn likeliest_first(&self, calls: &[u32]) -> Vec<u32> {
        let weights = own_weights(&self.seen(false, false), calls).unwrap_or_default();
        let has_value = self.suspects.influential().is_some();
        let mut ranked: Vec<(bool, bool, f64, u32)> = calls
            .iter()
            .enumerate()
            .map(|(at, node)| {
                let is_late = self.postponed.contains(&self.forest.method(*node));
                let is_without_influence = has_value && !self.suspects.is_influential(*node);
                (is_late, is_without_influence, weights.get(at).copied().unwrap_or_default(), *node)
            })
            .collect();
        ranked.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then(b.2.total_cmp(&a.2)).then(b.3.cmp(&a.3)));
        ranked.into_iter().map(|(.., node)| node).collect()
    }

    /// The next step.
    pub fn next(&self) -> Step {
        let situation = self.situation();
        let invalid = self.suspects.innermost_invalid();
        let chosen = self.strategy.choose(&situation).filter(|node| situation.can_be_asked(*node));
        // When the strategy has no choice, ask about the remaining calls in order.
        if let Some(node) = chosen.or_else(|| situation.outermost_in_turn().next()) {
            return Step::Ask(node);
        }
        let undecided = self.suspects.undecided(&self.forest);
        match invalid {
            _ if !undecided.is_empty() => Step::Undecided(invalid, undecided),
            Some(node) if self.suspects.holds(&self.forest, node) => Step::Buggy(node),
            // Trusting the method of an invalid call leaves nothing to find.
            Some(_) => Step::NoneLeft,
            None if self.goes_on() => Step::NotEnded,
            None => Step::NoneLeft,
        }
    }

    /// Whether some suspicious call has not ended.
    fn goes_on(&self) -> bool {
        let is_open =
            |node: u32| !self.forest.has_ended(node) && !self.suspects.is_trusted(self.forest.method(node));
        self.suspects.ranges().flatten().any(is_open)
    }
}
