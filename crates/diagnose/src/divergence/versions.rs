//! Compares runs of two versions, and decides which call is to blame for what differs.

use super::super::Diagnoser;
use super::super::chance::may_vary;
use super::compared_code::{ComparedCode, IN_DOUBT, RUNS};
use super::ends::{self, EndsDivergence};
use super::unseen::{UnseenState, executed};
use alignment::{self, AlignedRun, Alignment, Variation};
use session::{Context, SessionError};
use std::sync::Arc;
use trace::{EventTime, TraceError};

/// The number of runs that confirm a difference, for a call that itself reads the time, random numbers or the
/// like. A call that draws one random bit agrees in a few runs by chance.
const IN_GREAT_DOUBT: usize = 8;

/// Runs of two versions, compared.
#[derive(Debug, Default)]
pub struct ComparedVersions {
    /// The alignment of the first run of each version.
    pub alignment: Arc<Alignment>,
    /// What varies between the runs of each version.
    pub varies: [Variation; 2],
    /// The call to blame; `None` if no call differs.
    pub blamed: Option<BlamedCall>,
    /// How the ends of the runs differ, if no call does.
    pub ends: EndsDivergence,
    /// Number of runs of each version that confirm the difference; 0 without one.
    pub wanted: usize,
    /// The methods of the version under test, compared with those of the other one.
    pub code: ComparedCode,
    /// What its methods with other code did to objects whose state was not recorded.
    pub unseen: UnseenState,
    /// The same for both versions as text, as far as it can have made the runs differ.
    pub uncompared: Option<String>,
}

/// The call to blame for a difference.
#[derive(Debug)]
pub struct BlamedCall {
    /// The call, a node of the first run of the version under test.
    pub call: u32,
    /// The index of the differing call in which that was seen.
    pub at: usize,
    /// The last calls of methods with other code that ran before the difference was seen, if the method of
    /// the call has the same code in both versions.
    pub suspects: Vec<u32>,
}

/// What varies between the runs of each version, as seen by the first one. Further runs are added to it.
#[derive(Clone, Debug)]
pub struct KnownVariation {
    varies: [Variation; 2],
    /// The alignment of the first run of each version, as far as that varies.
    alignment: Option<Arc<Alignment>>,
    /// Number of runs of each version that were compared with the first one.
    compared: [usize; 2],
    /// Whether some of them had other events.
    has_others: [bool; 2],
    /// Up to when the first run of each version was compared with further ones.
    until: [EventTime; 2],
}

impl Default for KnownVariation {
    fn default() -> KnownVariation {
        let until = [EventTime::END; 2];
        KnownVariation {
            varies: Default::default(),
            alignment: None,
            compared: [0; 2],
            has_others: [false; 2],
            until,
        }
    }
}

impl KnownVariation {
    /// Compares the runs of a version that are new with its first one.
    fn add(
        &mut self,
        side: usize,
        runs: &mut [&mut Diagnoser],
        context: &Context,
    ) -> Result<(), SessionError> {
        let Some((first, others)) = runs.split_first_mut() else { return Ok(()) };
        let until = self.until.get(side).copied().unwrap_or(EventTime::END);
        let (Some(varies), Some(compared)) = (self.varies.get_mut(side), self.compared.get_mut(side)) else {
            return Ok(());
        };
        let known = varies.count();
        let goes_on = &mut || !context.is_interrupted();
        for other in others.iter_mut().skip(*compared) {
            let (one, other_calls) = (&mut first.trace.calls, &mut other.trace.calls);
            if !one.has_events_of(other_calls, goes_on).map_err(unless_interrupted)? {
                if let Some(has_others) = self.has_others.get_mut(side) {
                    *has_others = true;
                }
                let pools = [first.fields.pool(), other.fields.pool()];
                alignment::add_variation(one, pools[0], other_calls, pools[1], varies, until, goes_on)
                    .map_err(unless_interrupted)?;
            }
            *compared += 1;
        }
        if varies.count() > known {
            self.alignment = None;
        }
        Ok(())
    }

    /// Whether the further runs of the right version have the same events as its first one.
    pub fn right_version_repeats(&self) -> bool {
        let ([_, compared], [_, has_others]) = (self.compared, self.has_others);
        compared > 0 && !has_others
    }

