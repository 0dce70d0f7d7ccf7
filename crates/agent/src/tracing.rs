//! Decides which code is inserted into the methods of recorded classes.

use crate::contents;
use crate::external_writes::written_by;
use crate::pool::Pool;
use crate::space;
use crate::steering;
use crate::text;
use crate::threads;
use crate::weave::weave;
use crate::weaving::Weaving;
use descriptor::generated::is_generated_member;
use descriptor::written::is_member;
use foldhash::fast::FixedState;
use rewrite::{self, Effect, MethodPlan, MethodShape, RecordedEffect, Reference, RewriteError, Scan, Step};
use std::collections::{BTreeMap, HashMap, HashSet};
use wire::TRACE_WINDOW_CLASS;
use wire::chosen::{Chosen, Constant};
use wire::recording::{
    DeclaredField, FIRST_SITE, Level, MethodOrLine, Place, TracePlan, Traced, TracedClass, TracedMethod,
    WrittenVariable,
};
use wire::scope::is_of_recorder;
use wire::steering::{Occurrence, Steering};

/// The recording of this run.
#[derive(Debug)]
pub struct Tracer {
    plan: TracePlan,
    numbers: Numbers,
    /// The instance field written at each site.
    fields: HashMap<u32, WrittenVariable>,
    rings: u32,
    /// The rings of its threads.
    pub(crate) pool: Pool,
    lost: HashSet<i32>,
    /// Number of threads so far with the window's name.
    named: u32,
    /// The address space of the recorder's tables, and whether some could not be reserved.
    tables: Vec<(usize, usize)>,
    pub(crate) lacks: bool,
}

/// A recorded class.
#[derive(Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The new class file; none if the class stays unchanged.
    pub bytes: Option<Vec<u8>>,
    /// What is recorded in it; none if nothing is.
    pub report: Option<TracedClass>,
    /// Why the jump that is to be steered is not, if it is one of this class.
    pub unsteered: Option<String>,
}

/// What is recorded of a method.
struct MethodChoice<'t> {
    level: Level,
    effects: Vec<RecordedEffect>,
    /// Whether its calls are recorded, and not only writes to fields.
    is_called: bool,
    /// What must hold of the arguments of its calls.
    tests: &'t [(usize, Constant)],
}

impl Tracer {
    /// Starts with a plan.
    pub fn new(plan: TracePlan) -> Tracer {
        let pool = Pool::new(plan.rings.clone());
        Tracer {
            pool,
            plan,
            numbers: Numbers::default(),
            fields: HashMap::new(),
            rings: 0,
            lost: HashSet::new(),
            named: 0,
            tables: Vec::new(),
            lacks: false,
        }
    }

    /// Notes the address space of a table; without an address the reservation failed.
    pub fn reserved(&mut self, bytes: usize, address: Option<usize>) {
        match address {
            Some(address) => self.tables.push((address, bytes)),
            None => self.lacks = true,
        }
    }

    /// Releases the tables.
    ///
    /// # Safety
    /// The recorder is not used, and never will be.
    pub unsafe fn release(&mut self) {
        for (address, bytes) in self.tables.drain(..) {
            // SAFETY: as the caller guarantees.
            unsafe { space::release(address, bytes) };
        }
    }

    /// The number of a new thread's ring.
    pub fn next_ring(&mut self) -> u32 {
        self.rings += 1;
        self.rings
    }

    /// Whether a kind of loss occurs for the first time.
    pub fn loses(&mut self, what: i32) -> bool {
        self.lost.insert(what)
    }

    /// Whether a class is rewritten, by its name with slashes.
    pub fn concerns(&self, class: &str) -> bool {
        threads::concerns(class)
            || self.has_contents() && (contents::concerns(class) || text::concerns(class))
            || self.is_in_scope(class)
            || self.is_steered(class)
    }

    /// The jump that is to be steered.
    pub fn steering(&self) -> Option<&Steering> {
        self.plan.steering.as_ref()
    }

    /// Where the stack overflows are counted that recorded code meets.
    pub fn overflows(&self) -> Option<usize> {
        self.pool.overflows()
    }

    /// Where its executions are counted; none if no jump is steered.
    pub fn steering_counts(&self) -> Option<usize> {
        self.steering().and_then(|_| self.pool.steering_counts())
    }

