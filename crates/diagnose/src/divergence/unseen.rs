//! The objects of a run whose state was not recorded, such as an `AtomicInteger`, and the methods that may
//! have changed it: what they did to such objects is not compared.

use super::super::Diagnoser;
use super::last_calls::last_calls;
use classes::ClassPool;
use program::{is_passing, is_unseen, unseen_types, unseen_uses};
use session::SessionError;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use trace::{Calls, Level, Method, TraceError, shown_class};

/// Most classes or methods that are named.
const NAMED: usize = 5;

/// What methods of a run did to objects whose state was not recorded, by the methods' numbers.
#[derive(Debug, Default)]
pub struct UnseenState {
    methods: HashMap<u32, MethodUses>,
}

/// The objects that a method uses, by their classes; and settings of the whole program.
#[derive(Debug, Default)]
struct MethodUses {
    changed: BTreeSet<String>,
    used: BTreeSet<String>,
}

impl UnseenState {
    /// What the methods of a run do that are called in it and chosen by `among`. `has_unmet`: also to objects
    /// that this run does not have.
    ///
    /// # Errors
    /// The recording cannot be read.
    pub fn of(
        run: &Diagnoser,
        has_unmet: bool,
        among: &dyn Fn(u32) -> bool,
    ) -> Result<UnseenState, SessionError> {
        let mut found = UnseenState::default();
        let Some(pool) = run.fields.pool() else { return Ok(found) };
        let calls = &run.trace.calls;
        let methods: BTreeSet<u32> = executed(calls).into_iter().filter(|method| among(*method)).collect();
        if methods.is_empty() {
            return Ok(found);
        }
        let recorded: HashSet<&str> = calls.sites.methods().iter().map(|method| &*method.class).collect();
        let is_recorded = |class: &str| recorded.contains(class);
        let mut classes = HashSet::new();
        let mut by_type: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (object, class) in calls.objects.all() {
            if !classes.insert(class) || is_known(calls, object)? {
                continue;
            }
            let file = pool.find(class).ok().flatten();
            let types = file.map(|found| unseen_types(pool, &found.file, &is_recorded)).unwrap_or_default();
            // Local variables hold such objects too, and only level `all` records those.
            let is_local = run.trace.about.level == Level::All && types.iter().any(|of| is_passing(of));
            if is_local && !recorded.iter().any(|class| mentions(pool, class, &types)) {
                continue;
            }
            for of in types {
                by_type.entry(of).or_default().insert(shown_class(class));
            }
        }
        let met = |types: &BTreeSet<String>| -> BTreeSet<String> {
            let unmet = types.iter().filter(|of| has_unmet && is_unseen(of)).map(|of| shown_class(of));
            types.iter().filter_map(|of| by_type.get(of)).flatten().cloned().chain(unmet).collect()
        };
        for number in methods {
            let Some(method) = calls.sites.method(number) else { continue };
            let Some(class) = pool.find(&method.class).ok().flatten() else { continue };
            let Some(code) = class.file.method(&method.name, &method.descriptor) else { continue };
            let uses = unseen_uses(pool, code, &is_recorded);
            let (mut changed, mut used) = (met(&uses.changed), met(&uses.used));
            changed.extend(uses.settings.iter().cloned());
            used.extend(uses.settings);
            if !used.is_empty() {
                found.methods.insert(number, MethodUses { changed, used });
            }
        }
        Ok(found)
    }

    /// Adds what the same methods do in a run of the other version.
    pub fn add(&mut self, calls: &Calls, other: &UnseenState, of_other: &Calls) {
        for (at, uses) in &other.methods {
            let Some(of) = of_other.sites.method(*at) else { continue };
            let is_same = |method: &Method| {
                (&of.class, &of.name, &of.descriptor) == (&method.class, &method.name, &method.descriptor)
            };
            let mut methods = (0..).zip(calls.sites.methods());
            if let Some((number, _)) = methods.find(|(_, method)| is_same(method)) {
                let own = self.methods.entry(number).or_default();
                own.changed.extend(uses.changed.iter().cloned());
                own.used.extend(uses.used.iter().cloned());
            }
        }
    }

