//! The replies of a diagnosis as text.

use super::differing::differing;
use super::question_body::{Extent, call_run, given_and_become};
use super::ranking::ranking;
use super::step::stepped;
use super::{Paint, Text, hanging, lacks, palette};
use command::diagnose::{DiagnoseReply, DiagnosisResult, ShownByRun, StrategyRow, UnjudgedCall};
use command::prompt_row::PromptRow;
use diagnose::{
    Assumption, Buggy, Confidence, Judgement, KeptAnswer, LoopPart, Oracle, OracleAnswer, Question, Survey,
};
use trace::thousands;

/// Number of calls of a run that is worth a line of a question.
const RUN: usize = 3;
/// Most lines of a text that a method returned.
const TEXT_LINES: usize = 60;
/// Width of a line, in columns.
const WIDTH: usize = 80;

/// A reply of the dialogue. Notes and errors have no text here: they go to standard error.
pub fn diagnosed(reply: &DiagnoseReply, color: bool) -> String {
    match reply {
        DiagnoseReply::Note(_) | DiagnoseReply::Failure(_) | DiagnoseReply::Error(_) => String::new(),
        DiagnoseReply::Missing(missing) => lacks(missing, color),
        DiagnoseReply::Assumed(assumption) => assumed(assumption, color),
        DiagnoseReply::Ranking(found) => ranking(found, color),
        DiagnoseReply::Survey(found) => survey(found),
        DiagnoseReply::Referred(answer) => referred(answer, color),
        DiagnoseReply::Question(asked) => question(asked, false, color),
        DiagnoseReply::More(asked) => question(asked, true, color),
        DiagnoseReply::Run(run) => call_run(run, Paint { color }),
        DiagnoseReply::Step(shown) => stepped(shown, color),
        DiagnoseReply::Called(shown) => called(shown),
        DiagnoseReply::Events(events) => events.text(color),
        DiagnoseReply::UnknownInfluence { path, why } => {
            format!("it is not known what has influenced {path}: {why}\n")
        }
        DiagnoseReply::Ensured(row) => {
            hanging(&format!("kept for all calls of the method; in a file for --assert: {row}"), 0, WIDTH)
        }
        DiagnoseReply::Answers(answers) => kept(answers),
        DiagnoseReply::Help { answers, strategies } => help(answers, strategies),
        DiagnoseReply::Result(result) => {
            found(result.buggy.as_ref(), result.not_ended, result.answers, color)
        }
        DiagnoseReply::Undecided { result, invalid, unknown } => {
            undecided(invalid.as_ref(), unknown, result, color)
        }
    }
}

/// The value of an expression that was run. A text stands as it is, cut in the middle.
fn called(shown: &ShownByRun) -> String {
    let ShownByRun { call, expression, value } = shown;
    let head = hanging(
        &format!("run in the program, in another run, as call #{call} ended: {expression}"),
        0,
        WIDTH,
    );
    let text = shown.text().unwrap_or_else(|| value.clone());
    let lines: Vec<&str> = text.lines().collect();
    let left_out = lines.len().saturating_sub(TEXT_LINES);
    let (first, last) = lines.split_at(if left_out > 0 { TEXT_LINES / 2 } else { lines.len() });
    let mut all: Vec<String> = first.iter().map(|line| format!("  {line}")).collect();
    if left_out > 0 {
        all.push(format!("  … {} more lines", thousands(left_out as u64)));
    }
    all.extend(last.iter().skip(left_out).map(|line| format!("  {line}")));
    head + &all.join("\n") + "\n"
}

/// The text of a question.
fn question(question: &Question, is_whole: bool, color: bool) -> String {
    let paint = Paint { color };
    let mut suspicious = match (question.remaining, question.has_loops) {
        (1, false) => "1 call is suspicious".to_owned(),
        (1, true) => "1 call or loop is suspicious".to_owned(),
        (many, false) => format!("{many} calls are suspicious"),
        (many, true) => format!("{many} calls and loops are suspicious"),
    };
    suspicious.push_str(&match question.influential {
        None => String::new(),
        Some(0) => ", none left that has influenced what is wrong".to_owned(),
        Some(1) => ", 1 of them has influenced what is wrong".to_owned(),
        Some(many) => format!(", {many} of them have influenced what is wrong"),
    });
    let method = question.method_text();
    let place = format!("#{} {}", question.node, in_loop(&method, question.part.as_ref()));
    let asked = paint.on(palette::DIM, format!("question {}, {suspicious}", question.question));
    let mut out = hanging(&format!("{} {asked}", paint.on(palette::POINT, place)), 0, WIDTH);
    if question.run >= RUN {
        let run = format!(
            "one of {} such calls of its caller: `run` shows them, `all valid` is about all",
            question.run
        );
        out.push_str(&hanging(&paint.on(palette::DIM, run), 0, WIDTH));
    }
    let extent = if is_whole { Extent::Whole } else { Extent::Brief(out.lines().count()) };
    out.push_str(&given_and_become(question, extent, paint));
    out
}