    /// Whether a jump of the class is to be steered, by its name with slashes.
    fn is_steered(&self, class: &str) -> bool {
        !is_of_recorder(class)
            && self.steering().is_some_and(|steering| steering.class.replace('.', "/") == class)
    }

    /// Whether the class's own code is recorded, by its name with slashes.
    pub fn is_in_scope(&self, class: &str) -> bool {
        is_in_scope(&self.plan, class)
    }

    /// Whether the plan selects a class, by its name with slashes, whether or not it is generated.
    pub fn selects(&self, class: &str) -> bool {
        selects(&self.plan, class)
    }

    /// The report about a generated class of which nothing is recorded, if its superclass is: the fields of
    /// its objects are known from there.
    pub fn described(&self, loader: u32, bytes: &[u8]) -> Option<TracedClass> {
        let scan = Scan::new(bytes).ok()?;
        let class = declared(&scan, &scan.name().ok()?, loader).ok()?;
        let is_below = class.superclass.as_deref().is_some_and(|superclass| self.is_in_scope(superclass));
        is_below.then(|| TracedClass { fields: Vec::new(), source: None, ..class })
    }

    /// Whether the contents of the JDK's collections, builders and streams are recorded.
    pub fn has_contents(&self) -> bool {
        self.plan.level >= Level::Writes && self.plan.chosen.is_none()
    }

    /// Inserts the recording code into a class of the loader with this number; none if the class is not
    /// recorded.
    ///
    /// # Errors
    /// The class file is broken, or its constant pool is full.
    pub fn record(
        &mut self,
        name: Option<&str>,
        loader: u32,
        bytes: &[u8],
    ) -> Result<Option<Recorded>, RewriteError> {
        if name.is_some_and(|name| !self.concerns(name)) {
            return Ok(None);
        }
        let scan = Scan::new(bytes)?;
        let class = scan.name()?;
        if !self.concerns(&class) {
            return Ok(None);
        }
        if threads::concerns(&class) {
            let told = threads::put_into(&class, bytes)?;
            return Ok(Some(Recorded { bytes: Some(told), report: None, unsteered: None }));
        }
        if self.has_contents() && (contents::concerns(&class) || text::concerns(&class)) {
            // First record its own code, whose sites refer to the original class file.
            let mut recorded = match self.is_in_scope(&class) || self.is_steered(&class) {
                true => self.record_own(loader, bytes)?,
                false => Recorded { bytes: None, report: None, unsteered: None },
            };
            let put_into = if text::concerns(&class) { text::put_into } else { contents::put_into };
            recorded.bytes = Some(put_into(&class, recorded.bytes.as_deref().unwrap_or(bytes))?);
            return Ok(Some(recorded));
        }
        self.record_own(loader, bytes).map(Some)
    }

    /// Inserts the recording code into a class if it is in the scope, and steers its jump if it has that.
    fn record_own(&mut self, loader: u32, bytes: &[u8]) -> Result<Recorded, RewriteError> {
        let class = Scan::new(bytes)?.name()?;
        let inverted = self.inverted(&class, bytes)?;
        let bytes = inverted.as_deref().unwrap_or(bytes);
        let scan = Scan::new(bytes)?;
        let shapes = scan.methods()?;
        let mut levels: BTreeMap<(String, String), Level> = BTreeMap::new();
        loop {
            let (mut report, mut plan) = self.weave(&scan, &class, loader, &shapes, &levels)?;
            let mut unsteered = self.steer(&scan, &class, &mut plan)?;
            let rewritten = rewrite::rewrite(bytes, &plan)?;
            // A method that is too long at this level may fit at a lower one.
            let lower = |(name, descriptor, _): &(String, String, _)| {
                let key = (name.clone(), descriptor.clone());
                let level = levels.get(&key).copied().unwrap_or(self.plan.level).lower()?;
                Some((key, level))
            };
            let lower: Vec<_> = rewritten.not_rewritten.iter().filter_map(lower).collect();
            if !lower.is_empty() {
                levels.extend(lower);
                continue;
            }
            for (name, descriptor, why) in rewritten.not_rewritten {
                if let Some(steering) = self.steering().filter(|_| self.is_steered(&class))
                    && (&steering.method, &steering.descriptor) == (&name, &descriptor)
                {
                    unsteered = Some(format!("{}.{name} is not steered: {why}", steering.class));
                }
                report.left.push((name, descriptor, why.to_string()));
            }
            let is_changed = !rewritten.methods.is_empty();
            let is_in = |method: &TracedMethod| {
                rewritten.methods.iter().any(|m| m.name == method.name && m.descriptor == method.descriptor)
            };
            report.methods.retain(is_in);
            for site in report.methods.iter().flat_map(|method| &method.sites) {
                if let (Traced::Put, Some(field)) = (site.what, &site.written) {
                    self.fields.insert(site.id, field.clone());
                }
            }
            let bytes = is_changed.then_some(rewritten.bytes);
            let report = self.is_in_scope(&class).then_some(report);
            return Ok(Recorded { bytes, report, unsteered });
        }
    }

