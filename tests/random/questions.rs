//! Questions about one run with the answers they must get, and the comparison.

use super::ast::{FIELDS, Kind, Program, Stmt, Ty, Var};
use super::log::Event;
use super::oracle::{Answer, Place};
use super::rng::Rng;
use super::trace::Trace;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

pub struct Question {
    pub id: String,
    /// The point, in RON.
    pub point: String,
    pub answer: Answer,
}

/// The chain's text.
pub fn chain(program: &Program, classes: &Path, questions: &[Question]) -> String {
    let mut text = format!(
        "(\n    format: 1,\n    debuggee: (command: [\"java\", \"-cp\", {:?}, \"{}\"], sources: [{:?}], timeout_s: 100),\n    points: [\n",
        classes.display().to_string(),
        program.main_class(),
        classes.display().to_string(),
    );
    for question in questions {
        text.push_str(&format!("        (id: \"{}\", {}),\n", question.id, question.point));
    }
    text.push_str("    ],\n)\n");
    text
}

struct Asker<'t, 'p> {
    trace: &'t Trace<'p>,
    rng: Rng,
    questions: Vec<Question>,
}

/// Questions about a run: two roots, and what is asked back from them.
pub fn ask(trace: &Trace<'_>) -> Vec<Question> {
    let mut asker = Asker { trace, rng: Rng::new(trace.program.seed ^ 0xabcd), questions: Vec::new() };
    for root in 0..2 {
        asker.root(root);
    }
    asker.questions
}

/// Whether each execution of the statement is one pass over its line that begins with the statement.
fn is_root(stmt: &Stmt) -> bool {
    match &stmt.kind {
        // javac leaves jumps out of the code, and passes over a `for` line and a plain `return` (after the copies of
        // `finally` blocks) begin elsewhere than the log says.
        Kind::Jump { .. } | Kind::For { .. } | Kind::Return(None) | Kind::While { cond: None, .. } => false,
        Kind::Try { .. } | Kind::Declare { value: None, .. } => false,
        _ => true,
    }
}

