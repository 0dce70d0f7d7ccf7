//! Completions at a prompt: ids of points, classes with their members, names in scope.

use super::Explorer;
use classes::ClassPool;
use std::collections::BTreeMap;

/// Maximum number of classes whose members are read. If there are more, only those named in the chain are
/// read.
const CLASSES: usize = 400;

/// The completions at a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Ids of points.
    pub points: Vec<String>,
    /// Binary names of the program's own classes.
    pub classes: Vec<String>,
    /// Methods and fields by class.
    pub members: BTreeMap<String, Members>,
    /// Names in scope where the program is halted.
    pub locals: Vec<String>,
}

/// The members of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Members {
    /// Names of its methods.
    pub methods: Vec<String>,
    /// Names of its fields.
    pub fields: Vec<String>,
}

impl Explorer {
    /// The current completions. Unknown ones are omitted.
    pub async fn words(&mut self) -> Words {
        let points = self.chain.points.iter().map(|p| p.id.clone()).collect();
        let locals = match self.halted_program() {
            Ok(halted_program) => halted_program.halted.scope(halted_program.frame).await.ok().flatten(),
            Err(_) => None,
        };
        let locals = locals.map(|(names, _)| names).unwrap_or_default();
        let mut words = Words { points, locals, ..Words::default() };
        let known = self.opened.as_ref().and_then(|opened| {
            // The classes of a wrapper's VM are known only after a run.
            opened.workspace.knows_classes().ok().filter(|knows| *knows)?;
            self.findings.pools.of(&opened.workspace, &run::VmFacts::default()).ok()
        });
        if let Some(pool) = known {
            words.classes = pool.user_classes().map(str::to_owned).collect();
            let named = |class: &&String| self.chain.points.iter().any(|p| p.at.to_string().contains(*class));
            let few = words.classes.len() <= CLASSES;
            let read: Vec<&String> = words.classes.iter().filter(|c| few || named(c)).take(CLASSES).collect();
            words.members = read.into_iter().filter_map(|c| Some((c.clone(), members(&pool, c)?))).collect();
        }
        words
    }
}

fn members(pool: &ClassPool, class: &str) -> Option<Members> {
    let found = pool.find(class).ok().flatten()?;
    let mut methods: Vec<String> = found.file.methods.iter().map(|m| m.name.to_string()).collect();
    methods.sort();
    methods.dedup();
    let fields = found.file.fields.iter().map(|f| f.name.to_string()).collect();
    Some(Members { methods, fields })
}
