//! The replies that the page may load again, and the work that goes on.

use super::desk::Unanswered;
use super::requests::nothing_kept;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of replies of a diagnosis that are kept.
const SAID: usize = 2000;

/// The replies, by the names under which they are kept.
#[derive(Default)]
pub struct Replies(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    kept: HashMap<&'static str, Value>,
    /// The names whose work goes on, each as often as there is work.
    working: Vec<&'static str>,
}

impl Replies {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Work begins whose reply is kept.
    pub fn begin(&self, name: &'static str) {
        self.inner().working.push(name);
    }

    /// Work has ended. Keeps its reply. Replies of a diagnosis continue those before, unless it is new.
    pub fn end(&self, name: &'static str, reply: &Result<Value, Unanswered>) {
        let mut inner = self.inner();
        if let Some(at) = inner.working.iter().position(|working| *working == name) {
            inner.working.swap_remove(at);
        }
        match reply {
            // What was there is cleared.
            Ok(Value::Null) => {
                inner.kept.remove(name);
            }
            Ok(reply) => {
                let mut reply = reply.clone();
                continue_replies(inner.kept.get(name), &mut reply);
                inner.kept.insert(name, reply);
            }
            Err(Unanswered::Cancelled | Unanswered::Refused(_)) => {}
            Err(Unanswered::Failed(why)) => {
                // What was there stays.
                let mut failed = inner.kept.remove(name).unwrap_or_else(|| nothing_kept(name));
                if let Value::Object(failed) = &mut failed {
                    failed.insert("error".to_owned(), why.clone().into());
                    if failed.get("state").is_none_or(|state| state == "none") {
                        failed.insert("state".to_owned(), "failed".into());
                    }
                }
                inner.kept.insert(name, failed);
            }
        }
    }

    /// The reply that is kept under a name.
    pub fn kept(&self, name: &str) -> Value {
        let inner = self.inner();
        let mut kept = inner.kept.get(name).cloned().unwrap_or_else(|| nothing_kept(name));
        if inner.working.contains(&name)
            && let Value::Object(kept) = &mut kept
        {
            kept.insert("state".to_owned(), "working".into());
        }
        kept
    }
}

/// Puts the replies of a diagnosis behind those that were said before, unless it is new.
fn continue_replies(before: Option<&Value>, reply: &mut Value) {
    let Value::Object(reply) = reply else { return };
    let is_new = reply.remove("new") == Some(Value::Bool(true));
    let said = before.and_then(|before| before.get("replies"));
    if let (Some(Value::Array(said)), Some(Value::Array(now)), false) =
        (said, reply.get_mut("replies"), is_new)
    {
        let mut all = said.clone();
        all.append(now);
        all.drain(..all.len().saturating_sub(SAID));
        *now = all;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn replies_continue_until_a_diagnosis_is_new() {
        let replies = Replies::default();
        assert_eq!(replies.kept("diagnosis")["state"], json!("none"));
        let said = |new: bool, text: &str| {
            replies.begin("diagnosis");
            assert_eq!(replies.kept("diagnosis")["state"], json!("working"));
            let reply = json!({ "state": "asking", "new": new, "replies": [text] });
            replies.end("diagnosis", &Ok(reply));
            replies.kept("diagnosis")["replies"].clone()
        };
        assert_eq!(said(true, "a"), json!(["a"]));
        assert_eq!(said(false, "b"), json!(["a", "b"]));
        assert_eq!(said(true, "c"), json!(["c"]));
        assert_eq!(replies.kept("diagnosis")["new"], Value::Null, "the page needs no mark");
    }

    #[test]
    fn what_fails_changes_nothing_but_says_why() {
        let replies = Replies::default();
        let fails = |name| {
            replies.begin(name);
            replies.end(name, &Err(Unanswered::Failed("no".to_owned())));
        };
        fails("chain");
        assert_eq!(replies.kept("chain"), json!({ "state": "failed", "error": "no" }));
        replies.end("chain", &Ok(json!({ "state": "answered", "runs": 1 })));
        assert_eq!(replies.kept("chain"), json!({ "state": "answered", "runs": 1 }));
        fails("chain");
        assert_eq!(replies.kept("chain"), json!({ "state": "answered", "runs": 1, "error": "no" }));
        replies.end("chain", &Ok(json!({ "state": "answered", "runs": 2 })));
        replies.end("chain", &Err(Unanswered::Cancelled));
        replies.end("chain", &Err(Unanswered::Refused("no such point".to_owned())));
        assert_eq!(replies.kept("chain"), json!({ "state": "answered", "runs": 2 }));
        replies.end("omissions", &Ok(json!({ "target": "x" })));
        replies.end("omissions", &Ok(Value::Null));
        assert_eq!(replies.kept("omissions"), json!({ "none": true }));
    }
}
