//! Records one call of a recorded run later, in more detail. The program is run again, and only that call is
//! recorded. It counts as the same call if both runs recorded the same about it and about its callers.

use super::call_digest::{CallPath, digests};
use super::open::{RecordedTrace, program_of};
use super::options::RecordOptions;
use super::record::record;
use super::secrets::Secrets;
use chain::Chain;
use past::{PastError, Recording};
use session::{Context, SessionError, Wanted, trust};
use std::path::{Path, PathBuf};
use trace::{About, Calls, Exit, Folder, Level, Window};

/// The recording of a call at a level: this one, or that of another run of the program. Calls and objects
/// have the same numbers in both.
///
/// # Errors
/// There is no such call, the program cannot be run again, or the new run differs.
pub async fn at_level(
    mut trace: RecordedTrace,
    node: u32,
    level: Option<Level>,
    context: &Context,
) -> Result<RecordedTrace, SessionError> {
    let later = match level {
        Some(level) => detail(&mut trace, node, level, context).await?,
        None => None,
    };
    Ok(later.unwrap_or(trace))
}

/// The recording of a call at a level; `None` if the first recording has that level. Runs the program again,
/// unless that was done before for this call or a caller. The numbers of calls and objects are those of the
/// first run. Objects that only the new run has met get further numbers.
///
/// # Errors
/// The program cannot be run again, or the new run differs.
pub async fn detail(
    trace: &mut RecordedTrace,
    node: u32,
    level: Level,
    context: &Context,
) -> Result<Option<RecordedTrace>, SessionError> {
    let RecordedTrace { folder: there, recording: Recording { about, calls, .. }, memory, is_own, .. } =
        trace;
    let memory = *memory;
    if about.level >= level {
        return Ok(None);
    }
    // A partial recording does not say which calls of the full run it contains.
    about.is_whole()?;
    let Some(window) = window(calls, node) else {
        return Err(PastError::NoSuchCall { node, calls: calls.count() }.into());
    };
    if let Some((around, path)) = earlier_detail(calls, there, node, level) {
        let later = RecordedTrace::open(&path, memory, context).await?;
        return Box::pin(joined(calls, around, later, context)).await.map(Some);
    }
    if about.redacted {
        return Err(SessionError::Redacted { command: about.command.join(" "), level });
    }
    if !*is_own {
        trust::allow(&Wanted::of_recording(there.path(), about), context)?;
        *is_own = true;
    }
    let path = there.detail(node, level);
    let unfinished = path.with_extension("unfinished");
    drop(std::fs::remove_dir_all(&unfinished));
    if let Some(details) = path.parent().filter(|details| !details.exists()) {
        files::create_folder(details).map_err(trace::TraceError::at(details))?;
    }
    let options = options_of(about, window, level, &unfinished, memory);
    let program = Chain::new(program_of(there, about), Vec::new());
    match Box::pin(recorded_again(calls, node, &program, &options, context)).await {
        Ok(numbers) => {
            std::fs::rename(&unfinished, &path).map_err(trace::TraceError::at(&path))?;
            // Readers keep paths into the folder, so it is opened by its final name.
            let later = Box::pin(RecordedTrace::open(&path, memory, context)).await?;
            Ok(Some(numbers.given_to(later, calls)))
        }
        Err(error) => {
            // Discard the recording: it belongs to a different execution.
            drop(std::fs::remove_dir_all(&unfinished));
            Err(match error {
                SessionError::NotTheSame { call, .. } => {
                    SessionError::NotTheSame { call, command: again(about, level) }
                }
                other => other,
            })
        }
    }
}

/// The folder with an earlier recording of a call, or of one of its callers, at a level or above it, and the
/// recorded call.
fn earlier_detail(calls: &Calls, folder: &Folder, node: u32, level: Level) -> Option<(u32, PathBuf)> {
    let mut around = Some(node);
    while let Some(at) = around {
        let levels = [Level::Writes, Level::All].into_iter().filter(|known| *known >= level);
        if let Some(path) = levels.map(|known| folder.detail(at, known)).find(|path| path.is_dir()) {
            return Some((at, path));
        }
        around = calls.parent(at);
    }
    None
}

/// How to record one call of a recorded run again.
fn options_of(about: &About, window: Window, level: Level, out: &Path, memory: usize) -> RecordOptions {
    RecordOptions {
        listener: None,
        brief: None,
        stdin: None,
        by_owner: false,
        class_path_property: about.class_path_property.clone(),
        chosen: None,
        steering: about.steering.clone(),
        out: out.to_owned(),
        level,
        scope: about.scope.clone(),
        trust: about.trust.clone(),
        window: Some(window),
        places: None,
        memory,
        timeout_s: None,
        show_output: false,
        max_size: None,
        secrets: Secrets::default(),
        all_jvms: false,
    }
}

/// Runs the program again and records a call. Returns the numbers of the first run.
async fn recorded_again(
    calls: &mut Calls,
    node: u32,
    program: &Chain,
    options: &RecordOptions,
    context: &Context,
) -> Result<FirstRunNumbers, SessionError> {
    Box::pin(record(program, options, context)).await?;
    let later = RecordedTrace::open(&options.out, options.memory, context).await?;
    compared(calls, node, &later, context).await
}

/// The command that records the whole run in more detail.
fn again(about: &About, level: Level) -> String {
    let patterns = |option: &str, patterns: &[String]| -> String {
        patterns.iter().map(|pattern| format!(" --{option} '{pattern}'")).collect()
    };
    let (scope, trust) = (patterns("scope", &about.scope), patterns("trust", &about.trust));
    format!("qp trace record --level {level}{scope}{trust} -- {}", about.command.join(" "))
}

