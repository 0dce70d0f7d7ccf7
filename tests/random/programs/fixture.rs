//! Saves a case as a fixture: a folder with the program's text, and a chain with the expected answers.

use super::ast::Program;
use super::judge::sources;
use super::oracle::Answer;
use super::questions::{Question, chain};
use std::path::Path;

/// Saves a program with a question, the questions it depends on, and their answers from the log.
pub fn save(folder: &Path, program: &Program, questions: &[Question], last: &str) {
    std::fs::create_dir_all(folder).expect("a folder");
    let sources = sources(program);
    let files: String = sources.iter().map(|(name, _)| format!(", {name:?}")).collect();
    for (name, text) in &sources {
        std::fs::write(folder.join(name), text).expect("written");
    }
    let debuggee = format!(
        "build: [\"javac\", \"-g\", \"-d\", \"classes\"{files}], command: [\"java\", \"-cp\", \"classes\", {:?}], sources: [\".\"], timeout_s: 100",
        program.main_class()
    );
    let kept = with_ancestors(questions, last);
    let text = chain(&debuggee, &kept, |q| expectation(q, q.id == last));
    std::fs::write(folder.join("chain.ron"), text).expect("written");
}

/// A question and those it depends on, in the order of the chain.
pub fn with_ancestors(questions: &[Question], last: &str) -> Vec<Question> {
    let mut wanted = vec![last.to_owned()];
    let mut kept: Vec<Question> = Vec::new();
    for question in questions.iter().rev() {
        if wanted.contains(&question.id) {
            wanted.extend(question.from.clone());
            kept.insert(0, question.clone());
        }
    }
    kept
}

/// The part of the expected answer that a chain file can express.
fn expectation(question: &Question, exactly: bool) -> String {
    let mut parts = Vec::new();
    let text = |name: &str, value: &str| format!("{name}: {value:?}");
    if !question.thread.is_empty() {
        parts.push(text("thread", &question.thread));
    }
    match &question.answer {
        Answer::Nothing => parts.push("located: false".into()),
        Answer::Change { line, old, new, .. } => {
            parts.push(format!("line: {line}"));
            // Objects have different names in each answer.
            let known = [("old", old), ("new", new)].into_iter();
            parts
                .extend(known.filter(|(_, v)| !v.is_empty() && !v.starts_with('@')).map(|(n, v)| text(n, v)));
        }
        Answer::Condition { line, taken, operand, .. } => {
            parts.push(format!("line: {line}"));
            // The same decision can be written in two ways.
            if exactly && !operand.contains(['?', '!']) {
                parts.push(text("taken", taken));
            }
        }
        Answer::Caught { line, .. } if *line > 0 => parts.push(format!("line: {line}")),
        Answer::Caught { .. } => {}
    }
    format!(", expect: ({})", parts.join(", "))
}
