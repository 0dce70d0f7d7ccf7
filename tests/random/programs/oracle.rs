//! The expected answers, from the log and the graphs alone.

use super::ast::{FIELDS, Kind, Var};
use super::graph::{EXIT, Tok};
use super::log::Event;
use super::trace::Trace;

/// A place in the execution: just before an event, in an activation, at a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub time: usize,
    pub act: u32,
    /// None: the entry of the activation.
    pub node: Option<usize>,
}

/// The expected answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Nothing,
    Change {
        line: u32,
        old: String,
        new: String,
        place: Option<Place>,
    },
    Condition {
        line: u32,
        taken: String,
        operand: String,
        place: Place,
    },
    /// The answer's line, and that of the throw; 0 if the source does not show it.
    Caught {
        line: u32,
        thrown: u32,
        place: Place,
    },
}

impl Answer {
    pub fn place(&self) -> Option<Place> {
        match self {
            Answer::Nothing => None,
            Answer::Change { place, .. } => *place,
            Answer::Condition { place, .. } | Answer::Caught { place, .. } => Some(*place),
        }
    }
}

impl Trace<'_> {
    /// The last change of a variable of the place's activation.
    pub fn last_store(&self, var: &Var, place: Place) -> Answer {
        let activation = &self.activations[&place.act];
        let method = &self.program.methods[activation.method];
        let mut answer = Answer::Nothing;
        let mut current = "unassigned".to_owned();
        if let Some(position) = method.params.iter().position(|p| p.id == var.id)
            && let Event::Enter { values, .. } = &self.events[activation.entered]
        {
            let line = if method.is_constructor() { method.line } else { self.first_line(activation.method) };
            current = values[position].clone();
            let place = Place { time: activation.entered + 1, act: place.act, node: None };
            answer =
                Answer::Change { line, old: "unassigned".into(), new: current.clone(), place: Some(place) };
        }
        for (number, node) in &activation.steps {
            if let Event::Store { var: stored, line, value, .. } = &self.events[*number]
                && *stored == var.id
                && *number < place.time
            {
                let line = if *line == 0 { self.line_of(*number) } else { *line };
                // On the line of another variable it is a `v++`; the line of a handler belongs to no
                // statement.
                let fresh = match self.statements.get(&line).map(|s| &s.kind) {
                    Some(Kind::Assign { var: of, fresh, .. }) => *fresh && of.id == var.id,
                    Some(Kind::For { var: of, .. }) => of.id == var.id && value == "0",
                    Some(Kind::Declare { var: of, .. }) => of.id == var.id,
                    Some(_) => false,
                    None => true,
                };
                let old = if fresh { "unassigned".to_owned() } else { current };
                current = value.clone();
                let place = Place { time: *number, act: place.act, node: Some(*node) };
                answer = Answer::Change { line, old, new: current.clone(), place: Some(place) };
            }
        }
        answer
    }

    /// The line of a method's first instruction.
    fn first_line(&self, method: usize) -> u32 {
        let graph = &self.graphs[method];
        graph.nodes[graph.entry].line.max(u32::from(graph.nodes[graph.entry].tok == Tok::Exit))
    }

    /// The last write to a field of an object (`null` for a static one).
    pub fn last_write(&self, object: &str, field: usize, time: usize) -> Answer {
        let mut current = FIELDS[field].ty.default().to_owned();
        let mut answer = Answer::Nothing;
        for (number, event) in self.events.iter().enumerate().take(time) {
            if let Event::Write { owner, field: written, line, old, new, initial, .. } = event
                && *written == field
                && owner == object
            {
                let old = if *initial { current } else { old.clone() };
                let place = self.at[number].map(|(act, node)| Place { time: number, act, node: Some(node) });
                current = new.clone();
                answer = Answer::Change { line: *line, old, new: new.clone(), place };
            }
        }
        answer
    }

    /// The last write to an element of an array.
    pub fn last_element(&self, array: &str, index: usize, time: usize) -> Answer {
        let mut answer = Answer::Nothing;
        for (number, event) in self.events.iter().enumerate().take(time) {
            if let Event::Element { array: written, index: at, old, new, .. } = event
                && written == array
                && *at == index
            {
                let place = self.at[number].map(|(act, node)| Place { time: number, act, node: Some(node) });
                let line = self.line_of(number);
                answer = Answer::Change { line, old: old.clone(), new: new.clone(), place };
            }
        }
        answer
    }

    /// The last read of a field of an object (`null` for a static one).
    pub fn last_read(&self, object: &str, field: usize, time: usize) -> Answer {
        let mut answer = Answer::Nothing;
        for (number, event) in self.events.iter().enumerate().take(time) {
            if let Event::Read { owner, field: read, value, .. } = event
                && *read == field
                && owner == object
            {
                let place = self.at[number].map(|(act, node)| Place { time: number, act, node: Some(node) });
                // A read has no old value.
                let old = String::new();
                answer = Answer::Change { line: self.line_of(number), old, new: value.clone(), place };
            }
        }
        answer
    }

    /// The elements of an array at a time.
    pub fn elements(&self, array: &str, time: usize) -> Vec<String> {
        let mut found = Vec::new();
        for event in &self.events[..time] {
            match event {
                Event::Array { id, values } if id == array => found.clone_from(values),
                Event::Element { array: written, index, new, .. } if written == array => {
                    found[*index].clone_from(new);
                }
                _ => {}
            }
        }
        found
    }

    /// The value of a field of an object (`null` for a static one) at a time.
    pub fn field_value(&self, object: &str, field: usize, time: usize) -> String {
        match self.last_write(object, field, time) {
            Answer::Change { new, .. } => new,
            _ => FIELDS[field].ty.default().to_owned(),
        }
    }

    pub fn value_of(&self, var: &Var, place: Place) -> Option<String> {
        match self.last_store(var, place) {
            Answer::Change { new, .. } => Some(new),
            _ => None,
        }
    }

    /// The condition or exception that led to a place; none if the graph gives no certain answer.
    pub fn last_condition(&self, place: Place) -> Option<Answer> {
        let activation = &self.activations[&place.act];
        let Some(node) = place.node else { return self.caller_condition(place.act) };
        let graph = self.graph_of(place.act);
        let depends = graph.dependence(node);
        let mut found: Option<Answer> = None;
        for (position, (number, at)) in activation.steps.iter().enumerate() {
            if *number >= place.time {
                break;
            }
            let here = Place { time: *number, act: place.act, node: Some(*at) };
            let known = &graph.nodes[*at];
            match (&known.tok, &self.events[*number]) {
                (Tok::Branch(id), Event::Branch { way, .. }) => {
                    // A branch without a later step was undecided: an exception occurred in its other
                    // operands.
                    let key = self.way(*number, *at).expect("a step");
                    if depends.edges.contains(&(*at, key)) {
                        let target = known.ways.iter().find(|(w, _)| *w == key).map(|(_, to)| *to);
                        let taken = self.taken(known.ways.as_slice(), target, *way);
                        let operand = graph.operands[id].clone();
                        found = Some(Answer::Condition { line: known.line, taken, operand, place: here });
                    }
                }
                (Tok::Handler(_), _) if depends.handlers.contains(at) => {
                    let thrown = activation.steps[position - 1];
                    let next = self.after(thrown.0, thrown.1);
                    // A rethrow by a `finally` block, or a throw in a called method, has no line in the
                    // source.
                    let source = graph.nodes[thrown.1].line;
                    let throws = self.statements.get(&source).map(|s| matches!(s.kind, Kind::Throw(_)));
                    let called = matches!(graph.nodes[thrown.1].tok, Tok::Call(_));
                    let unknown = called || (next == Some(EXIT) && throws != Some(true));
                    let thrown_line = if unknown { 0 } else { source };
                    let caught = Answer::Caught { line: known.line, thrown: thrown_line, place: here };
                    // A place reached without the exception too does not depend on it.
                    let leads = |n: usize| graph.always_reaches(n, node);
                    match (leads(thrown.1), next.is_none_or(leads)) {
                        (true, true) => {}
                        (false, false) => found = Some(caught),
                        _ => return None,
                    }
                }
                _ => {}
            }
        }
        match found {
            Some(answer) => Some(answer),
            None if depends.from_entry => self.caller_condition(place.act),
            None => Some(Answer::Nothing),
        }
    }

    /// The place where normal flow would have continued after a step.
    fn after(&self, number: usize, node: usize) -> Option<usize> {
        let (act, _) = self.at[number]?;
        let way = self.way(number, node)?;
        self.graph_of(act).nodes[node].ways.iter().find(|(w, _)| *w == way).map(|(_, to)| *to)
    }

    fn caller_condition(&self, act: u32) -> Option<Answer> {
        let activation = &self.activations[&act];
        match self.at[activation.entered] {
            Some((parent, node)) => {
                self.last_condition(Place { time: activation.entered, act: parent, node: Some(node) })
            }
            None => Some(Answer::Nothing),
        }
    }

    fn taken(&self, ways: &[(Option<i64>, usize)], target: Option<usize>, way: i64) -> String {
        if ways.len() == 2 && ways.iter().all(|(w, _)| matches!(w, Some(0 | 1))) {
            return (way == 1).to_string();
        }
        // All keys that lead to one place are one branch; the name `default` takes precedence.
        let mut keys: Vec<i64> = Vec::new();
        for (key, _) in ways.iter().filter(|(_, to)| Some(*to) == target) {
            match key {
                Some(key) => keys.push(*key),
                None => return "default".into(),
            }
        }
        keys.sort_unstable();
        format!("case {}", keys.iter().map(i64::to_string).collect::<Vec<_>>().join(", "))
    }
}
