//! The mutants of a line. An operator makes one change within one line of a method's body, which need not
//! compile.

use super::tokens::{Kind, Method, Source, Token, Variable};
use std::collections::BTreeSet;

/// A change of one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mutant {
    pub operator: &'static str,
    pub method: String,
    /// The line, from 1.
    pub line: usize,
    pub was: String,
    pub becomes: String,
}

/// The input of an operator: one token of a method.
struct Place<'s, 'a> {
    source: &'s Source<'a>,
    method: &'s Method,
    variables: &'s [Variable<'a>],
    at: usize,
}

/// The replacement for the tokens from one to another, both on one line.
struct Change {
    from: usize,
    to: usize,
    text: String,
}

type Operator = fn(&Place<'_, '_>) -> Vec<Change>;

/// The operators by name. If two make the same line, it counts for the first.
const OPERATORS: &[(&str, Operator)] = &[
    ("relation", relation),
    ("arithmetic", arithmetic),
    ("step", step),
    ("constant", constant),
    ("connective", connective),
    ("negation", negation),
    ("mirror", mirror),
    ("variable", variable),
    ("arguments", arguments),
    ("deletion", deletion),
];

/// All mutants of a program's lines, except those of `main` and of trusted methods.
pub fn mutants(text: &str, trusted: &[String]) -> Vec<Mutant> {
    let source = Source::read(text);
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for method in &source.methods {
        let full_name = method.full_name();
        if method.name == "main" || trusted.contains(&full_name) {
            continue;
        }
        let variables = source.variables(method);
        for (operator, make) in OPERATORS {
            for at in method.body.clone() {
                let place = Place { source: &source, method, variables: &variables, at };
                for change in make(&place) {
                    let Some((line, becomes)) = changed(&source, &change) else { continue };
                    let was = source.lines[line].trim().to_owned();
                    if becomes != was && known.insert((line, becomes.clone())) {
                        let method = full_name.clone();
                        found.push(Mutant { operator, method, line: line + 1, was, becomes });
                    }
                }
            }
        }
    }
    found
}

/// The line, and its new text; none if the change spans lines.
fn changed(source: &Source<'_>, change: &Change) -> Option<(usize, String)> {
    let (from, to) = (source.tokens[change.from], source.tokens[change.to]);
    if from.line != to.line {
        return None;
    }
    let whole = source.lines[from.line];
    let becomes = format!("{}{}{}", &whole[..from.column], change.text, &whole[end(to)..]);
    Some((from.line, becomes.trim().to_owned()))
}

/// The column behind a token.
fn end(token: Token<'_>) -> usize {
    token.column + token.text.len()
}

impl<'a> Place<'_, 'a> {
    fn text(&self) -> &'a str {
        self.source.text(self.at)
    }

    fn before(&self) -> &'a str {
        self.at.checked_sub(1).map_or("", |at| self.source.text(at))
    }

    /// Whether an operator at this token has something on its left.
    fn has_left(&self) -> bool {
        let before = self.source.tokens[self.at - 1];
        match before.kind {
            Kind::Symbol => [")", "]"].contains(&before.text),
            Kind::Word => before.text != "return",
            Kind::Number | Kind::Text => true,
        }
    }

    /// Replaces this token by each of these.
    fn becomes<T: Into<String>>(&self, texts: impl IntoIterator<Item = T>) -> Vec<Change> {
        texts.into_iter().map(|t| Change { from: self.at, to: self.at, text: t.into() }).collect()
    }

    /// The text from one token to another of the same line.
    fn between(&self, from: usize, to: usize) -> Option<&'a str> {
        let (first, last) = (self.source.tokens[from], self.source.tokens[to]);
        (from <= to && first.line == last.line)
            .then(|| &self.source.lines[first.line][first.column..end(last)])
    }
}

fn relation(place: &Place<'_, '_>) -> Vec<Change> {
    let orders = ["<", "<=", ">", ">="];
    match place.text() {
        "==" => place.becomes(["!="]),
        "!=" => place.becomes(["=="]),
        text if orders.contains(&text) => place.becomes(orders.into_iter().filter(|o| *o != text)),
        _ => Vec::new(),
    }
}

fn arithmetic(place: &Place<'_, '_>) -> Vec<Change> {
    let others: &[&str] = match place.text() {
        "+=" => &["-="],
        "-=" => &["+="],
        _ if !place.has_left() => &[],
        "+" => &["-", "*"],
        "-" => &["+", "*"],
        "*" => &["/", "+"],
        "/" | "%" => &["*", "-"],
        _ => &[],
    };
    place.becomes(others.iter().copied())
}

fn step(place: &Place<'_, '_>) -> Vec<Change> {
    match place.text() {
        "++" => place.becomes(["--"]),
        "--" => place.becomes(["++"]),
        _ => Vec::new(),
    }
}

/// Changes a number by one; swaps `true` and `false`.
fn constant(place: &Place<'_, '_>) -> Vec<Change> {
    match (place.text(), place.text().parse::<i64>()) {
        ("true", _) => place.becomes(["false"]),
        ("false", _) => place.becomes(["true"]),
        (_, Ok(number)) => {
            let less = (number > 0 || place.before() != "-").then(|| (number - 1).to_string());
            place.becomes(less.into_iter().chain([(number + 1).to_string()]))
        }
        _ => Vec::new(),
    }
}

