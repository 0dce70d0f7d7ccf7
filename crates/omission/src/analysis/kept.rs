//! Results of the points-to analysis that are kept between runs of `qp`. A result counts for the same entry
//! methods, the same choice of classes and the same class files.

use super::recorded_code::RecordedCode;
use bytecode::ClassFile;
use classes::ClassPool;
use pointsto::{Entry, Limits, PointsTo, Program, StoredPointsTo};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// Where results are kept.
pub trait AnalysisStore {
    /// What was kept by this key.
    fn load(&self, key: &[u8]) -> Option<Vec<u8>>;

    /// Keeps a result. If that fails, the next analysis takes its time again.
    fn keep(&self, key: &[u8], result: &[u8]);

    /// The shortest analysis whose result is worth keeping.
    fn least(&self) -> Duration;
}

/// A class that an analysis asked for.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct UsedClass {
    name: String,
    /// The SHA-256 digest of its class file; `None` if there is none.
    digest: Option<[u8; 32]>,
    is_analysed: bool,
}

/// A kept result.
#[derive(Serialize, Deserialize)]
struct Kept {
    used: Vec<UsedClass>,
    result: StoredPointsTo,
}

/// The program, noting which classes the analysis asks for.
struct Noting<'p> {
    program: &'p RecordedCode<'p>,
    asked: RefCell<BTreeSet<String>>,
}

impl Program for Noting<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFile>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(name) {
            asked.insert(name.to_owned());
        }
        self.program.class(name)
    }

    fn is_analysed(&self, class: &str) -> bool {
        self.program.is_analysed(class)
    }

    fn subtypes(&self, class: &str) -> Vec<String> {
        self.program.subtypes(class)
    }
}

/// Analyses what the entry methods of recorded code reach, or takes the result that was kept.
pub fn analyse(
    pool: &ClassPool,
    is_recorded: &dyn Fn(&str) -> bool,
    entries: &[Entry],
    limits: Limits,
    store: &dyn AnalysisStore,
) -> PointsTo {
    let program = RecordedCode::new(pool, is_recorded);
    let key = key(&program, entries, limits);
    if let Some(found) = key.as_ref().and_then(|key| load(pool, &program, &store.load(key)?)) {
        return found;
    }
    let noting = Noting { program: &program, asked: RefCell::default() };
    let found = PointsTo::solve(&noting, entries, limits);
    let statistics = found.statistics();
    let is_worth = statistics.constraining + statistics.propagating >= store.least();
    if let Some(key) = key.filter(|_| is_worth && found.is_complete()) {
        let mut names = noting.asked.into_inner();
        names.extend(program.in_lineages().cloned());
        let used = names.into_iter().map(|name| used(pool, &program, name)).collect();
        if let Ok(bytes) = postcard::to_stdvec(&Kept { used, result: found.to_stored() }) {
            store.keep(&key, &bytes);
        }
    }
    found
}

/// The entry methods, the recorded classes and the precision.
fn key(program: &RecordedCode<'_>, entries: &[Entry], limits: Limits) -> Option<Vec<u8>> {
    let entries: Vec<_> = entries.iter().map(|e| (&e.class, &e.name, &e.descriptor)).collect();
    postcard::to_stdvec(&(entries, program.recorded(), limits.tells_containers_apart)).ok()
}

fn used(pool: &ClassPool, program: &RecordedCode<'_>, name: String) -> UsedClass {
    let found = pool.read(&name).ok().flatten();
    let digest = found.map(|found| Sha256::digest(found.bytes).into());
    UsedClass { digest, is_analysed: program.is_analysed(&name), name }
}

fn load(pool: &ClassPool, program: &RecordedCode<'_>, bytes: &[u8]) -> Option<PointsTo> {
    let Kept { used: kept, result } = postcard::from_bytes(bytes).ok()?;
    let is_same = kept.iter().all(|class| used(pool, program, class.name.clone()) == *class);
    if is_same { PointsTo::from_stored(result, program) } else { None }
}
