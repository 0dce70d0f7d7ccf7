//! The calls of a recording as a tree, in which similar calls are folded.

use super::call::{CallShown, ListedCall};
use super::error::PastError;
use super::folded_calls::{FoldedCalls, fold};
use super::recording::Recording;
use model::written;
use serde::Serialize;
use trace::{Calls, Method, class_fits, is_named};

/// Which calls to display.
#[derive(Clone, Debug)]
pub struct CallsRequest {
    /// Only this thread.
    pub thread: Option<String>,
    /// Only this call and those below it.
    pub node: Option<u32>,
    /// Only calls of methods with this name, as CLASS.METHOD.
    pub method: Option<String>,
    /// Number of levels.
    pub depth: u32,
    /// Whether to display all calls without folding.
    pub all: bool,
    /// Most calls to display, or a few more: the first ones. Others are not read.
    pub most: usize,
}

impl Default for CallsRequest {
    fn default() -> Self {
        CallsRequest { thread: None, node: None, method: None, depth: 0, all: false, most: usize::MAX }
    }
}

/// The displayed calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallTree {
    /// By thread.
    pub threads: Vec<ThreadShown>,
    /// What the recording lacks that can matter here, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}

/// A thread with its calls.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThreadShown {
    /// Its name.
    pub thread: String,
    /// Its displayed calls.
    pub calls: Vec<ListedCall>,
}

/// Displays the calls of a recording.
///
/// # Errors
/// The given call or thread does not exist, or the recording cannot be read.
pub fn calls(trace: &mut Recording, asked: &CallsRequest) -> Result<CallTree, PastError> {
    let calls = &mut trace.calls;
    if let Some(number) = asked.node {
        let node = calls.own(number);
        let Some(thread) = calls.thread_of(node) else {
            return Err(PastError::NoSuchCall { node: number, calls: calls.count() });
        };
        let mut left = asked.most;
        let shown = asked.level(calls, &[node], asked.depth, &mut left)?;
        let threads = vec![ThreadShown { thread, calls: shown }];
        return Ok(CallTree { threads, missing: trace.missing_in(node) });
    }
    let (mut threads, mut left) = (Vec::new(), asked.most);
    let all = calls.threads();
    for (number, name, _) in &all {
        if asked.thread.as_ref().is_some_and(|thread| !calls.is_named(*number, thread)) {
            continue;
        }
        let nodes = match &asked.method {
            None => calls.roots(*number),
            Some(method) => of_methods(calls, *number, method),
        };
        let shown = asked.level(calls, &nodes, asked.depth, &mut left)?;
        if !shown.is_empty() {
            threads.push(ThreadShown { thread: name.clone(), calls: shown });
        }
    }
    match &asked.thread {
        Some(thread) if threads.is_empty() && !all.iter().any(|(of, ..)| calls.is_named(*of, thread)) => {
            let there: Vec<String> = all.into_iter().map(|(_, name, _)| name).collect();
            Err(PastError::NoSuchThread { thread: thread.clone(), there: there.join(", ") })
        }
        _ => Ok(CallTree { threads, missing: trace.missing() }),
    }
}

impl CallsRequest {
    /// Displays calls, at most `left`, and subtracts them from it.
    fn level(
        &self,
        calls: &mut Calls,
        nodes: &[u32],
        depth: u32,
        left: &mut usize,
    ) -> Result<Vec<ListedCall>, PastError> {
        let mut shown = Vec::new();
        let list = FoldedCalls::of(calls, nodes.to_vec());
        let rows = if self.all { nodes.len() } else { list.count };
        for row in 0..rows {
            let (indices, is_folded) = match self.all {
                true => (row..row + 1, false),
                false => list.row(row).unwrap_or_default(),
            };
            let these = nodes.get(indices).unwrap_or_default();
            if *left == 0 {
                break;
            }
            match these.first() {
                Some(_) if is_folded => {
                    *left = left.saturating_sub(1);
                    shown.push(ListedCall::Fold(fold(calls, these).0));
                }
                Some(node) => shown.push(ListedCall::Call(self.call(calls, *node, depth, left)?)),
                None => {}
            }
        }
        Ok(shown)
    }

    fn call(
        &self,
        calls: &mut Calls,
        node: u32,
        depth: u32,
        left: &mut usize,
    ) -> Result<CallShown, PastError> {
        *left = left.saturating_sub(1);
        let Some(mut call) = CallShown::of(calls, node)? else {
            return Err(PastError::NoSuchCall { node, calls: calls.count() });
        };
        if depth > 1 && self.method.is_none() {
            let children = calls.children(node);
            call.calls = self.level(calls, &children, depth - 1, left)?;
        }
        Ok(call)
    }
}

/// The calls of a thread whose methods match CLASS.METHOD.
fn of_methods(calls: &Calls, thread: u32, wanted: &str) -> Vec<u32> {
    let (class, name) = wanted.rsplit_once('.').unwrap_or(("**", wanted));
    let is_it = |method: &Method| {
        written::is_method(&method.class, &method.name, wanted)
            || method.name == name && (is_named(class, &method.class) || class_fits(&method.class, class))
    };
    let methods = (0..).zip(calls.sites.methods()).filter(|(_, method)| is_it(method));
    let mut nodes: Vec<u32> = methods.flat_map(|(number, _)| calls.of_method(number, thread)).collect();
    nodes.sort_unstable();
    nodes
}
