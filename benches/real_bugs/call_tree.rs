//! The calls of a run, recorded by `qp trace record --level calls`.

use super::ask::{limit, qp};
use super::process::run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A call.
#[derive(Clone, Debug)]
pub struct Call {
    pub thread: String,
    /// `package.Class.method(I)V`.
    pub name: String,
    /// The number of its caller.
    pub parent: Option<u32>,
}

/// All calls by number. Numbers rise with the time of entry.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    pub calls: BTreeMap<u32, Call>,
}

impl CallTree {
    /// Records a command and reads its calls.
    ///
    /// # Errors
    /// The recording takes longer than the time limit, or fails.
    pub fn record(command: &[String], folder: &Path) -> Result<CallTree, String> {
        let work = tempfile::tempdir().expect("a folder");
        let (trace, events) = (work.path().join("trace"), work.path().join("events"));
        let (trace, events) = (trace.display().to_string(), events.display().to_string());
        let record = ["trace", "record", "--level", "calls", "--out", &trace, "--"];
        let qp = qp();
        let words = [qp.as_str()].into_iter().chain(record).map(str::to_owned);
        let words: Vec<String> = words.chain(command.iter().cloned()).collect();
        let recorded = run(&words, folder, limit());
        if recorded.over {
            return Err("the recording is over the time limit".to_owned());
        }
        let export = [qp.as_str(), "trace", "export", &trace, "--to", &events].map(str::to_owned);
        let exported = run(&export, folder, limit());
        if exported.code != Some(0) {
            return Err(format!("{}{}", recorded.errors, exported.errors));
        }
        let text = std::fs::read_to_string(&events).map_err(|e| e.to_string())?;
        let mut tree = CallTree::default();
        let mut open: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let ends = ["\"event\":\"enter\"", "\"event\":\"return\"", "\"event\":\"leave\""];
        for line in text.lines().filter(|line| ends.iter().any(|end| line.contains(end))) {
            let event: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
            tree.add(&event, &mut open);
        }
        Ok(tree)
    }

    /// Adds an event, given the open calls of each thread.
    fn add(&mut self, event: &Value, open: &mut BTreeMap<String, Vec<u32>>) {
        let text = |part: &str| event[part].as_str().unwrap_or_default();
        let Some(node) = event["node"].as_u64().and_then(|node| u32::try_from(node).ok()) else { return };
        let of_thread = open.entry(text("thread").to_owned()).or_default();
        if text("event") == "enter" {
            let name = format!("{}.{}{}", text("class"), text("method"), text("descriptor"));
            let call = Call { thread: text("thread").to_owned(), name, parent: of_thread.last().copied() };
            self.calls.insert(node, call);
            of_thread.push(node);
        } else if ["return", "leave"].contains(&text("event"))
            && let Some(at) = of_thread.iter().rposition(|call| *call == node)
        {
            of_thread.truncate(at);
        }
    }

    /// Whether a call encloses another one, or one of the calls of its method that the same call made does.
    pub fn run_encloses(&self, outer: u32, inner: u32) -> bool {
        let Some(Call { name, parent, .. }) = self.calls.get(&outer) else { return true };
        let mut at = Some(inner);
        while let Some((node, call)) = at.and_then(|node| Some((node, self.calls.get(&node)?))) {
            if node == outer || (call.name == *name && call.parent == *parent) {
                return true;
            }
            at = call.parent;
        }
        false
    }

    /// Whether a call is another one or encloses it.
    pub fn encloses(&self, outer: u32, inner: u32) -> bool {
        let mut at = Some(inner);
        while let Some(node) = at {
            if node == outer {
                return true;
            }
            at = self.calls.get(&node).and_then(|call| call.parent);
        }
        false
    }
}
