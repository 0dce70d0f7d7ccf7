//! Whether everything that a call does is in values. Then two versions that return nothing and change nothing
//! have done the same. Decided from the code of the methods: a call of a method that was not recorded may
//! print, write a file or wait.

use crate::classes::ClassPool;
use crate::model::MethodName;
use bytecode::Op;
use std::collections::{HashMap, HashSet};

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
            let computes = jdk::facts(&class, &method.name, &method.descriptor).pure.unwrap_or(false);
            !computes && !is_seen(&class)
        }
        _ => false,
    };
    Some(!code.instructions.iter().any(|instruction| has_effect(&instruction.op)))
}
