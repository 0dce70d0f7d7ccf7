//! The program as the points-to analysis reads it.

use bytecode::ClassFile;
use classes::ClassPool;
use pointsto::Program;
use program::lineage;
use std::collections::HashMap;
use std::sync::Arc;

/// Recorded code is analysed, the rest is known by summaries.
pub(super) struct RecordedCode<'a> {
    pool: &'a ClassPool,
    is_recorded: &'a dyn Fn(&str) -> bool,
    recorded: Vec<String>,
    /// By class: the analysed classes below it.
    below: HashMap<String, Vec<String>>,
}

impl<'a> RecordedCode<'a> {
    pub fn new(pool: &'a ClassPool, is_recorded: &'a dyn Fn(&str) -> bool) -> RecordedCode<'a> {
        let recorded: Vec<String> =
            pool.user_classes().filter(|class| is_recorded(class)).map(str::to_owned).collect();
        let mut below: HashMap<String, Vec<String>> = HashMap::new();
        for class in &recorded {
            if let Ok(Some(found)) = pool.find(class) {
                for above in lineage(pool, &found.file) {
                    below.entry(above.name.clone()).or_default().push(class.clone());
                }
            }
        }
        RecordedCode { pool, is_recorded, recorded, below }
    }

    /// The recorded classes, sorted.
    pub fn recorded(&self) -> &[String] {
        &self.recorded
    }

    /// The classes whose files say which recorded class is below which.
    pub fn in_lineages(&self) -> impl Iterator<Item = &String> {
        self.recorded.iter().chain(self.below.keys())
    }
}

impl Program for RecordedCode<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        self.pool.find(name).ok().flatten().map(|found| found.file.clone())
    }

    fn is_analysed(&self, class: &str) -> bool {
        let found = self.pool.find(class).ok().flatten();
        found.is_some_and(|found| !found.origin.is_runtime()) && (self.is_recorded)(class)
    }

    fn subtypes(&self, class: &str) -> Vec<String> {
        self.below.get(class).cloned().unwrap_or_default()
    }
}
