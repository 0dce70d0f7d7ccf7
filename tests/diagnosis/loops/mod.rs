//! The trees with loops, computed from a program's log alone.

pub mod generate;

use std::collections::HashMap;

/// An action of a call: it makes a call, or executes a loop.
enum Item {
    Call(Call),
    Loop(Execution),
}

struct Call {
    number: u32,
    method: String,
    does: Vec<Item>,
    /// The open loops.
    open: Vec<Execution>,
    returns: bool,
}

struct Execution {
    id: usize,
    /// The actions of each iteration.
    turns: Vec<Vec<Item>>,
    left: &'static str,
}

impl Call {
    fn add(&mut self, item: Item) {
        let last = self.open.last_mut().and_then(|of| of.turns.last_mut());
        last.unwrap_or(&mut self.does).push(item);
    }

    /// Leaves the open loops, down to one.
    fn leave(&mut self, stay: usize, left: &'static str) {
        while self.open.len() > stay {
            let mut of = self.open.pop().expect("a loop");
            of.left = left;
            self.add(Item::Loop(of));
        }
    }

    fn place(&self, id: usize) -> usize {
        self.open.iter().position(|of| of.id == id).map_or(0, |place| place + 1)
    }
}

/// The trees of a log, each as a text with one node per line. `lines` gives the lines of loops.
pub fn trees(log: &str, lines: &HashMap<(String, usize), u32>) -> Vec<String> {
    log.split("program ").filter(|part| !part.is_empty()).map(|part| tree(part, lines)).collect()
}

fn tree(log: &str, lines: &HashMap<(String, usize), u32>) -> String {
    let mut told = log.lines();
    let program = told.next().expect("a name").to_owned();
    let mut calls: Vec<Call> = Vec::new();
    let mut roots: Vec<Item> = Vec::new();
    let mut back_to = |calls: &mut Vec<Call>, number: u32| {
        while let Some(mut call) = calls.pop_if(|call| call.number != number) {
            let left = if call.returns { "return" } else { "exception" };
            call.leave(0, left);
            match calls.last_mut() {
                Some(around) => around.add(Item::Call(call)),
                None => roots.push(Item::Call(call)),
            }
        }
    };
    for line in told {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<u32>().expect("a number");
        if words[0] == "begin" {
            back_to(&mut calls, number(1));
            let (number, method) = (number(2), words[3].to_owned());
            calls.push(Call { number, method, does: Vec::new(), open: Vec::new(), returns: false });
            continue;
        }
        back_to(&mut calls, number(1));
        let call = calls.last_mut().expect("a call");
        let id: usize = words[2].parse().expect("a loop");
        match words[0] {
            "enter" => call.open.push(Execution { id, turns: Vec::new(), left: "" }),
            "turn" => {
                call.leave(call.place(id), "normally");
                call.open.last_mut().expect("a loop").turns.push(Vec::new());
            }
            "back" => call.leave(call.place(id), "normally"),
            "exit" => call.leave(call.place(id) - 1, "normally"),
            "caught" => call.leave(call.place(id), "exception"),
            "return" => call.returns = true,
            other => panic!("{other}"),
        }
    }
    back_to(&mut calls, 0);
    let mut out = String::new();
    for root in &roots {
        written(root, &program, lines, 0, true, &mut out);
    }
    out
}

fn makes_calls(item: &Item) -> bool {
    match item {
        Item::Call(_) => true,
        Item::Loop(of) => of.turns.iter().flatten().any(makes_calls),
    }
}

/// Writes a node and those below it. Iterations without calls are a node only if others are beside them, or
/// no loop encloses them.
fn written(
    item: &Item,
    program: &str,
    lines: &HashMap<(String, usize), u32>,
    depth: usize,
    counts: bool,
    out: &mut String,
) {
    let indent = "  ".repeat(depth);
    match item {
        Item::Call(call) => {
            out.push_str(&format!("{indent}{program}.{}\n", call.method));
            call.does.iter().for_each(|item| written(item, program, lines, depth + 1, true, out));
        }
        Item::Loop(of) if counts || makes_calls(item) => {
            let line = lines[&(program.to_owned(), of.id)];
            let mut depth = depth;
            for (at, turn) in of.turns.iter().enumerate() {
                let counts = turn.iter().any(makes_calls);
                if at == 0 || counts {
                    let indent = "  ".repeat(depth);
                    out.push_str(&format!("{indent}loop {line} from {} {}\n", at + 1, of.left));
                    depth += 1;
                }
                turn.iter().for_each(|item| written(item, program, lines, depth, counts, out));
            }
        }
        Item::Loop(_) => {}
    }
}
