//! Numbers the written fields.

use super::NONE;
use crate::sites::Sites;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;
use wire::recording::WrittenVariable;

/// The written fields, by number.
#[derive(Default)]
pub struct Fields {
    /// Declaring class and name.
    pub names: Vec<(String, String)>,
    numbers: HashMap<(String, String), u32>,
    /// Cache by the address of a site's written field, which stays while the sites do.
    known: HashMap<usize, u32, FixedState>,
}

impl Fields {
    /// The fields with these names, in the order of their numbers.
    pub fn of(names: &[(String, String)]) -> Fields {
        let numbers = names.iter().cloned().zip(0..).collect();
        Fields { names: names.to_vec(), numbers, known: HashMap::default() }
    }

    /// The number of a field; an unknown one gets the next number.
    pub fn number(&mut self, written: &Arc<WrittenVariable>, sites: &Sites) -> u32 {
        let Fields { names, numbers, known } = self;
        *known.entry(Arc::as_ptr(written).addr()).or_insert_with(|| {
            let name = (sites.declares(written), written.name.clone());
            *numbers.entry(name).or_insert_with_key(|name| {
                names.push(name.clone());
                u32::try_from(names.len() - 1).unwrap_or(NONE)
            })
        })
    }
}
