//! Tries a suggestion: runs the program again, takes the jump the other way at one pass, and looks at the
//! point (predicate switching, Zhang, Gupta & Gupta, ICSE 2006).

use super::failed_test::{FailedTest, failed_test};
use super::flip::{Flip, FlippedPasses};
use super::outcome::{Compared, PointOutcome};
use super::point::WrongPoint;
use super::wanted::{OutputListener, Wanted};
use super::work_copy::WorkPlace;
use crate::analysis::Suggestion;
use chain::{Chain, Debuggee};
use classes::{ClassPool, SourcePaths};
use recorded::{RecordOptions, RecordedRun, RecordedTrace, record};
use serde::Serialize;
use session::{Context, SessionError};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;
use trace::{Calls, Steering, Traced, WalkControl};

/// Most runs.
pub(super) const FLIPS: usize = 26;
/// How many of them are kept for tries at other passes.
pub(super) const FLIPS_AT_OTHERS: usize = 12;
/// How many times the recorded run's time a run may take.
const TIMES: f64 = 10.0;
/// The least time limit, in seconds.
const LEAST: u64 = 5;
/// How many times the recorded run's events a run may have.
const EVENTS: u64 = 16;
/// The least limit of the events, in bytes.
const LEAST_BYTES: u64 = 64 << 20;
/// How many times the recorded run's output a run may print.
const PRINTS: u64 = 16;
/// The least limit of the output, in bytes.
const LEAST_PRINTED: u64 = 16 << 20;
/// Time between two looks at the events.
const LOOK: Duration = Duration::from_millis(100);

/// What became of a jump that went the other way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// What is wanted holds at the point.
    Right,
    /// The assertion at the point holds, and the test fails later.
    FailsLater,
    /// The value at the point is another one. Nobody said what is right, or it is not known whether it is.
    Changed,
    /// The value at the point is another one, and what is wanted does not hold.
    ChangedNotRight,
    /// The value at the point is the same.
    NoEffect,
    /// What is known of the value at the point is the same. Parts of it are not known.
    NoChangeSeen,
    /// The program ended before the point. That refutes nothing.
    Crashed,
    /// An assertion of the test failed before the point. That refutes nothing either.
    FailsEarlier,
    /// The program ended well, and has not come to the point.
    PointNotReached,
    /// The program did not end in time.
    DidNotEnd,
    /// The jump was not reached.
    NotReached,
    /// The run differed before the jump: the program does not repeat itself.
    RunPartedEarlier,
    /// It was not tried: qp cannot take such a jump the other way.
    NotTried,
}

impl Verdict {
    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Right => "right",
            Verdict::FailsLater => "holds there, the test fails later",
            Verdict::Changed => "changed",
            Verdict::ChangedNotRight => "changed, not right",
            Verdict::NoEffect => "no effect",
            Verdict::NoChangeSeen => "no change seen",
            Verdict::Crashed => "crashed",
            Verdict::FailsEarlier => "the test fails earlier",
            Verdict::PointNotReached => "the point was not reached",
            Verdict::DidNotEnd => "did not end",
            Verdict::NotReached => "not reached",
            Verdict::RunPartedEarlier => "run parted earlier",
            Verdict::NotTried => "not tried",
        }
    }
}

/// The result of a try.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Confirmation {
    /// The verdict.
    pub verdict: Verdict,
    /// The value at the point, or why there is none.
    pub found: String,
    /// The passes at which the jump went the other way.
    pub passes: FlippedPasses,
    /// Their number.
    pub flipped: u64,
}

