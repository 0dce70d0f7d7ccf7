//! Conditions that are tested in the VM, so that only hits that satisfy them interrupt the program.
//!
//! A compiled condition says "false", "true" or "unknown". Hits for which it is false are counted. All others
//! interrupt, and so do false ones at each power of two, which show how the operands change. What interrupts
//! is evaluated again from outside, and that decides.

use super::gate::{Gate, GatedQuery};
use bytecode::{ClassFile, Kind};
use classes::ClassPool;
use expr::{self, ClassLookup, Scope, TestedEvent, TestedSite, TextPart};
use model::{MethodName, Site};
use query::{Event, Field, Pass, StoreSite, TraceQuery};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;
use wire::{BranchEdge, CompiledCondition, LocalStore, SiteEvent, TestParameter, TestPlace, TestedCondition};

/// The first version of class files whose code can name its class as a constant (JVMS §5.1).
const NAMES_CLASSES: u16 = 49;

/// The conditions of one run, compiled for their sites.
#[derive(Debug, Default)]
pub struct Conditions {
    /// The classes.
    pub classes: Vec<CompiledCondition>,
    /// The tested sites, with their queries.
    pub sites: HashSet<(u16, Site)>,
    /// The queries about fields whose accesses are tested.
    pub fields: HashSet<u16>,
    /// The parts of conditions that are evaluated from outside, by query.
    pub outside: BTreeMap<u16, BTreeSet<String>>,
    /// The conditions and values that could not be compiled for a site, by query.
    untested: BTreeMap<u16, BTreeSet<String>>,
}

impl Conditions {
    /// How the condition of a query is tested where its pass of this number begins, by the code indices of
    /// its beginnings. `None` if it is evaluated from outside at each hit.
    pub fn at_pass(
        &mut self,
        asked: GatedQuery<'_>,
        number: u16,
        pass: &Pass,
        pool: &ClassPool,
    ) -> Option<BTreeMap<u32, SiteEvent>> {
        let has_passes = pass.entries.len() > 1;
        let place = if pass.on_entry { TestPlace::Entry } else { TestPlace::Before };
        let mut tests = BTreeMap::new();
        for bci in &pass.entries {
            let site = Site { method: pass.method.clone(), bci: *bci };
            let tested = self.in_method(asked, &site, TestedEvent::Reached, has_passes, pool)?;
            let pass = has_passes.then_some(number);
            tests.insert(*bci, SiteEvent::Tested(TestedCondition { pass, place, ..tested }));
        }
        for bci in tests.keys() {
            self.sites.insert((asked.query.point.0, Site { method: pass.method.clone(), bci: *bci }));
        }
        Some(tests)
    }

    /// Likewise, where a method returns a value of this descriptor.
    pub fn at_return(
        &mut self,
        asked: GatedQuery<'_>,
        method: &MethodName,
        bci: u32,
        pool: &ClassPool,
    ) -> Option<SiteEvent> {
        let descriptor = method.descriptor.rsplit_once(')').map_or("V", |(_, result)| result);
        let site = Site { method: method.clone(), bci };
        let tested = self.in_method(asked, &site, TestedEvent::Returned(descriptor), false, pool)?;
        self.sites.insert((asked.query.point.0, site));
        Some(SiteEvent::Tested(tested))
    }

    /// Likewise, where a local variable is written.
    pub fn at_store(
        &mut self,
        asked: GatedQuery<'_>,
        store: &StoreSite,
        what: &SiteEvent,
        pool: &ClassPool,
    ) -> Option<SiteEvent> {
        let place = match what {
            SiteEvent::Passed(LocalStore { slot, .. }) => TestPlace::Passed(*slot),
            SiteEvent::Increased { slot, by } => TestPlace::Increased(*slot, *by),
            _ => TestPlace::Before,
        };
        let event = TestedEvent::Stored(&store.descriptor);
        let tested = self.in_method(asked, &store.site, event, false, pool)?;
        self.sites.insert((asked.query.point.0, store.site.clone()));
        Some(SiteEvent::Tested(TestedCondition { place, ..tested }))
    }

    /// Likewise, where a branch takes one of its edges: for each edge.
    pub fn at_branch(
        &mut self,
        asked: GatedQuery<'_>,
        site: &Site,
        edges: &[BranchEdge],
        pool: &ClassPool,
    ) -> Option<Vec<SiteEvent>> {
        let mut tests = Vec::new();
        for edge in edges {
            let tested = self.in_method(asked, site, TestedEvent::Branched(edge.to), false, pool)?;
            tests.push(SiteEvent::Tested(TestedCondition { place: TestPlace::Edge(*edge), ..tested }));
        }
        self.sites.insert((asked.query.point.0, site.clone()));
        Some(tests)
    }

    /// Notes that the condition of a query and the values of its log point are evaluated from outside, unless
    /// another site tests the condition.
    pub fn untested(&mut self, query: &TraceQuery) {
        let values = query.text.iter().flat_map(|text| text.iter()).filter_map(|part| match part {
            TextPart::Value(value) => Some(value.text()),
            TextPart::Constant(_) => None,
        });
        let parts = query.local.when.iter().map(|when| when.text()).chain(values);
        self.untested.entry(query.point.0).or_default().extend(parts.map(str::to_owned));
    }

