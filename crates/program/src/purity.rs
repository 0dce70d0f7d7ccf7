//! Finds the methods whose effects all show in recorded values. If such methods return and change the same
//! in two versions of a program, they behave alike. The decision comes from their code: an unrecorded method
//! that they call may print, write a file or wait.

use bytecode::Op;
use classes::ClassPool;
use model::MethodName;
use std::collections::{HashMap, HashSet};

/// Whether methods are pure, apart from the recorded methods they call. By method number.
#[derive(Default)]
pub struct Purity(HashMap<u32, bool>);

impl Purity {
    /// Whether all these methods are pure. `name_of` names a method by its number. `is_seen` tells whether a
    /// class is recorded: its methods are then judged by themselves.
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
