//! Compares what a person sees of runs from outside: how they ended, what they printed, and what they wrote
//! to files. That can differ although no recorded call does: code that was not recorded prints, and a call
//! that ends the program neither returns nor throws.

use super::super::Diagnoser;
use super::compared_code::{ComparedCode, IN_DOUBT, RUNS};
use super::{Divergence, Varying, VersionDifference};
use alignment::{Alignment, Verdict};
use bytecode::Op;
use bytecode::descriptor::class_name;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Calls, Checksum, Exit, FileEnd, TraceError};

/// Methods of the JDK that end the program.
const EXITS: [(&str, &str); 3] =
    [("java.lang.System", "exit"), ("java.lang.Runtime", "exit"), ("java.lang.Runtime", "halt")];
/// How the ends of programs begin that nobody else has ended.
const BY_ITSELF: [&str; 3] = ["exit code", "by itself", "killed by signal"];
/// The name of how the program ended.
const END: &str = "the end of the program";
/// How the name of a thread's uncaught exception begins.
const UNCAUGHT: &str = "the uncaught exception of thread ";

/// How the ends of runs of two versions differ.
#[derive(Debug, Default)]
pub struct Ends {
    /// What differs between the versions.
    pub differs: Vec<VersionDifference>,
    /// What differs between runs of one version; it is not compared.
    pub varies: Vec<Varying>,
    /// What is not known of a run, and so was not compared.
    pub unknown: BTreeSet<String>,
}

/// How the ends of two versions differ, and which call that may come from.
#[derive(Debug, Default)]
pub struct EndsDivergence {
    /// How they differ.
    pub ends: Ends,
    /// The call that ended the program with another exit code, or the only one of a method with other code.
    pub call: Option<u32>,
    /// The call that ended the program, if that was seen in it.
    exiting: Option<u32>,
    /// The last calls of methods with other code, if there are several.
    suspects: Vec<u32>,
    /// Whether the method of `call` has the same code in both versions.
    same_code: bool,
    /// Number of runs of each version that confirm it; 0 if nothing differs.
    pub wanted: usize,
}

impl EndsDivergence {
    /// The divergence; `None` if the ends do not differ.
    pub fn divergence(&mut self, one: &Diagnoser, same: usize) -> Option<Divergence> {
        let differs = std::mem::take(&mut self.ends.differs);
        (!differs.is_empty()).then(|| Divergence {
            call: self.call.map(|call| one.buggy(call)),
            seen_in: self.exiting.filter(|seen| self.call != Some(*seen)).map(|seen| one.buggy(seen)),
            suspects: self.suspects.iter().map(|call| one.buggy(*call)).collect(),
            differs,
            same,
            same_code: self.same_code,
            at_end: self.exiting.is_none(),
            ..Divergence::default()
        })
    }
}

/// Compares what a person sees of the runs, where no call differs.
///
/// # Errors
/// The events cannot be read.
pub fn divergence(
    here: &mut [&mut Diagnoser],
    there: &mut [&mut Diagnoser],
    alignment: &Alignment,
    code: &ComparedCode,
) -> Result<EndsDivergence, TraceError> {
    let (ends, exiting) = {
        let here: Vec<&Diagnoser> = here.iter().map(|run| &**run).collect();
        let there: Vec<&Diagnoser> = there.iter().map(|run| &**run).collect();
        let mut ends = compared(&here, &there);
        let (Some(one), Some(other)) = (here.first(), there.first()) else {
            return Ok(EndsDivergence::default());
        };
        add_ends_of_calls(&mut ends, one, other, alignment);
        if ends.differs.is_empty() {
            return Ok(EndsDivergence { ends, ..EndsDivergence::default() });
        }
        let exiting = exiting(&ends, one, other, alignment);
        (ends, exiting)
    };
    let Some(one) = here.first_mut() else { return Ok(EndsDivergence::default()) };
    let calls = &mut one.trace.calls;
    let suspects = match exiting {
        Some(call) if code.is_same(calls, call) => code.suspects(calls, call)?,
        Some(_) => Vec::new(),
        None => code.last_calls(calls, None)?,
    };
    let (call, suspects) = match suspects[..] {
        [only] => (Some(only), Vec::new()),
        _ => (exiting, suspects),
    };
    // Output can depend on time and on other threads, and agree in a few runs by chance.
    let is_in_doubt = exiting.is_none() || calls.threads().len() > 1;
    let wanted = if is_in_doubt { IN_DOUBT } else { RUNS };
    let same_code = call.is_some_and(|call| code.is_same(calls, call));
    Ok(EndsDivergence { ends, call, exiting, suspects, same_code, wanted })
}

/// Adds how the first calls of threads ended, where that differs.
fn add_ends_of_calls(ends: &mut Ends, one: &Diagnoser, other: &Diagnoser, alignment: &Alignment) {
    let how = |run: &Diagnoser, call: u32| match run.trace.calls.exit(call) {
        Exit::Returned => "returned",
        Exit::Threw => "threw an exception",
        Exit::Open | Exit::Unrecorded => "did not end",
    };
    for (call, partner) in &alignment.other_ends {
        let what = format!("the end of {}", one.named(*call).method);
        let (here, there) = (how(one, *call).to_owned(), how(other, *partner).to_owned());
        if !ends.differs.iter().any(|known| known.what == what) {
            ends.differs.push(VersionDifference { what, here, there });
        }
    }
}

