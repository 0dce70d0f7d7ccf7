//! Replays chains with queries: the points first, then the goals over a recording of the same program.

use super::open_log::{AskRequest, OpenLog};
use crate::chain::{Chain, ChainQuery, QueryExpect, RecordedLevel};
use crate::files::TemporaryFolder;
use crate::logic::rules::{AskItem, Asked};
use crate::session::answer::assemble::unasked;
use crate::session::answer::{Answer, ChainQueryAnswer, Difference, Expectation, Outcome};
use crate::session::context::Context;
use crate::session::error::SessionError;
use crate::session::recorded::{MEMORY, RecordOptions, RecordedTrace, record};
use crate::session::replay::judge::{JudgedRun as JudgedPoints, judge as judge_points};
use crate::session::replay::verdict::Verdict;
use crate::session::replay::{Options, replay as replay_points};
use crate::trace::Level;
use std::path::PathBuf;

/// Time limit of a goal, in seconds.
const TIMEOUT_S: u64 = 300;
/// Memory limit of a goal, in bytes.
const GOAL_MEMORY: usize = 1 << 30;
/// Number of solutions to show if none are expected.
const SHOWN: usize = 100;

/// The verdict, and the answer that led to it.
pub type JudgedRun = JudgedPoints;

/// Runs the debuggee until every point is located or another run would show nothing new. Then records it once
/// more for the queries of the chain.
///
/// # Errors
/// The chain, a question or the debuggee cannot be used, or the rules of a query are not valid.
pub async fn replay(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<Answer, SessionError> {
    let mut answer = match chain.points.is_empty() {
        true => unasked(name, chain, Outcome::Held),
        false => replay_points(name, chain, options, context).await?,
    };
    if answer.outcome != Outcome::Interrupted {
        add_queries(&mut answer, chain, options, context).await?;
    }
    Ok(answer)
}

/// Runs a chain and decides whether its bug is present. The queries count if the root is reached, and alone
/// if the chain has no points.
///
/// # Errors
/// As [`replay`], except that invalid points after the root are no error.
pub async fn judge(
    name: &str,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<JudgedRun, SessionError> {
    let mut judged = match chain.points.is_empty() {
        true => JudgedPoints { verdict: Verdict::Present, answer: Some(unasked(name, chain, Outcome::Held)) },
        false => judge_points(name, chain, options, context).await?,
    };
    let (Verdict::Present, Some(answer)) = (&judged.verdict, &mut judged.answer) else { return Ok(judged) };
    match add_queries(answer, chain, options, context).await {
        Ok(()) => {}
        Err(SessionError::Interrupted) => {
            return Ok(JudgedRun { verdict: Verdict::Interrupted, answer: None });
        }
        Err(error) => return Err(error),
    }
    judged.verdict = of_queries(chain, answer);
    Ok(judged)
}

/// The verdict of the queries, where the points have shown the bug.
fn of_queries(chain: &Chain, answer: &Answer) -> Verdict {
    if let Some(spot) = answer.blind_spots.first() {
        return Verdict::Unsure(spot.clone());
    }
    let is_held = |query: &&ChainQueryAnswer| query.expectation.as_ref().is_none_or(|expected| expected.held);
    let ended = answer.queries.iter().find_map(|query| Some((&query.id, query.answers.error.as_ref()?)));
    if let Some((id, error)) = ended {
        return Verdict::Unsure(format!("{id} ended with an error: {error}"));
    }
    let others = answer.queries.iter().filter(|query| !is_held(query));
    let others: Vec<String> = others.map(|query| query.id.clone()).collect();
    match (others.is_empty(), chain.points.is_empty()) {
        (true, _) => Verdict::Present,
        (false, true) => Verdict::Absent,
        (false, false) => Verdict::OtherCause(others),
    }
}

/// Records the program, asks the queries, and adds their answers.
async fn add_queries(
    answer: &mut Answer,
    chain: &Chain,
    options: &Options,
    context: &Context,
) -> Result<(), SessionError> {
    if chain.queries.is_empty() {
        return Ok(());
    }
    let requests: Vec<AskRequest> = chain.queries.iter().map(|query| request(chain, query)).collect();
    for request in &requests {
        // Mistakes in rules are found before the program runs.
        request.read_rules()?.program()?;
    }
    let work = TemporaryFolder::new("querypoint-")
        .map_err(|error| SessionError::NotRecorded(format!("no temporary folder: {error}")))?;
    let out = work.path().join("trace");
    let record_options = RecordOptions {
        out: out.clone(),
        level: match chain.level {
            RecordedLevel::Calls => Level::Calls,
            RecordedLevel::Writes => Level::Writes,
            RecordedLevel::All => Level::All,
        },
        by_owner: true,
        memory: MEMORY,
        timeout_s: options.timeout_s,
        show_output: options.show_output,
        ..RecordOptions::default()
    };
    let run = record(chain, &record_options, context).await?;
    answer.runs += 1;
    if !run.whole {
        let text =
            format!("the recording for the queries is not whole: it ended with {}", run.recorded.ended);
        answer.blind_spots.push(text);
    }
    answer
        .blind_spots
        .extend(run.recorded.missing.iter().map(|what| format!("missing in the recording: {what}")));
    answer.warnings.extend(answer.blind_spots.iter().filter(|_| !run.whole).cloned());
    let log = OpenLog::open(RecordedTrace::open(&out, MEMORY, context).await?, context).await?;
    for (place, (query, request)) in chain.queries.iter().zip(&requests).enumerate() {
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
    use crate::logic::rules::AskedSolution;

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