/// The calls that another run of the program records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallRange {
    /// A call and all calls below it.
    Call(u32),
    /// The calls of a thread from the first one up to the second one, which is excluded; `None` for the rest
    /// of the thread.
    Between(u32, Option<u32>),
}

/// The range of calls that another run of the program records.
///
/// # Errors
/// There is no such call, or the second call is not a later call of the same thread.
pub fn only(trace: &RecordedTrace, only: CallRange) -> Result<Window, SessionError> {
    let calls = &trace.calls;
    let no_such = |node: u32| PastError::NoSuchCall { node, calls: calls.count() };
    match only {
        CallRange::Call(node) => Ok(window(calls, node).ok_or_else(|| no_such(node))?),
        CallRange::Between(from, to) => {
            let window = window(calls, from).ok_or_else(|| no_such(from))?;
            let thread = calls.thread_number(from).map(|thread| calls.of_thread(thread)).unwrap_or(0..0);
            let to = match to {
                None => u64::from(u32::MAX),
                Some(to) if to <= from || !thread.contains(&to) => {
                    let why = format!("call #{to} is not a later call of the thread of call #{from}");
                    return Err(SessionError::NoStep(why));
                }
                Some(to) => u64::from(to - thread.start),
            };
            Ok(Window { to, ..window })
        }
    }
}

/// The position of a call: its thread, its number in the thread, and the numbers of its callers.
fn window(calls: &Calls, node: u32) -> Option<Window> {
    let number = calls.thread_number(node)?;
    let identity = calls.identity(number);
    let mut namesakes: Vec<u32> = calls.threads().into_iter().map(|(of, ..)| of).collect();
    namesakes.retain(|of| calls.identity(*of).name == identity.name);
    let nth = namesakes.iter().filter(|of| **of < number).count();
    let is_shared = namesakes.len() > 1 && identity.number != 0;
    let (thread, java_number) = (identity.name.to_string(), is_shared.then_some(identity.number));
    let first = calls.of_thread(number).start;
    let ordinal = |node: u32| u64::from(node.saturating_sub(first));
    let mut around: Vec<u64> = path(calls, node).into_iter().map(ordinal).collect();
    around.truncate(around.len().saturating_sub(1));
    let (from, to) = (ordinal(node), ordinal(node) + 1 + u64::from(calls.below(node)));
    Some(Window { thread, number: java_number, nth: u32::try_from(nth).ok()?, from, to, around })
}

/// The callers of a call, outermost first, and the call itself.
fn path(calls: &Calls, node: u32) -> Vec<u32> {
    let mut path = vec![node];
    while let Some(parent) = path.last().and_then(|node| calls.parent(*node)) {
        path.push(parent);
    }
    path.reverse();
    path
}

/// The numbers that the calls and objects of a later recording have in the first run.
struct FirstRunNumbers {
    /// The calls around the one that was recorded.
    around: Vec<u32>,
    /// What is added to the numbers of the other calls.
    offset: u32,
    /// The objects: numbers of the later run and of the first.
    objects: Vec<(u32, u32)>,
}

impl FirstRunNumbers {
    fn given_to(self, mut later: RecordedTrace, calls: &Calls) -> RecordedTrace {
        later.calls.objects.rename(self.objects, &calls.objects);
        later.calls.renumber(self.around, self.offset);
        later
    }
}

/// Renumbers a later recording of a call, if it is of the same execution.
///
/// # Errors
/// The recordings cannot be read, or the later one is of another execution.
pub(super) async fn joined(
    calls: &Calls,
    node: u32,
    later: RecordedTrace,
    context: &Context,
) -> Result<RecordedTrace, SessionError> {
    Ok(compared(calls, node, &later, context).await?.given_to(later, calls))
}

/// Compares a later recording of a call with the first run.
async fn compared(
    calls: &Calls,
    node: u32,
    later: &RecordedTrace,
    context: &Context,
) -> Result<FirstRunNumbers, SessionError> {
    let found = &later.calls;
    let around = path(calls, node);
    let differs = |node: u32| SessionError::NotTheSame { call: node, command: String::new() };
    let Some((thread, _, _)) = found.threads().into_iter().find(|(_, _, count)| *count > 0) else {
        return Err(differs(node));
    };
    let first = found.of_thread(thread).start;
    let there = first + u32::try_from(around.len()).unwrap_or(1) - 1;
    let path: Vec<u32> = (first..=there).collect();
    let compared = |block| digests(CallPath(calls, &around), CallPath(found, &path), block, context);
    let [ours, theirs] = compared(None).await?;
    let block = ours.blocks.iter().zip(&theirs.blocks).take_while(|(a, b)| a == b).count();
    if block < ours.blocks.len().max(theirs.blocks.len()) {
        // A call that had not ended can be compared only up to its last event.
        let is_open = calls.exit(node) == Exit::Open;
        let [ours, theirs] = compared(Some(block)).await?.map(|digest| digest.events);
        let same = ours.iter().zip(&theirs).take_while(|((a, _), (b, _))| a == b).count();
        let all = if is_open { ours.len() } else { ours.len().max(theirs.len()) };
        if same < all {
            return Err(differs(ours.get(same).map_or(node, |(_, node)| *node)));
        }
    }
    // Someone may have changed the folder, so it can contain other calls.
    let offset = node.checked_sub(there).ok_or_else(|| differs(node))?;
    let objects = theirs.objects.into_iter().zip(ours.objects).collect();
    let around = around.into_iter().take(usize::try_from(there).unwrap_or(0)).collect();
    Ok(FirstRunNumbers { around, offset, objects })
}
