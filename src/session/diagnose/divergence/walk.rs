//! Walks the calls of one thread in all runs of both versions in step.

use super::VersionDifference;
use super::comparison::{ComparableCall, Comparison, Normalizer, Path, plain, shown};
use crate::session::context::Context;
use crate::session::diagnose::Diagnoser;
use crate::session::diagnose::lambdas::Lambdas;
use crate::session::diagnose::question::Question;
use crate::session::error::SessionError;
use indexmap::IndexMap;
use serde::Serialize;
use serde_json::Value;
use std::collections::HashSet;

/// Most varying places that are named.
const NAMED: usize = 12;
/// Most further varying places that are counted.
const COUNTED: usize = 10_000;
/// Most values that are shown for one varying place.
const VALUES: usize = 4;

/// Something that differs between runs of the same version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Varying {
    /// A method as CLASS.METHOD, or a thread.
    pub place: String,
    /// The value that varies, or the calls made there.
    pub what: String,
    /// Examples of its values.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
}

/// What varies between runs of the same version, each place once. A static field is one place, whatever
/// methods see it.
#[derive(Default)]
pub struct Variation {
    named: IndexMap<(String, String), Vec<String>>,
    /// Places beyond the named ones.
    more: HashSet<(String, String)>,
}

impl Variation {
    /// Whether nothing varies.
    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Adds a varying place, unless it is known.
    pub fn add(&mut self, place: String, what: String, values: Vec<String>) {
        let key = (place, what);
        if self.named.len() < NAMED || self.named.contains_key(&key) {
            self.named.entry(key).or_insert(values);
        } else if self.more.len() < COUNTED {
            self.more.insert(key);
        }
    }

    fn of_values(&mut self, place: &str, paths: &[Path], values: &[Value]) {
        for path in paths {
            let mut some: Vec<String> = values.iter().filter_map(|value| plain(value, path)).collect();
            some.dedup();
            some.truncate(VALUES);
            let is_static = path.first().is_some_and(|first| first == "entry")
                && path.get(1).is_some_and(|name| name.contains('.'));
            let place = if is_static { "static field" } else { place };
            self.add(place.to_owned(), shown(path), some);
        }
    }

    /// The named places, and the number of further ones.
    pub fn listed(self) -> (Vec<Varying>, usize) {
        let one = |((place, what), values)| Varying { place, what, values };
        (self.named.into_iter().map(one).collect(), self.more.len())
    }
}

/// The place at which the versions diverge in one thread.
pub struct DivergenceCandidate {
    /// The diverging call in the first run of each version. None: the first calls of the thread differ.
    pub call: Option<(Question, Question)>,
    /// How the versions differ there.
    pub differs: Vec<VersionDifference>,
}

/// All runs of both versions.
pub struct Runs<'a> {
    /// The runs of the version under test, followed by those of the reference version.
    pub all: Vec<&'a mut Diagnoser>,
    /// The lambdas of each version by their places.
    pub lambdas: [Lambdas; 2],
    /// Number of runs of the version under test.
    pub first: usize,
    /// What varies between runs of the same version.
    pub variation: Variation,
    /// Number of calls that do the same in both versions.
    pub same: usize,
}

/// An open call in all runs, with its callees and the index of the next one.
struct OpenPair {
    of: Option<Vec<Question>>,
    made: Vec<Vec<u32>>,
    next: usize,
}

/// The element that all runs of a version share, if they agree.
fn common<T: PartialEq>(version: &[T]) -> Option<&T> {
    version.first().filter(|first| version.iter().all(|one| one == *first))
}