/// The name of a method, with its loop if the question is about one.
fn in_loop(method: &str, part: Option<&LoopPart>) -> String {
    match part {
        None => method.to_owned(),
        Some(part) => format!("{method}, {}, from iteration {}", part.named(), part.iteration),
    }
}

/// An answer that needed no question.
fn referred(referred: &OracleAnswer, color: bool) -> String {
    let paint = Paint { color };
    let OracleAnswer { node, method, part, answer, by, sure, why } = referred;
    let method = in_loop(method, part.as_ref());
    let style = if *answer == Judgement::Valid { palette::HELD } else { palette::FAILED };
    let by = match by {
        Oracle::Assertion => " by the assertion",
        Oracle::Kept => ", as answered before",
        Oracle::Reference => " by the reference",
    };
    let sure = match (sure, answer) {
        (None, _) => "",
        (Some(Confidence::NotCompared), _) => " (not compared)",
        (Some(Confidence::ByValue), Judgement::Invalid) => " (input equal by value)",
        (Some(Confidence::AsFarAsKnown), Judgement::Invalid) => " (input equal as far as known)",
        (Some(Confidence::ByValue), _) => " (equal by value)",
        (Some(Confidence::AsFarAsKnown), _) => " (equal as far as known)",
    };
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    hanging(&format!("#{node} {method} is {}{by}{sure}{why}", paint.on(style, word(*answer))), 0, WIDTH)
}

/// What counts as answered because the run failed.
fn assumed(assumption: &Assumption, color: bool) -> String {
    let paint = Paint { color };
    let Assumption { call, exception, left, wrong, assertion, at, why, more, .. } = assumption;
    let expected = &assumption.expected_exceptions;
    let exception = exception.as_deref().unwrap_or("no exception");
    let invalid = paint.on(palette::FAILED, "invalid");
    let call = format!("#{} {}", call.node, call.method);
    let left = left.as_ref().map_or(String::new(), |of| format!(", which left #{} {}", of.node, of.method));
    let at = at.as_ref().map_or(String::new(), |at| format!(" at {at}"));
    let mut text = match assertion {
        Some(assertion) => {
            format!("{call} is {invalid}, and `{wrong}` is wrong: {assertion}{at} threw {exception}")
        }
        None if !expected.is_empty() => {
            format!("{call} is {invalid}: it returned, and is declared to throw {}", expected.join(" or "))
        }
        None => format!("{call} is {invalid}: nothing caught {exception}{left}"),
    };
    if let Some(why) = why {
        text.push_str(&format!("; the calls that influenced this are not known: {why}"));
    }
    text.push_str(" (taken for granted; undo takes it back)");
    let mut out = hanging(&text, 0, WIDTH);
    if let (Some(expected), Some(actual)) = (&assumption.expected_value, &assumption.actual) {
        let (expected, actual) = differing(expected, actual, WIDTH - 13);
        out.push_str(&format!(
            "    expected {expected}\n    actual   {}\n",
            paint.on(palette::FAILED, actual)
        ));
    }
    if *more > 0 {
        let others = if *more == 1 { "1 more call".to_owned() } else { format!("{more} more calls") };
        let more = format!("{others} failed too; --test CLASS#METHOD runs one test");
        out.push_str(&hanging(&paint.on(palette::DIM, more), 0, WIDTH));
    }
    out
}

/// The results of the assertions before the first question.
fn survey(survey: &Survey) -> String {
    let Survey { evaluated, innermost, first, not_evaluated, why, .. } = survey;
    let mut out = String::new();
    if let [begins, _, ..] = first.as_slice() {
        let least = if *not_evaluated > 0 { "at least " } else { "" };
        out = format!(
            "{least}{} calls violate an assertion without a violation below them;\n\
             the search begins at #{}, which ended first; --node begins at another one:\n",
            thousands(innermost),
            begins.node
        );
        for violation in first {
            out.push_str(&format!("  #{} {}\n", violation.node, violation.method));
        }
        match innermost - first.len().min(*innermost) {
            0 => {}
            more => out.push_str(&format!("  and {} more\n", thousands(more))),
        }
    }
    if let Some(why) = why {
        out.push_str(&format!(
            "the assertions of {} of {} calls were not evaluated before the first question:\n{why}\n",
            thousands(not_evaluated),
            thousands(evaluated + not_evaluated)
        ));
    }
    out
}

