//! Questions about one run, with the expected answers.

use super::ast::{FIELDS, Home, Kind, Program, Stmt, Ty, Var, blocks};
use super::log::Event;
use super::oracle::{Answer, Place};
use super::render::expr;
use super::trace::Trace;
use crate::support::rng::Rng;

#[derive(Clone)]
pub struct Question {
    pub id: String,
    /// The question it is asked from; a root has none.
    pub from: Option<String>,
    /// The point, in RON.
    pub point: String,
    pub answer: Answer,
    /// The thread of the answer; empty if the log does not show it.
    pub thread: String,
    /// Whether JDWP has no events for it, or for a question it depends on.
    pub needs_probes: bool,
}

/// The chain's text: the debuggee's fields, and the questions with the additions of `more`.
pub fn chain(debuggee: &str, questions: &[Question], more: impl Fn(&Question) -> String) -> String {
    let mut text = format!("(\n    format: 1,\n    debuggee: ({debuggee}),\n    points: [\n");
    for question in questions {
        text.push_str(&format!("        (id: \"{}\", {}{}),\n", question.id, question.point, more(question)));
    }
    text.push_str("    ],\n)\n");
    text
}

struct Asker<'t, 'p> {
    trace: &'t Trace<'p>,
    rng: Rng,
    questions: Vec<Question>,
}

/// Questions about a run: some roots, and backward questions from them.
pub fn ask(trace: &Trace<'_>, roots: usize) -> Vec<Question> {
    let mut asker = Asker { trace, rng: Rng::new(trace.program.seed ^ 0xabcd), questions: Vec::new() };
    for root in 0..roots {
        asker.root(root);
    }
    asker.questions
}

/// A value seen at a point, with its expression.
struct Seen {
    name: String,
    ty: Ty,
    value: String,
}

/// The start of questions: a point, the variables of its frame, and the number of further steps.
#[derive(Clone, Copy)]
struct Asked<'a> {
    /// The point, with its frame if it is not the newest.
    id: &'a str,
    place: Place,
    depth: usize,
}

/// Whether each execution of the statement is one pass over its line, beginning with the statement.
fn is_root(stmt: &Stmt) -> bool {
    match &stmt.kind {
        // javac omits jumps from the code. Passes over a `for` line, and over a plain `return` (after the
        // copies of `finally` blocks), begin elsewhere than in the log.
        Kind::Jump { .. } | Kind::For { .. } | Kind::Return(None) | Kind::While { cond: None, .. } => false,
        Kind::Try { .. } | Kind::Declare { value: None, .. } => false,
        _ => true,
    }
}

/// Whether the stored value may be chosen by a condition: `c ? a : b`, `a && b`, `a < b`.
fn stores_choice(stmt: &Stmt) -> bool {
    let value = match &stmt.kind {
        Kind::Declare { value: Some(value), .. } | Kind::Return(Some(value)) => value,
        Kind::Assign { value, .. } | Kind::SetField { value, .. } | Kind::SetElement { value, .. } => value,
        _ => return false,
    };
    let text = expr(value, false);
    ["?", "&&", "||", "!", "<", ">", "=="].iter().any(|sign| text.contains(sign))
}