/// Compares the ends of runs of two versions.
fn compared(here: &[&Diagnoser], there: &[&Diagnoser]) -> Ends {
    let mut ends = Ends::default();
    let [here, there] = [here, there].map(|runs| {
        runs.iter().map(|run| seen(run, &mut ends.unknown)).collect::<Vec<BTreeMap<String, String>>>()
    });
    let all: BTreeSet<&String> = here.iter().chain(&there).flat_map(BTreeMap::keys).collect();
    for what in all {
        let [one, other] = [&here, &there].map(|runs| {
            let values = runs.iter().map(|run| run.get(what).map_or("none", String::as_str));
            values.collect::<BTreeSet<&str>>()
        });
        match (one.len(), other.len()) {
            (1, 1) if one == other => {}
            (1, 1) => {
                let text = |values: &BTreeSet<&str>| values.first().copied().unwrap_or_default().to_owned();
                let (here, there) = (text(&one), text(&other));
                ends.differs.push(VersionDifference { what: what.clone(), here, there });
            }
            _ => {
                let values = one.union(&other).map(|value| (*value).to_owned()).collect();
                ends.varies.push(Varying { place: "the program".to_owned(), what: what.clone(), values });
            }
        }
    }
    ends
}

/// What a person sees of a run, by name.
fn seen(run: &Diagnoser, unknown: &mut BTreeSet<String>) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    let calls = &run.trace.calls;
    for (thread, name, _) in calls.threads() {
        let exception = calls.ends.get(&thread).map_or(0, |end| end.exception);
        if let Some(class) = calls.objects.class(exception).filter(|_| exception != 0) {
            seen.insert(format!("{UNCAUGHT}{name}"), class.to_string());
        }
    }
    let Some(outcome) = &run.trace.about.recorded else {
        unknown.insert("how the program ended".to_owned());
        return seen;
    };
    if !BY_ITSELF.iter().any(|begin| outcome.ended.starts_with(begin)) {
        unknown.insert(format!("what a whole run does: one ended so: {}", outcome.ended));
    }
    seen.insert(END.to_owned(), outcome.ended.clone());
    let (Some(output), Some(files)) = (&outcome.output, &outcome.files) else {
        unknown.insert("files, and what was printed by code that was not recorded".to_owned());
        return seen;
    };
    for (stream, printed) in ["standard output", "standard error"].iter().zip(output) {
        seen.insert(format!("what was printed on {stream}"), shown(*printed));
    }
    if outcome.has_children {
        unknown.insert("files written by other processes that the program started".to_owned());
    }
    for file in files {
        let path = file.path.display();
        match file.end {
            FileEnd::Absent => {}
            FileEnd::Removed => drop(seen.insert(format!("the file {path}"), "removed".to_owned())),
            FileEnd::Folder => drop(seen.insert(format!("the file {path}"), "a folder".to_owned())),
            FileEnd::Content(content) => drop(seen.insert(format!("the file {path}"), shown(content))),
            // Devices keep nothing.
            FileEnd::Unknown if file.path.starts_with("/dev") => {}
            FileEnd::Unknown => drop(unknown.insert(format!("the file {path}"))),
        }
    }
    seen
}

fn shown(content: Checksum) -> String {
    format!("{} bytes, CRC-32 {:08x}", content.bytes, content.crc)
}

/// Whether something that a person sees is how the program or a thread ended.
pub fn is_end(what: &str) -> bool {
    what == END || what.starts_with(UNCAUGHT)
}

/// The call that ended the program, if both runs ended in it with another exit code: the innermost call with
/// the same input that did not end.
fn exiting(ends: &Ends, one: &Diagnoser, other: &Diagnoser, alignment: &Alignment) -> Option<u32> {
    ends.differs.iter().find(|differs| differs.what == END)?;
    let calls = &one.trace.calls;
    let threads = calls.threads();
    let mut exiting = threads.iter().filter_map(|(thread, ..)| {
        let open = open_calls(calls, *thread);
        open.iter().any(|call| exits(one, *call)).then_some(open)
    });
    let (open, None) = (exiting.next()?, exiting.next()) else { return None };
    open.into_iter().rev().find(|call| {
        let is_open = |partner| other.trace.calls.exit(partner) == Exit::Open;
        matches!(alignment.verdict(*call), (Verdict::Same, Some(partner)) if is_open(partner))
    })
}

/// The calls of a thread that did not end, outermost first.
fn open_calls(calls: &Calls, thread: u32) -> Vec<u32> {
    let last_open = |of: Vec<u32>| of.into_iter().rev().find(|call| calls.exit(*call) == Exit::Open);
    std::iter::successors(last_open(calls.roots(thread)), |call| last_open(calls.children(*call))).collect()
}

/// Whether the code of a call's method ends the program.
fn exits(run: &Diagnoser, call: u32) -> bool {
    let method = run.trace.calls.method(call).zip(run.fields.pool());
    let found = method.and_then(|(method, pool)| Some((method, pool.find(&method.class).ok()??)));
    let Some((method, found)) = found else { return false };
    let code = found.file.method(&method.name, &method.descriptor).and_then(|of| of.code.as_ref());
    code.into_iter().flat_map(|code| &code.instructions).any(|instruction| match &instruction.op {
        Op::Invoke { method, .. } => {
            EXITS.iter().any(|(class, name)| class_name(&method.class) == *class && method.name == *name)
        }
        _ => false,
    })
}