impl Runs<'_> {
    /// Finds where the versions diverge in the thread of this name, starting at its first calls in each run.
    ///
    /// # Errors
    /// A recording cannot be read, or the user interrupts.
    pub async fn divergence(
        &mut self,
        thread: &str,
        roots: Vec<Vec<u32>>,
        context: &Context,
    ) -> Result<Option<DivergenceCandidate>, SessionError> {
        // The open calls, outermost first. The root of the thread has no question.
        let mut open = vec![OpenPair { of: None, made: roots, next: 0 }];
        while let Some(around) = open.last_mut() {
            if context.is_interrupted() {
                return Err(SessionError::Interrupted);
            }
            let at = around.next;
            around.next += 1;
            let nodes: Vec<Option<u32>> = around.made.iter().map(|made| made.get(at).copied()).collect();
            let methods: Vec<Option<String>> = nodes
                .iter()
                .enumerate()
                .map(|(run, node)| node.and_then(|node| self.method(run, node)))
                .collect();
            let (ours, theirs) = methods.split_at(self.first);
            let Some((one, other)) = common(ours).zip(common(theirs)) else {
                let place =
                    around.of.as_ref().and_then(|of| of.first()).map_or(format!("thread {thread}"), name);
                self.variation.add(place, format!("its calls, from call {} on", at + 1), Vec::new());
                around.made.iter_mut().for_each(Vec::clear);
                continue;
            };
            if one.is_none() && other.is_none() {
                // All of its callees do the same.
                let Some(of) = open.pop().and_then(|open| open.of) else { continue };
                let differs = self.became(&of);
                if !differs.is_empty() {
                    return Ok(Some(DivergenceCandidate { call: pair(of, self.first), differs }));
                }
                self.same += 1;
                continue;
            }
            let mut questions = Vec::with_capacity(nodes.len());
            for (run, node) in nodes.iter().enumerate() {
                if let (Some(node), Some(diagnoser)) = (node, self.all.get_mut(run)) {
                    questions.push(diagnoser.question(*node, context).await?);
                }
            }
            // Either all runs of a version make this call, or none.
            let is_in_both = questions.len() == nodes.len();
            if is_in_both && one == other && self.is_given_the_same(&questions) {
                let made = self.made(&questions);
                open.push(OpenPair { of: Some(questions), made, next: 0 });
                continue;
            }
            let mut questions = questions.into_iter();
            let here = if one.is_some() { questions.next() } else { None };
            let there =
                if here.is_some() { questions.nth(self.first.saturating_sub(1)) } else { questions.next() };
            let what = format!("its call {}", at + 1);
            let first = VersionDifference { what, here: call(here.as_ref()), there: call(there.as_ref()) };
            let mut differs = vec![first];
            let around = open.pop().and_then(|open| open.of);
            if let Some(of) = &around {
                differs.extend(self.became(of));
            }
            return Ok(Some(DivergenceCandidate {
                call: around.and_then(|of| pair(of, self.first)),
                differs,
            }));
        }
        Ok(None)
    }

    /// The method of a call. Lambdas are named by their places.
    fn method(&mut self, run: usize, node: u32) -> Option<String> {
        let diagnoser = self.all.get(run)?;
        let method = diagnoser.trace.calls.method(node)?;
        let version = usize::from(run >= self.first);
        let name =
            self.lambdas.get_mut(version)?.method(&method.class, &method.name, diagnoser.fields.pool());
        Some(format!("{}.{name}{}", method.class, method.descriptor))
    }

    fn each<T>(
        &mut self,
        questions: &[Question],
        normal: impl Fn(&mut Normalizer<'_>, &Question) -> T,
    ) -> Vec<T> {
        let mut calls = Vec::with_capacity(questions.len());
        for (run, question) in questions.iter().enumerate() {
            let version = usize::from(run >= self.first);
            if let (Some(lambdas), Some(diagnoser)) = (self.lambdas.get_mut(version), self.all.get(run)) {
                calls.push(normal(&mut Normalizer { lambdas, pool: diagnoser.fields.pool() }, question));
            }
        }
        calls
    }

    /// Whether the arguments of a call agree in both versions, apart from what varies.
    fn is_given_the_same(&mut self, questions: &[Question]) -> bool {
        let given = self.each(questions, |normalizer, question| normalizer.given(question));
        let compared = Comparison::of(&given, self.first);
        if compared.differs.is_empty()
            && let Some(question) = questions.first()
        {
            self.variation.of_values(&name(question), &compared.varies, &given);
        }
        compared.differs.is_empty()
    }

    /// How the effects of a call differ between the versions, apart from what varies.
    fn became(&mut self, questions: &[Question]) -> Vec<VersionDifference> {
        let calls = self.each(questions, |normalizer, question| normalizer.call(question));
        let values: Vec<Value> = calls.iter().map(|call| call.value.clone()).collect();
        let compared = Comparison::of(&values, self.first);
        if let Some(question) = questions.first() {
            // Arguments that vary are known already.
            let new: Vec<Path> = compared.varies.into_iter().filter(|path| !is_given(path)).collect();
            self.variation.of_values(&name(question), &new, &values);
        }
        let differs: Vec<Path> = compared.differs.into_iter().filter(|path| !is_given(path)).collect();
        match (questions.first(), questions.get(self.first), calls.first(), calls.get(self.first)) {
            (Some(one), Some(other), Some(ours), Some(theirs)) => {
                departures(&differs, (one, ours), (other, theirs))
            }
            _ => Vec::new(),
        }
    }

    fn made(&self, questions: &[Question]) -> Vec<Vec<u32>> {
        let of = |(diagnoser, question): (&&mut Diagnoser, &Question)| {
            let calls = &diagnoser.trace.calls;
            calls.children(calls.own(question.node))
        };
        self.all.iter().zip(questions).map(of).collect()
    }
}