/// What is tried, and against what.
pub(super) struct Trial<'a> {
    /// The recorded program.
    pub debuggee: &'a Debuggee,
    /// Its class files.
    pub pool: &'a ClassPool,
    /// Where it runs.
    pub place: &'a WorkPlace,
    /// How it was recorded.
    pub options: &'a RecordOptions,
    /// Duration of the recorded run, in seconds.
    pub seconds: f64,
    /// Size of its events, in bytes.
    pub bytes: u64,
    /// Size of its output, in bytes; 0 if it is not known.
    pub printed: u64,
    /// The point, without a condition, which may hold no more.
    pub point: &'a WrongPoint,
    /// What is compared there.
    pub compared: &'a Compared<'a>,
    /// The state there in the recorded run.
    pub before: &'a PointOutcome,
    /// What is right.
    pub wanted: &'a Wanted,
    /// How the test failed in the recorded run; `None` if that is not what is asked about.
    pub failure: Option<&'a FailedTest>,
    /// The state there in the right version, if there is one.
    pub right: Option<&'a PointOutcome>,
}

impl Trial<'_> {
    /// Tries a flip of a suggestion. `calls` is the recorded run.
    ///
    /// # Errors
    /// The program cannot be launched, or the user interrupted the work.
    pub async fn of(
        &self,
        calls: &mut Calls,
        suggestion: &Suggestion,
        flip: &Flip,
        context: &Context,
    ) -> Result<Confirmation, SessionError> {
        let (steering, passes) = (&flip.steering, flip.passes);
        let told =
            |verdict, found: &str| Confirmation { verdict, found: found.to_owned(), passes, flipped: 0 };
        // Each run begins with the files as they are now, and its changes are lost.
        let work = self.place.copy(self.debuggee)?;
        let out = work.folder().join("trace");
        let listener = OutputListener::default();
        let options = RecordOptions {
            out: out.clone(),
            steering: Some(steering.clone()),
            timeout_s: Some(self.most_seconds()),
            listener: Some(listener.forward()),
            ..self.options.clone()
        };
        let chain = Chain::new(work.debuggee().clone(), Vec::new());
        let run = match self.record(&chain, &options, &listener, context).await? {
            Ok(run) => run,
            Err(why) => return Ok(told(Verdict::DidNotEnd, &why)),
        };
        let flipped_passes = run.recorded.steered.map_or(0, |steered| steered.steered);
        if flipped_passes == 0 {
            return Ok(told(Verdict::NotReached, &run.recorded.ended));
        }
        let told = |verdict, found: &str| Confirmation { flipped: flipped_passes, ..told(verdict, found) };
        let trace = RecordedTrace::open(&out, options.memory, context).await?;
        let mut trace = trace.with_code(&SourcePaths::default());
        let flipped = &mut trace.calls;
        let (name, n) = flip.first(suggestion);
        let own = digest(calls, steering, name, n)?;
        if digest(flipped, steering, name, n)? != own {
            return Ok(told(Verdict::RunPartedEarlier, why_parted(work.is_at_path())));
        }
        let found = self.compared.at(self.point, &mut trace).ok();
        if !run.whole && self.wanted.needs_end() {
            return Ok(told(Verdict::DidNotEnd, &run.recorded.ended));
        }
        let holds = self.wanted.holds(&listener.end(run.exit_code), found.as_ref(), self.right);
        let Some(after) = found else {
            let ended = &run.recorded.ended;
            if !run.whole || holds == Some(true) {
                let verdict = if run.whole { Verdict::Right } else { Verdict::DidNotEnd };
                return Ok(told(verdict, ended));
            }
            return Ok(
                match failed_test(&mut trace.calls, self.pool)?.filter(|failed| failed.by_assertion) {
                    Some(failed) => told(Verdict::FailsEarlier, &failed.text),
                    None if run.exit_code == Some(0) => told(Verdict::PointNotReached, ended),
                    None => told(Verdict::Crashed, ended),
                },
            );
        };
        if let (Some(false), Some(failure)) = (holds, self.failure)
            && let Some(later) =
                failed_test(&mut trace.calls, self.pool)?.filter(|failed| failed.is_after(failure))
        {
            return Ok(told(Verdict::FailsLater, &later.text));
        }
        Ok(told(self.verdict(holds, &after), &after.text))
    }

    /// The time limit of a run, in seconds.
    fn most_seconds(&self) -> u64 {
        let seconds = (self.seconds * TIMES).ceil();
        let limit =
            if seconds.is_finite() && seconds > 0.0 && seconds < 1e6 { seconds as u64 } else { LEAST };
        limit.max(LEAST)
    }

    /// The verdict on a state at the point; `holds` says whether what is wanted holds.
    fn verdict(&self, holds: Option<bool>, after: &PointOutcome) -> Verdict {
        match (holds, after.compared == self.before.compared) {
            (Some(true), _) => Verdict::Right,
            (_, true) if after.is_whole => Verdict::NoEffect,
            (_, true) => Verdict::NoChangeSeen,
            (Some(false), false) => Verdict::ChangedNotRight,
            (None, false) => Verdict::Changed,
        }
    }
}

