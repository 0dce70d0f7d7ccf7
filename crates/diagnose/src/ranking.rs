//! Ranks the methods that a failed run called by how suspicious they are, before any question.
//!
//! The evidence about a method:
//! - the edges of control flow that its calls covered, each as suspicious as the tests of the class say: the
//!   more of those that fail cover it, and the fewer of those that pass, the more
//!   ([`declarative::suspicion`]);
//! - whether one of its calls influenced the value that the failed assertion examined, or the exception
//!   (`slice`);
//! - whether the exception left it, if it is not that of an assertion.
//!
//! A method with much suspicious code is more suspicious than one with little, since a fault can be in any of
//! it. But the edges of one method tell much the same, so that the sum of what they tell is divided by the
//! root of their number. The factors were chosen on the faults of six libraries of `benches/real_bugs`; four
//! others are held out.

use super::edge_suspicion::suspicion_by;
use super::failure::FailedRun;
use super::{Diagnoser, generated, test_methods};
use serde::Serialize;
use session::{Context, SessionError};
use std::collections::{BTreeMap, BTreeSet};
use trace::{Calls, CoveringRuns, FlowEdge, Method, RunsCoverage, Site, WalkControl};

/// Weight of an edge that did not influence what is wrong, if it is known what did. It is not 0: an action
/// that a call omitted has no influence.
const WITHOUT_INFLUENCE: f64 = 0.1;

/// Weight of a method that the exception left.
const LEFT_BY_EXCEPTION: f64 = 3.0;

/// The methods of a failed run by how suspicious they are.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranking {
    /// The most suspicious methods first.
    pub methods: Vec<RankedMethod>,
    /// Number of methods that could be ranked: those that the failed run called, without those of tests and
    /// those that a compiler generated.
    pub of: usize,
    /// Number of tests or runs that pass, with which the run was compared.
    pub passed: u32,
    /// Whether these are tests.
    #[serde(skip)]
    pub are_tests: bool,
    /// Number of tests that fail, with which the run was compared. The recorded one is among them.
    pub failed: u32,
    /// Whether it is known which calls influenced what is wrong.
    pub has_slice: bool,
    /// The first thing that the failed run did and no passing one does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<FirstOnlyHere>,
}

/// The first edge of control flow that only the failed run covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstOnlyHere {
    /// The call that covers it first.
    pub node: u32,
    /// Its method, as CLASS.METHOD.
    pub method: String,
    /// The source file of its class, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The edge.
    #[serde(flatten)]
    pub edge: RareEdge,
}

/// A suspicious method, with the evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RankedMethod {
    /// Its class.
    pub class: String,
    /// Its name.
    pub method: String,
    /// Its descriptor.
    pub descriptor: String,
    /// The source file, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How suspicious it is, relative to the first: from 0 to 1.
    pub suspicion: f64,
    /// Its call to look at: the last that influenced what is wrong, or else the last.
    pub node: u32,
    /// Number of its calls.
    pub calls: u32,
    /// Number of its calls that influenced what is wrong; `None` if that is not known. It is not known of
    /// calls before the call that failed, such as those that prepared a test.
    pub influential: Option<u32>,
    /// Its part in the exception that shows the failure. An assertion's exception tells nothing of methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception: Option<ExceptionPart>,
    /// What it did that fewest of the tests that pass do, nearest to the end of the method.
    pub rarest: RareEdge,
}

impl RankedMethod {
    /// The method as users read it, without its package, and with its parameters: `Shop.total(int)`.
    pub fn method_text(&self) -> String {
        let name = model::short_method_name(&self.class, &self.method);
        bytecode::descriptor::readable_method(&name, &self.descriptor)
    }
}

/// The part of a method in an exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExceptionPart {
    /// The exception came from the method, or from unrecorded code that it called.
    Threw,
    /// The method did not catch it.
    Left,
}

/// An edge of control flow, with the tests that cover it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct RareEdge {
    /// What it is.
    pub edge: EdgeKind,
    /// The line where it begins; for an entry, the first line of the method.
    pub line: Option<u16>,
    /// The line to which a branch leads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u16>,
    /// Number of tests that pass and cover it.
    pub passed: u32,
    /// Number of tests that fail and cover it.
    pub failed: u32,
}

/// A kind of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EdgeKind {
    /// The entry of a method.
    Entry,
    /// A branch in one direction.
    Branch,
    /// An exception handler.
    Handler,
}

/// What the calls of a method did in the failed run.
#[derive(Clone, Debug, Default)]
struct MethodRun {
    calls: u32,
    last: u32,
    /// Number of calls below the call that failed.
    below: u32,
    influential: u32,
    last_influential: Option<u32>,
    edges: BTreeMap<FlowEdge, CoveredPlace>,
}

