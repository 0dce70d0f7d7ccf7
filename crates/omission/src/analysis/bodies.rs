//! The code of methods with its graph.

use bytecode::{Cfg, ClassFile, Code, ControlDependence, Method};
use classes::ClassPool;
use model::MethodName;
use petgraph::graph::NodeIndex;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

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
}

impl Body {
    /// On which branches its instructions depend.
    pub fn control(&self) -> &ControlDependence {
        self.control.get_or_init(|| ControlDependence::new(&self.code))
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
        Some(Body { class: class.file.clone(), code, cfg, is_static, name, control: OnceCell::new() })
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
