//! Compares a recorded run with the log: the same calls, writes, variables and throws, in the same order over
//! all threads.

use super::ast::{FIELDS, Home, Kind, Program, Var, each};
use super::judge::Folders;
use super::log::Event;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// The facts of one event.
#[derive(Clone, Debug)]
struct Said {
    what: String,
    values: Vec<String>,
    /// Line of the write to a local variable, which identifies an unnamed one. 0 if the log does not know it.
    line: u64,
}

fn said(what: String, values: &[&str]) -> Said {
    Said { what, values: values.iter().map(|value| (*value).to_owned()).collect(), line: 0 }
}

fn at_line(said: Said, event: &Value) -> Said {
    Said { line: event["line"].as_u64().unwrap_or(0), ..said }
}

/// Maps objects of the log to their numbers in the recording, and back.
#[derive(Default)]
struct Objects {
    there: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Objects {
    /// Whether a value of the log equals that of the recording: `@3` is always `Rec@7`.
    fn same(&mut self, ours: &str, theirs: &str, is_unnamed: bool) -> bool {
        // An unnamed variable has no type: the VM computes with numbers.
        if is_unnamed && matches!((ours, theirs), ("true", "1") | ("false", "0")) {
            return true;
        }
        if !ours.starts_with('@') {
            return ours == theirs || ours == "?";
        }
        let Some((_, theirs)) = theirs.rsplit_once('@') else { return false };
        let there = self.there.get(ours).is_none_or(|known| known == theirs);
        let back = self.back.get(theirs).is_none_or(|known| known == ours);
        if there && back {
            self.there.insert(ours.to_owned(), theirs.to_owned());
            self.back.insert(theirs.to_owned(), ours.to_owned());
        }
        there && back
    }

    fn agree(&mut self, ours: &Said, theirs: &Said) -> bool {
        let is_unnamed = theirs.what == UNNAMED && ours.what.starts_with("local ");
        (ours.what == theirs.what || is_unnamed)
            && (ours.line == theirs.line || ours.line == 0)
            && ours.values.len() == theirs.values.len()
            && ours
                .values
                .iter()
                .zip(&theirs.values)
                .all(|(ours, theirs)| self.same(ours, theirs, is_unnamed))
    }
}

/// A variable that the class file does not name: one of the compiler's, or one with no code after it.
const UNNAMED: &str = "local ?";

/// The facts of the log.
pub fn logged(program: &Program, events: &[Event], level: &str) -> Log {
    let variables = variables(program);
    let mut log = Log::default();
    let mut methods = HashMap::new();
    let mut jumps = HashSet::new();
    for method in &program.methods {
        each(&method.body, &mut |stmt| match stmt.kind {
            Kind::Jump { .. } => {
                jumps.insert(stmt.line);
            }
            Kind::Throw(class) => {
                log.throws.insert(u64::from(stmt.line), class);
            }
            _ => {}
        });
    }
    for event in events {
        let event = match event {
            Event::Enter { act, method, this, values, .. } => {
                methods.insert(*act, *method);
                log.lines.entry(log.order.len()).or_default();
                log.order.push(*act);
                if !is_compared(program, *method) {
                    continue;
                }
                let mut all = vec![this.as_str()];
                all.extend(values.iter().map(String::as_str));
                said(format!("enter {}", program.methods[*method].name), &all)
            }
            Event::Leave { act } if is_compared(program, methods[act]) => {
                said(format!("exit {}", program.methods[methods[act]].name), &[])
            }
            // A compiler may merge a jump with the code it jumps from.
            Event::Line { line, .. } if jumps.contains(line) => continue,
            Event::Line { act, line } => {
                if let Some(call) = log.order.iter().position(|known| known == act) {
                    log.lines.entry(call).or_default().push(u64::from(*line));
                }
                // The line is logged right before it throws.
                let Some(class) = log.throws.get(&u64::from(*line)) else { continue };
                Said { line: u64::from(*line), ..said(format!("throw {class}"), &[]) }
            }
            Event::Write { owner, field, old, new, initial, .. } if level != "calls" => {
                let owner = if owner == "null" { "-" } else { owner };
                // The value overwritten by an initialiser is not logged.
                let old = if *initial { "?" } else { old };
                said(format!("write {}", FIELDS[*field].name), &[owner, old, new])
            }
            Event::Element { array, index, old, new, .. } if level != "calls" => {
                said(format!("element {index}"), &[array, old, new])
            }
            Event::Store { var, value, line, .. } if level == "all" => {
                Said { line: u64::from(*line), ..said(format!("local {}", variables[var]), &[value]) }
            }
            _ => continue,
        };
        log.said.push(event);
    }
    log
}

/// The compared facts.
#[derive(Default)]
pub struct Log {
    said: Vec<Said>,
    /// The activations in the order of their entries, and the lines of each.
    order: Vec<u32>,
    lines: BTreeMap<usize, Vec<u64>>,
    /// The lines that throw a new exception, and its class.
    throws: HashMap<u64, &'static str>,
}

/// The log cannot note the entry of a constructor in time, and the argument of `main` is not logged.
fn is_compared(program: &Program, method: usize) -> bool {
    !program.methods[method].is_constructor() && program.methods[method].name != "main"
}

fn variables(program: &Program) -> HashMap<u32, String> {
    let mut found = HashMap::new();
    let mut note = |var: &Var| {
        found.insert(var.id, var.name.clone());
    };
    for method in &program.methods {
        method.params.iter().for_each(&mut note);
        each(&method.body, &mut |stmt| match &stmt.kind {
            Kind::Declare { var, .. } | Kind::Assign { var, .. } | Kind::For { var, .. } => note(var),
            Kind::Try { catches, .. } => catches.iter().for_each(|catch| note(&catch.var)),
            _ => {}
        });
    }
    found
}

/// Records a program into the folder `to`.
fn record(program: &Program, folders: &Folders, level: &str, to: &Path) -> Vec<Value> {
    let mut command = crate::support::qp();
    command
        .args(["trace", "record", "--level", level, "--out"])
        .arg(to)
        .arg("--")
        .args(folders.java(program));
    let output = crate::support::finish(&mut command);
    assert!(matches!(output.status.code(), Some(0)), "{}", crate::support::said(&output));
    let file = to.with_extension("jsonl");
    let output =
        crate::support::finish(crate::support::qp().args(["trace", "export"]).arg(to).arg("--to").arg(&file));
    assert_eq!(output.status.code(), Some(0), "{}", crate::support::said(&output));
    let text = std::fs::read_to_string(&file).expect("the export");
    let mut lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    // Events of all threads are in the order of their turns.
    lines.sort_by_key(|line| line["turn"].as_u64());
    lines
}

/// The difference between the events of a call recorded by a further run and those recorded at once, if any.
/// `calls` and `all` are recordings of the two levels.
pub fn detail_difference(node: u64, calls: &Path, all: &Path) -> Option<String> {
    let told = |folder: &Path| -> String {
        let number = node.to_string();
        let arguments = ["trace", "events", "--level=all", "--limit=100000", "--format=json", &number];
        let output = crate::support::finish(crate::support::qp().args(arguments).arg(folder));
        match output.status.code() {
            Some(0) => ordered(&String::from_utf8_lossy(&output.stdout)),
            _ => crate::support::said(&output),
        }
    };
    let (later, at_once) = (told(calls), told(all));
    let differs = later.lines().zip(at_once.lines()).find(|(later, at_once)| later != at_once);
    (later != at_once).then(|| format!("call #{node}: {differs:?} of {} and {}", later.len(), at_once.len()))
}

/// The text with its objects numbered in order of occurrence.
fn ordered(text: &str) -> String {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut parts = text.split('@');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (number, rest) = part.split_at(part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len()));
        let next = numbers.len();
        out += &format!("@{}{rest}", numbers.entry(number).or_insert(next));
    }
    out
}