    /// The code inserted into a class, and the report about it.
    fn weave(
        &mut self,
        scan: &Scan<'_>,
        class: &str,
        loader: u32,
        shapes: &[MethodShape],
        levels: &BTreeMap<(String, String), Level>,
    ) -> Result<(TracedClass, rewrite::Plan), RewriteError> {
        let mut report = declared(scan, class, loader)?;
        let mut plan = rewrite::Plan::default();
        let recorded = if self.is_in_scope(class) { shapes } else { &[] };
        for shape in recorded.iter().filter(|shape| !is_generated_member(&shape.name)) {
            let key = (shape.name.clone(), shape.descriptor.clone());
            if shape.name == "<init>" && shape.constructs_at.is_none() {
                let why = "it is unclear from where on its object can be published";
                report.left.push((key.0, key.1, why.to_owned()));
                continue;
            }
            let effects = scan.recorded_effects(&shape.name, &shape.descriptor)?;
            let level = levels.get(&key).copied().unwrap_or(self.plan.level);
            let Some(choice) = choice(&self.plan, class, shape, effects, level) else { continue };
            let MethodChoice { level, ref effects, is_called, tests } = choice;
            let has_window = self.has_window();
            let plan_of_run = &self.plan;
            let mut numbers = self.numbers.of(loader, [class, &key.0, &key.1]);
            let mut number = |bci, what| numbers.number(bci, what);
            let is_recorded = |class: &str| is_in_scope(plan_of_run, class);
            let chosen = self.plan.chosen.as_ref();
            // A window may begin between an event and a line that follows from it.
            let has_derived_lines = level == Level::All && !has_window && chosen.is_none();
            let flow = match has_derived_lines {
                true => scan.successors(&shape.name, &shape.descriptor)?,
                false => Vec::new(),
            };
            let is_recorded = &is_recorded;
            let is_of_jdk = class.starts_with("java/") || class.starts_with("sun/util/locale/");
            let flow = &flow;
            let weaving =
                Weaving { level, has_window, is_called, is_of_jdk, chosen, tests, is_recorded, flow };
            let (mut code, mut traced) = weave(shape, effects, &weaving, &mut number);
            self.mark(&mut code, class, report.source.as_deref(), shape, effects);
            traced.parameters = scan.parameters(&shape.name, &shape.descriptor, traced.is_static())?;
            plan.methods.insert(key, code);
            report.methods.push(traced);
        }
        Ok((report, plan))
    }