    /// The objects that some methods may have changed, as text. `None` if there are none.
    pub fn changed_by(&self, methods: impl IntoIterator<Item = u32>) -> Option<String> {
        let uses = methods.into_iter().filter_map(|method| self.methods.get(&method));
        let changed: BTreeSet<String> = uses.flat_map(|uses| &uses.changed).cloned().collect();
        (!changed.is_empty()).then(|| listed(&changed))
    }

    /// The last calls of other methods that may have changed objects which the method of a call uses, up to
    /// the end of the call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn before(&self, calls: &mut Calls, call: u32) -> Result<Vec<u32>, TraceError> {
        let own = calls.method_number(call);
        let Some(used) = own.and_then(|own| self.methods.get(&own)).map(|uses| &uses.used) else {
            return Ok(Vec::new());
        };
        let changes = |uses: &MethodUses| !uses.changed.is_disjoint(used);
        let others = self.methods.iter().filter(|(method, uses)| Some(**method) != own && changes(uses));
        let others: HashSet<u32> = others.map(|(method, _)| *method).collect();
        match others.is_empty() {
            true => Ok(Vec::new()),
            false => last_calls(calls, Some(call), &|method| others.contains(&method)),
        }
    }

    /// What is not compared of two runs, as text. `None` if nothing is left out.
    pub fn uncompared(versions: [(&UnseenState, &Calls); 2]) -> Option<String> {
        let (mut classes, mut methods) = (BTreeSet::new(), BTreeSet::new());
        for (state, calls) in versions {
            for (number, uses) in state.methods.iter().filter(|(_, uses)| !uses.changed.is_empty()) {
                classes.extend(uses.changed.iter().cloned());
                let method = calls.sites.method(*number);
                methods.extend(method.map(trace::Method::short));
            }
        }
        let (of, used) = (listed(&classes), listed(&methods));
        (!classes.is_empty()).then(|| format!("the state of {of}, which is not recorded (used in {used})"))
    }
}

/// The numbers of the methods that are called in a run.
pub fn executed(calls: &Calls) -> BTreeSet<u32> {
    (0..u32::try_from(calls.count()).unwrap_or(u32::MAX))
        .filter_map(|call| calls.method_number(call))
        .collect()
}

/// Whether the state of an object is recorded, apart from fields of recorded classes.
fn is_known(calls: &Calls, object: u32) -> Result<bool, SessionError> {
    let is_value = calls.objects.is_array(object) || calls.objects.content(object).is_some();
    Ok(is_value || calls.is_stream(object) || calls.has_contents(object)? || calls.has_text(object)?)
}

/// Whether a recorded class has a field, a parameter or a result of one of these types.
fn mentions(pool: &ClassPool, class: &str, types: &BTreeSet<String>) -> bool {
    let Some(class) = pool.find(class).ok().flatten() else { return true };
    let fields = class.file.fields.iter().map(|field| &field.descriptor);
    let mut all = fields.chain(class.file.methods.iter().map(|method| &method.descriptor));
    all.any(|descriptor| types.iter().any(|of| descriptor.contains(&format!("L{};", of.replace('.', "/")))))
}

fn listed(names: &BTreeSet<String>) -> String {
    let shown: Vec<&str> = names.iter().take(NAMED).map(String::as_str).collect();
    match names.len().saturating_sub(NAMED) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

impl Diagnoser {
    /// What is not known of the effects of these methods, because no run of the right version shows it: the
    /// objects that they may have changed and whose state is not recorded.
    pub(crate) fn unseen_of(&mut self, methods: &HashSet<u32>) -> Result<Option<String>, SessionError> {
        let state = match &self.unseen {
            Some(state) => state,
            None => {
                let state = UnseenState::of(self, true, &|_| true)?;
                self.unseen.insert(state)
            }
        };
        Ok(state.changed_by(methods.iter().copied()))
    }
}