/// Why the events before the jump differ, if the program ran in its folder or in a copy.
fn why_parted(is_at_path: bool) -> &'static str {
    match is_at_path {
        true => "the events before the jump differ: what the program does varies from run to run",
        false => {
            "the events before the jump differ: the program does something else in the copy of its folder, \
             which has another path, or what it does varies from run to run; with `--in-place` it runs in \
             the folder itself"
        }
    }
}

impl Trial<'_> {
    /// Records a run; if it did far more than the recorded run, and was ended: what it did.
    async fn record(
        &self,
        chain: &Chain,
        options: &RecordOptions,
        listener: &OutputListener,
        context: &Context,
    ) -> Result<Result<RecordedRun, String>, SessionError> {
        let most = self.bytes.saturating_mul(EVENTS).max(LEAST_BYTES);
        let most_printed = self.printed.saturating_mul(PRINTS).max(LEAST_PRINTED);
        let (stop, of_run) = context.renewed();
        let recording = record(chain, options, &of_run);
        tokio::pin!(recording);
        loop {
            tokio::select! {
                run = &mut recording => return run.map(Ok),
                () = context.interrupted() => {
                    _ = stop.send(true);
                    drop(recording.await);
                    return Err(SessionError::Interrupted);
                }
                () = tokio::time::sleep(LOOK) => {}
            }
            let events = std::fs::metadata(options.out.join("events")).map_or(0, |file| file.len());
            let excess = match events > most {
                true => Some("it did far more than the recorded run".to_owned()),
                false if listener.bytes() > most_printed => {
                    Some(format!("it printed more than {} MB", most_printed >> 20))
                }
                false => None,
            };
            if let Some(excess) = excess {
                _ = stop.send(true);
                drop(recording.await);
                return Ok(Err(excess));
            }
        }
    }
}

/// A digest of the events of the threads of this name before the pass that follows `n` others of the steered
/// jump, without the numbers of objects.
fn digest(calls: &mut Calls, steering: &Steering, name: &str, n: u64) -> Result<(u64, u64), SessionError> {
    let mut hasher = DefaultHasher::new();
    let (mut count, mut passes) = (0, 0);
    for (thread, of, _) in calls.threads() {
        if of != name {
            continue;
        }
        calls.walk(thread, None, |calls, seen| {
            let method = calls.sites.method(seen.site.method);
            if let (Traced::Branch(_), Some(method)) = (seen.site.what, method) {
                let is_it = *method.class == *steering.class
                    && method.name == steering.method
                    && method.descriptor == steering.descriptor
                    && seen.site.bci == steering.pc;
                if is_it && passes == n {
                    return WalkControl::Stop;
                }
                passes += u64::from(is_it);
            }
            // Classes are initialised, and contents reported, when they are first needed.
            if matches!(seen.site.what, Traced::Enter | Traced::Branch(_) | Traced::Return | Traced::Leave)
                && let Some(method) = method
            {
                (&*method.class, &method.name, &method.descriptor, seen.site.bci).hash(&mut hasher);
                if let Traced::Branch(to) = seen.site.what {
                    to.hash(&mut hasher);
                }
                count += 1;
            }
            WalkControl::Next
        })?;
    }
    Ok((hasher.finish(), count))
}