/// An edge that the failed run covered.
#[derive(Clone, Copy, Debug, Default)]
struct CoveredPlace {
    line: Option<u16>,
    to: Option<u16>,
    /// Whether a call that covered it influenced what is wrong.
    is_influential: bool,
    /// The call that covered it first, with the number of events of its thread before; `None` in other
    /// threads than that of the failed call, and while classes were initialised.
    first: Option<(u64, u32)>,
}

/// An event of the failed run that covers an edge.
struct CoveringEvent<'a> {
    site: &'a Site,
    edge: FlowEdge,
    call: u32,
    /// Whether the call influenced what is wrong.
    influences: bool,
    /// Whether the call is below the one that failed.
    is_below: bool,
    /// The number of events before, as in [`CoveredPlace::first`].
    at: Option<u64>,
}

impl MethodRun {
    /// Takes an event of a call of the method.
    fn take(&mut self, seen: &CoveringEvent<'_>) {
        let CoveringEvent { site, edge, call, influences, is_below, at } = *seen;
        if edge == FlowEdge::Entry {
            self.calls += 1;
            self.last = call;
            self.below += u32::from(is_below);
            self.influential += u32::from(influences);
            self.last_influential = Some(call).filter(|_| influences).or(self.last_influential);
        }
        let first = at.map(|at| (at, call));
        let new = CoveredPlace { line: site.line, to: site.to, is_influential: false, first };
        self.edges.entry(edge).or_insert(new).is_influential |= influences;
    }
}

impl Diagnoser {
    /// The `most` most suspicious methods of the failed run; `None` if the run has not failed, or goes on.
    ///
    /// # Errors
    /// The recording cannot be read, or the user interrupted the work.
    pub async fn ranking(&mut self, most: usize, context: &Context) -> Result<Option<Ranking>, SessionError> {
        self.catch_up(false, context).await?;
        self.begin_at_failure(context).await?;
        let Some(failed) = self.failure.found.clone() else { return Ok(None) };
        let pool = self.fields.pool();
        let mut hidden = generated::methods(&self.trace.calls, pool);
        if !self.options.suspects_tests {
            hidden.extend(test_methods::of_tests(&self.trace.calls, pool));
        }
        let runs = method_runs(&mut self.trace.calls, &failed, &hidden, context)?;
        Ok(Some(ranked(&self.trace.calls, runs, &failed, &self.passing, most)))
    }
}

/// What the methods of the failed run did, by their numbers, without those in `hidden`.
fn method_runs(
    calls: &mut Calls,
    failed: &FailedRun,
    hidden: &BTreeSet<u32>,
    context: &Context,
) -> Result<BTreeMap<u32, MethodRun>, SessionError> {
    let end = failed.root.saturating_add(calls.below(failed.root));
    let own_thread = calls.thread_number(failed.root);
    let mut found: BTreeMap<u32, MethodRun> = BTreeMap::new();
    for (thread, ..) in calls.threads() {
        let is_of_failed = |call: u32| Some(thread) != own_thread || (failed.from..=end).contains(&call);
        let (mut is_stopped, mut events) = (false, 0_u64);
        // The last call below a class initialiser. It runs in the first test that needs the class, so that
        // other tests tell nothing of it.
        let mut initialised_until = None;
        calls.walk(thread, None, |calls, seen| {
            events += 1;
            let Some(call) = seen.node.filter(|call| is_of_failed(*call)) else { return WalkControl::Next };
            let Some(edge) = seen.site.flow_edge().filter(|_| !hidden.contains(&seen.site.method)) else {
                return WalkControl::Next;
            };
            let is_initialiser = calls.sites.method(seen.site.method).is_some_and(|of| of.name == "<clinit>");
            if edge == FlowEdge::Entry && is_initialiser {
                initialised_until = initialised_until.max(Some(call.saturating_add(calls.below(call))));
            }
            let is_own = Some(thread) == own_thread;
            found.entry(seen.site.method).or_default().take(&CoveringEvent {
                site: seen.site,
                edge,
                call,
                influences: failed.influential.as_ref().is_some_and(|calls| calls.contains(&call)),
                is_below: is_own && call > failed.root,
                at: Some(events).filter(|_| is_own && Some(call) > initialised_until),
            });
            is_stopped = context.is_interrupted();
            if is_stopped { WalkControl::Stop } else { WalkControl::Next }
        })?;
        if is_stopped {
            return Err(SessionError::Interrupted);
        }
    }
    found.retain(|_, of| of.calls > 0);
    Ok(found)
}

