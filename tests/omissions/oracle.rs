//! The algorithm of the paper (Omission Finder, Figure 9), literally: all executed calls, all call chains
//! without a cycle, and all paths through instructions that a call did not execute. Use sites and the call
//! graph go by classes alone. Nothing of it is shared with `qp omitted`.

use crate::support::traced::text;
use bytecode::op::InvokeKind;
use bytecode::{ClassFile, Code, MethodRef, Op};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// Most calls of a chain.
const THRESHOLD: usize = 5;

/// A method: its class, name and descriptor.
type Name = (String, String, String);

/// A jump with the code index where its other way begins, the chain of methods, and the operation.
pub type Pair = (Name, u64, u64, Vec<String>, Name, u64);

/// A recorded program.
pub struct Oracle {
    classes: BTreeMap<String, ClassFile>,
    /// By method: what each call of it executed, each once.
    executed: BTreeMap<Name, BTreeSet<Executed>>,
}

/// What one call executed: instructions, and branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Executed {
    instructions: BTreeSet<u32>,
    branches: BTreeSet<u32>,
}

/// The target's class, and its field.
pub type OracleTarget = (String, Option<&'static str>);

fn name_of(value: &Value) -> Name {
    let of = |key: &str| text(&value[key]).to_owned();
    (of("class"), of("method"), of("descriptor"))
}

fn index(value: &Value) -> u32 {
    value.as_u64().and_then(|at| at.try_into().ok()).unwrap_or_else(|| panic!("no code index: {value}"))
}

impl Oracle {
    /// Reads the classes of a folder and the events of a run.
    pub fn new(folder: &Path, events: &[Value]) -> Oracle {
        let mut classes = BTreeMap::new();
        for entry in std::fs::read_dir(folder).expect("classes").flatten() {
            let bytes = std::fs::read(entry.path()).expect("a class file");
            let class = ClassFile::parse(&bytes).expect("a class file");
            classes.insert(class.name.clone(), class);
        }
        let mut oracle = Oracle { classes, executed: BTreeMap::new() };
        let mut of_call: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
        for event in events {
            if let Some(node) = event["node"].as_u64() {
                of_call.entry(node).or_default().push(event);
            }
        }
        // The call in which each call was left by an exception is the one that is open then.
        let left = left_by_exceptions(events);
        for (node, events) in &of_call {
            let name = name_of(events[0]);
            let Some(code) = oracle.code(&name) else { continue };
            let executed = follow(code, events, left.get(node).unwrap_or(&Vec::new()));
            oracle.executed.entry(name).or_default().insert(executed);
        }
        oracle
    }

    /// The jump, chain and operation of a suggestion.
    pub fn pair(suggestion: &Value) -> Pair {
        let (jump, operation) = (&suggestion["jump"], &suggestion["operation"]);
        let chain = operation["chain"].as_array().expect("a chain");
        let chain = chain.iter().map(|method| text(method).to_owned()).collect();
        let at = |value: &Value| value.as_u64().expect("a code index");
        (name_of(jump), at(&jump["pc"]), at(&jump["to"]), chain, name_of(operation), at(&operation["pc"]))
    }

    /// Whether there is one call at most from each method of a suggestion's chain to the next.
    pub fn is_only_chain(&self, suggestion: &Value) -> bool {
        let (jump, _, _, chain, operation, _) = Oracle::pair(suggestion);
        let all: Vec<Name> = self.methods().into_iter().map(|(name, _)| name).collect();
        let mut way = vec![jump];
        for name in chain.iter().skip(1) {
            let mut named = all.iter().filter(|of| short(of) == *name);
            way.extend(named.next().cloned());
        }
        let count = |pair: &[Name]| self.calls(&pair[0]).iter().filter(|(_, to)| *to == pair[1]).count();
        way.last() == Some(&operation) && way.windows(2).all(|pair| count(pair) == 1)
    }

    fn code(&self, (class, name, descriptor): &Name) -> Option<&Code> {
        self.classes.get(class)?.method(name, descriptor)?.code.as_ref()
    }

    /// Figure 9.
    pub fn pairs(&self, target: &OracleTarget) -> BTreeSet<Pair> {
        let sites = self.use_sites(target);
        let mut found = BTreeSet::new();
        for (method, calls) in &self.executed {
            let mut chains = Vec::new();
            self.chains(&mut vec![method.clone()], &sites, &mut chains);
            for executed in calls {
                for (chain, site) in &chains {
                    let lost: Vec<u32> = match chain.get(1) {
                        Some(next) => self
                            .calls(method)
                            .into_iter()
                            .filter(|(_, to)| to == next)
                            .map(|(pc, _)| pc)
                            .collect(),
                        None => vec![*site],
                    };
                    let operation_in = chain.last().expect("a method");
                    for lost in lost {
                        for (jump, to) in self.dominant_jumps(method, executed, lost) {
                            found.insert((
                                method.clone(),
                                jump.into(),
                                to.into(),
                                chain.iter().map(short).collect(),
                                operation_in.clone(),
                                (*site).into(),
                            ));
                        }
                    }
                }
            }
        }
        found
    }

    /// The instructions that may use an object of the class, by method.
    fn use_sites(&self, (class, field): &OracleTarget) -> HashMap<Name, Vec<u32>> {
        let mut sites: HashMap<Name, Vec<u32>> = HashMap::new();
        let types = supertypes(class);
        let is_use = |op: &Op| match (op, field) {
            (Op::PutField(of) | Op::GetField(of), Some(field)) => of.name == *field,
            (_, Some(_)) => false,
            (Op::Invoke { kind, method }, None) => {
                let receives = *kind != InvokeKind::Static && types.contains(&&*method.class);
                receives || types.iter().any(|of| method.descriptor.contains(&of.replace('.', "/")))
            }
            _ => false,
        };
        for (name, code) in self.methods() {
            let pcs = code.instructions.iter().filter(|of| is_use(&of.op)).map(|of| of.pc);
            sites.insert(name, pcs.collect());
        }
        sites
    }

    fn methods(&self) -> Vec<(Name, &Code)> {
        let mut all = Vec::new();
        for class in self.classes.values() {
            for method in &class.methods {
                let name = (class.name.clone(), method.name.clone(), method.descriptor.clone());
                all.extend(method.code.as_ref().map(|code| (name, code)));
            }
        }
        all
    }

    /// `CallChain`: each way without a cycle to a method with a use site, and each use site there.
    fn chains(
        &self,
        way: &mut Vec<Name>,
        sites: &HashMap<Name, Vec<u32>>,
        found: &mut Vec<(Vec<Name>, u32)>,
    ) {
        let at = way.last().expect("a method").clone();
        found.extend(sites.get(&at).into_iter().flatten().map(|site| (way.clone(), *site)));
        if way.len() > THRESHOLD {
            return;
        }
        let callees: BTreeSet<Name> = self.calls(&at).into_iter().map(|(_, callee)| callee).collect();
        for callee in callees {
            if !way.contains(&callee) {
                way.push(callee);
                self.chains(way, sites, found);
                way.pop();
            }
        }
    }

    /// The calls in a method, with all methods that each can run.
    fn calls(&self, method: &Name) -> Vec<(u32, Name)> {
        let mut found = Vec::new();
        for instruction in self.code(method).into_iter().flat_map(|code| &code.instructions) {
            if let Op::Invoke { kind, method } = &instruction.op {
                found.extend(self.targets(*kind, method).into_iter().map(|to| (instruction.pc, to)));
            }
        }
        found
    }

    fn targets(&self, kind: InvokeKind, method: &MethodRef) -> BTreeSet<Name> {
        let is_exact = matches!(kind, InvokeKind::Static | InvokeKind::Special);
        let below = self.classes.keys().filter(|class| match is_exact {
            true => **class == method.class,
            false => self.line(class).contains(&&*method.class),
        });
        below
            .filter_map(|class| {
                let declaring = self.line(class).into_iter().find(|class| {
                    let file = self.classes.get(*class);
                    file.and_then(|file| file.method(&method.name, &method.descriptor)).is_some()
                });
                declaring.map(|class| (class.to_owned(), method.name.clone(), method.descriptor.clone()))
            })
            .collect()
    }

    /// A class and its superclasses in the program.
    fn line<'c>(&'c self, class: &'c str) -> Vec<&'c str> {
        let mut line = vec![class];
        while let Some(above) = line.last().and_then(|class| self.classes.get(*class)?.super_name.as_deref())
        {
            line.push(above);
        }
        line
    }

    /// `DominantJumps`: the executed branches from which a path of instructions that the call did not execute
    /// leads to the instruction.
    fn dominant_jumps(&self, method: &Name, executed: &Executed, lost: u32) -> Vec<(u32, u32)> {
        let code = self.code(method).expect("code");
        let mut found = Vec::new();
        for branch in &executed.branches {
            for to in successors(code, *branch) {
                if leads(code, executed, lost, &mut vec![to]) {
                    found.push((*branch, to));
                }
            }
        }
        found
    }
}

/// Whether a path without a cycle that begins so leads to an instruction, through unexecuted ones alone.
fn leads(code: &Code, executed: &Executed, lost: u32, path: &mut Vec<u32>) -> bool {
    let at = *path.last().expect("an instruction");
    if executed.instructions.contains(&at) {
        return false;
    }
    if at == lost {
        return true;
    }
    for next in successors(code, at) {
        if !path.contains(&next) {
            path.push(next);
            let leads = leads(code, executed, lost, path);
            path.pop();
            if leads {
                return true;
            }
        }
    }
    false
}

fn successors(code: &Code, pc: u32) -> Vec<u32> {
    let instruction = code.at(pc).expect("an instruction");
    let mut next = instruction.op.targets();
    if !instruction.op.ends_flow() {
        next.push(instruction.next_pc());
    }
    next
}

/// By call: the names of the methods that it called and that an exception left, in order.
fn left_by_exceptions(events: &[Value]) -> BTreeMap<u64, Vec<(usize, String)>> {
    let mut left: BTreeMap<u64, Vec<(usize, String)>> = BTreeMap::new();
    let mut open: Vec<u64> = Vec::new();
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for event in events {
        let Some(node) = event["node"].as_u64() else { continue };
        *counts.entry(node).or_default() += 1;
        match text(&event["event"]) {
            "enter" => open.push(node),
            "return" => _ = open.pop(),
            "leave" => {
                open.pop();
                if let Some(around) = open.last() {
                    let method = text(&event["method"]).to_owned();
                    left.entry(*around).or_default().push((counts[around], method));
                }
            }
            _ => {}
        }
    }
    left
}

/// Follows one call through its code. `left` names the called methods that an exception left, each with the
/// number of the call's own events before that.
fn follow(code: &Code, events: &[&Value], left: &[(usize, String)]) -> Executed {
    let mut executed = Executed::default();
    let mut at = 0;
    let mut last = 0;
    for (number, event) in events.iter().enumerate() {
        let kind = text(&event["event"]);
        match kind {
            "branch" => {
                let branch = index(&event["bci"]);
                straight(code, &mut executed, at, |pc, _| pc == branch);
                executed.branches.insert(branch);
                at = index(&event["to"]);
            }
            "catch" | "leave" => {
                let called = left.iter().rev().find(|(before, _)| *before == number).map(|(_, name)| name);
                // Behind the last event, up to the call or the `throw`.
                let mut is_behind = false;
                straight(code, &mut executed, at, |pc, op| {
                    is_behind |= pc >= last;
                    let is_call = match (op, called) {
                        (Op::Invoke { method, .. }, Some(name)) => method.name == *name,
                        _ => *op == Op::Throw,
                    };
                    is_behind && is_call
                });
                if kind == "leave" {
                    return executed;
                }
                at = index(&event["bci"]);
            }
            "return" => {
                straight(code, &mut executed, at, |_, op| matches!(op, Op::Return(_)));
                return executed;
            }
            _ => {}
        }
        if let Some(pc) = event["bci"].as_u64() {
            last = u32::try_from(pc).expect("a code index");
            if kind == "branch" || kind == "catch" {
                last = at;
            }
        }
    }
    executed
}

/// Executes instructions from one on, until this holds of one, which is executed too.
fn straight(code: &Code, executed: &mut Executed, mut at: u32, mut is_last: impl FnMut(u32, &Op) -> bool) {
    loop {
        let op = &code.at(at).expect("an instruction").op;
        executed.instructions.insert(at);
        if is_last(at, op) {
            return;
        }
        let next = successors(code, at);
        assert_eq!(next.len(), 1, "{op:?} at {at} is not followed by one instruction");
        at = next[0];
    }
}

/// A method as suggestions name it.
fn short((class, name, _): &Name) -> String {
    format!("{}.{name}", class.replace('$', "."))
}

/// The types that an object of a class has.
fn supertypes(class: &str) -> Vec<&'static str> {
    match class {
        "HashMap" => vec!["java.util.HashMap", "java.util.AbstractMap", "java.util.Map"],
        "StringBuilder" => {
            vec![
                "java.lang.StringBuilder",
                "java.lang.AbstractStringBuilder",
                "java.lang.CharSequence",
                "java.lang.Appendable",
            ]
        }
        "ArrayList" | "Vector" | "LinkedList" => vec![
            "java.util.ArrayList",
            "java.util.Vector",
            "java.util.LinkedList",
            "java.util.List",
            "java.util.Collection",
            "java.lang.Iterable",
        ],
        _ => Vec::new(),
    }
}
