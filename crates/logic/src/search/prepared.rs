//! A pattern in the numbers of a recording.

use super::pattern::{Owner, Pattern};
use super::source::Source;
use crate::log::{BlockSummary, DecodedBlock, Kind, LogEvent, Mask};
use crate::names::{java_name, source_file};
use std::collections::{BTreeSet, HashSet};
use trace::{Calls, Traced, Value};

/// A pattern whose names are translated to numbers.
#[derive(Clone, Debug)]
pub(super) struct Prepared {
    pub pattern: Pattern,
    /// The threads; `None` means all.
    pub threads: Option<Vec<u32>>,
    /// A bit for each kind.
    pub kinds: u16,
    /// The methods whose calls and exits can fit; `None` means all.
    pub methods: Option<BTreeSet<u32>>,
    /// The sites whose field writes can fit; `None` means all.
    pub sites: Option<HashSet<u32>>,
    /// The sites of events that can fit; `None` means all.
    mask: Option<Mask>,
}

impl Prepared {
    pub fn new(pattern: Pattern, source: &Source) -> Prepared {
        let calls = &source.recording.calls;
        let threads = pattern.thread.as_ref().map(|name| {
            let all = calls.sites.threads.keys().copied();
            all.filter(|thread| calls.is_named(*thread, name)).collect()
        });
        let all = Kind::ALL.map(Kind::bit).into_iter().fold(0, |all, bit| all | bit);
        let kinds = match pattern.kinds.as_slice() {
            [] => all,
            kinds => kinds.iter().fold(0, |mask, kind| mask | kind.bit()),
        };
        let (methods, sites) = (methods(&pattern, calls), sites(&pattern, calls));
        let mask = mask(kinds, methods.as_ref(), sites.as_ref(), calls);
        Prepared { pattern, threads, kinds, methods, sites, mask }
    }

    /// Whether a block can have events that fit.
    pub fn may_have(&self, block: &BlockSummary) -> bool {
        block.count > 0
            && block.kinds & self.kinds != 0
            && self.threads.as_ref().is_none_or(|threads| threads.contains(&block.thread))
            && self.mask.as_ref().is_none_or(|mask| mask.meets(&block.mask))
    }

    /// Whether an event can fit, with this id.
    pub fn fits(&self, id: u64, block: &DecodedBlock, event: &LogEvent, source: &Source) -> bool {
        let pattern = &self.pattern;
        let calls = &source.recording.calls;
        if self.kinds & event.kind.bit() == 0 || !pattern.ids.contains(&id) {
            return false;
        }
        if self.threads.as_ref().is_some_and(|threads| !threads.contains(&block.thread)) {
            return false;
        }
        if pattern.line.is_some_and(|line| line != event.line) {
            return false;
        }
        let method = || event.call().and_then(|node| calls.method_number(node));
        if let Some(file) = &pattern.file
            && event.method(calls).is_none_or(|method| source_file(method) != *file)
        {
            return false;
        }
        let values = block.values(event);
        match event.kind {
            Kind::MethodCall | Kind::MethodExit => {
                let of_it =
                    |methods: &BTreeSet<u32>| method().is_some_and(|method| methods.contains(&method));
                self.methods.as_ref().is_none_or(of_it)
                    && owner_fits(&pattern.owner, values.first(), calls)
                    && receiver_fits(pattern.receivers.as_ref(), values.first(), calls)
                    && self.values_fit(event.kind, values, calls)
            }
            Kind::SetField => {
                self.sites.as_ref().is_none_or(|sites| sites.contains(&event.site))
                    && owner_fits(&pattern.owner, values.first(), calls)
                    && receiver_fits(pattern.receivers.as_ref(), values.first(), calls)
                    && self.values_fit(event.kind, values, calls)
            }
            Kind::Exception | Kind::DataStructure => owner_fits(&pattern.object, values.first(), calls),
            Kind::MemberFields | Kind::ThreadStart | Kind::ThreadDeath | Kind::Step => true,
        }
    }