impl<'p> Asker<'_, 'p> {
    fn add(&mut self, point: String, answer: Answer) -> String {
        let id = format!("Q{}", self.questions.len());
        self.questions.push(Question { id: id.clone(), point, answer });
        id
    }

    fn root(&mut self, number: usize) {
        let mut hits: Vec<usize> = Vec::new();
        for (event, known) in self.trace.events.iter().enumerate() {
            if let Event::Line { line, .. } = known
                && self.trace.statements.get(line).is_some_and(|s| is_root(s))
                && self.trace.at[event].is_some()
            {
                hits.push(event);
            }
        }
        if hits.is_empty() {
            return;
        }
        // Late hits have more behind them.
        let event = hits[self.rng.below(hits.len()).max(self.rng.below(hits.len()))];
        let Event::Line { act, line } = self.trace.events[event] else { return };
        let same = |e: &&Event| matches!(e, Event::Line { line: other, .. } if *other == line);
        let index = self.trace.events[..event].iter().filter(same).count();
        let node = self.trace.at[event].map(|(_, node)| node);
        let place = Place { time: event, act, node };
        let point = format!("at: Line(\"{}\", {line}), index: {index}", self.trace.program.main_class());
        // A root is where it was asked for.
        let id = self
            .add(point, Answer::Change { line, old: String::new(), new: String::new(), place: Some(place) });
        self.variables(&id, place, 5, true);
        self.statics(&id, place, 3);
        self.conditions(&id, place, 3);
        if number == 0 {
            self.caller(&id, place);
            self.skipped(&id, place);
        }
    }

    fn stmt_at(&self, place: Place) -> Option<&'p Stmt> {
        let node = place.node?;
        self.trace.statements.get(&self.trace.graph_of(place.act).nodes[node].line).copied()
    }

    fn shuffled(&mut self, place: Place, most: usize) -> Vec<Var> {
        let mut visible = self.stmt_at(place).map(|s| s.visible.clone()).unwrap_or_default();
        while visible.len() > most {
            visible.remove(self.rng.below(visible.len()));
        }
        visible
    }

    /// The variables that a point sees, and fields of the objects in them.
    fn variables(&mut self, id: &str, place: Place, most: usize, further: bool) {
        for var in self.shuffled(place, most) {
            let answer = self.trace.last_store(&var, place);
            let back = answer.place();
            let change = self.add(format!("at: LastChange(\"{id}:{}\")", var.name), answer);
            if let Some(back) = back.filter(|_| further && self.rng.chance(40)) {
                self.behind(&change, back);
            }
            if var.ty == Ty::Obj
                && let Some(object) = self.trace.value_of(&var, place).filter(|o| o.starts_with('@'))
            {
                self.fields(id, place, &var.name, &object, 2, further);
            }
        }
        let method = &self.trace.program.methods[self.trace.activations[&place.act].method];
        if !method.is_static
            && let Some(object) = self.this(place.act)
        {
            self.fields(id, place, "this", &object, 2, further);
        }
    }

    /// The receiver of an activation, where the log tells: a write through `this` does not say so, so the object is
    /// the one whose initialisers ran just before its constructor.
    fn this(&self, act: u32) -> Option<String> {
        let activation = &self.trace.activations[&act];
        if !self.trace.program.methods[activation.method].is_constructor() {
            return None;
        }
        match self.trace.events.get(activation.entered.checked_sub(1)?)? {
            Event::Write { owner, initial: true, .. } => Some(owner.clone()),
            _ => None,
        }
    }

    fn fields(&mut self, id: &str, place: Place, name: &str, object: &str, most: usize, further: bool) {
        for _ in 0..most {
            let known: Vec<usize> =
                (0..FIELDS.len()).filter(|f| FIELDS[*f].of_object && !FIELDS[*f].is_static).collect();
            let field = *self.rng.pick(&known);
            let answer = self.trace.last_write(object, field, place.time);
            let back = answer.place();
            let change = self.add(format!("at: LastChange(\"{id}:{name}.{}\")", FIELDS[field].name), answer);
            if let Some(back) = back.filter(|_| further && self.rng.chance(25)) {
                self.behind(&change, back);
            }
        }
    }

    fn statics(&mut self, id: &str, place: Place, most: usize) {
        for _ in 0..most {
            let known: Vec<usize> = (0..FIELDS.len()).filter(|f| FIELDS[*f].is_static).collect();
            let field = *self.rng.pick(&known);
            let class = self.trace.program.class_of(FIELDS[field].of_object);
            let answer = self.trace.last_write("null", field, place.time);
            self.add(format!("at: LastChange(\"{id}:{class}.{}\")", FIELDS[field].name), answer);
        }
    }

    /// Questions from a change.
    fn behind(&mut self, id: &str, place: Place) {
        self.conditions(id, place, 1);
        // Of a `for` line the syntax does not say which of its parts a store is.
        if self.stmt_at(place).is_some_and(is_root) {
            self.variables(id, place, 1, false);
            self.statics(id, place, 1);
        }
    }

    /// The condition that led to a point, and to that one, and so on.
    fn conditions(&mut self, id: &str, place: Place, most: usize) {
        let Some(answer) = self.trace.last_condition(place) else { return };
        let back = answer.place();
        let asked = self.add(format!("at: LastCondition(\"{id}\")"), answer.clone());
        // A handler is entered because of what threw; asking on from there is another question.
        let Some(back) = back.filter(|_| matches!(answer, Answer::Condition { .. })) else { return };
        if most > 1 {
            self.conditions(&asked, back, most - 1);
        }
        if self.stmt_at(back).is_some_and(is_root) && self.rng.chance(50) {
            self.variables(&asked, back, 1, false);
        }
    }

    /// A variable of the caller's frame.
    fn caller(&mut self, id: &str, place: Place) {
        let activation = &self.trace.activations[&place.act];
        let Some((parent, node)) = self.trace.at[activation.entered] else { return };
        let back = Place { time: activation.entered, act: parent, node: Some(node) };
        if !self.stmt_at(back).is_some_and(is_root) {
            return;
        }
        for var in self.shuffled(back, 1) {
            let answer = self.trace.last_store(&var, back);
            self.add(format!("at: LastChange(\"{id}(1):{}\")", var.name), answer);
        }
    }

    /// The line after a throwing one in the same block, when the throw is the first after the point that is caught in
    /// the point's activation: surely the one that skipped it.
    fn skipped(&mut self, id: &str, place: Place) {
        let trace = self.trace;
        let steps = &trace.activations[&place.act].steps;
        let caught = steps
            .iter()
            .position(|(n, _)| *n > place.time && matches!(trace.events[*n], Event::Handler { .. }));
        let Some(caught) = caught else { return };
        let (number, node) = steps[caught];
        let thrown = steps[caught - 1];
        let line = trace.line_of(thrown.0);
        let Some(block) = block_of(trace.program, line) else { return };
        let Some(at) = block.iter().position(|s| s.line == line) else { return };
        let Some(next) = block.get(at + 1).filter(|s| is_root(s) && s.line > line) else { return };
        let simple = matches!(
            block[at].kind,
            Kind::Declare { .. } | Kind::Assign { .. } | Kind::SetField { .. } | Kind::Run(_)
        );
        if !simple || !matches!(next.kind, Kind::Declare { .. } | Kind::Assign { .. } | Kind::SetField { .. })
        {
            return;
        }
        let place = Place { time: number, act: place.act, node: Some(node) };
        let answer = Answer::Caught { line, thrown: 0, place };
        let class = trace.program.main_class();
        self.add(format!("at: SkippedLine(\"{class}\", {}), after: \"{id}\"", next.line), answer);
    }
}

