//! Facts about the code of methods: the points where branches join, and which callees are recorded.

use super::definitions::PotentialDefinitions;
use bytecode::op::InvokeKind;
use bytecode::{Code, FieldRef, MethodRef, Op};
use classes::ClassPool;
use program::assertion_method::{Examined, examined};
use program::effect::{Effect, effect};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use trace::{Calls, Level, Method, WrittenVariable};

/// Maximum number of supertypes; no class has that many.
const MOST_ABOVE: usize = 64;
/// Maximum number of consecutive instructions without an event.
const MOST: usize = 1 << 14;

/// The code of a method.
pub struct Body {
    pub code: Code,
    /// The first instructions of lines, where a line event is recorded.
    lines: HashSet<u32>,
    /// By branch: the instruction at which its paths join.
    joins: HashMap<u32, Option<u32>>,
}

impl Body {
    fn of(method: &Method, pool: &ClassPool) -> Option<Body> {
        let class = pool.find(&method.class).ok()??;
        let code = class.file.method(&method.name, &method.descriptor)?.code.clone()?;
        let after = bytecode::post_dominators(&code, false);
        let branches = code.instructions.iter().filter(|instruction| instruction.op.is_branch());
        let joins = branches.map(|branch| (branch.pc, after.immediate_block(branch.pc))).collect();
        Some(Body { lines: code.lines.iter().map(|entry| entry.start_pc).collect(), joins, code })
    }

    /// The instruction at which the paths of a branch join; `None` if they do not.
    pub fn join_of(&self, branch: u32) -> Option<u32> {
        self.joins.get(&branch).copied().flatten()
    }

    /// The instructions from `from` on that record no event, and the one after them.
    pub fn unseen(&self, from: u32) -> (Vec<u32>, Option<u32>) {
        let mut found = Vec::new();
        let mut next = Some(from);
        while let Some(instruction) = next.and_then(|pc| self.code.at(pc)) {
            let is_seen = match &instruction.op {
                Op::Store { .. }
                | Op::Iinc { .. }
                | Op::PutField(_)
                | Op::PutStatic(_)
                | Op::ArrayStore(_)
                | Op::NewArray(_)
                | Op::MultiNewArray { .. }
                | Op::MonitorEnter
                | Op::MonitorExit => true,
                op => op.is_branch() || op.ends_flow() && !matches!(op, Op::Goto { .. }),
            };
            let begins_line = !found.is_empty() && self.lines.contains(&instruction.pc);
            if is_seen || begins_line || found.len() > MOST {
                break;
            }
            found.push(instruction.pc);
            next = match instruction.op {
                Op::Goto { target } => Some(target),
                _ => self.code.successor(instruction.pc),
            };
        }
        (found, next)
    }
}

/// The code of all methods.
pub struct Codes<'a> {
    pub(super) pool: &'a ClassPool,
    /// The root call.
    pub(super) root: u32,
    bodies: HashMap<u32, Option<Rc<Body>>>,
    /// The recorded methods: classes, names, descriptors.
    recorded: HashSet<(String, String, String)>,
    /// The fields that the program writes, by class and name.
    fields: HashMap<(String, String), u32>,
    known_fields: HashMap<FieldRef, Vec<u32>>,
    of_jdk: HashMap<FieldRef, bool>,
    entered: HashMap<(MethodRef, bool), bool>,
    effects: HashMap<MethodRef, Effect>,
    examined: HashMap<MethodRef, Option<Examined>>,
    above: HashMap<String, Rc<Vec<String>>>,
    pub(super) potential_definitions: PotentialDefinitions,
}

