//! What a command of `qp` says about a fault, compared with the truth.

use serde::Serialize;
use serde_json::Value;

/// How well an answer names the faulty method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It names the method with the changed line.
    Exact,
    /// It names another method.
    Elsewhere,
    /// It names none.
    None,
    /// The command failed.
    Error,
    /// The time limit ended the command.
    OverLimit,
}

/// An answer of `qp`.
#[derive(Clone, Debug, Serialize)]
pub struct Answer {
    pub verdict: Verdict,
    /// The method that it names.
    pub named: Option<String>,
    /// The reason it gives, or its error.
    pub why: String,
    /// Duration of the command in seconds.
    pub took_s: f64,
    /// Number of answers from the reference, or from the oracle.
    pub answers: usize,
    /// Number of calls that could not be judged.
    pub undecided: usize,
}

/// A method's name without the numbers of lambdas: a lambda counts as the method around it.
fn plain(name: &str) -> String {
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    let method =
        method.strip_prefix("lambda$").and_then(|rest| rest.rsplit_once('$')).map_or(method, |l| l.0);
    let method = match method {
        "new" if name.contains("lambda$") => "<init>",
        "static" if name.contains("lambda$") => "<clinit>",
        _ => method,
    };
    format!("{class}.{method}")
}

/// Compares a named method with those that the fault changes.
pub fn verdict(named: Option<&str>, methods: &[String]) -> Verdict {
    match named {
        None => Verdict::None,
        Some(named) if methods.iter().any(|method| plain(method) == plain(named)) => Verdict::Exact,
        Some(_) => Verdict::Elsewhere,
    }
}

/// The method of a call in the output.
pub fn named(call: &Value) -> Option<String> {
    Some(format!("{}.{}", call["class"].as_str()?, call["method"].as_str()?))
}
