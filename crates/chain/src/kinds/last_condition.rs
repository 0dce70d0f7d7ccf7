//! `LastCondition("B")`: the last condition or handler that led to a point (paper §4.1.3, DESIGN §5.6). It
//! treats the code of all methods on the point's stack as one block. If the point stores or returns a value
//! that a `?:`, a `switch` expression or a condition has chosen, that choice is the condition.

use super::{Complaint, Rule};
use crate::translate::{Ask, PointContext, Stop};
use bytecode::{Arms, ControlDependence, Dependences};
use classes::CodeOwner;
use expr::{EventTypes, Type};
use model::{MethodName, Site};
use query::{BranchSite, Constraint, Event, FrameSelector};
use std::collections::{BTreeMap, HashMap};

pub(super) struct LastCondition<'a> {
    pub(super) point: &'a str,
}

impl Rule for LastCondition<'_> {
    fn complaints(&self) -> Vec<Complaint> {
        Vec::new()
    }

    fn refers_to(&self) -> Option<(String, String, usize)> {
        Some((self.point.to_owned(), self.point.to_owned(), 1))
    }

    fn own_index(&self) -> Option<i64> {
        Some(-1)
    }

    fn translate(&self, context: &mut PointContext<'_, '_>) -> Result<Ask, Stop> {
        let point = context.earlier(self.point)?;
        // If an exception left the try block of the handler's method there, what led to that place also led
        // to the handler.
        let mut sites: Vec<Site> = Vec::new();
        for site in context.all_sites_of(point)? {
            sites.extend(context.led_from(point, site));
        }
        sites.sort();
        sites.dedup();
        let mut found = Conditions::default();
        let mut from_entry = Vec::new();
        for site in &sites {
            // A jump back to the start of a method is not an entry; only an entry leads to conditions in the
            // caller.
            let gives = context.gives_value(point, site);
            if context.is_entry(point, site) || found.add(context, site, gives) {
                from_entry.push(site.clone());
            }
        }
        let stack = context.stack_of(point).to_vec();
        match stack.first() {
            // Nothing in the point's own method decides, but its callers may.
            None if !from_entry.is_empty() => {
                let need = context.frame_need(point, 1);
                if found.branches.is_empty() {
                    return Err(Stop::Learn(need));
                }
                context.deeper(need);
            }
            Some(newest)
                if context.led_from(point, newest.clone()).iter().any(|s| from_entry.contains(s)) =>
            {
                found.add_callers(context, &stack);
            }
            _ => {}
        }
        let branches: Vec<BranchSite> = found.branches.into_values().collect();
        let sites = branches.iter().map(|b| b.site.clone()).collect();
        let exception = branches.iter().any(BranchSite::is_handler).then_some(Type::Unknown);
        let events = EventTypes { exception, ..EventTypes::default() };
        let constraints = vec![
            Constraint::Before(point),
            Constraint::MayAffect { point, frame: FrameSelector::Any },
            Constraint::SameThread(point),
            Constraint::Controls(point),
        ];
        Ok(Ask { constraints, ..Ask::plain(Event::Branched(branches), Some(sites), events) })
    }
}

/// The number of frames, newest first, in which conditions count: up to the oldest frame in the user's own
/// code, not counting those that called a test framework. All frames if the user asks for more, or if none is
/// in own code.
fn border(context: &PointContext<'_, '_>, stack: &[Site]) -> usize {
    if context.goes_into_libraries() {
        return stack.len();
    }
    let pool = context.classes().pool;
    let owners: Vec<CodeOwner> = stack.iter().map(|site| pool.owner_of(&site.method.class)).collect();
    let is_own = |owner: &CodeOwner| *owner == CodeOwner::Own;
    let Some(newest) = owners.iter().position(is_own) else { return stack.len() };
    let before_harness = owners.iter().skip(newest).take_while(|owner| **owner != CodeOwner::Harness);
    let inside = newest + before_harness.count();
    let oldest = owners.get(..inside).and_then(|owners| owners.iter().rposition(is_own));
    oldest.map_or(stack.len(), |oldest| oldest + 1)
}

#[derive(Default)]
struct Conditions {
    branches: BTreeMap<Site, BranchSite>,
    analysed: HashMap<MethodName, Option<ControlDependence>>,
}

impl Conditions {
    /// Adds the conditions that control the callers of a point, up to the border of the user's code.
    fn add_callers(&mut self, context: &mut PointContext<'_, '_>, stack: &[Site]) {
        let border = border(context, stack);
        let reached = stack.get(..border).unwrap_or(stack);
        let is_decided = reached.iter().skip(1).any(|caller| !self.add(context, caller, false));
        let callers = stack.get(border..).unwrap_or_default();
        // Frames of reflection say less than who used it.
        let of_jdk = |site: &&Site| context.classes().pool.owner_of(&site.method.class) == CodeOwner::Jdk;
        let caller = callers.iter().find(|site| !of_jdk(site)).or(callers.first());
        if let Some((own, caller)) = reached.last().zip(caller).filter(|_| !is_decided) {
            context.end_at_border(own, caller);
        }
    }

    /// Adds the conditions that control a site in its own method. Returns whether the site can also be
    /// reached from the method's entry without any of them. True if the code is unknown (generated accessors,
    /// lambda proxies). If the site gives a value that a condition chose, it is the choice that led to it:
    /// the last edge that led to one of the arms.
    fn add(&mut self, context: &PointContext<'_, '_>, site: &Site, gives: bool) -> bool {
        let analysis = self.analysed.entry(site.method.clone()).or_insert_with(|| {
            let code = |m: &bytecode::Method| m.code.as_ref().map(ControlDependence::new);
            context.classes().at(&site.method, |_, method| code(method)).flatten()
        });
        let Some(analysis) = analysis else { return true };
        let choices = |m: &bytecode::Method| Some(Arms::new(m.code.as_ref()?)?.choices(site.bci));
        let choices = match gives {
            true => context.classes().at(&site.method, |_, method| choices(method)).flatten(),
            false => None,
        };
        let places = choices.filter(|choices| !choices.is_empty()).unwrap_or_else(|| vec![site.bci]);
        let depends: Vec<Dependences> = places.into_iter().map(|place| analysis.of(place)).collect();
        let mut add = |bci: u32, way: u32, targets: Vec<u32>, turns: Option<u32>| {
            let at = Site { method: site.method.clone(), bci };
            let branch = self.branches.entry(at.clone()).or_insert_with(|| BranchSite {
                site: at,
                targets,
                controls: BTreeMap::new(),
                turns: None,
            });
            branch.turns = branch.turns.or(turns);
            let ways = branch.controls.entry(site.clone()).or_default();
            if !ways.contains(&way) {
                ways.push(way);
            }
        };
        for edge in depends.iter().flat_map(|depends| &depends.edges) {
            let mut targets: Vec<u32> =
                analysis.edges_of(edge.branch_pc).into_iter().map(|e| e.target_pc).collect();
            targets.sort_unstable();
            targets.dedup();
            add(edge.branch_pc, edge.target_pc, targets, analysis.leaves(edge));
        }
        for handler in depends.iter().flat_map(|depends| &depends.handlers) {
            for thrown in &handler.thrown_at {
                add(handler.handler_pc, *thrown, Vec::new(), None);
            }
        }
        depends.iter().any(|depends| depends.from_entry)
    }
}