fn is_given(path: &Path) -> bool {
    path.first().is_some_and(|first| first == "entry")
}

fn name(question: &Question) -> String {
    format!("{}.{}", question.class, question.method)
}

/// The questions of the first run of each version.
fn pair(questions: Vec<Question>, first: usize) -> Option<(Question, Question)> {
    let mut questions = questions.into_iter();
    let one = questions.next()?;
    Some((one, questions.nth(first.saturating_sub(1))?))
}

/// A call with its number, method and arguments.
fn call(question: Option<&Question>) -> String {
    let Some(question) = question else { return "none".to_owned() };
    let given: Vec<String> =
        question.entry.iter().map(|(name, shape)| format!("{name} = {}", shape.text(1))).collect();
    format!("#{} {}.{}({})", question.node, question.class, question.method, given.join(", "))
}

/// The differences as text, in the order of a question.
fn departures(
    differs: &[Path],
    one: (&Question, &ComparableCall),
    other: (&Question, &ComparableCall),
) -> Vec<VersionDifference> {
    let changes = |(question, call): (&Question, &ComparableCall)| -> IndexMap<String, (String, String)> {
        let key = |path: &str| call.changes.iter().find(|(_, of)| *of == path).map(|(key, _)| key.clone());
        let all = question.changed.iter();
        all.filter_map(|change| Some((key(&change.path)?, (change.path.clone(), change.new.text(1)))))
            .collect()
    };
    let (ours, theirs) = (changes(one), changes(other));
    let mut found: Vec<VersionDifference> = Vec::new();
    let nothing = || "as it was".to_owned();
    let keys = ours.keys().chain(theirs.keys().filter(|key| !ours.contains_key(*key)));
    for key in keys.filter(|key| differs.iter().any(|path| is_at(path, &["changed", key.as_str()]))) {
        let (here, there) = (ours.get(key), theirs.get(key));
        let what = here.or(there).map(|(path, _)| path.clone()).unwrap_or_default();
        let text = |side: Option<&(String, String)>| side.map_or_else(nothing, |(_, value)| value.clone());
        found.push(VersionDifference { what, here: text(here), there: text(there) });
    }
    let text = |shape: &Option<crate::session::diagnose::Shape>| {
        shape.as_ref().map_or("none".to_owned(), |shape| shape.text(1))
    };
    for (of, here, there) in
        [("result", &one.0.result, &other.0.result), ("exception", &one.0.exception, &other.0.exception)]
    {
        if differs.iter().any(|path| is_at(path, &[of])) {
            found.push(VersionDifference { what: format!("its {of}"), here: text(here), there: text(there) });
        }
    }
    if found.is_empty()
        && let Some(path) = differs.first()
    {
        let text = |call: &ComparableCall| plain(&call.value, path).unwrap_or("something else".to_owned());
        found.push(VersionDifference { what: shown(path), here: text(one.1), there: text(other.1) });
    }
    found
}

fn is_at(path: &Path, begin: &[&str]) -> bool {
    path.len() >= begin.len() && path.iter().zip(begin).all(|(part, of)| part == of)
        || begin.iter().zip(path).all(|(of, part)| of == part) && path.len() < begin.len()
}
