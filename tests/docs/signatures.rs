//! What functions take: named parameters, not tuples whose parts nobody can tell apart at a call.

use super::house::{files, read, without_comments_and_texts, without_test_items};
use regex::Regex;

/// The texts of the parameters of a signature, from behind its opening parenthesis.
fn parameters(text: &str) -> Vec<&str> {
    let (mut depth, mut from, mut found) = (0, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            // The arrow of a function type closes nothing.
            '>' if text[..at].ends_with('-') => {}
            ')' if depth == 0 => {
                found.push(&text[from..at]);
                break;
            }
            ')' | ']' | '}' | '>' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    found
}

/// Whether a parameter is a tuple, or a reference to one.
fn is_tuple(parameter: &str) -> bool {
    let parameter = parameter.trim();
    let of = parameter.split_once(':').map_or("", |(_, of)| of.trim());
    let of = of.trim_start_matches('&').trim_start();
    let of = match of.starts_with('\'') {
        true => of.split_once(' ').map_or("", |(_lifetime, of)| of),
        false => of,
    };
    let of = of.strip_prefix("mut ").unwrap_or(of);
    let is_bounds = ["(impl ", "(dyn ", "()"].iter().any(|begin| of.starts_with(begin));
    of.starts_with('(') && !is_bounds
}

#[test]
fn tuples_are_found() {
    let found = |text: &str| parameters(text).into_iter().map(is_tuple).collect::<Vec<_>>();
    assert_eq!(found("&self, (at, pc): (u32, u32)) -> u32 {"), [false, true]);
    assert_eq!(
        found("a: &'a mut (u8, u8), b: &dyn Fn((u8, u8)) -> bool, c: Vec<(u8, u8)>)"),
        [true, false, false]
    );
    assert_eq!(found("a: (), b: impl Fn() -> (u8, u8),\n)"), [false, false, false]);
}

#[test]
fn functions_take_named_parameters() {
    let signature = Regex::new(r"\bfn \w+(?:<[^(]*>)?\(").expect("a pattern");
    let mut wrong = Vec::new();
    for file in files(&["src", "crates"], &["rs"]) {
        if file
            .components()
            .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "benches" | "fuzz")))
        {
            continue;
        }
        let text = without_test_items(&without_comments_and_texts(&read(&file)));
        for begins in signature.find_iter(&text) {
            let tuples = parameters(&text[begins.end()..]).into_iter().filter(|one| is_tuple(one));
            let line = || text[..begins.start()].lines().count();
            wrong.extend(tuples.map(|tuple| format!("{}:{}: {}", file.display(), line(), tuple.trim())));
        }
    }
    assert!(wrong.is_empty(), "a tuple tells nobody what its parts are: name them\n{}", wrong.join("\n"));
}
