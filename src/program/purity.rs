//! Whether everything that a call does is in values. Then two versions that return nothing and change nothing
//! have done the same. Decided from the code of the methods: a call of a method that was not recorded may
//! print, write a file or wait.

use crate::classes::ClassPool;
use crate::model::MethodName;
use bytecode::Op;
use std::collections::{HashMap, HashSet};

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
pub(crate) const VALUES: [&str; 13] = [
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
const EFFECTS: [&str; 3] = ["java.util.Scanner", "java.util.Formatter", "java.util.Timer"];

/// Which methods are pure in themselves, by their numbers.
#[derive(Default)]
pub struct Purity(HashMap<u32, bool>);

impl Purity {
    /// Whether all these methods are pure. `name_of` names a method by its number, and `is_seen` tells of a
    /// class whether what its methods do is known from elsewhere.
    pub fn of(
        &mut self,
        methods: HashSet<u32>,
        name_of: &dyn Fn(u32) -> Option<MethodName>,
        is_seen: &dyn Fn(&str) -> bool,
        pool: Option<&ClassPool>,
    ) -> bool {
        methods.into_iter().all(|method| {
            self.0
                .entry(method)
                .or_insert_with(|| {
                    name_of(method).and_then(|name| is_pure(&name, is_seen, pool)).unwrap_or(false)
                })
                .to_owned()
        })
    }
}

fn is_pure(method: &MethodName, is_seen: &dyn Fn(&str) -> bool, pool: Option<&ClassPool>) -> Option<bool> {
    let found = pool?.find(&method.class).ok()??;
    let code = found.file.method(&method.name, &method.descriptor)?.code.as_ref()?;
    let has_effect = |op: &Op| match op {
        Op::Invoke { method, .. } => {
            let class = bytecode::descriptor::class_name(&method.class);
            let class = class.as_str();
            let is_in = |of: &&str| class.strip_prefix(*of).is_some_and(|name| !name.contains('.'));
            let computes = VALUES.contains(&class)
                || class == "java.lang.StringBuilder"
                || PACKAGES.iter().any(is_in) && !EFFECTS.contains(&class);
            !computes && !class.ends_with("[]") && !is_seen(class)
        }
        _ => false,
    };
    Some(!code.instructions.iter().any(|instruction| has_effect(&instruction.op)))
}
