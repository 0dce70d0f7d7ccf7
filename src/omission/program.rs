//! What class files say about the use of objects: which calls lead where, and which instructions may use an
//! object.

use super::bodies::Bodies;
use crate::classes::ClassPool;
use crate::model::MethodName;
use crate::program::call_index::{Index, MethodAt, PlaceAt};
use crate::program::lineage;
use bytecode::Op;
use std::collections::BTreeSet;

/// The analysed program.
pub struct AnalysedProgram<'a> {
    pub(super) index: Index<'a>,
    pub(super) bodies: Bodies<'a>,
    pool: &'a ClassPool,
}

impl<'a> AnalysedProgram<'a> {
    /// Analyses the classes outside the JDK.
    pub fn new(pool: &'a ClassPool) -> AnalysedProgram<'a> {
        AnalysedProgram { index: Index::new(pool), bodies: Bodies::new(pool), pool }
    }

    /// The class files.
    pub fn pool(&self) -> &'a ClassPool {
        self.pool
    }

    /// The names of a class and its supertypes.
    pub(super) fn above(&self, class: &str) -> BTreeSet<String> {
        let mut names = BTreeSet::from(["java.lang.Object".to_owned(), class.to_owned()]);
        if let Ok(Some(found)) = self.pool.find(class) {
            names.extend(lineage(self.pool, &found.file).iter().map(|file| file.name.clone()));
        }
        names
    }

    /// The methods that a call can run.
    pub(super) fn callees(&self, place: PlaceAt) -> Vec<MethodAt> {
        match self.index.op(place) {
            Some(Op::Invoke { kind, method }) => self.index.targets(*kind, method),
            _ => Vec::new(),
        }
    }

    /// The name of a method.
    pub(super) fn name(&self, at: MethodAt) -> Option<MethodName> {
        self.index.name(at)
    }
}