impl<'p> Asker<'_, 'p> {
    fn add(&mut self, from: &str, point: String, answer: Answer) -> String {
        let id = format!("Q{}", self.questions.len());
        let from = from.split('(').next().unwrap_or_default();
        let before = self.questions.iter().find(|q| q.id == from);
        let needs_probes = before.is_some_and(|q| q.needs_probes);
        let from = before.map(|q| q.id.clone());
        let act = answer.place().and_then(|p| self.trace.activations.get(&p.act));
        let thread = act.map(|a| a.thread.clone()).unwrap_or_default();
        self.questions.push(Question { id: id.clone(), from, point, answer, thread, needs_probes });
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
        // Late hits have more history.
        let event = hits[self.rng.below(hits.len()).max(self.rng.below(hits.len()))];
        let Event::Line { act, line } = self.trace.events[event] else { return };
        let same = |e: &&Event| matches!(e, Event::Line { line: other, .. } if *other == line);
        let index = self.trace.events[..event].iter().filter(same).count();
        let node = self.trace.at[event].map(|(_, node)| node);
        let place = Place { time: event, act, node };
        let point = format!("at: Line(\"{}\", {line}), index: {index}", self.trace.program.main_class());
        // A root is at its own line.
        let is = Answer::Change { line, old: String::new(), new: String::new(), place: Some(place) };
        let id = self.add("", point, is);
        let here = Asked { id: &id, place, depth: 2 };
        self.variables(here, 5);
        self.statics(here, 4);
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

    fn visible(&self, place: Place) -> Vec<Var> {
        self.stmt_at(place).map(|s| s.visible.clone()).unwrap_or_default()
    }

    fn some_visible(&mut self, place: Place, most: usize) -> Vec<Var> {
        let mut visible = self.visible(place);
        while visible.len() > most {
            visible.remove(self.rng.below(visible.len()));
        }
        visible
    }

    /// Asks for the last change, and sometimes continues from there.
    fn change(&mut self, from: Asked<'_>, name: &str, answer: Answer) -> usize {
        let back = answer.place();
        let id = self.add(from.id, format!("at: LastChange(\"{}:{name}\")", from.id), answer);
        let number = self.questions.len() - 1;
        self.go_on(from, &id, back);
        number
    }

    fn go_on(&mut self, from: Asked<'_>, id: &str, back: Option<Place>) {
        if let Some(place) = back.filter(|_| from.depth > 0 && self.rng.chance(33)) {
            self.behind(Asked { id, place, depth: from.depth - 1 });
        }
    }

    /// Asks about the variables seen at a point, and the contents of the objects and arrays in them.
    fn variables(&mut self, here: Asked<'_>, most: usize) {
        for var in self.some_visible(here.place, most) {
            let answer = self.trace.last_store(&var, here.place);
            self.change(here, &var.name, answer);
            if let Some(value) = self.trace.value_of(&var, here.place) {
                self.parts(here, &Seen { name: var.name, ty: var.ty, value }, 2);
            }
        }
        let activation = &self.trace.activations[&here.place.act];
        let ty = match self.trace.program.methods[activation.method].home {
            Home::Main => return,
            Home::Object => Ty::Obj,
            Home::Worker => Ty::Worker,
        };
        self.parts(here, &Seen { name: "this".into(), ty, value: activation.this.clone() }, 2);
    }

    /// Fields of an object or elements of an array.
    fn parts(&mut self, here: Asked<'_>, seen: &Seen, most: usize) {
        if !seen.value.starts_with('@') {
            return;
        }
        for _ in 0..most {
            if let Some(home) = seen.ty.home() {
                let known: Vec<usize> =
                    (0..FIELDS.len()).filter(|f| FIELDS[*f].home == home && !FIELDS[*f].is_static).collect();
                let field = *self.rng.pick(&known);
                let name = format!("{}.{}", seen.name, FIELDS[field].name);
                self.field(here, &name, &seen.value, field);
            } else if let Some(ty) = seen.ty.element() {
                self.element(here, seen, ty);
            }
        }
    }

    /// A field of an object (`null`: a static one).
    fn field(&mut self, here: Asked<'_>, name: &str, object: &str, field: usize) {
        if self.rng.chance(25) {
            let answer = self.trace.last_read(object, field, here.place.time);
            let back = answer.place();
            let id = self.add(here.id, format!("at: LastRead(\"{}:{name}\")", here.id), answer);
            self.go_on(here, &id, back);
        } else {
            let answer = self.trace.last_write(object, field, here.place.time);
            self.change(here, name, answer);
        }
        if self.rng.chance(50) {
            let value = self.trace.field_value(object, field, here.place.time);
            self.parts(here, &Seen { name: name.into(), ty: FIELDS[field].ty, value }, 1);
        }
    }

    fn element(&mut self, here: Asked<'_>, array: &Seen, ty: Ty) {
        let values = self.trace.elements(&array.value, here.place.time);
        if values.is_empty() {
            return;
        }
        let index = self.rng.below(values.len());
        let number = index.to_string();
        let fits = |v: &Var| v.ty == Ty::Int && self.trace.value_of(v, here.place).as_ref() == Some(&number);
        let computed = self.visible(here.place).iter().find(|v| fits(v)).map(|v| v.name.clone());
        let name = format!("{}[{}]", array.name, computed.unwrap_or(number));
        let answer = self.trace.last_element(&array.value, index, here.place.time);
        // Questions from its answer also need probes.
        let first = self.questions.len();
        let of = self.change(here, &name, answer);
        let id = self.questions[of].id.clone();
        self.questions[of].needs_probes = true;
        let mut from = vec![id];
        for question in &mut self.questions[first..] {
            if question.from.as_ref().is_some_and(|f| from.contains(f)) {
                question.needs_probes = true;
                from.push(question.id.clone());
            }
        }
        self.parts(here, &Seen { name, ty, value: values[index].clone() }, 1);
    }

    fn statics(&mut self, here: Asked<'_>, most: usize) {
        let known: Vec<usize> = (0..FIELDS.len()).filter(|f| FIELDS[*f].is_static).collect();
        for _ in 0..most {
            let field = *self.rng.pick(&known);
            let class = self.trace.program.class_of(FIELDS[field].home);
            self.field(here, &format!("{class}.{}", FIELDS[field].name), "null", field);
        }
    }

    /// Questions from an answer.
    fn behind(&mut self, here: Asked<'_>) {
        // What chose a stored value is the condition that led to it; the log has no such order of conditions.
        if !self.stmt_at(here.place).is_some_and(stores_choice) {
            self.conditions(here.id, here.place, 1);
        }
        // For a `for` line, the syntax does not show which part contains a store.
        if self.stmt_at(here.place).is_some_and(is_root) {
            self.variables(here, 1);
            self.statics(here, 1);
        }
    }

    /// Asks for the condition that led to a point, then for the one before, and so on.
    fn conditions(&mut self, id: &str, place: Place, most: usize) {
        let Some(answer) = self.trace.last_condition(place) else { return };
        let back = answer.place();
        let asked = self.add(id, format!("at: LastCondition(\"{id}\")"), answer.clone());
        // A throw leads to a handler; asking from there is another question.
        let Some(back) = back.filter(|_| matches!(answer, Answer::Condition { .. })) else { return };
        if most > 1 {
            self.conditions(&asked, back, most - 1);
        }
        if self.stmt_at(back).is_some_and(is_root) && self.rng.chance(50) {
            self.variables(Asked { id: &asked, place: back, depth: 0 }, 1);
        }
    }

    /// A variable of the caller's frame.
    fn caller(&mut self, id: &str, place: Place) {
        let activation = &self.trace.activations[&place.act];
        let Some((parent, node)) = self.trace.at[activation.entered] else { return };
        let back = Place { time: place.time, act: parent, node: Some(node) };
        if !self.stmt_at(back).is_some_and(is_root) {
            return;
        }
        let id = format!("{id}(1)");
        self.variables(Asked { id: &id, place: back, depth: 0 }, 1);
    }

    /// Asks about the line after a throwing one in the same block. The throw must be the first after the
    /// point that is caught in the point's activation, so it surely skipped the line.
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
            Kind::Declare { .. }
                | Kind::Assign { .. }
                | Kind::SetField { .. }
                | Kind::SetElement { .. }
                | Kind::Run(_)
        );
        if !simple || !matches!(next.kind, Kind::Declare { .. } | Kind::Assign { .. } | Kind::SetField { .. })
        {
            return;
        }
        let place = Place { time: number, act: place.act, node: Some(node) };
        let answer = Answer::Caught { line, thrown: 0, place };
        let class = trace.program.main_class();
        self.add(id, format!("at: SkippedLine(\"{class}\", {}), after: \"{id}\"", next.line), answer);
    }
}

/// The innermost block with the statement of a line.
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