/// The exceptions on their way through the calls of each thread.
#[derive(Default)]
struct Flights {
    flying: HashMap<String, String>,
    /// The call and line where an exception came that no `throw` explains, and whether it ended the call.
    raised: Vec<(u64, u64, bool)>,
    last: Option<(u64, u64)>,
}

impl Flights {
    /// Takes an event. One event says where an exception came from, before it is caught or ends a call.
    fn take(&mut self, event: &Value) -> Option<String> {
        let text = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        let (thread, kind) = (text("thread"), text("event"));
        if let Some((node, line)) = self.last.take() {
            self.raised.push((node, line, kind == "leave"));
        }
        match kind.as_str() {
            "throw" => {
                self.flying.insert(thread, text("object"));
            }
            "raised" => {
                self.last = event["node"].as_u64().zip(event["line"].as_u64());
                self.flying.insert(thread, text("object"));
            }
            "leave" if self.flying.get(&thread) == Some(&text("exception")) => {}
            "catch" if self.flying.remove(&thread) == Some(text("object")) => {}
            "leave" | "catch" => {
                return Some(format!("it is not said where the exception of {event} came from"));
            }
            _ => {}
        }
        None
    }
}

/// Whether the log may have no such event: a store to a variable without a name, or a row of an array that
/// one instruction made with it.
fn is_unlogged(event: &Said) -> bool {
    let is_row = match event.values.as_slice() {
        [array, old, new] => array.contains("][]@") && old == "null" && new != "null",
        _ => false,
    };
    event.what == UNNAMED || is_row && event.what.starts_with("element")
}