    /// Aligns the first run of each version, unless that was done and nothing more varies.
    fn aligned(
        &mut self,
        one: &mut Diagnoser,
        other: &mut Diagnoser,
        context: &Context,
    ) -> Result<Arc<Alignment>, SessionError> {
        if let Some(known) = &self.alignment {
            return Ok(known.clone());
        }
        let [here, there] = &self.varies;
        let here = AlignedRun { calls: &mut one.trace.calls, pool: one.fields.pool(), variation: here };
        let there = AlignedRun { calls: &mut other.trace.calls, pool: other.fields.pool(), variation: there };
        let aligned = alignment::align(here, there, &mut || !context.is_interrupted());
        let aligned = Arc::new(aligned.map_err(unless_interrupted)?);
        self.alignment = Some(aligned.clone());
        Ok(aligned)
    }

    /// Whether an alignment used no more of the other version's run than what was compared. Otherwise further
    /// runs are to be compared again, up to where it came.
    fn reaches(&mut self, alignment: &Alignment) -> bool {
        let [_, until] = &mut self.until;
        let [_, compared] = &mut self.compared;
        let is_enough = alignment.there_until <= *until;
        if *compared == 0 || !is_enough {
            *until = alignment.there_until;
        }
        if !is_enough {
            self.varies[1] = Variation::default();
            self.alignment = None;
            *compared = 0;
        }
        is_enough
    }
}

/// Compares runs of two versions. `known` is what earlier comparisons with fewer runs have shown.
///
/// # Errors
/// A recording cannot be read, or the user interrupts.
pub fn compare_versions(
    here: &mut [&mut Diagnoser],
    there: &mut [&mut Diagnoser],
    known: &mut KnownVariation,
    context: &Context,
) -> Result<ComparedVersions, SessionError> {
    let runs = here.len();
    known.add(0, here, context)?;
    let alignment = loop {
        known.add(1, there, context)?;
        let (Some(one), Some(other)) = (here.first_mut(), there.first_mut()) else {
            return Ok(ComparedVersions::default());
        };
        let alignment = known.aligned(one, other, context)?;
        if known.reaches(&alignment) {
            break alignment;
        }
    };
    let varies = known.varies.clone();
    let (Some(one), Some(other)) = (here.first_mut(), there.first_mut()) else {
        return Ok(ComparedVersions::default());
    };
    let calls = &one.trace.calls;
    let code = ComparedCode::new(calls, [one.fields.pool(), other.fields.pool()]);
    let of_there = ComparedCode::new(&other.trace.calls, [other.fields.pool(), one.fields.pool()]);
    let versions = [(&*one, &code), (&*other, &of_there)];
    // If no method has other code, data made what differs.
    let is_all = versions.iter().all(|(run, code)| executed(&run.trace.calls).is_subset(&code.same));
    let unseen = versions
        .map(|(run, code)| UnseenState::of(run, false, &|method| is_all || !code.same.contains(&method)));
    let [unseen, of_there] = unseen;
    let (mut unseen, of_there) = (unseen?, of_there?);
    let uncompared = UnseenState::uncompared([(&unseen, calls), (&of_there, &other.trace.calls)]);
    unseen.add(calls, &of_there, &other.trace.calls);
    // A method with the same code in both versions differs only by something that was not recorded.
    let is_blamed = alignment.differing.iter().position(|call| call.is_changed != Some(false));
    let at = is_blamed.unwrap_or(0);
    let Some(first) = alignment.differing.get(at) else {
        let (blamed, ends) = (None, EndsDivergence::default());
        let mut compared =
            ComparedVersions { alignment, varies, blamed, ends, wanted: RUNS, code, unseen, uncompared };
        if compared.alignment.among_roots.is_empty() {
            compared.ends = ends::divergence(here, there, &compared.alignment, &compared.code)?;
            compared.wanted = compared.ends.wanted;
        }
        return Ok(compared);
    };
    let wanted = match calls.method(first.here) {
        _ if runs < RUNS => RUNS,
        Some(method) if may_vary(method, one.fields.pool()) => IN_GREAT_DOUBT,
        _ if calls.threads().len() > 1 || first.is_in_doubt => IN_DOUBT,
        _ => RUNS,
    };
    let suspects = match first.is_changed {
        Some(false) => code.suspects(&mut one.trace.calls, first.here)?,
        _ => Vec::new(),
    };
    let blamed = match suspects[..] {
        [only] => BlamedCall { call: only, at, suspects: Vec::new() },
        _ => BlamedCall { call: first.here, at, suspects },
    };
    let before = unseen.before(&mut one.trace.calls, blamed.call)?;
    let uncompared = uncompared.filter(|_| !before.is_empty());
    let (blamed, ends) = (Some(blamed), EndsDivergence::default());
    Ok(ComparedVersions { alignment, varies, blamed, ends, wanted, code, unseen, uncompared })
}

fn unless_interrupted(error: TraceError) -> SessionError {
    match error {
        TraceError::Interrupted => SessionError::Interrupted,
        error => error.into(),
    }
}
