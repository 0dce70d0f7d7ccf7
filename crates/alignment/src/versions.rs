//! Numbers for the methods and fields of both runs. A method or field has the same number in both if it is
//! the same in both versions.

use super::AlignedRun;
use super::lambdas::Lambdas;
use classes::ClassPool;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use trace::{Calls, Method, WrittenVariable, base_class};

/// The compiler's prefix for methods through which nested classes reach private members.
const ACCESSOR: &str = "access$";

/// The methods and fields of one run, by the numbers that both runs share.
#[derive(Default)]
struct Members {
    /// By the method's number in the recording: its shared number, and whether its steps count as those of
    /// its caller.
    methods: Vec<(u32, bool)>,
    /// By the address of the description of a written field, which lives as long as the recording: its shared
    /// number. `None` if only this version has the field.
    fields: HashMap<usize, Option<u32>>,
    lambdas: Lambdas,
    /// The recorded classes.
    loaded: BTreeSet<Arc<str>>,
}

/// The methods and fields of two runs.
pub struct Versions {
    members: [Members; 2],
    fields: HashMap<(String, String), u32>,
    /// Fields, methods and classes that only one version has: not compared, since they differ anyway.
    pub only_in_one: BTreeSet<String>,
}

impl Versions {
    /// Compares the members of both versions.
    pub fn new(runs: &[AlignedRun<'_>; 2]) -> Versions {
        let mut versions =
            Versions { members: Default::default(), fields: HashMap::new(), only_in_one: BTreeSet::new() };
        let mut keys: [Vec<String>; 2] = Default::default();
        for (side, run) in runs.iter().enumerate() {
            let members = &mut versions.members[side];
            for method in run.calls.sites.methods() {
                members.loaded.insert(method.class.clone());
                let name = members.lambdas.method(&method.class, &method.name, run.pool);
                keys[side].push(format!("{}.{name}{}", method.class, method.descriptor));
            }
        }
        let same_signature = renamed(&keys);
        let mut numbers: HashMap<String, u32> = HashMap::new();
        for (side, run) in runs.iter().enumerate() {
            let other = &runs[1 - side];
            let others: BTreeSet<&String> = keys[1 - side].iter().collect();
            for (key, method) in keys[side].iter().zip(run.calls.sites.methods()) {
                let changed = same_signature.get(&(side, key.clone()));
                let shared = changed.unwrap_or(key);
                let next = u32::try_from(numbers.len()).unwrap_or(u32::MAX);
                let number = *numbers.entry(shared.clone()).or_insert(next);
                let is_in_both = changed.is_some() || others.contains(key) || {
                    let is_loaded = versions.members[1 - side].loaded.contains(&method.class);
                    !is_loaded && !lacks_class(&method.class, other.pool)
                };
                if !is_in_both && !method.is_synthetic && method.name != "<clinit>" {
                    versions.only_in_one.insert(format!("{}.{}", method.class, method.name));
                }
                let is_inlined = !is_in_both && method.name != "<clinit>" && method.name != "<init>"
                    || method.name.starts_with(ACCESSOR);
                versions.members[side].methods.push((number, is_inlined));
            }
        }
        versions
    }

    /// The shared number of a method.
    pub fn method(&self, side: usize, number: u32) -> u32 {
        self.row(side, number).map_or(u32::MAX, |(shared, _)| *shared)
    }

    /// Whether the steps of a method count as steps of its caller: only one version has it.
    pub fn is_inlined(&self, side: usize, number: u32) -> bool {
        self.row(side, number).is_some_and(|(_, is_inlined)| *is_inlined)
    }

    fn row(&self, side: usize, number: u32) -> Option<&(u32, bool)> {
        self.members.get(side)?.methods.get(usize::try_from(number).ok()?)
    }

    /// The shared number of a written field; `None` if only this version has the field.
    pub fn field(
        &mut self,
        side: usize,
        calls: &Calls,
        written: &Arc<WrittenVariable>,
        pools: [Option<&ClassPool>; 2],
    ) -> Option<u32> {
        let address = Arc::as_ptr(written).addr();
        if let Some(known) = self.members.get(side)?.fields.get(&address) {
            return *known;
        }
        let class = calls.sites.declares(written);
        let is_in_both = !lacks_field(&class, &written.name, pools.get(1 - side).copied().flatten())
            || lacks_field(&class, &written.name, pools.get(side).copied().flatten());
        let number = if is_in_both {
            let next = u32::try_from(self.fields.len()).unwrap_or(u32::MAX);
            Some(*self.fields.entry((class, written.name.clone())).or_insert(next))
        } else {
            self.only_in_one.insert(format!("{class}.{}", written.name));
            None
        };
        self.members.get_mut(side)?.fields.insert(address, number);
        number
    }

    /// The class and name of the field with a shared number.
    pub fn field_name(&self, number: u32) -> Option<(&str, &str)> {
        let found = self.fields.iter().find(|(_, shared)| **shared == number);
        found.map(|((class, name), _)| (class.as_str(), name.as_str()))
    }

    /// The name of a class in both versions.
    pub fn class(&mut self, side: usize, name: &str, pool: Option<&ClassPool>) -> String {
        match self.members.get_mut(side) {
            Some(members) => members.lambdas.class(name, pool),
            None => name.to_owned(),
        }
    }
}

/// Whether the class files are there and lack the class.
fn lacks_class(class: &str, pool: Option<&ClassPool>) -> bool {
    pool.is_some_and(|pool| matches!(pool.find(class), Ok(None)))
}

/// Whether the class files are there and their class lacks the field.
fn lacks_field(class: &str, field: &str, pool: Option<&ClassPool>) -> bool {
    let found = pool.and_then(|pool| pool.find(base_class(class)).ok().flatten());
    found.is_some_and(|found| found.file.fields.iter().all(|of| of.name != field))
}

/// Methods whose descriptor changed: if each version has one method of a class and name that the other one
/// lacks, they are the same method. By side and key: the key to use.
fn renamed(keys: &[Vec<String>; 2]) -> HashMap<(usize, String), String> {
    let all: [BTreeSet<&String>; 2] = [keys[0].iter().collect(), keys[1].iter().collect()];
    let only = |side: usize| {
        let mut by_name: HashMap<&str, Vec<&String>> = HashMap::new();
        for key in all[side].difference(&all[1 - side]) {
            let name = key.split('(').next().unwrap_or_default();
            by_name.entry(name).or_default().push(key);
        }
        by_name
    };
    let (here, there) = (only(0), only(1));
    let mut same = HashMap::new();
    for (name, mine) in here {
        if let ([one], Some([other])) = (mine.as_slice(), there.get(name).map(Vec::as_slice))
            && !name.contains("lambda$")
        {
            same.insert((1, (*other).clone()), (*one).clone());
            same.insert((0, (*one).clone()), (*one).clone());
        }
    }
    same
}

/// Whether a method initialises a class.
pub fn is_initialiser(method: &Method) -> bool {
    method.name == "<clinit>"
}