/// The block that directly holds the statement of a line.
fn block_of(program: &Program, line: u32) -> Option<&[Stmt]> {
    let mut found = None;
    let see = |block: &[Stmt]| block.iter().any(|s| s.line == line);
    for method in &program.methods {
        if see(&method.body) {
            found = Some(method.body.as_slice());
        }
        super::ast::each(&method.body, &mut |s| {
            for block in blocks(s) {
                if see(block) {
                    found = Some(block.as_slice());
                }
            }
        });
    }
    found
}

fn blocks(s: &Stmt) -> Vec<&super::ast::Block> {
    match &s.kind {
        Kind::If { then, other, .. } => std::iter::once(then).chain(other).collect(),
        Kind::While { body, .. } | Kind::Do { body, .. } | Kind::For { body, .. } => vec![body],
        Kind::Switch { arms, .. } => arms.iter().map(|a| &a.body).collect(),
        Kind::Try { body, catches, finish } => std::iter::once(body)
            .chain(catches.iter().map(|c| &c.body))
            .chain(finish.iter().map(|f| &f.body))
            .collect(),
        _ => Vec::new(),
    }
}

/// Objects of the log by the names that the answer gives them, and back.
#[derive(Default)]
pub struct Objects {
    names: HashMap<String, String>,
    back: HashMap<String, String>,
}

impl Objects {
    fn same(&mut self, ours: &str, theirs: &str) -> bool {
        if !ours.starts_with('@') {
            return ours == theirs;
        }
        let known = self.names.entry(ours.to_owned()).or_insert_with(|| theirs.to_owned()).clone();
        let back = self.back.entry(theirs.to_owned()).or_insert_with(|| ours.to_owned()).clone();
        theirs.contains('@') && known == theirs && back == ours
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".into(),
        other => other.to_string(),
    }
}

