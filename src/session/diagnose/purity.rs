//! Whether everything that a call does is in values. Then two versions that return nothing and change nothing have done
//! the same. Decided from the code of the methods: a call of a method that was not recorded may print, write a file or
//! wait.

use crate::classes::ClassPool;
use crate::declarative::Forest;
use crate::trace::Calls;
use bytecode::Op;
use std::collections::{HashMap, HashSet};

/// So many calls below one are looked at.
const MOST: u32 = 10_000;
/// Packages of the JDK, without those inside them, that do nothing but compute.
const PACKAGES: [&str; 6] = [
    "java.util.",
    "java.util.function.",
    "java.util.stream.",
    "java.util.regex.",
    "java.util.concurrent.atomic.",
    "java.math.",
];
/// Classes of the JDK of which methods compute something of values that do not change.
pub(super) const VALUES: [&str; 13] = [
    "java.lang.Object",
    "java.lang.Math",
    "java.lang.String",
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Short",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Float",
    "java.lang.Double",
    "java.lang.Enum",
    "java.lang.Record",
];

/// Classes of these packages that read, write or wait.
const LOUD: [&str; 3] = ["java.util.Scanner", "java.util.Formatter", "java.util.Timer"];

/// Which methods are silent in themselves, by their numbers.
#[derive(Default)]
pub struct Silence(HashMap<u32, bool>);

impl Silence {
    /// Whether a call and all below it are silent.
    pub fn of(&mut self, node: u32, forest: &Forest, calls: &Calls, pool: Option<&ClassPool>) -> bool {
        let tree = forest.tree(node);
        if tree.end.saturating_sub(tree.start) > MOST {
            return false;
        }
        let methods: HashSet<u32> = tree.map(|node| forest.method(node)).collect();
        methods.into_iter().all(|method| {
            *self.0.entry(method).or_insert_with(|| is_silent(method, calls, pool).unwrap_or(false))
        })
    }
}

fn is_silent(number: u32, calls: &Calls, pool: Option<&ClassPool>) -> Option<bool> {
    let method = calls.sites.method(number)?;
    let found = pool?.find(&method.class).ok()??;
    let code = found.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
    let is_recorded = |class: &str| calls.sites.methods().iter().any(|other| *other.class == *class);
    let is_loud = |op: &Op| match op {
        Op::Invoke { method, .. } => {
            let class = bytecode::descriptor::class_name(&method.class);
            let class = class.as_str();
            let is_in = |of: &&str| class.strip_prefix(*of).is_some_and(|name| !name.contains('.'));
            let computes = VALUES.contains(&class)
                || class == "java.lang.StringBuilder"
                || PACKAGES.iter().any(is_in) && !LOUD.contains(&class);
            !computes && !class.ends_with("[]") && !is_recorded(class)
        }
        _ => false,
    };
    Some(!code.instructions.iter().any(|instruction| is_loud(&instruction.op)))
}
