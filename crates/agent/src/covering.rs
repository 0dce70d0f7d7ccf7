//! Inserts the code that notes which edges of control flow a run covers: the entry of each method, each
//! branch in either direction, and each handler. The edges are those that a recording at level `all` has.

use crate::tracing::{is_in_scope, selects};
use rewrite::{Effect, MethodPlan, MethodShape, RewriteError, Scan, Step};
use wire::recording::TracePlan;
use wire::{COVER_CLASS, CoverableClass, CoverableMethod, FlowEdge};

/// Number of edges whose coverage can be noted, one byte each.
pub(crate) const ROOM: u32 = 1 << 21;

/// Notes the coverage of this run.
#[derive(Debug)]
pub struct Coverer {
    plan: TracePlan,
    /// Number of edges so far.
    edges: u32,
}

/// A class whose coverage is noted.
#[derive(Debug, PartialEq, Eq)]
pub struct Covering {
    /// The new class file.
    pub bytes: Vec<u8>,
    /// Its edges.
    pub class: CoverableClass,
    /// The methods whose coverage is not noted, with the reason.
    pub left: Vec<(String, String)>,
}

impl Coverer {
    /// Starts with a plan.
    pub fn new(plan: TracePlan) -> Coverer {
        Coverer { plan, edges: 0 }
    }

    /// Number of edges so far.
    pub fn edges(&self) -> u32 {
        self.edges.min(ROOM)
    }

    /// Whether the coverage of a class is noted, by its name with slashes.
    pub fn is_in_scope(&self, class: &str) -> bool {
        is_in_scope(&self.plan, class)
    }

    /// Whether the plan selects a class, by its name with slashes, whether or not it is generated.
    pub fn selects(&self, class: &str) -> bool {
        selects(&self.plan, class)
    }

    /// Inserts the code into a class; none if nothing is noted of the class.
    ///
    /// # Errors
    /// The class file is broken, or its constant pool is full.
    pub fn cover(&mut self, name: Option<&str>, bytes: &[u8]) -> Result<Option<Covering>, RewriteError> {
        if name.is_some_and(|name| !self.is_in_scope(name)) {
            return Ok(None);
        }
        let scan = Scan::new(bytes)?;
        let class = scan.name()?;
        if !self.is_in_scope(&class) {
            return Ok(None);
        }
        let (mut plan, mut methods, mut left) = (rewrite::Plan::default(), Vec::new(), Vec::new());
        for shape in scan.methods()? {
            if self.edges >= ROOM {
                left.push((shape.name, "there are too many edges".to_owned()));
                continue;
            }
            let (code, edges) = self.method(&scan, &shape)?;
            let MethodShape { name, descriptor, .. } = shape;
            plan.methods.insert((name.clone(), descriptor.clone()), code);
            methods.push(CoverableMethod { name, descriptor, edges });
        }
        let rewritten = rewrite::rewrite(bytes, &plan)?;
        left.extend(rewritten.not_rewritten.into_iter().map(|(name, _, why)| (name, why.to_string())));
        Ok(Some(Covering { bytes: rewritten.bytes, class: CoverableClass { class, methods }, left }))
    }

    /// The code for a method, and its edges with their numbers.
    fn method(
        &mut self,
        scan: &Scan<'_>,
        shape: &MethodShape,
    ) -> Result<(MethodPlan, Vec<(u32, FlowEdge)>), RewriteError> {
        let (mut code, mut edges) = (MethodPlan::default(), Vec::new());
        let mut note = |edge| {
            let number = self.edges.min(ROOM - 1);
            self.edges = self.edges.saturating_add(1);
            edges.push((number, edge));
            let (class, name, descriptor) = (COVER_CLASS.into(), "hit".into(), "(I)V".into());
            [Step::Int(number.cast_signed()), Step::Call { class, name, descriptor }]
        };
        code.entry.extend(note(FlowEdge::Entry));
        // Before `this` is initialised, inserted code cannot continue from a handler.
        for handler in &shape.handlers {
            if shape.initialised_from.is_some_and(|from| *handler >= from) {
                code.before.entry(*handler).or_default().extend(note(FlowEdge::Handler(*handler)));
            }
        }
        for effect in scan.recorded_effects(&shape.name, &shape.descriptor)? {
            let Effect::Branch { to, or } = effect.what else { continue };
            // Skip jumps to the place where execution continues anyway.
            for target in to.into_iter().filter(|to| Some(*to) != or).chain(or) {
                let steps = note(FlowEdge::Branch { from: effect.pc, to: target });
                match Some(target) == or {
                    true => code.after.entry(effect.pc).or_default().extend(steps),
                    false => code.taken.entry((effect.pc, target)).or_default().extend(steps),
                }
            }
        }
        let (class, kind) = (COVER_CLASS.into(), descriptor::Kind::Int);
        let cut = Step::Set { class, name: "cut".into(), kind, descriptor: "Z".into() };
        code.guard = vec![Step::Int(1), cut];
        Ok((code, edges))
    }
}