    /// Notes the conditions that are tested nowhere.
    pub fn close(&mut self) {
        for (query, parts) in std::mem::take(&mut self.untested) {
            if !self.fields.contains(&query) && !self.sites.iter().any(|(of, _)| *of == query) {
                self.outside.entry(query).or_default().extend(parts);
            }
        }
    }

    /// Likewise, where a field is accessed, in any method.
    pub fn at_access(
        &mut self,
        asked: GatedQuery<'_>,
        field: &Field,
        writes: bool,
        pool: &ClassPool,
    ) -> Option<TestedCondition> {
        let found = pool.find(&field.class).ok().flatten()?;
        let declared = found.file.field(&field.name)?;
        let event = TestedEvent::Field {
            class: &field.class,
            name: &field.name,
            descriptor: &declared.descriptor,
            is_static: field.is_static,
            writes,
        };
        let scope = Scope {
            of_copied: Vec::new(),
            class: field.class.clone(),
            is_static: true,
            locals: Vec::new(),
            has_variable_table: true,
        };
        let site = TestedSite {
            event,
            scope: &scope,
            kinds: &BTreeMap::new(),
            classes: &Known(pool),
            has_passes: false,
            is_filtered: false,
            text: None,
        };
        let tested = self.compiled(asked, site, found.file.major)?;
        self.fields.insert(asked.query.point.0);
        Some(tested)
    }

    fn in_method(
        &mut self,
        asked: GatedQuery<'_>,
        site: &Site,
        event: TestedEvent<'_>,
        has_passes: bool,
        pool: &ClassPool,
    ) -> Option<TestedCondition> {
        let Site { method: name, bci } = site;
        let found = pool.find(&name.class).ok().flatten()?;
        let method = found.file.method(&name.name, &name.descriptor)?;
        let kinds = kinds(name, *bci, pool)?;
        let scope = Scope::at(&found.file, method, *bci);
        let classes = &Known(pool);
        let kinds = &kinds;
        let text = asked.query.text.as_deref().filter(|_| matches!(asked.gate, Gate::Log(_)));
        let site = TestedSite { event, scope: &scope, kinds, classes, has_passes, is_filtered: false, text };
        self.compiled(asked, site, found.file.major)
    }

    fn compiled(
        &mut self,
        GatedQuery { query, gate }: GatedQuery<'_>,
        site: TestedSite<'_>,
        major: u16,
    ) -> Option<TestedCondition> {
        let is_indexed = match gate {
            Gate::Only(_) | Gate::Last(_) => true,
            Gate::Count => query.index != 0 && query.is_numbered(),
            _ => false,
        };
        let is_filtered = query.local.thread.is_some() || query.local.from.is_some() || is_indexed;
        let always;
        let when = match &query.local.when {
            Some(when) => &**when,
            None if is_filtered || site.text.is_some() => {
                always = expr::Expr::parse("true").ok()?;
                &always
            }
            None => return None,
        };
        let condition = u16::try_from(self.classes.len()).ok()?;
        let class = format!("{}Condition{condition}", wire::PROBE_CLASS);
        let compiled = expr::compile(when, &TestedSite { is_filtered, ..site }, &class);
        let Some(compiled) = compiled else {
            self.untested(query);
            return None;
        };
        self.outside.entry(query.point.0).or_default().extend(compiled.outside);
        let parameters = compiled.parameters.iter().map(|parameter| match *parameter {
            expr::TestParameter::Local(slot, kind) => TestParameter::Local(LocalStore { slot, kind }),
            expr::TestParameter::Class => TestParameter::Class,
            expr::TestParameter::Begun => TestParameter::Begun,
            expr::TestParameter::Owner => TestParameter::Owner,
            expr::TestParameter::Value(kind) => TestParameter::Value(kind),
        });
        let parameters: Vec<TestParameter> = parameters.collect();
        if major < NAMES_CLASSES && parameters.contains(&TestParameter::Class) {
            return None;
        }
        self.classes.push(CompiledCondition { class, bytes: compiled.bytes });
        let descriptor = compiled.descriptor;
        Some(TestedCondition { condition, parameters, descriptor, pass: None, place: TestPlace::Before })
    }
}

impl Conditions {
    /// Whether each place of a query is tested.
    pub fn tests_all(&self, query: &TraceQuery) -> bool {
        let Event::Reached(passes) = &query.event else { return self.fields.contains(&query.point.0) };
        let mut sites = passes
            .iter()
            .flat_map(|pass| pass.entries.iter().map(|bci| Site { method: pass.method.clone(), bci: *bci }));
        sites.all(|site| self.sites.contains(&(query.point.0, site)))
    }
}

/// The class files, for names in conditions.
struct Known<'a>(&'a ClassPool);

impl ClassLookup for Known<'_> {
    fn class(&self, binary_name: &str) -> Option<Arc<ClassFile>> {
        self.0.find(binary_name).ok().flatten().map(|found| found.file.clone())
    }

    fn denoted(&self, own: &str, simple: &str) -> Vec<String> {
        self.0.denoted(own, simple).to_vec()
    }

    fn imported(&self, own: &str, name: &str, is_method: bool) -> Vec<String> {
        self.0.imported(own, name, is_method).to_vec()
    }
}
/// What the verifier knows of the local variables at an index.
fn kinds(method: &MethodName, bci: u32, pool: &ClassPool) -> Option<BTreeMap<u16, Kind>> {
    let bytes = pool.read(&method.class).ok().flatten()?.bytes;
    rewrite::local_kinds(&bytes, &method.name, &method.descriptor, bci).ok().flatten()
}
