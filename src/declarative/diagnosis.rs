//! From question to answer, until one call is left.

use super::countable::Countable;
use super::coverage::Coverage;
use super::forest::{Forest, Row};
use super::situation::Situation;
use super::strategy::Strategy;
use super::suspects::Suspects;
use super::verdict::{Answered, Verdict};
use std::collections::BTreeSet;

/// What comes next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// This call is to be judged.
    Ask(u32),
    /// This call is buggy: it is invalid, and all calls that it made are valid.
    Buggy(u32),
    /// This invalid call is buggy, or one of these below it, of which nobody knew.
    Undecided(Option<u32>, Vec<u32>),
    /// No call that has ended is buggy; others go on.
    NotEnded,
    /// No call is buggy.
    NoneLeft,
}

/// A diagnosis.
pub struct Diagnosis {
    forest: Forest,
    strategy: Box<dyn Strategy>,
    coverage: Option<Coverage>,
    compressed: bool,
    /// Methods that are right for sure from the beginning.
    trusted: BTreeSet<u32>,
    /// Where it begins: this call is invalid, or nothing is known.
    start: Option<u32>,
    answers: Vec<Answered>,
    suspects: Suspects,
    /// The calls that have ended, are no steps of a recursion that is one call, and not trusted.
    countable: Countable,
    valid_sets: Vec<u32>,
}

impl Diagnosis {
    /// Of these trees.
    pub fn new(forest: Forest, strategy: Box<dyn Strategy>, coverage: Option<Coverage>) -> Diagnosis {
        let mut made = Diagnosis {
            forest,
            strategy,
            coverage,
            compressed: false,
            trusted: BTreeSet::new(),
            start: None,
            answers: Vec::new(),
            suspects: Suspects::default(),
            countable: Countable::default(),
            valid_sets: Vec::new(),
        };
        made.begin();
        made
    }

    /// Only below this call, which is invalid.
    pub fn start_below(&mut self, node: u32) {
        self.start = Some(node);
        self.begin();
    }

    /// These methods, by their numbers, are right for sure.
    pub fn trust(&mut self, methods: &BTreeSet<u32>) {
        self.trusted.extend(methods);
        self.begin();
    }

