//! Asks the queries of a chain over a recording of the run.

use super::recording::ChainRecording;
use answer::{Answer, ChainQueryAnswer, Difference, Expectation, Outcome};
use chain::{Chain, ChainQuery, QueryExpect};
use logic::rules::{AskItem, Asked};
use recorded::logic::{AskRequest, OpenLog};
use replay::verdict::Verdict;
use session::{Context, SessionError};
use std::path::PathBuf;

/// Time limit of a goal, in seconds.
const TIMEOUT_S: u64 = 300;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 1 << 30;
/// Number of solutions to show if none are expected.
const SHOWN: usize = 100;

/// Reads the rules of the queries, whose mistakes are found before the program runs.
///
/// # Errors
/// A file of rules cannot be read, or is not valid.
pub(super) fn requests(chain: &Chain) -> Result<Vec<AskRequest>, SessionError> {
    let requests: Vec<AskRequest> = chain.queries.iter().map(|query| request(chain, query)).collect();
    for request in &requests {
        request.read_rules()?.program()?;
    }
    Ok(requests)
}

/// Adds the answers of the queries.
///
/// # Errors
/// The recording cannot be read, or the user interrupted.
pub(super) async fn add(
    answer: &mut Answer,
    chain: &Chain,
    requests: &[AskRequest],
    recording: &ChainRecording,
    context: &Context,
) -> Result<(), SessionError> {
    let log = OpenLog::open(recording.open(context).await?, context).await?;
    for (place, (query, request)) in chain.queries.iter().zip(requests).enumerate() {
        let (mut asked, _) = log.ask(request, context).await?;
        let expectation = expectation(query.expect.as_ref(), &asked);
        if std::mem::take(&mut asked.more) {
            asked.notes.push("there may be more solutions than are needed here".to_owned());
        }
        let is_held = expectation.as_ref().is_none_or(|expected| expected.held);
        let id = format!("query {}", place + 1);
        answer.queries.push(ChainQueryAnswer { id, answers: asked, expectation });
        if !is_held && answer.outcome == Outcome::Held {
            answer.outcome = Outcome::Differs;
        }
    }
    Ok(())
}

/// The queries that differ from what is expected.
///
/// # Errors
/// A query ended with an error, so that its answer is not known.
pub(super) fn differing(answer: &Answer) -> Result<Vec<String>, Verdict> {
    let is_held = |query: &&ChainQueryAnswer| query.expectation.as_ref().is_none_or(|expected| expected.held);
    let ended = answer.queries.iter().find_map(|query| Some((&query.id, query.answers.error.as_ref()?)));
    if let Some((id, error)) = ended {
        return Err(Verdict::Unsure(format!("{id} ended with an error: {error}")));
    }
    let others = answer.queries.iter().filter(|query| !is_held(query));
    Ok(others.map(|query| query.id.clone()).collect())
}

fn request(chain: &Chain, query: &ChainQuery) -> AskRequest {
    let files: Vec<PathBuf> = query
        .rules
        .0
        .iter()
        .map(|file| {
            let path = chain.path(file);
            // `javata.pl` is there without a file.
            if path.exists() { path } else { file.clone() }
        })
        .collect();
    let expect = query.expect.clone().unwrap_or_default();
    let needed = [
        expect.solutions.map(|count| count.saturating_add(1)),
        expect.at_least,
        expect.yes.map(|_| 1),
        expect.first.as_ref().map(|_| 1),
        expect.answers.as_ref().map(|answers| answers.len() + 1),
    ];
    AskRequest {
        goal: query.ask.clone(),
        rules: files,
        saved_rules: false,
        solutions: needed.into_iter().flatten().max().unwrap_or(SHOWN).max(1),
        timeout_s: query.timeout_s.unwrap_or(TIMEOUT_S),
        memory: GOAL_MEMORY,
        explain: false,
    }
}

/// The solutions as one line each.
fn solutions(asked: &Asked) -> Vec<String> {
    let solution = |item: &AskItem| match item {
        AskItem::Solution(solution) if solution.bindings.is_empty() => Some("true".to_owned()),
        AskItem::Solution(solution) => {
            let binding = |(name, value): &(String, String)| format!("{name} = {value}");
            Some(solution.bindings.iter().map(binding).collect::<Vec<_>>().join(", "))
        }
        AskItem::Output(_) => None,
    };
    asked.items.iter().filter_map(solution).collect()
}