/// The most suspicious methods.
fn ranked(
    calls: &Calls,
    runs: BTreeMap<u32, MethodRun>,
    failed: &FailedRun,
    tests: &RunsCoverage,
    most: usize,
) -> Ranking {
    let of = runs.len();
    let evidence = Evidence::of(calls, failed, tests);
    let named = runs.iter().filter_map(|(number, run)| Some((*number, calls.sites.method(*number)?, run)));
    let mut methods: Vec<RankedMethod> =
        named.clone().filter_map(|(number, method, run)| evidence.ranked(number, method, run)).collect();
    methods.sort_by(|a, b| b.suspicion.total_cmp(&a.suspicion).then(b.node.cmp(&a.node)));
    methods.truncate(most);
    let most_suspicious = methods.first().map_or(1.0, |first| first.suspicion).max(f64::MIN_POSITIVE);
    for method in &mut methods {
        method.suspicion /= most_suspicious;
    }
    let only_here = named.filter_map(|(_, method, run)| evidence.first_only_here(method, run));
    Ranking {
        methods,
        of,
        passed: tests.passed,
        are_tests: tests.tests > 0,
        failed: evidence.failing,
        has_slice: evidence.has_slice,
        first: only_here.min_by_key(|(at, _)| *at).map(|(_, first)| first),
    }
}

/// What is known beside the calls of a method.
struct Evidence<'a> {
    tests: &'a RunsCoverage,
    /// Number of tests that fail, the recorded one among them.
    failing: u32,
    /// The methods that the exception left, outermost first.
    left: Vec<Option<u32>>,
    has_slice: bool,
}

impl<'a> Evidence<'a> {
    fn of(calls: &Calls, failed: &FailedRun, tests: &'a RunsCoverage) -> Evidence<'a> {
        let chain = failed.chain.iter().filter(|_| !failed.is_assertion);
        Evidence {
            tests,
            // No test is among those that failed if only commands ran.
            failing: u32::try_from(tests.failed.len()).unwrap_or(u32::MAX).max(1),
            left: chain.map(|call| calls.method_number(*call)).collect(),
            has_slice: failed.influential.is_some(),
        }
    }

    fn part_in_exception(&self, method: u32) -> Option<ExceptionPart> {
        let at = self.left.iter().rposition(|of| *of == Some(method))?;
        Some(if at + 1 == self.left.len() { ExceptionPart::Threw } else { ExceptionPart::Left })
    }

    /// The edges that a method covered, each with the runs that cover it and how suspicious it is.
    fn edges(&self, method: &Method, run: &MethodRun) -> Vec<(CoveredPlace, RareEdge, f64)> {
        let of = |(edge, place): (&FlowEdge, &CoveredPlace)| {
            let (CoveringRuns { passed, failed }, own) = suspicion_by(self.tests, method, *edge);
            let is_without = self.has_slice && !place.is_influential;
            let own = if is_without { own * WITHOUT_INFLUENCE } else { own };
            (*place, rare_edge(*edge, *place, passed, failed), own)
        };
        run.edges.iter().map(of).collect()
    }

    /// A method with the evidence; its suspicion is not yet relative to others.
    fn ranked(&self, number: u32, method: &Method, run: &MethodRun) -> Option<RankedMethod> {
        let edges = self.edges(method, run);
        // Of equals, the last one.
        let (_, rarest, _) = edges.iter().max_by(|(.., one), (.., other)| one.total_cmp(other))?;
        let sum: f64 = edges.iter().map(|(.., own)| own).sum();
        let count = f64::from(u32::try_from(edges.len()).unwrap_or(u32::MAX));
        let exception = self.part_in_exception(number);
        let factor = if exception.is_some() { LEFT_BY_EXCEPTION } else { 1.0 };
        Some(RankedMethod {
            class: method.class.to_string(),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            source: method.source.as_deref().map(str::to_owned),
            suspicion: sum * factor / count.sqrt(),
            node: run.last_influential.unwrap_or(run.last),
            calls: run.calls,
            influential: Some(run.influential).filter(|_| self.has_slice && run.below > 0),
            exception,
            rarest: *rarest,
        })
    }

    /// The first edge of a method that no passing run covers, with its place in time.
    fn first_only_here(&self, method: &Method, run: &MethodRun) -> Option<(u64, FirstOnlyHere)> {
        let edges = self.edges(method, run).into_iter().filter(|(_, edge, _)| edge.passed == 0);
        let in_time = edges.filter_map(|(place, edge, _)| Some((place.first?, edge)));
        let first = in_time.filter(|_| self.tests.passed > 0).min_by_key(|((at, _), _)| *at);
        first.map(|((at, node), edge)| {
            let source = method.source.as_deref().map(str::to_owned);
            (at, FirstOnlyHere { node, method: method.shown(), source, edge })
        })
    }
}

fn rare_edge(edge: FlowEdge, place: CoveredPlace, passed: u32, failed: u32) -> RareEdge {
    let (kind, to) = match edge {
        FlowEdge::Entry => (EdgeKind::Entry, None),
        FlowEdge::Branch { .. } => (EdgeKind::Branch, place.to),
        FlowEdge::Handler(_) => (EdgeKind::Handler, None),
    };
    RareEdge { edge: kind, line: place.line, to, passed, failed }
}
