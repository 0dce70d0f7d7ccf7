//! The code of methods with its graph.

use bytecode::{Cfg, ClassFile, Code, ControlDependence, Method};
use classes::ClassPool;
use model::MethodName;
use petgraph::graph::NodeIndex;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

/// What is made once and then known.
pub struct Made<K, V>(RefCell<HashMap<K, V>>);

impl<K, V> Default for Made<K, V> {
    fn default() -> Made<K, V> {
        Made(RefCell::default())
    }
}

impl<K: Eq + Hash, V: Clone> Made<K, V> {
    /// What belongs to a key, as `make` makes it the first time.
    pub fn of(&self, key: K, make: impl FnOnce() -> V) -> V {
        if let Some(known) = self.0.borrow().get(&key) {
            return known.clone();
        }
        let made = make();
        self.0.borrow_mut().insert(key, made.clone());
        made
    }
}

/// A method with code.
pub struct Body {
    /// Its class.
    pub class: Arc<ClassFile>,
    /// Its code.
    pub code: Code,
    /// The graph of its blocks.
    pub cfg: Cfg,
    /// Whether it has no receiver.
    pub is_static: bool,
    name: (String, String),
    control: OnceCell<ControlDependence>,
    depths: OnceCell<Vec<Option<u16>>>,
    /// The texts of instructions.
    pub texts: Made<u32, String>,
    /// The texts of the conditions of branches.
    pub conditions: Made<BranchWay, ConditionText>,
}

/// A branch that went one way, and the other way that it did not go, by code indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchWay {
    /// The branch.
    pub branch: u32,
    /// Where it went.
    pub went: u32,
    /// Where it did not go.
    pub to: u32,
}

/// The text of a branch's condition, an operand that a question can name, what the condition was, and what it
/// would have to be.
pub type ConditionText = (Option<String>, Option<String>, String, String);

impl Body {
    /// On which branches its instructions depend.
    pub fn control(&self) -> &ControlDependence {
        self.control.get_or_init(|| ControlDependence::new(&self.code))
    }

    /// The depth of the operand stack before an instruction, in slots; `None` if it is unreachable.
    pub fn depth_at(&self, pc: u32) -> Option<u16> {
        let depths = self.depths.get_or_init(|| bytecode::stack::depths(&self.code));
        depths.get(self.code.index_of(pc)?).copied().flatten()
    }

    /// The method in its class file.
    pub fn method(&self) -> Option<&Method> {
        self.class.method(&self.name.0, &self.name.1)
    }

    /// The source line of a code index.
    pub fn line(&self, pc: u32) -> Option<u32> {
        bytecode::lines::line_of(&self.code, pc)
    }
}

/// The code of the methods that were looked at.
pub struct Bodies<'a> {
    pool: &'a ClassPool,
    known: HashMap<MethodName, Option<Rc<Body>>>,
}

impl<'a> Bodies<'a> {
    /// Reads code from these class files.
    pub fn new(pool: &'a ClassPool) -> Bodies<'a> {
        Bodies { pool, known: HashMap::new() }
    }

    /// The code of a method; `None` if it has none.
    pub fn of(&mut self, name: &MethodName) -> Option<Rc<Body>> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        let body = self.read(name).map(Rc::new);
        self.known.insert(name.clone(), body.clone());
        body
    }

    fn read(&self, name: &MethodName) -> Option<Body> {
        let class = self.pool.find(&name.class).ok()??;
        let method = class.file.method(&name.name, &name.descriptor)?;
        let code = method.code.clone()?;
        let cfg = Cfg::new(&code);
        let is_static = method.is_static();
        let name = (name.name.to_string(), name.descriptor.to_string());
        let class = class.file.clone();
        let (control, depths) = (OnceCell::new(), OnceCell::new());
        let (texts, conditions) = (Made::default(), Made::default());
        Some(Body { class, code, cfg, is_static, name, control, depths, texts, conditions })
    }
}

/// The blocks from which an instruction can be reached.
pub(super) fn leads_to(cfg: &Cfg, pc: u32) -> BTreeSet<NodeIndex> {
    let mut found = BTreeSet::new();
    let mut work: Vec<NodeIndex> = cfg.block_at(pc).into_iter().collect();
    while let Some(block) = work.pop() {
        if found.insert(block) {
            work.extend(cfg.predecessors(block, false).into_iter().map(|(before, _)| before));
        }
    }
    found
}
