//! Applies the plan to a class file: decides which code is inserted.

use crate::given_probes::{CallProbes, calls_writers, deserialising, is_deserialiser};
use crate::sites::{Name, Site, Sites, numbered};
use crate::stack_values::{self, StackValues};
use crate::steps::{FieldAccess, FieldSite, Weaver};
use rewrite::{Access, RewriteError, Rewritten, RewrittenMethod, Scan, Step};
use std::collections::{BTreeMap, HashMap, HashSet};
use wire::{
    ArraySites, ClassReport, FieldSites, MakingSites, MethodReport, MethodSites, Plan, PlannedSite,
    SiteEvent, SiteReport, SkippedMethod,
};

/// The plan, known classes and numbered sites.
#[derive(Debug, Default)]
pub struct Probes {
    /// The plan.
    pub plan: Plan,
    /// The sites by number.
    pub sites: Sites,
    /// The numbers of those whose hits are tested.
    pub tested: HashSet<u32>,
    /// Positions of the planned methods, by class.
    by_class: HashMap<String, Vec<usize>>,
    /// The loaded classes: the superclass, and the planned fields that the class declares.
    lineage: HashMap<String, (Option<String>, Vec<String>)>,
}

/// A class with its probes.
#[derive(Debug, PartialEq, Eq)]
pub struct Probed {
    /// The class file.
    pub bytes: Vec<u8>,
    /// What was inserted.
    pub report: ClassReport,
}