fn word(answer: Judgement) -> &'static str {
    match answer {
        Judgement::Valid => "valid",
        Judgement::Invalid => "invalid",
        Judgement::Trusted(_) => "trusted",
        Judgement::Unknown => "unknown",
        Judgement::Inadmissible => "inadmissible",
    }
}

/// The list of kept answers.
fn kept(answers: &[KeptAnswer]) -> String {
    if answers.is_empty() {
        return "no answer is kept\n".to_owned();
    }
    let row = |(at, kept): (usize, &KeptAnswer)| {
        let part = if kept.part.is_empty() { String::new() } else { format!(", {}", kept.part) };
        let wrong = kept.path.as_ref().map_or(String::new(), |path| format!(": wrong {path}"));
        format!("{at:>4}  {:<12} {}{part}{wrong}\n", word(kept.answer), kept.method)
    };
    (1..).zip(answers).map(row).collect()
}

fn after(answers: usize) -> String {
    if answers == 1 { "after 1 answer".to_owned() } else { format!("after {answers} answers") }
}

/// Names a call by its method and place, or a loop in it.
pub fn named(buggy: &Buggy) -> String {
    if let Some(part) = &buggy.part {
        let lines = match (part.line, part.to_line) {
            (Some(from), Some(to)) if from != to => format!("{from} to {to}"),
            (Some(line), _) => line.to_string(),
            (None, _) => String::new(),
        };
        let place = match &buggy.source {
            Some(source) if !lines.is_empty() => format!(" ({source}:{lines})"),
            _ => String::new(),
        };
        let iterations = match part.to_iteration {
            None => format!("from iteration {} on", part.iteration),
            Some(to) if to == part.iteration => format!("iteration {to}"),
            Some(to) => format!("iterations {} to {to}", part.iteration),
        };
        let Buggy { class, method, node, .. } = buggy;
        return format!("the loop of {class}.{method}{place}, call #{node}, {iterations}");
    }
    let place = match (&buggy.source, buggy.line) {
        (Some(source), Some(line)) => format!(" ({source}:{line})"),
        _ => String::new(),
    };
    format!("{}{place}, call #{}", buggy.method_text(), buggy.node)
}

/// The result of a search.
fn found(buggy: Option<&Buggy>, not_ended: bool, answers: usize, color: bool) -> String {
    let paint = Paint { color };
    match buggy {
        Some(buggy) => {
            let mut out = format!(
                "{} {}, {}\n",
                paint.on(palette::FAILED, "the bug is in"),
                named(buggy),
                after(answers)
            );
            if buggy.recursive {
                out.push_str("its recursive calls were not judged: the bug may be in one of them\n");
            }
            out
        }
        None if not_ended => format!("the buggy call has not ended yet, {}\n", after(answers)),
        None => format!("no suspicious call is left, {}\n", after(answers)),
    }
}

/// The result of a search with unknown answers.
fn undecided(invalid: Option<&Buggy>, unknown: &[u32], result: &DiagnosisResult, color: bool) -> String {
    let paint = Paint { color };
    let calls: Vec<String> = unknown.iter().map(|node| format!("#{node}")).collect();
    let calls = calls.join(", ");
    let (what, after) = (paint.on(palette::FAILED, "not decided:"), after(result.answers));
    let text = match invalid {
        Some(buggy) if unknown.is_empty() => format!(
            "{what} {} does something else in the right version with the same code, {after}\n",
            named(buggy)
        ),
        Some(buggy) => format!("{what} the bug is in {}, or in one of {calls}, {after}\n", named(buggy)),
        None => format!("{what} the bug is in one of {calls} if it is in any, {after}\n"),
    };
    let one = |call: &UnjudgedCall| {
        let why = if call.why.is_empty() { String::new() } else { format!(": {}", call.why.join("; ")) };
        hanging(&format!("#{} {}{why}", call.node, call.method), 2, WIDTH)
    };
    text + &result.unjudged.iter().map(one).collect::<String>()
}

/// The possible answers, and the strategies.
fn help(answers: &[PromptRow], strategies: &[StrategyRow]) -> String {
    let mut out = String::new();
    for row in answers {
        let other = row.aliases.join(", ");
        out.push_str(&format!("  {:<26} {other:<10} {}\n", row.usage, row.about));
    }
    out.push_str("strategies, by --strategy:\n");
    for StrategyRow { name, about } in strategies {
        out.push_str(&format!("  {name:<24} {about}\n"));
    }
    out
}