fn connective(place: &Place<'_, '_>) -> Vec<Change> {
    match place.text() {
        "&&" => place.becomes(["||"]),
        "||" => place.becomes(["&&"]),
        _ => Vec::new(),
    }
}

/// Negates the condition of an `if` or a `while`, unless it is a single comparison, which `relation` handles.
fn negation(place: &Place<'_, '_>) -> Vec<Change> {
    let (source, from) = (place.source, place.at + 2);
    if !["if", "while"].contains(&place.text()) {
        return Vec::new();
    }
    let Some(to) = source.closing(place.at + 1).map(|close| close - 1) else { return Vec::new() };
    let Some(condition) = place.between(from, to) else { return Vec::new() };
    let has = |symbols: &[&str]| (from..to).any(|at| symbols.contains(&source.text(at)));
    let text = match condition.strip_prefix('!') {
        _ if has(&["&&", "||"]) => format!("!({condition})"),
        _ if has(&["==", "!=", "<", "<=", ">", ">="]) => return Vec::new(),
        Some(rest) => rest.to_owned(),
        None => format!("!{condition}"),
    };
    vec![Change { from, to, text }]
}

/// Swaps `left` and `right` in names, and the like.
fn mirror(place: &Place<'_, '_>) -> Vec<Change> {
    let pairs = [("left", "right"), ("Left", "Right"), ("smallest", "largest")];
    let (source, text) = (place.source, place.text());
    if !source.is_word(place.at) || place.variables.iter().any(|v| v.at == place.at) {
        return Vec::new();
    }
    let is_name = |name: &str| {
        let variables = place.variables.iter().chain(source.fields.iter().map(|(_, f)| f));
        variables.map(|v| v.name).any(|n| n == name) || source.methods.iter().any(|m| m.name == name)
    };
    let both = pairs.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let others = both.filter(|(a, _)| text.contains(**a)).map(|(a, b)| text.replace(a, b));
    place.becomes(others.filter(|name| is_name(name)))
}

/// Replaces a variable or field by another one of the same type.
fn variable(place: &Place<'_, '_>) -> Vec<Change> {
    let (source, at, name) = (place.source, place.at, place.text());
    if !source.is_word(at) || source.text(at + 1) == "(" || place.variables.iter().any(|v| v.at == at) {
        return Vec::new();
    }
    let fields_of = |class: &str| -> Vec<&Variable<'_>> {
        source.fields.iter().filter(|(c, _)| c == class).map(|(_, field)| field).collect()
    };
    let visible: Vec<&Variable<'_>> = if place.before() == "." {
        let owner = source.fields.iter().find(|(_, field)| field.name == name).map(|(class, _)| class);
        owner.map(|class| fields_of(class)).unwrap_or_default()
    } else {
        place.variables.iter().filter(|v| v.at < at).chain(fields_of(&place.method.class)).collect()
    };
    let Some(meant) = visible.iter().find(|v| v.name == name) else { return Vec::new() };
    let others: BTreeSet<&str> =
        visible.iter().filter(|v| v.kind == meant.kind && v.name != name).map(|v| v.name).collect();
    place.becomes(others)
}

/// Swaps two adjacent arguments.
fn arguments(place: &Place<'_, '_>) -> Vec<Change> {
    let (source, open) = (place.source, place.at + 1);
    let keyword = ["if", "while", "for", "switch", "return", "catch"].contains(&place.text());
    if !source.is_word(place.at) || keyword || source.text(open) != "(" {
        return Vec::new();
    }
    let Some(close) = source.closing(open) else { return Vec::new() };
    let mut given: Vec<(usize, usize)> = Vec::new();
    let (mut from, mut at) = (open + 1, open + 1);
    while at <= close && from < close {
        match source.text(at) {
            "," => {
                given.push((from, at - 1));
                from = at + 1;
            }
            "(" | "[" | "{" => at = source.closing(at).unwrap_or(close),
            _ if at == close => given.push((from, at - 1)),
            _ => {}
        }
        at += 1;
    }
    let swapped = given.windows(2).filter_map(|two| {
        let (first, second) = (two[0], two[1]);
        let text = format!("{}, {}", place.between(second.0, second.1)?, place.between(first.0, first.1)?);
        Some(Change { from: first.0, to: second.1, text })
    });
    swapped.collect()
}

/// Deletes a statement that fills a line.
fn deletion(place: &Place<'_, '_>) -> Vec<Change> {
    let (source, from) = (place.source, place.at);
    let line = source.tokens[from].line;
    let same = |at: usize| source.tokens.get(at).is_some_and(|t| t.line == line);
    if same(from - 1) || ![";", "{", "}"].contains(&place.before()) {
        return Vec::new();
    }
    let to = (from..).take_while(|at| same(*at)).last().unwrap_or(from);
    let inside = (from..to).any(|at| [";", "{", "}"].contains(&source.text(at)));
    if source.text(to) != ";" || inside {
        return Vec::new();
    }
    vec![Change { from, to, text: String::new() }]
}
