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

/// A method's name without the number of a lambda, and its descriptor. A lambda counts as the method around
/// it, so its own descriptor is left out.
fn parts(method: &str) -> (String, Option<&str>) {
    let (name, descriptor) = match method.find('(') {
        Some(at) => (&method[..at], Some(&method[at..])),
        None => (method, None),
    };
    let (class, method) = name.rsplit_once('.').unwrap_or(("", name));
    let Some(rest) = method.strip_prefix("lambda$") else { return (name.to_owned(), descriptor) };
    let around = match rest.rsplit_once('$').map_or(method, |(around, _)| around) {
        "new" => "<init>",
        "static" => "<clinit>",
        around => around,
    };
    (format!("{class}.{around}"), None)
}

/// Whether two texts name the same method. Descriptors count if both have one.
pub fn is_same(one: &str, other: &str) -> bool {
    let ((one, its), (other, others)) = (parts(one), parts(other));
    one == other && its.zip(others).is_none_or(|(its, others)| its == others)
}

/// Compares a named method with those that the fault changes.
pub fn verdict(named: Option<&str>, methods: &[String]) -> Verdict {
    match named {
        None => Verdict::None,
        Some(named) if methods.iter().any(|method| is_same(method, named)) => Verdict::Exact,
        Some(_) => Verdict::Elsewhere,
    }
}

/// The method of a call in the output, with its descriptor if the output has it.
pub fn named(call: &Value) -> Option<String> {
    let descriptor = call["descriptor"].as_str().unwrap_or_default();
    Some(format!("{}.{}{descriptor}", call["class"].as_str()?, call["method"].as_str()?))
}