impl Probes {
    /// Starts with a plan.
    pub fn new(plan: Plan) -> Probes {
        let mut by_class: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, method) in plan.methods.iter().enumerate() {
            by_class.entry(method.class.clone()).or_default().push(place);
        }
        Probes { plan, by_class, sites: Sites::default(), tested: HashSet::new(), lineage: HashMap::new() }
    }

    /// Whether an already loaded class may contain sites: a planned class, or one nested in it.
    pub fn concerns(&self, class: &str) -> bool {
        let inside = |outer: &str| {
            class.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('$'))
        };
        self.by_class.contains_key(class)
            || is_deserialiser(&self.plan, class)
            || self.plan.fields.iter().any(|f| inside(&f.class))
    }

    /// Inserts probes into a class; none if nothing is inserted.
    ///
    /// # Errors
    /// The class file is broken, or its constant pool is full.
    pub fn probe(
        &mut self,
        name: Option<&str>,
        bytes: &[u8],
        is_of_vm: bool,
    ) -> Result<Option<Probed>, RewriteError> {
        let planned = name.and_then(|name| self.by_class.get(name)).cloned().unwrap_or_default();
        let arrays = if is_of_vm { Vec::new() } else { self.plan.arrays.clone() };
        let makings = if is_of_vm { Vec::new() } else { self.plan.makings.clone() };
        if planned.is_empty() && self.plan.fields.is_empty() && arrays.is_empty() && makings.is_empty() {
            return Ok(None);
        }
        let scan = Scan::new(bytes)?;
        let class = scan.name()?;
        let named = self.named_fields(&scan, &class);
        let reads = is_deserialiser(&self.plan, &class);
        let calls = reads || !is_of_vm && calls_writers(&self.plan, &scan);
        if planned.is_empty() && named.is_empty() && arrays.is_empty() && makings.is_empty() && !calls {
            return Ok(None);
        }
        let mut report = ClassReport { class: class.clone(), ..ClassReport::default() };
        let mut weavers: BTreeMap<Name, Weaver> = BTreeMap::new();
        let mut stack_values = StackValues::new();
        for place in planned {
            if let Some(method) = self.plan.methods.get(place).cloned() {
                let is_there = self.method(&scan, bytes, &method, &mut weavers, &mut report)?;
                let values = Some(method.stack_values).filter(|values| is_there && !values.is_empty());
                stack_values.extend(values.map(|values| ((method.name, method.descriptor), values)));
            }
        }
        for field in named {
            self.field(&scan, bytes, &class, &field, &mut weavers, &mut report)?;
        }
        self.arrays(&scan, &arrays, &class, &mut weavers, &mut report)?;
        self.makings(&scan, &makings, &class, &mut weavers, &mut report)?;
        if reads {
            deserialising(&scan, &mut weavers)?;
        } else if calls {
            let mut probes =
                CallProbes { plan: &self.plan, sites: &mut self.sites, tested: &mut self.tested };
            probes.insert(&scan, &class, &mut weavers, &mut report)?;
        }
        let methods = weavers.into_iter().map(|(name, weaver)| (name, weaver.finish()));
        let plan = rewrite::Plan { methods: methods.filter(|(_, plan)| !plan.is_empty()).collect() };
        if plan.methods.is_empty() && stack_values.is_empty() {
            return Ok((!report.left.is_empty()).then(|| Probed { bytes: Vec::new(), report }));
        }
        let (Rewritten { bytes, methods, not_rewritten }, plan) =
            stack_values::rewrite(bytes, plan, &stack_values)?;
        for method in methods {
            report.methods.push(method_report(&scan, &plan, method)?);
        }
        report.left.extend(not_rewritten.into_iter().map(|(method, descriptor, why)| {
            let here = |s: &&SiteReport| s.method == method && s.descriptor == descriptor;
            let mut queries: Vec<u16> = report.sites.iter().filter(here).map(|s| s.query).collect();
            queries.dedup();
            SkippedMethod { method, descriptor, queries, why: why.to_string() }
        }));
        let bytes = if report.methods.is_empty() { Vec::new() } else { bytes };
        Ok(Some(Probed { bytes, report }))
    }

    /// The names of planned fields that the code of a class names. Notes those that the class declares.
    fn named_fields(&mut self, scan: &Scan<'_>, class: &str) -> Vec<String> {
        let mut names: Vec<&str> = self.plan.fields.iter().map(|f| f.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let declares = names.iter().filter(|n| scan.declares_field(n)).map(|n| (*n).to_owned()).collect();
        self.lineage.insert(class.to_owned(), (scan.superclass(), declares));
        names.iter().filter(|n| scan.names_field(n)).map(|n| (*n).to_owned()).collect()
    }

    /// The queries with sites in a class that no load hook has seen. `bytes` is the outline of a hidden
    /// class, and `name` its class file name.
    ///
    /// # Errors
    /// The outline is broken.
    pub fn hidden(&self, name: &str, bytes: &[u8], is_of_vm: bool) -> Result<Vec<u16>, RewriteError> {
        let scan = Scan::new(bytes)?;
        let mut queries = Vec::new();
        for method in
            self.by_class.get(name).into_iter().flatten().filter_map(|at| self.plan.methods.get(*at))
        {
            queries.extend(method.sites.iter().map(|site| site.query));
        }
        let own = |class: &str| names_hidden(class, name);
        for field in &self.plan.fields {
            let is_meant = |access: &Access| {
                let class = if own(&access.class) { name } else { &access.class };
                // It accesses its own field of that name, if it declares one.
                let is_other = class == name && class != field.class && scan.declares_field(&field.name);
                is_access(field, access) && !is_other && self.means(field, class) != Some(false)
            };
            if scan.accesses(&field.name)?.iter().any(is_meant) {
                queries.push(field.query);
            }
        }
        if !is_of_vm {
            for arrays in &self.plan.arrays {
                queries.extend((!scan.array_stores(arrays.kind)?.is_empty()).then_some(arrays.query));
            }
            for makings in &self.plan.makings {
                let makes = !scan.array_makings(&makings.descriptor)?.is_empty();
                queries.extend(makes.then_some(makings.query));
            }
            if scan.writes_elsewhere(&own)? {
                let sites = self.plan.methods.iter().flat_map(|method| &method.sites);
                let copied = sites.filter(|site| matches!(site.what, SiteEvent::Copied(_)));
                queries.extend(copied.map(|site| site.query));
            }
        }
        queries.sort_unstable();
        queries.dedup();
        Ok(queries)
    }

    /// Inserts the probes of a planned method. Returns whether the loaded class has its code.
    fn method(
        &mut self,
        scan: &Scan<'_>,
        bytes: &[u8],
        method: &MethodSites,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) -> Result<bool, RewriteError> {
        let MethodSites { name, descriptor, code, serial, marks, sites, .. } = method;
        let found = scan.code(name, descriptor)?;
        match found {
            // A method without sites stays unchanged; then the executed arm and stack values are unknown.
            None if sites.is_empty() && !serial => return Ok(false),
            Some(found) if sites.is_empty() && !serial && wire::code_hash(found) != *code => {
                return Ok(false);
            }
            None => {
                report.left.push(skipped(method, "the loaded class has no such method with code"));
                return Ok(false);
            }
            Some(found) if wire::code_hash(found) != *code => {
                report.left.push(skipped(method, "the loaded class has different code there"));
                return Ok(false);
            }
            Some(_) => {}
        }
        let weaver = weavers.entry((name.clone(), descriptor.clone())).or_default();
        if *serial {
            weaver.serial();
        }
        marks.iter().for_each(|bci| weaver.mark(*bci));
        for planned in sites {
            match planned.what {
                SiteEvent::Turn(branch) => {
                    weaver.turn(planned.query, branch, planned.bci);
                    continue;
                }
                SiteEvent::PassEnded(pass) => {
                    weaver.end_pass(planned.query, pass, planned.bci);
                    continue;
                }
                _ => {}
            }
            let behind = match &planned.what {
                SiteEvent::Made { .. } => Some(planned.bci),
                SiteEvent::Changes(called) => called.call.map(|(_, behind)| behind),
                _ => None,
            };
            if behind.is_some() && rewrite::initialised_from(bytes, name, descriptor)? != behind {
                let why = "it is unclear from where on its object can be published";
                report.left.push(skipped(method, why));
                continue;
            }
            self.planned_site(method, planned, static_field(found, planned.bci), weaver, report);
        }
        Ok(true)
    }

    /// Numbers a planned site and inserts its probe. `field` is the constant of the static field that its
    /// instruction names.
    fn planned_site(
        &mut self,
        method: &MethodSites,
        planned: &PlannedSite,
        field: Option<u16>,
        weaver: &mut Weaver,
        report: &mut ClassReport,
    ) {
        let PlannedSite { query, bci, ref what } = *planned;
        let site = Site {
            query,
            class: method.class.clone(),
            method: method.name.clone(),
            descriptor: method.descriptor.clone(),
            bci,
            way: what.way(),
            named_by: None,
        };
        let number = numbered(&mut self.sites, &site, report);
        let mark = match what {
            SiteEvent::Way { edge, groups } if !groups.is_empty() => {
                numbered(&mut self.sites, &Site { way: Some(edge.to), ..site }, report)
            }
            _ => number,
        };
        let (Some(number), Some(mark)) = (number, mark) else {
            report.left.push(skipped(method, "there are too many sites"));
            return;
        };
        match what {
            SiteEvent::Copied(copied) => weaver.copied(number, bci, copied, field),
            SiteEvent::Tested(tested) => match self.plan.conditions.get(usize::from(tested.condition)) {
                Some(condition) => {
                    self.tested.extend(u32::try_from(number).ok());
                    weaver.tested(query, number, bci, &method.class, &condition.class, tested);
                }
                None => report.left.push(skipped(method, "its condition is missing")),
            },
            what => weaver.site(query, number, mark, bci, what),
        }
    }

    /// Inserts probes at the accesses to planned fields with this name.
    fn field(
        &mut self,
        scan: &Scan<'_>,
        bytes: &[u8],
        class: &str,
        name: &str,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) -> Result<(), RewriteError> {
        for access in scan.accesses(name)? {
            let fields = self.plan.fields.iter().filter(|f| f.name == name && is_access(f, &access));
            let fields = fields.filter(|field| self.means(field, &access.class) != Some(false));
            let wanted: Vec<FieldSites> = fields.cloned().collect();
            if wanted.is_empty() {
                continue;
            }
            let (method, descriptor) = (&access.method, &access.method_descriptor);
            if method == "<init>" && !access.is_static && access.class == class {
                // Until another constructor was called, no code may use `this` as an object.
                let from = rewrite::initialised_from(bytes, method, descriptor)?;
                if from.is_none_or(|from| access.pc < from) {
                    let why = "it is written before another constructor is called";
                    report.left.push(skipped_access(&access, &wanted, why));
                    continue;
                }
            }
            let sites = self.field_sites(&access, &wanted, class, report);
            let weaver = weavers.entry((method.clone(), descriptor.clone())).or_default();
            let field = FieldAccess {
                is_static: access.is_static,
                kind: access.descriptor.chars().next().unwrap_or('L'),
                // The class whose code runs is already initialised, or being initialised.
                initialises: (access.is_static && access.class != class).then_some(access.constant),
            };
            if access.writes {
                weaver.put(access.pc, &field, &sites);
            } else {
                weaver.get(access.pc, &field, &sites);
            }
        }
        Ok(())
    }

    /// Numbers the sites of the planned fields at an access to them.
    fn field_sites(
        &mut self,
        access: &Access,
        wanted: &[FieldSites],
        class: &str,
        report: &mut ClassReport,
    ) -> Vec<FieldSite> {
        let mut sites = Vec::new();
        for field in wanted {
            let site = Site {
                query: field.query,
                class: class.to_owned(),
                method: access.method.clone(),
                descriptor: access.method_descriptor.clone(),
                bci: access.pc,
                way: None,
                named_by: (access.class != field.class).then(|| access.class.clone()),
            };
            let Some(number) = numbered(&mut self.sites, &site, report) else {
                report.left.push(skipped_access(access, wanted, "there are too many sites"));
                continue;
            };
            let test = field.tested.as_ref().and_then(|tested| {
                let condition = self.plan.conditions.get(usize::from(tested.condition))?;
                Some(Step::Call {
                    class: condition.class.clone().into(),
                    name: "test".into(),
                    descriptor: tested.descriptor.clone().into(),
                })
            });
            self.tested.extend(test.as_ref().and_then(|_| u32::try_from(number).ok()));
            sites.push(FieldSite { number, query: i32::from(field.query), keep: field.keep, test });
        }
        sites
    }

    /// Inserts probes at stores to arrays of the planned types.
    fn arrays(
        &mut self,
        scan: &Scan<'_>,
        arrays: &[ArraySites],
        class: &str,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) -> Result<(), RewriteError> {
        let mut kinds: Vec<char> = arrays.iter().map(|a| a.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            for store in scan.array_stores(kind)? {
                let method = (store.method, store.method_descriptor);
                let wanted = arrays.iter().filter(|a| a.kind == kind).map(|a| (a.query, a.keep));
                let sites = self.sites_of_arrays(wanted, class, &method, store.pc, report);
                weavers.entry(method).or_default().element(store.pc, kind, &sites);
            }
        }
        Ok(())
    }

    /// Inserts probes at the creation of arrays of the planned types.
    fn makings(
        &mut self,
        scan: &Scan<'_>,
        makings: &[MakingSites],
        class: &str,
        weavers: &mut BTreeMap<Name, Weaver>,
        report: &mut ClassReport,
    ) -> Result<(), RewriteError> {
        let mut descriptors: Vec<&str> = makings.iter().map(|m| m.descriptor.as_str()).collect();
        descriptors.sort_unstable();
        descriptors.dedup();
        for descriptor in descriptors {
            for made in scan.array_makings(descriptor)? {
                let method = (made.method, made.method_descriptor);
                let wanted = makings.iter().filter(|m| m.descriptor == descriptor);
                let wanted = wanted.map(|m| (m.query, m.keep));
                let sites = self.sites_of_arrays(wanted, class, &method, made.pc, report);
                weavers.entry(method).or_default().array(made.pc, made.level, &sites);
            }
        }
        Ok(())
    }

    /// The sites at an array instruction, from pairs of a query and whether it keeps last hits.
    fn sites_of_arrays(
        &mut self,
        wanted: impl Iterator<Item = (u16, bool)>,
        class: &str,
        (method, descriptor): &Name,
        bci: u32,
        report: &mut ClassReport,
    ) -> Vec<FieldSite> {
        let mut sites = Vec::new();
        for (query, keep) in wanted {
            let (class, method, descriptor) = (class.to_owned(), method.clone(), descriptor.clone());
            let site = Site { query, class, method, descriptor, bci, way: None, named_by: None };
            match numbered(&mut self.sites, &site, report) {
                Some(number) => {
                    sites.push(FieldSite { number, query: query.into(), keep, test: None });
                }
                None => {
                    let (method, descriptor) = (site.method, site.descriptor);
                    let why = "there are too many sites".to_owned();
                    report.left.push(SkippedMethod { method, descriptor, queries: vec![query], why });
                }
            }
        }
        sites
    }

    /// Whether a field named by a class is the planned field; none while a class of the chain is unknown.
    pub fn means(&self, field: &FieldSites, named_by: &str) -> Option<bool> {
        let mut class = named_by;
        // No class is its own superclass, so this bounds the walk.
        for _ in 0..=self.lineage.len() {
            if class == field.class {
                return Some(true);
            }
            // A class of the JDK may have been loaded before; it extends no class of the program.
            if is_of_jdk(class) && !is_of_jdk(&field.class) {
                return Some(false);
            }
            let (superclass, declares) = self.lineage.get(class)?;
            if declares.contains(&field.name) {
                return Some(false);
            }
            class = superclass.as_deref()?;
        }
        None
    }

    /// Whether a class was loaded.
    pub fn knows(&self, class: &str) -> bool {
        self.lineage.contains_key(class)
    }

    /// Whether a numbered site can belong to its query. Facts unknown when its class was loaded may be known
    /// at its first hit: if an object exists, its classes are loaded. `qp` decides about what is still
    /// unknown.
    pub fn is_meant(&self, site: &Site) -> bool {
        let Some(named_by) = &site.named_by else { return true };
        let fields = self.plan.fields.iter().filter(|f| f.query == site.query);
        fields.into_iter().any(|field| self.means(field, named_by) != Some(false))
    }
}