/// Blanks count as one, and the final `.` may stand there or not.
fn squeezed(text: &str) -> String {
    text.trim().trim_end_matches('.').split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Compares the answers of a goal with the expected ones. An error is never expected.
fn expectation(expect: Option<&QueryExpect>, asked: &Asked) -> Option<Expectation> {
    let found = solutions(asked);
    let mut parts = Vec::new();
    let mut differ = |what: &str, expected: String, found: Option<String>| {
        parts.push(Difference { what: what.to_owned(), expected, found });
    };
    if let Some(error) = &asked.error {
        differ("error", "none".to_owned(), Some(error.clone()));
    }
    let Some(expect) = expect else {
        return asked.error.as_ref().map(|_| Expectation::new(parts));
    };
    let counted = |count: usize| match asked.more {
        true => format!("at least {count}"),
        false => count.to_string(),
    };
    if expect.solutions.is_some_and(|count| count != found.len()) {
        differ("solutions", expect.solutions.unwrap_or(0).to_string(), Some(counted(found.len())));
    }
    if let Some(least) = expect.at_least.filter(|least| found.len() < *least) {
        differ("at_least", least.to_string(), Some(found.len().to_string()));
    }
    if let Some(yes) = expect.yes.filter(|yes| *yes == found.is_empty()) {
        let word = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        let first = found.first().map(|first| format!("yes, {first}"));
        differ("yes", word(yes), Some(first.unwrap_or_else(|| word(false))));
    }
    if let Some(first) = &expect.first
        && found.first().map(|found| squeezed(found)) != Some(squeezed(first))
    {
        differ("first", first.clone(), found.first().cloned());
    }
    if let Some(answers) = &expect.answers {
        let most = answers.len().max(found.len());
        for place in 0..most {
            let (expected, found) = (answers.get(place), found.get(place));
            if expected.map(|text| squeezed(text)) != found.map(|text| squeezed(text)) {
                let expected = expected.cloned().unwrap_or_else(|| "no further answer".to_owned());
                differ(&format!("answer {}", place + 1), expected, found.cloned());
                break;
            }
        }
    }
    Some(Expectation::new(parts))
}

#[cfg(test)]
mod tests {
    use super::*;
    use logic::rules::AskedSolution;

    fn asked(values: &[&str]) -> Asked {
        let solution = |value: &&str| {
            let bindings = vec![("X".to_owned(), (*value).to_owned())];
            AskItem::Solution(AskedSolution { bindings, terms: Vec::new() })
        };
        Asked { items: values.iter().map(solution).collect(), solutions: values.len(), ..Asked::default() }
    }

    fn differences(expect: QueryExpect, asked: &Asked) -> Vec<String> {
        expectation(Some(&expect), asked).expect("an expectation").differences
    }

    #[test]
    fn each_expectation_is_compared() {
        let two = asked(&["1", "o('Rec', 2)"]);
        let answers = |texts: &[&str]| Some(texts.iter().map(|text| (*text).to_owned()).collect());
        let holds = QueryExpect {
            solutions: Some(2),
            at_least: Some(1),
            yes: Some(true),
            answers: answers(&["X = 1", "X =  o('Rec', 2)."]),
            first: Some("X = 1".to_owned()),
        };
        assert!(differences(holds, &two).is_empty());
        let fails = QueryExpect {
            solutions: Some(1),
            at_least: Some(3),
            yes: Some(false),
            answers: answers(&["X = 1"]),
            first: Some("X = 2".to_owned()),
        };
        assert_eq!(
            differences(fails, &two),
            [
                "solutions: expected `1`, found `2`",
                "at_least: expected `3`, found `2`",
                "yes: expected `no`, found `yes, X = 1`",
                "first: expected `X = 2`, found `X = 1`",
                "answer 2: expected `no further answer`, found `X = o('Rec', 2)`",
            ]
        );
    }

    #[test]
    fn an_error_is_never_expected() {
        let failed = Asked { error: Some("time limit".to_owned()), ..Asked::default() };
        assert!(!expectation(None, &failed).expect("an expectation").held);
        assert!(expectation(None, &asked(&[])).is_none());
    }
}