    /// The class file with its jump inverted, if that is to be.
    fn inverted(&self, class: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, RewriteError> {
        match self.steering().filter(|_| self.is_steered(class)) {
            Some(Steering { method, descriptor, pc, which: Occurrence::Inverted, .. }) => {
                rewrite::inverted_jump(bytes, method, descriptor, *pc)
            }
            _ => Ok(None),
        }
    }

    /// Inserts the code that steers the jump of a class, if it has that. Returns why it is not steered.
    fn steer(
        &self,
        scan: &Scan<'_>,
        class: &str,
        plan: &mut rewrite::Plan,
    ) -> Result<Option<String>, RewriteError> {
        let Some(steering) = self.steering().filter(|_| self.is_steered(class)) else { return Ok(None) };
        let Steering { class, method, descriptor, pc, to, which } = steering;
        let code = plan.methods.entry((method.clone(), descriptor.clone())).or_default();
        let is_steered = if matches!(which, Occurrence::OncePerLoop { .. }) {
            let condition = scan.loop_condition(method, descriptor, *pc, *to)?;
            condition.map(|condition| steering::steer_loop(code, *pc, condition)).is_some()
        } else {
            let operands = scan.operands_toward(method, descriptor, *pc, *to)?;
            operands
                .map(|operands| match which {
                    Occurrence::Inverted => steering::count_inverted(code, *pc),
                    _ => steering::steer(code, *pc, operands),
                })
                .is_some()
        };
        Ok((!is_steered).then(|| {
            format!("{class}.{method}{descriptor} has no conditional jump at {pc} that goes to {to}")
        }))
    }

    /// Whether only some calls are recorded.
    pub fn has_window(&self) -> bool {
        self.plan.window.is_some() || self.has_places()
    }

    /// Whether recording begins or ends at a place.
    pub fn has_places(&self) -> bool {
        self.plan.places.is_some()
    }

    /// Whether only calls or writes with certain values are recorded.
    pub fn has_tests(&self) -> bool {
        self.plan.chosen.as_ref().is_some_and(Chosen::has_tests)
    }

    fn place(&self, is_end: bool) -> Option<&Place> {
        let places = self.plan.places.as_ref()?;
        if is_end { places.to.as_ref() } else { places.from.as_ref() }
    }

    /// The hit at which recording begins, or ends if `is_end`; 0 if no place is set.
    pub fn hits(&self, is_end: bool) -> u32 {
        self.place(is_end).map_or(0, |place| place.hit)
    }

    /// Inserts the calls that report that a place is reached.
    fn mark(
        &self,
        code: &mut MethodPlan,
        class: &str,
        source: Option<&str>,
        shape: &MethodShape,
        effects: &[RecordedEffect],
    ) {
        let class = class.replace('/', ".");
        // A recording that ends there ends before another begins there.
        for (is_end, name) in [(false, "from"), (true, "to")] {
            let Some(place) = self.place(is_end).filter(|place| place.is_in(&class, source)) else {
                continue;
            };
            let (of, descriptor) = (TRACE_WINDOW_CLASS.into(), "()V".into());
            let reached = Step::Call { class: of, name: name.into(), descriptor };
            match &place.at {
                MethodOrLine::Method(method) if is_member(&shape.name, method) => {
                    code.entry.insert(0, reached)
                }
                MethodOrLine::Method(_) => {}
                MethodOrLine::Line(line) => {
                    for effect in effects.iter().filter(|effect| effect.what == Effect::Line(*line)) {
                        code.before.entry(effect.pc).or_default().insert(0, reached.clone());
                    }
                }
            }
        }
    }

    /// The recorded calls of a new thread with this name: from, to, and the enclosing ones; none if no call
    /// is recorded.
    pub fn window(&mut self, thread: &str, number: u64) -> Option<Vec<u64>> {
        let window = self.plan.window.as_ref().filter(|window| window.thread == thread)?;
        self.named += 1;
        window
            .number
            .map_or(self.named == window.nth + 1, |wanted| wanted == number)
            .then(|| [window.from, window.to].into_iter().chain(window.around.iter().copied()).collect())
    }

    /// The number of an additional site, for a field that a call has written.
    pub fn further(&mut self, of: u32, written: &WrittenVariable) -> u32 {
        // No method has a field descriptor, so the key is unambiguous.
        self.numbers.of(0, [&written.class, &written.name, &written.descriptor]).number(of, Traced::Put)
    }

    /// The field written at a site.
    pub fn field(&self, site: u32) -> Option<WrittenVariable> {
        self.fields.get(&site).cloned()
    }
}

/// What is recorded of a method with these effects, at this level at most; `None` if nothing is.
fn choice<'p>(
    plan: &'p TracePlan,
    class: &str,
    shape: &MethodShape,
    mut effects: Vec<RecordedEffect>,
    mut level: Level,
) -> Option<MethodChoice<'p>> {
    let class = class.replace('/', ".");
    let mut is_called = true;
    // Only a call of the constructor tells whose field it was.
    let has_preset = effects.iter().any(is_preset);
    if let Some(brief) = &plan.brief {
        if brief.has_no_steps(&class, &shape.name, &shape.descriptor) {
            level = level.min(Level::Writes);
        } else if brief.has_no_calls(&class, &shape.name, &shape.descriptor) {
            if !effects.iter().any(is_field_write) {
                return None;
            }
            is_called = has_preset;
            level = level.min(Level::Writes);
        }
    }
    let mut tests: &[(usize, Constant)] = &[];
    if let Some(chosen) = &plan.chosen {
        is_called = chosen.has_method(&class, &shape.name);
        effects.retain(|effect| is_chosen(&effect.what, chosen));
        let has_preset = effects.iter().any(is_preset);
        is_called |= has_preset;
        if !has_preset {
            tests = chosen.method_tests(&class, &shape.name);
        }
        if !is_called && !effects.iter().any(is_field_write) {
            return None;
        }
    }
    Some(MethodChoice { level, effects, is_called, tests })
}

