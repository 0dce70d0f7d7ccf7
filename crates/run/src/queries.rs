//! The TraceQueries that a run watches, by number.

use query::TraceQuery;
use std::collections::HashMap;
use std::sync::Arc;

/// TraceQueries by number.
pub struct Queries {
    by_number: HashMap<u16, Arc<TraceQuery>>,
}

impl Queries {
    /// Indexes these TraceQueries.
    pub fn new(queries: &[TraceQuery]) -> Queries {
        Queries { by_number: queries.iter().map(|q| (q.point.0, Arc::new(q.clone()))).collect() }
    }

    /// The query with a number.
    pub fn get(&self, number: u16) -> Option<Arc<TraceQuery>> {
        self.by_number.get(&number).cloned()
    }

    /// All numbers, ascending.
    pub fn numbers(&self) -> Vec<u16> {
        let mut numbers: Vec<u16> = self.by_number.keys().copied().collect();
        numbers.sort_unstable();
        numbers
    }
}
