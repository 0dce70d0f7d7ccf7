//! Records one call of a recorded run later, in more detail. The program is run again, and only that call is
//! recorded. It counts as the same call if both runs recorded the same about it and about its callers.

use super::open::{RecordedTrace, program_of};
use super::record::{RecordOptions, record};
use super::secrets::Secrets;
use chain::Chain;
use past::{PastError, Recording};
use session::{Context, SessionError, Wanted, trust};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use trace::{About, Calls, Exit, Folder, Level, Objects, Value, WalkControl, Window};

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
        return joined(calls, around, later).map(Some);
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
    match recorded_again(calls, node, &program, &options, context).await {
        Ok(found) => {
            std::fs::rename(&unfinished, &path).map_err(trace::TraceError::at(&path))?;
            Ok(Some(found))
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
        secrets: Secrets::default(),
    }
}

/// Runs the program again and records a call. Returns the recording, with the numbers of the first run.
async fn recorded_again(
    calls: &mut Calls,
    node: u32,
    program: &Chain,
    options: &RecordOptions,
    context: &Context,
) -> Result<RecordedTrace, SessionError> {
    Box::pin(record(program, options, context)).await?;
    let later = RecordedTrace::open(&options.out, options.memory, context).await?;
    joined(calls, node, later)
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

/// Renumbers a later recording of a call, if it is of the same execution.
pub(super) fn joined(
    calls: &mut Calls,
    node: u32,
    mut later: RecordedTrace,
) -> Result<RecordedTrace, SessionError> {
    let found = &mut later.calls;
    let around = path(calls, node);
    let differs = |node: u32| SessionError::NotTheSame { call: node, command: String::new() };
    let Some((thread, _, _)) = found.threads().into_iter().find(|(_, _, count)| *count > 0) else {
        return Err(differs(node));
    };
    let first = found.of_thread(thread).start;
    let there = first + u32::try_from(around.len()).unwrap_or(1) - 1;
    let path: Vec<u32> = (first..=there).collect();
    let ours = CallDigest::of(calls, &around, None)?;
    let theirs = CallDigest::of(found, &path, None)?;
    let block = ours.blocks.iter().zip(&theirs.blocks).take_while(|(a, b)| a == b).count();
    if block < ours.blocks.len().max(theirs.blocks.len()) {
        // A call that had not ended can be compared only up to its last event.
        let is_open = calls.call(node)?.is_none_or(|call| call.exit == Exit::Open);
        let ours = CallDigest::of(calls, &around, Some(block))?.events;
        let theirs = CallDigest::of(found, &path, Some(block))?.events;
        let same = ours.iter().zip(&theirs).take_while(|((a, _), (b, _))| a == b).count();
        let all = if is_open { ours.len() } else { ours.len().max(theirs.len()) };
        if same < all {
            return Err(differs(ours.get(same).map_or(node, |(_, node)| *node)));
        }
    }
    let names = theirs.objects.into_iter().zip(ours.objects).collect();
    found.objects.rename(names, &calls.objects);
    // Someone may have changed the folder, so it can contain other calls.
    let offset = node.checked_sub(there).ok_or_else(|| differs(node))?;
    found.renumber(around.into_iter().take(usize::try_from(there).unwrap_or(0)).collect(), offset);
    Ok(later)
}

/// Number of events that share a digest. A call may have too many events to keep one digest for each.
const BLOCK: usize = 1 << 12;

/// The events of a call at level `calls`, and the entries of its callers. Object numbers differ between runs,
/// so objects are numbered in the order of their first occurrence.
#[derive(Default)]
struct CallDigest {
    /// A digest of each block of events.
    blocks: Vec<u64>,
    /// For one block: the digest of each event, and its call.
    events: Vec<(u64, u32)>,
    objects: Vec<u32>,
    count: usize,
}

impl CallDigest {
    fn of(calls: &mut Calls, path: &[u32], block: Option<usize>) -> Result<CallDigest, SessionError> {
        let mut digest = CallDigest::default();
        let mut met = HashMap::new();
        for (at, node) in path.iter().enumerate() {
            let Some(thread) = calls.thread_number(*node) else { continue };
            let is_around = at + 1 < path.len();
            calls.walk(thread, Some(*node), |calls, seen| {
                if seen.site.what.level() == Level::Calls {
                    let mut hasher = DefaultHasher::new();
                    (seen.site.what, seen.site.bci).hash(&mut hasher);
                    if let Some(method) = calls.sites.method(seen.site.method) {
                        (unnamed(&method.class), &method.name, &method.descriptor).hash(&mut hasher);
                    }
                    for value in seen.values {
                        digest.value(*value, &calls.objects, &mut met, &mut hasher);
                    }
                    digest.event(hasher.finish(), seen.node.unwrap_or(*node), block);
                }
                if is_around { WalkControl::Stop } else { WalkControl::Next }
            })?;
        }
        Ok(digest)
    }

    fn event(&mut self, says: u64, node: u32, block: Option<usize>) {
        if block == Some(self.count / BLOCK) {
            self.events.push((says, node));
        }
        if self.count.is_multiple_of(BLOCK) {
            self.blocks.push(0);
        }
        if let Some(digest) = self.blocks.last_mut() {
            let mut hasher = DefaultHasher::new();
            (*digest, says).hash(&mut hasher);
            *digest = hasher.finish();
        }
        self.count += 1;
    }

    fn value(
        &mut self,
        value: Value,
        objects: &Objects,
        met: &mut HashMap<u32, usize>,
        to: &mut DefaultHasher,
    ) {
        match value {
            Value::Object(0) => 0_u8.hash(to),
            Value::Object(object) => {
                let next = met.len();
                let at = *met.entry(object).or_insert(next);
                at.hash(to);
                if at == next {
                    self.objects.push(object);
                    let shown = objects.name(object);
                    let is_text = objects.text_of(object).is_some();
                    let kind = if is_text { None } else { shown.rsplit_once('@') };
                    unnamed(kind.map_or(shown.as_str(), |(kind, _)| kind)).hash(to);
                }
            }
            Value::Boolean(v) => v.hash(to),
            Value::Char(v) => v.hash(to),
            Value::Int(v) => v.hash(to),
            Value::Long(v) => v.hash(to),
            Value::Float(v) => v.to_bits().hash(to),
            Value::Double(v) => v.to_bits().hash(to),
        }
    }
}

/// A class name without the suffix of a hidden class, which differs in each run.
fn unnamed(class: &str) -> &str {
    class.split_once("/0x").map_or(class, |(name, _)| name)
}
