//! Pairs the threads of both runs, and their first calls.

use super::correspondence::Sameness;
use super::hashed::NumberMap;
use super::matching::Matched;
use super::state::State;
use super::steps::{OwnSteps, Step, StepKind, StepOrigin};
use super::versions::is_initialiser;
use std::collections::{HashMap, VecDeque};
use trace::TraceError;

/// How many calls of the other run are tried for each first call of a pool's threads.
const TRIED: usize = 256;

/// Threads of both runs whose names differ only in numbers, such as the threads of a pool. Which of them does
/// which task can vary.
pub struct ThreadGroup {
    /// The name, with `#` for each number.
    pub name: String,
    /// The threads of each run, by number.
    pub threads: [Vec<u32>; 2],
}

/// The groups of threads, in the order in which the first run started them.
pub fn groups(state: &State<'_>) -> Vec<ThreadGroup> {
    let mut groups: Vec<ThreadGroup> = Vec::new();
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (side, run) in state.runs.iter().enumerate() {
        for (thread, ..) in run.calls.threads() {
            let name = without_numbers(&run.calls.identity(thread).base());
            let number = *numbers.entry(name).or_insert_with_key(|name| {
                groups.push(ThreadGroup { name: name.clone(), threads: [Vec::new(), Vec::new()] });
                groups.len() - 1
            });
            groups[number].threads[side].push(thread);
        }
    }
    groups
}

fn without_numbers(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if text.ends_with('#') => {}
            true => text.push('#'),
            false => text.push(letter),
        }
    }
    text
}

/// The first calls of a group's threads as steps, in order of time.
///
/// # Errors
/// The events cannot be read.
pub fn first_calls(state: &mut State<'_>, side: usize, group: &ThreadGroup) -> Result<OwnSteps, TraceError> {
    let calls = &mut *state.runs[side].calls;
    let (mut steps, mut initialisers) = (Vec::new(), Vec::new());
    for thread in &group.threads[side] {
        for node in calls.roots(*thread) {
            if calls.method(node).is_some_and(is_initialiser) {
                initialisers.push(node);
                continue;
            }
            let Some(call) = calls.call(node)? else { continue };
            let this = call.this.filter(|this| *this != 0).map(trace::Value::Object);
            let is_constructor = calls.method(node).is_some_and(|method| method.name == "<init>");
            let values = this.into_iter().filter(|_| !is_constructor).chain(call.arguments).collect();
            let time = calls.span(node)?.0;
            let origin = StepOrigin { call: node, index: u32::MAX - 1 };
            steps.push(Step { kind: StepKind::Enter(node), values, before: None, origin, time });
        }
    }
    steps.sort_by_key(|step| step.time);
    Ok(OwnSteps::of(steps).with_initialisers(initialisers))
}

/// Pairs the first calls of several threads by method and input.
pub fn by_input(state: &mut State<'_>, here: &OwnSteps, there: &OwnSteps) -> Vec<Matched> {
    let method = |state: &State<'_>, side: usize, step: &Step| {
        let StepKind::Enter(node) = step.kind else { return u32::MAX };
        let number = state.runs[side].calls.method_number(node).unwrap_or(u32::MAX);
        state.versions.method(side, number)
    };
    let mut free: HashMap<u32, VecDeque<usize>> = HashMap::new();
    for (at, step) in there.steps().iter().enumerate() {
        free.entry(method(state, 1, step)).or_default().push_back(at);
    }
    let mut all = Vec::new();
    for (at, step) in here.steps().iter().enumerate() {
        let of_method = free.entry(method(state, 0, step)).or_default();
        let has_same_input = |other: &usize| {
            let values = step.values.iter().zip(&there.steps()[*other].values);
            values.into_iter().all(|(one, other)| state.compare(*one, *other) != Sameness::Different)
        };
        let found = of_method.iter().take(TRIED).position(has_same_input);
        match found.or((!of_method.is_empty()).then_some(0)) {
            Some(place) => all.extend(of_method.remove(place).map(|other| Matched::Both(at, other))),
            None => all.push(Matched::Here(at)),
        }
    }
    let mut rest: Vec<usize> = free.into_values().flatten().collect();
    rest.sort_unstable();
    all.extend(rest.into_iter().map(Matched::There));
    all
}

/// The class initialisers of a run by the shared number of the method.
pub fn initialisers(state: &State<'_>, side: usize) -> NumberMap<u32, u32> {
    let calls = &state.runs[side].calls;
    let numbered = (0..).zip(calls.sites.methods());
    let of_class = numbered.filter(|(_, method)| is_initialiser(method));
    let threads = calls.threads();
    let first = |number: u32| {
        let of_thread = |(thread, ..): &(u32, String, u32)| calls.of_method(number, *thread).first().copied();
        threads.iter().find_map(of_thread)
    };
    of_class.filter_map(|(number, _)| Some((state.versions.method(side, number), first(number)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::without_numbers;

    #[test]
    fn threads_of_a_pool_have_one_name() {
        for (name, shared) in [
            ("main", "main"),
            ("pool-1-thread-12", "pool-#-thread-#"),
            ("pool-2-thread-3", "pool-#-thread-#"),
            ("42", "#"),
        ] {
            assert_eq!(without_numbers(name), shared);
        }
    }
}