/// What was rewritten of a method.
fn method_report(
    scan: &Scan<'_>,
    plan: &rewrite::Plan,
    method: RewrittenMethod,
) -> Result<MethodReport, RewriteError> {
    let RewrittenMethod { name, descriptor, moved } = method;
    let code = scan.code(&name, &descriptor)?.unwrap_or_default();
    let mut slot = scan.max_locals(&name, &descriptor)?.unwrap_or_default();
    let mut kept = Vec::new();
    let wanted = plan.methods.get(&(name.clone(), descriptor.clone()));
    for local in wanted.map(|w| w.kept.as_slice()).unwrap_or_default() {
        kept.push((local.name.clone(), slot));
        slot = slot.saturating_add(local.kind.slots());
    }
    let length = u32::try_from(code.len()).unwrap_or(u32::MAX);
    let code = wire::code_hash(code);
    Ok(MethodReport { name, descriptor, code, length, moved, kept })
}

/// The report that a planned method has not all of its probes.
fn skipped(method: &MethodSites, why: &str) -> SkippedMethod {
    let mut queries: Vec<u16> = method.sites.iter().map(|s| s.query).collect();
    queries.sort_unstable();
    queries.dedup();
    SkippedMethod {
        method: method.name.clone(),
        descriptor: method.descriptor.clone(),
        queries,
        why: why.to_owned(),
    }
}