    fn values_fit(&self, kind: Kind, values: &[Value], calls: &Calls) -> bool {
        let pattern = &self.pattern;
        let value = |at: usize| values.get(at + 1);
        match kind {
            Kind::MethodCall => {
                pattern.arity.is_none_or(|arity| values.len() == arity + 1)
                    && pattern
                        .arguments
                        .iter()
                        .all(|(at, wanted)| value(*at).is_some_and(|value| wanted.is(value, &calls.objects)))
            }
            _ => pattern
                .value
                .as_ref()
                .is_none_or(|wanted| value(0).is_some_and(|value| wanted.is(value, &calls.objects))),
        }
    }
}

fn owner_fits(owner: &Owner, object: Option<&Value>, calls: &Calls) -> bool {
    let Some(Value::Object(object)) = object else { return *owner == Owner::Any };
    match owner {
        Owner::Any => true,
        // The name of the class was compared with that of the method or field.
        Owner::Class(_) => *object == 0,
        Owner::Object { class, number } => {
            // The log shows an object without a number as 0.
            let is_it = number.is_none_or(|number| match number {
                0 => *object == 0,
                number => calls.objects.own(number) == *object && *object != 0,
            });
            let of_it =
                |class: &String| calls.objects.class(*object).is_some_and(|of| java_name(of) == *class);
            // An object that has no number yet can have any class.
            is_it && (*object == 0 || class.as_ref().is_none_or(of_it))
        }
    }
}

fn receiver_fits(classes: Option<&BTreeSet<String>>, object: Option<&Value>, calls: &Calls) -> bool {
    let (Some(classes), Some(Value::Object(object))) = (classes, object) else { return true };
    calls.objects.class(*object).is_none_or(|class| classes.contains(&**class))
}

/// The sites of the events that can fit, if only calls, exits or field writes can.
fn mask(
    kinds: u16,
    methods: Option<&BTreeSet<u32>>,
    sites: Option<&HashSet<u32>>,
    calls: &Calls,
) -> Option<Mask> {
    let mut mask = Mask::default();
    let of_calls = Kind::MethodCall.bit() | Kind::MethodExit.bit();
    if kinds & !(of_calls | Kind::SetField.bit()) != 0 {
        return None;
    }
    if kinds & of_calls != 0 {
        let methods = methods?;
        for site in calls.sites.all() {
            if matches!(site.what, Traced::Enter | Traced::Return) && methods.contains(&site.method) {
                mask.insert(site.id);
            }
        }
    }
    if kinds & Kind::SetField.bit() != 0 {
        sites?.iter().for_each(|site| mask.insert(*site));
    }
    Some(mask)
}

/// The methods that a pattern names.
fn methods(pattern: &Pattern, calls: &Calls) -> Option<BTreeSet<u32>> {
    let class = match &pattern.owner {
        Owner::Class(class) => class.as_deref(),
        _ => None,
    };
    let is_static = matches!(pattern.owner, Owner::Class(_));
    if pattern.name.is_none() && pattern.methods.is_none() && !is_static {
        return None;
    }
    let fits = |method: &&(u32, &trace::Method)| {
        let (number, method) = method;
        pattern.name.as_ref().is_none_or(|name| method.name == *name)
            && pattern.methods.as_ref().is_none_or(|methods| methods.contains(number))
            && (!is_static || method.is_static)
            && class.is_none_or(|class| *method.class == *class)
    };
    let all: Vec<_> = (0..).zip(calls.sites.methods()).collect();
    Some(all.iter().filter(fits).map(|(number, _)| *number).collect())
}

/// The sites that write a field that a pattern names.
fn sites(pattern: &Pattern, calls: &Calls) -> Option<HashSet<u32>> {
    let class = match &pattern.owner {
        Owner::Class(class) => class.as_deref(),
        _ => None,
    };
    if pattern.name.is_none() && pattern.declared_by.is_none() && class.is_none() {
        return None;
    }
    let field = pattern.name.as_deref().unwrap_or_default();
    let owners = pattern.declared_by.as_deref().map(|class| calls.sites.field_owners(class, field));
    let fits = |site: &&trace::Site| {
        let Some(written) = site.written.as_ref().filter(|written| !written.class.is_empty()) else {
            return false;
        };
        let declares = || calls.sites.declares(written);
        pattern.name.as_ref().is_none_or(|name| written.name == *name)
            && owners.as_ref().is_none_or(|owners| owners.include(&declares()))
            && class.is_none_or(|class| declares() == class)
    };
    Some(calls.sites.all().filter(fits).map(|site| site.id).collect())
}