/// Without what the source may write in several ways: blanks, brackets, and names qualified though they need not be.
fn bare(text: &str) -> String {
    let text: String = text.chars().filter(|c| !" ()".contains(*c)).collect();
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars() {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        let class =
            word.starts_with(['P', 'O']) && word.len() > 1 && word[1..].chars().all(|d| d.is_ascii_digit());
        if !(c == '.' && (class || word == "this")) {
            out.push_str(&word);
            out.push(c);
        }
        word.clear();
    }
    out + &word
}

/// The opposite of a condition's operand: its comparison turned round.
fn negated(operand: &str) -> String {
    let mut depth = 0;
    let bytes = operand.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        depth += i32::from(*byte == b'(') - i32::from(*byte == b')');
        let turned = match operand.get(at..at + 4) {
            _ if depth != 0 || *byte != b' ' => None,
            Some(text) => [
                (" <= ", " > "),
                (" >= ", " < "),
                (" == ", " != "),
                (" != ", " == "),
                (" < ", " >= "),
                (" > ", " <= "),
            ]
            .into_iter()
            .find(|(op, _)| text.starts_with(op))
            .map(|(op, turned)| (turned, op.len())),
            None => [(" < ", " >= "), (" > ", " <= ")]
                .into_iter()
                .find(|(op, _)| operand[at..].starts_with(op))
                .map(|(op, turned)| (turned, op.len())),
        };
        if let Some((turned, length)) = turned {
            return format!("{}{turned}{}", &operand[..at], &operand[at + length..]);
        }
    }
    format!("!{operand}")
}

/// What is wrong with an answer; nothing if it is right.
pub fn wrong(question: &Question, found: &Value, objects: &mut Objects) -> Option<String> {
    let is = |name: &str, expected: &str| {
        let shown = text(&found[name]);
        (shown != expected).then(|| format!("{name} is {shown}, must be {expected}"))
    };
    if question.answer == Answer::Nothing {
        return (found["located"] != false)
            .then(|| format!("located at line {}, must not be", found["line"]));
    }
    if found["located"] != true {
        return Some(format!("not located: {}; must be {:?}", text(&found["reason"]), question.answer));
    }
    match &question.answer {
        Answer::Nothing => None,
        Answer::Change { line, old, new, .. } => is("line", &line.to_string()).or_else(|| {
            let mut value = |name: &str, ours: &str| {
                let shown = text(&found[name]);
                (!ours.is_empty() && !objects.same(ours, &shown))
                    .then(|| format!("{name} is {shown}, must be {ours}"))
            };
            value("old", old).or_else(|| value("new", new))
        }),
        Answer::Condition { line, taken, operand, .. } => {
            let decided = &found["decided_by"];
            let shown = text(if decided.is_null() { &found["condition"] } else { decided });
            let shown = bare(shown.strip_prefix("switch").unwrap_or(&shown));
            let way = text(&found["taken"]);
            let opposite = match taken.as_str() {
                "true" => "false",
                "false" => "true",
                other => other,
            };
            // Choices are written in other ways still. The same decision can be written as its opposite that went the other way.
            let fits = (operand.contains('?') && ["true", "false"].contains(&way.as_str()))
                || (way == *taken && (operand.contains('?') || shown == bare(operand)))
                || (way == opposite && shown == bare(&negated(operand)));
            is("line", &line.to_string())
                .or_else(|| (!fits).then(|| format!("it is `{shown}` {way}, must be `{operand}` {taken}")))
        }
        Answer::Caught { line, thrown, .. } => {
            let place = &found["exception"]["thrown"]["line"];
            if *thrown > 0 && place != thrown {
                return Some(format!("the exception is that of line {place}, must be that of line {thrown}"));
            }
            // A `finally` block has no handler's line in the source.
            if *line > 0 {
                is("line", &line.to_string())
            } else {
                found["exception"].is_null().then(|| "no exception".into())
            }
        }
    }
}