impl<'a> Codes<'a> {
    /// The code of the methods of a recording, for a root call.
    pub fn new(calls: &Calls, pool: &'a ClassPool, root: u32) -> Codes<'a> {
        let of = |m: &Method| (m.class.to_string(), m.name.clone(), m.descriptor.clone());
        Codes {
            pool,
            root,
            bodies: HashMap::new(),
            recorded: calls.sites.methods().iter().map(of).collect(),
            fields: calls.fields().iter().cloned().zip(0..).collect(),
            known_fields: HashMap::new(),
            of_jdk: HashMap::new(),
            entered: HashMap::new(),
            effects: HashMap::new(),
            examined: HashMap::new(),
            above: HashMap::new(),
            potential_definitions: PotentialDefinitions::default(),
        }
    }

    /// The code of a method; `None` if it is missing, or if the method's branches were not recorded.
    pub fn body(&mut self, number: u32, method: &Method) -> Option<Rc<Body>> {
        let pool = self.pool;
        let found = self.bodies.entry(number).or_insert_with(|| {
            (method.level == Level::All).then(|| Body::of(method, pool).map(Rc::new)).flatten()
        });
        found.clone()
    }

    /// The numbers of the field that an instruction reads; several if the field is ambiguous.
    pub fn fields_of(&mut self, field: &FieldRef, calls: &Calls) -> &[u32] {
        let fields = &self.fields;
        self.known_fields.entry(field.clone()).or_insert_with(|| {
            let (class, name) = (field.class.replace('.', "/"), field.name.clone());
            let declares =
                calls.sites.declares(&WrittenVariable { class, name, descriptor: field.descriptor.clone() });
            match fields.get(&(declares, field.name.clone())) {
                Some(number) => vec![*number],
                // Its class may be unrecorded, so that its writes name another class.
                None => fields.iter().filter(|((_, name), _)| *name == field.name).map(|(_, n)| *n).collect(),
            }
        })
    }

    /// Whether the JDK declares the field.
    pub fn is_of_jdk(&mut self, field: &FieldRef) -> bool {
        if let Some(known) = self.of_jdk.get(field) {
            return *known;
        }
        let above = self.above(&field.class);
        let declares = above.iter().find_map(|class| {
            let found = self.pool.find(class).ok().flatten()?;
            let is_here = found.file.fields.iter().any(|other| other.name == field.name);
            is_here.then(|| found.origin.is_runtime())
        });
        let found = declares.unwrap_or(false);
        self.of_jdk.insert(field.clone(), found);
        found
    }

    /// The number of a written field, by the class that declares it and its name.
    pub fn field(&self, class: String, name: String) -> Option<u32> {
        self.fields.get(&(class, name)).copied()
    }

    /// A class and all its supertypes.
    pub(super) fn above(&mut self, class: &str) -> Rc<Vec<String>> {
        if let Some(known) = self.above.get(class) {
            return known.clone();
        }
        let mut all = vec![class.to_owned()];
        let mut at = 0;
        while let Some(name) = all.get(at).cloned().filter(|_| at < MOST_ABOVE) {
            at += 1;
            let Some(found) = self.pool.find(&name).ok().flatten() else { continue };
            let above = found.file.super_name.iter().chain(&found.file.interfaces);
            for name in above.map(|name| name.replace('/', ".")) {
                if !all.contains(&name) {
                    all.push(name);
                }
            }
        }
        let all = Rc::new(all);
        self.above.insert(class.to_owned(), all.clone());
        all
    }

    /// Whether the instruction certainly enters a recorded method before anything else happens.
    pub fn surely_enters(&mut self, kind: InvokeKind, method: &MethodRef) -> bool {
        let is_bound = matches!(kind, InvokeKind::Static | InvokeKind::Special);
        let key = (method.clone(), is_bound);
        if let Some(known) = self.entered.get(&key) {
            return *known;
        }
        let found = self.find_whether_entered(is_bound, method).unwrap_or(false);
        self.entered.insert(key, found);
        found
    }

    fn find_whether_entered(&self, is_bound: bool, method: &MethodRef) -> Option<bool> {
        let mut at = method.class.clone();
        let mut is_declared = None;
        for _ in 0..MOST_ABOVE {
            let found = self.pool.find(&at).ok()??;
            if found.origin.is_runtime() {
                // An inherited implementation of these classes may be JDK code.
                let is_plain =
                    ["java.lang.Object", "java.lang.Record", "java.lang.Enum"].contains(&at.as_str());
                return Some(is_plain && is_declared == Some(true));
            }
            if is_declared.is_none()
                && let Some(declared) = found.file.method(&method.name, &method.descriptor)
            {
                let key = (at.clone(), method.name.clone(), method.descriptor.clone());
                let is_recorded = declared.is_abstract() || self.recorded.contains(&key);
                if is_bound || !is_recorded {
                    return Some(is_recorded && !declared.is_abstract());
                }
                is_declared = Some(true);
            }
            match &found.file.super_name {
                Some(above) => at = above.replace('/', "."),
                None => return Some(is_declared == Some(true)),
            }
        }
        None
    }

    /// Whether an instruction can have called this method.
    pub fn is_called_by(&mut self, kind: InvokeKind, named: &MethodRef, called: &Method) -> bool {
        if named.name != called.name || named.descriptor != called.descriptor {
            return false;
        }
        if !self.surely_enters(kind, named) {
            return false;
        }
        let is_above = self.above(&named.class).iter().any(|class| **class == *called.class);
        let is_virtual = matches!(kind, InvokeKind::Virtual | InvokeKind::Interface);
        is_above || is_virtual && self.above(&called.class).contains(&named.class)
    }

    /// What a method examines, if it is an assertion of a test framework.
    pub fn examined(&mut self, method: &MethodRef) -> Option<Examined> {
        if let Some(known) = self.examined.get(method) {
            return *known;
        }
        let above = self.above(&method.class);
        let found = examined(method, |class| above.iter().any(|of| of == class));
        self.examined.insert(method.clone(), found);
        found
    }

    /// The effect of an unrecorded method.
    pub fn effect(&mut self, method: &MethodRef) -> Effect {
        if let Some(known) = self.effects.get(method) {
            return *known;
        }
        if self.examined(method).is_some() {
            // An assertion reads what it is given, and changes nothing.
            self.effects.insert(method.clone(), Effect::Reads);
            return Effect::Reads;
        }
        // A call on a program class can invoke an inherited JDK method.
        let mut class = method.class.clone();
        let mut found = Effect::Foreign;
        for _ in 0..MOST_ABOVE {
            let Some(at) = self.pool.find(&class).ok().flatten() else {
                found = effect(&class, method);
                break;
            };
            if at.origin.is_runtime() {
                found = effect(&class, method);
                break;
            }
            let is_here = at.file.method(&method.name, &method.descriptor).is_some();
            let Some(above) = at.file.super_name.as_ref().filter(|_| !is_here) else { break };
            class = above.replace('/', ".");
        }
        self.effects.insert(method.clone(), found);
        found
    }
}
