//! What class files say about the use of objects: which calls lead where, and which instructions may use
//! an object.

use super::bodies::Bodies;
use super::kept::AnalysisStore;
use super::points_to::ProgramPointsTo;
use bytecode::{ClassFile, MethodRef, Op};
use classes::ClassPool;
use model::MethodName;
use program::call_index::{Index, MethodAt, PlaceAt};
use program::lineage;
use std::collections::BTreeSet;
use std::sync::Arc;
use trace::Calls;

/// The analysed program.
pub struct AnalysedProgram<'a> {
    pub(super) index: Index<'a>,
    pub(super) bodies: Bodies<'a>,
    /// Which objects are where; `None` if the analysis would take too long.
    pub(super) points_to: Option<ProgramPointsTo>,
    pool: &'a ClassPool,
}

impl<'a> AnalysedProgram<'a> {
    /// Analyses the recorded classes, from the methods with which a recorded run began. `is_recorded`
    /// tells of a class, by its name with dots, whether it was to be recorded. `store` keeps the analysis.
    pub fn new(
        pool: &'a ClassPool,
        calls: &Calls,
        is_recorded: &dyn Fn(&str) -> bool,
        store: &dyn AnalysisStore,
    ) -> AnalysedProgram<'a> {
        // No jump of other code was recorded.
        let index = Index::of(pool, is_recorded);
        let points_to = ProgramPointsTo::of(calls, &index, pool, is_recorded, store);
        AnalysedProgram { index, bodies: Bodies::new(pool), points_to, pool }
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

    /// The class of the JDK or of a library that declares the method that an object of a class runs;
    /// `None` if the program declares it.
    pub(super) fn declares(&self, class: &str, method: &MethodRef) -> Option<String> {
        let Ok(Some(found)) = self.pool.find(class) else { return Some(method.class.clone()) };
        let line = lineage(self.pool, &found.file);
        let has_code = |file: &&Arc<ClassFile>| {
            file.method(&method.name, &method.descriptor).is_some_and(|declared| !declared.is_abstract())
        };
        let Some(file) = line.iter().find(has_code) else { return Some(method.class.clone()) };
        let name = MethodName::new(file.name.as_str(), method.name.as_str(), method.descriptor.as_str());
        self.index.find(&name).is_none().then(|| file.name.clone())
    }

    /// The methods that a call can run.
    pub(super) fn callees(&self, place: PlaceAt) -> Vec<MethodAt> {
        if let Some(points_to) = &self.points_to {
            return points_to.callees(place, &self.index);
        }
        match self.index.op(place) {
            Some(Op::Invoke { kind, method }) => self.index.targets(*kind, method),
            _ => Vec::new(),
        }
    }

    /// The calls that can run a method.
    pub(super) fn callers(&self, method: MethodAt) -> Vec<PlaceAt> {
        match &self.points_to {
            Some(points_to) => points_to.callers(method, &self.index),
            None => self.index.callers(method).into_iter().map(|caller| caller.place).collect(),
        }
    }

    /// The name of a method.
    pub(super) fn name(&self, at: MethodAt) -> Option<MethodName> {
        self.index.name(at)
    }
}