/// The report that an access to planned fields has no probe.
fn skipped_access(access: &Access, wanted: &[FieldSites], why: &str) -> SkippedMethod {
    SkippedMethod {
        method: access.method.clone(),
        descriptor: access.method_descriptor.clone(),
        queries: wanted.iter().map(|field| field.query).collect(),
        why: why.to_owned(),
    }
}

fn is_of_jdk(class: &str) -> bool {
    ["java/", "jdk/", "sun/"].iter().any(|package| class.starts_with(package))
}

fn is_access(field: &FieldSites, access: &Access) -> bool {
    (field.writes, field.is_static) == (access.writes, access.is_static)
        && (field.descriptor.is_empty() || field.descriptor == access.descriptor)
}

/// Whether a class in a hidden class's constant pool is that class itself. The VM appends a number to its
/// name there.
fn names_hidden(class: &str, hidden: &str) -> bool {
    class.strip_prefix(hidden).is_some_and(|rest| {
        let number = rest.strip_prefix(['+', '/', '.']);
        rest.is_empty() || number.is_some_and(|number| number.starts_with("0x"))
    })
}

/// The index of the constant that names the field of a `getstatic` or `putstatic`.
fn static_field(code: Option<&[u8]>, bci: u32) -> Option<u16> {
    let at = usize::try_from(bci).ok()?;
    match code?.get(at..at + 3)? {
        [0xb2 | 0xb3, high, low] => Some(u16::from_be_bytes([*high, *low])),
        _ => None,
    }
}