    /// Of a recursion only the call that begins it is judged: an invalid one tells as much of the method.
    pub fn compress(&mut self) {
        self.compressed = true;
        self.coverage = self.coverage.take().map(|coverage| coverage.compressed(&self.forest));
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

    /// Finds what can be judged: what answers about methods leave.
    fn count(&mut self) {
        let (suspects, compressed) = (&self.suspects, self.compressed);
        let rows = self.forest.rows(0..self.forest.count());
        let is_countable = |row: Row| {
            row.ended
                && !(compressed && row.repeats)
                && !(suspects.trusts() && suspects.is_trusted(row.method))
        };
        self.countable = Countable::of(rows.map(is_countable));
    }

    /// What was answered, in its order.
    pub fn answers(&self) -> &[Answered] {
        &self.answers
    }

    /// The trees.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// An answer about a call.
    pub fn answer(&mut self, node: u32, verdict: Verdict) {
        if self.suspects.is_answered(node) && self.answers.iter().any(|known| known.node == node) {
            // A later answer replaces an earlier one.
            self.answers.retain(|known| known.node != node);
            self.begin();
        }
        let is_of_methods = matches!(verdict, Verdict::Trusted(_));
        self.take(Answered { node, verdict });
        if is_of_methods {
            self.count();
        }
    }

    fn take(&mut self, answered: Answered) {
        // What is said of a call that is not there says nothing.
        if answered.node >= self.forest.count() {
            return;
        }
        let Answered { node, verdict } = &answered;
        let (forest, suspects) = (&self.forest, &mut self.suspects);
        if matches!(verdict, Verdict::Invalid | Verdict::Wrong(_))
            && suspects.is_ruled_out(*node)
            && !suspects.is_around_invalid(forest, *node)
        {
            suspects.reopen(forest, *node);
            let below = forest.tree(*node);
            let valid = self.answers.iter().filter(|known| known.verdict == Verdict::Valid);
            let valid = valid.filter(|known| known.node > *node && below.contains(&known.node));
            valid.for_each(|known| suspects.valid(forest, known.node));
        }
        match verdict {
            // What is invalid below it is so whatever is said of the call around it.
            Verdict::Valid | Verdict::Invalid | Verdict::Wrong(_)
                if suspects.is_around_invalid(forest, *node) =>
            {
                suspects.said(*node);
            }
            Verdict::Valid => {
                if let Some(coverage) = &self.coverage {
                    // Of calls that were valid before nothing new is learnt.
                    for below in forest.tree(*node).filter(|below| suspects.holds(forest, *below)) {
                        if let Some(count) = self.valid_sets.get_mut(coverage.set_of(below)) {
                            *count += 1;
                        }
                    }
                }
                suspects.valid(forest, *node);
            }
            Verdict::Invalid => suspects.invalid(forest, *node),
            Verdict::Wrong(influential) => suspects.wrong(forest, *node, influential.clone()),
            Verdict::Trusted(methods) => methods.iter().for_each(|method| suspects.trust(*method)),
            Verdict::Unknown => suspects.unknown(*node),
            Verdict::Inadmissible => suspects.inadmissible(forest, *node),
        }
        self.answers.push(answered);
    }

    /// Takes back an answer, by its place; the last one: `answers().len() - 1`. What was said of it; none if
    /// there is no such.
    pub fn retract(&mut self, at: usize) -> Option<Answered> {
        let taken = (at < self.answers.len()).then(|| self.answers.remove(at));
        self.begin();
        taken
    }

    /// Takes back all answers of which that is said.
    pub fn retract_all(&mut self, is_meant: impl Fn(&Answered) -> bool) {
        self.answers.retain(|answered| !is_meant(answered));
        self.begin();
    }

    /// The trees have grown: what was said holds for the same calls, whose numbers are told anew.
    pub fn grown(&mut self, forest: Forest, coverage: Option<Coverage>, renumbered: impl Fn(u32) -> u32) {
        self.coverage = match self.compressed {
            true => coverage.map(|coverage| coverage.compressed(&forest)),
            false => coverage,
        };
        self.forest = forest;
        self.start = self.start.map(&renumbered);
        for answered in &mut self.answers {
            answered.node = renumbered(answered.node);
            if let Verdict::Wrong(influential) = &mut answered.verdict {
                *influential = influential.iter().copied().map(&renumbered).collect();
            }
        }
        self.begin();
    }

    /// How many calls are suspicious.
    pub fn remaining(&self) -> u64 {
        self.suspects.ranges().map(|range| self.countable.count(range)).sum()
    }

    /// How many of these have influenced what somebody has pointed at and can still be asked about; none
    /// where nobody has pointed at anything.
    pub fn influential(&self) -> Option<u64> {
        let all = self.seen(false);
        let these = self.suspects.influential()?.filter(|node| all.can_be_asked(*node));
        Some(u64::try_from(these.count()).unwrap_or(u64::MAX))
    }

    /// What a strategy sees.
    pub fn situation(&self) -> Situation<'_> {
        let all = self.seen(false);
        let mut influential = self.suspects.influential().into_iter().flatten();
        let narrowed = influential.any(|node| all.can_be_asked(node));
        self.seen(narrowed)
    }

    fn seen(&self, narrowed: bool) -> Situation<'_> {
        Situation {
            forest: &self.forest,
            suspects: &self.suspects,
            countable: &self.countable,
            answers: &self.answers,
            coverage: self.coverage.as_ref(),
            compressed: self.compressed,
            narrowed,
            valid_sets: &self.valid_sets,
        }
    }

    /// What comes next.
    pub fn next(&self) -> Step {
        let situation = self.situation();
        let invalid = self.suspects.innermost_invalid();
        let chosen = self.strategy.choose(&situation).filter(|node| situation.can_be_asked(*node));
        // A strategy that has no more to ask leaves the rest to be asked in turn.
        if let Some(node) = chosen.or_else(|| situation.outermost_in_turn().next()) {
            return Step::Ask(node);
        }
        let undecided = self.suspects.undecided(&self.forest);
        match invalid {
            _ if !undecided.is_empty() => Step::Undecided(invalid, undecided),
            Some(node) if self.suspects.holds(&self.forest, node) => Step::Buggy(node),
            // Whoever trusts the method of an invalid call leaves nothing to find.
            Some(_) => Step::NoneLeft,
            None if self.goes_on() => Step::NotEnded,
            None => Step::NoneLeft,
        }
    }

    /// Whether calls that are suspicious have not ended.
    fn goes_on(&self) -> bool {
        let is_open =
            |node: u32| !self.forest.has_ended(node) && !self.suspects.is_trusted(self.forest.method(node));
        self.suspects.ranges().flatten().any(is_open)
    }
}