/// The first difference between the recording and the log, if any.
pub fn difference(program: &Program, folders: &Folders, log: &Log, level: &str, to: &Path) -> Option<String> {
    let homes = [Home::Object, Home::Main, Home::Worker].map(|home| (program.class_of(home), home));
    let known = |class: &str, name: &str| {
        program.methods.iter().any(|m| m.name == name && program.class_of(m.home) == class)
    };
    let variables: Vec<String> = variables(program).into_values().collect();
    let mut found = Vec::new();
    let mut calls: Vec<u64> = Vec::new();
    let mut lines: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    let mut flights = Flights::default();
    for line in record(program, folders, level, to) {
        let text = |key: &str| line[key].as_str().unwrap_or("-").to_owned();
        let (class, method, kind) = (text("class"), text("method"), text("event"));
        // The VM prints an uncaught exception outside any call. The log has no texts.
        if kind == "end" || kind == "text" {
            continue;
        }
        let node = line["node"].as_u64().expect("the call of an event");
        let is_known = known(&class, &method);
        if let Some(wrong) = flights.take(&line) {
            return Some(wrong);
        }
        let is_compared = is_known && method != "<init>" && method != "main";
        let event = match kind.as_str() {
            "enter" => {
                if is_known {
                    calls.push(node);
                }
                if !is_compared {
                    continue;
                }
                let mut values = vec![text("this")];
                let arguments = line["arguments"].as_array().expect("arguments");
                values.extend(arguments.iter().map(|value| value.as_str().expect("a text").to_owned()));
                let values: Vec<&str> = values.iter().map(String::as_str).collect();
                said(format!("enter {method}"), &values)
            }
            "return" | "leave" if is_compared => said(format!("exit {method}"), &[]),
            // Others are the compiler's, at the end of a `finally`.
            "throw" if log.throws.contains_key(&line["line"].as_u64().unwrap_or(0)) => {
                let exception = text("object");
                let class = exception.split('@').next().unwrap_or_default();
                at_line(said(format!("throw {class}"), &[]), &line)
            }
            "field" => {
                let name = text("name");
                let home =
                    homes.iter().find(|(class, _)| *class == text("declared_by")).map(|(_, home)| *home);
                if !FIELDS.iter().any(|field| field.name == name && Some(field.home) == home) {
                    continue;
                }
                said(format!("write {name}"), &[&text("object"), &text("old"), &text("new")])
            }
            "element" => {
                let index = line["index"].as_i64().expect("an index");
                said(format!("element {index}"), &[&text("object"), &text("old"), &text("new")])
            }
            "local" if is_known && variables.contains(&text("name")) => {
                at_line(said(format!("local {}", text("name")), &[&text("new")]), &line)
            }
            "local" if is_known && text("name").starts_with("local variable") => {
                at_line(said(UNNAMED.to_owned(), &[&text("new")]), &line)
            }
            "line" => {
                lines.entry(node).or_default().extend(line["line"].as_u64());
                continue;
            }
            _ => continue,
        };
        found.push(event);
    }
    let mut objects = Objects::default();
    let mut next = 0;
    for (at, ours) in log.said.iter().enumerate() {
        // Match named variables before unnamed ones.
        let named = next + found[next..].iter().take_while(|theirs| is_unlogged(theirs)).count();
        let mut is = |at: &usize| found.get(*at).is_some_and(|theirs| objects.agree(ours, theirs));
        let Some(place) = std::iter::once(named).chain(next..named).find(&mut is) else {
            let before = &log.said[at.saturating_sub(3)..at];
            return Some(format!("{at}: {ours:?} was recorded as {:?}, after {before:?}", found.get(named)));
        };
        next = place + 1;
    }
    if let Some(more) = found[next..].iter().find(|more| !is_unlogged(more)) {
        return Some(format!("{more:?} was recorded and did not happen"));
    }
    if calls.len() != log.order.len() {
        return Some(format!("{} calls were recorded of {}", calls.len(), log.order.len()));
    }
    for (node, line, ended) in &flights.raised {
        let Some(call) = calls.iter().position(|known| known == node) else { continue };
        let logged = &log.lines[&call];
        let is_there = if *ended { logged.last() == Some(line) } else { logged.contains(line) };
        if !is_there {
            return Some(format!("an exception came to call #{node} at line {line}, after {logged:?}"));
        }
    }
    if level != "all" {
        return None;
    }
    // With a `finally` in between, execution returns to a line that the log names once.
    for (call, node) in calls.iter().enumerate() {
        let mut passed = lines.get(node).into_iter().flatten();
        let mut last = None;
        for line in &log.lines[&call] {
            if last == Some(line) {
                continue;
            }
            if !passed.any(|passed| passed == line) {
                return Some(format!("line {line} of call #{node} was not recorded: {:?}", lines.get(node)));
            }
            last = Some(line);
        }
    }
    None
}