/// The report about a class of which no method is recorded yet.
fn declared(scan: &Scan<'_>, class: &str, loader: u32) -> Result<TracedClass, RewriteError> {
    let source = scan.source_file();
    let fields = scan.fields()?.into_iter();
    let fields =
        fields.map(|(name, descriptor, access)| DeclaredField { name, descriptor, access }).collect();
    Ok(TracedClass {
        class: class.to_owned(),
        loader,
        source,
        superclass: scan.superclass(),
        access: scan.access(),
        interfaces: scan.interfaces()?,
        fields,
        methods: Vec::new(),
        left: Vec::new(),
    })
}

/// Whether an effect may write a field.
fn is_field_write(effect: &RecordedEffect) -> bool {
    matches!(effect.what, Effect::Put { .. } | Effect::Call { .. })
}

/// Whether an effect writes a field of a `this` that is not initialised.
fn is_preset(effect: &RecordedEffect) -> bool {
    matches!(effect.what, Effect::Put { constant: None, owner: Reference::UninitialisedThis, .. })
}

/// Whether an effect is recorded if only some methods and fields are. Lines give the places of writes.
fn is_chosen(what: &Effect, chosen: &Chosen) -> bool {
    match what {
        Effect::Line(_) | Effect::Throw => true,
        Effect::Put { name, .. } => chosen.has_field(name),
        // A handle may write any field.
        Effect::Call { class, name, descriptor } => {
            !chosen.fields.is_empty() && written_by(class, name, descriptor).is_some()
        }
        Effect::Element(_)
        | Effect::Array(_)
        | Effect::Local { .. }
        | Effect::Branch { .. }
        | Effect::Lock
        | Effect::Unlock => false,
    }
}

/// Whether a class is recorded, by its name with slashes.
pub(crate) fn is_in_scope(plan: &TracePlan, class: &str) -> bool {
    !is_of_recorder(class) && plan.records(&class.replace('/', "."))
}

/// Whether a plan selects a class, by its name with slashes, whether or not it is generated.
pub(crate) fn selects(plan: &TracePlan, class: &str) -> bool {
    !is_of_recorder(class) && plan.selects(&class.replace('/', "."))
}

/// The numbers of the sites of a method, by code index and event.
type SiteNumbers = HashMap<(u32, Traced), u32, FixedState>;

/// The numbers of sites.
#[derive(Debug, Default)]
struct Numbers {
    /// Number of numbers assigned.
    given: u32,
    /// Numbers by loader, class, name and descriptor of the method.
    methods: HashMap<(u32, [String; 3]), SiteNumbers>,
}

/// The numbers of one method's sites.
struct OfMethod<'a> {
    given: &'a mut u32,
    sites: &'a mut HashMap<(u32, Traced), u32, FixedState>,
}

impl Numbers {
    fn of(&mut self, loader: u32, method: [&str; 3]) -> OfMethod<'_> {
        let sites = self.methods.entry((loader, method.map(str::to_owned))).or_default();
        OfMethod { given: &mut self.given, sites }
    }
}

impl OfMethod<'_> {
    /// The number of a site; a class that is transformed again gets the same numbers.
    fn number(&mut self, bci: u32, what: Traced) -> u32 {
        *self.sites.entry((bci, what)).or_insert_with(|| {
            *self.given = self.given.saturating_add(1);
            FIRST_SITE.saturating_add(*self.given - 1)
        })
    }
}
