//! Describes the objects of candidates while their threads are suspended: their identity and their contents
//! at that time.

use super::content::{DescribedObjects, contents, describe};
use super::error::RunError;
use super::queries::Queries;
use super::watched::Watched;
use jdwp::Location;
use model::{DESCRIBED_HITS, DESCRIBED_OBJECTS, Occurrence, Value};
use query::Event;
use std::collections::HashMap;

/// Counts the described candidates of each query.
#[derive(Default)]
pub struct Descriptions {
    counts: HashMap<u16, u64>,
}

impl Descriptions {
    /// Reads the identity and contents of the objects in these candidates.
    pub async fn add_to(
        &mut self,
        found: &mut [Occurrence],
        watched: &mut Watched,
        queries: &Queries,
    ) -> Result<(), RunError> {
        for found in found {
            let number = found.query;
            let Some(query) = queries.get(number) else { continue };
            let keep = query.keep.len();
            let values: Vec<&Value> = found.values().collect();
            let (vm, tables) = (&mut watched.vm, &mut watched.tables);
            let in_constructor = tables.frame(found.frame).is_some_and(|f| &*f.site.method.name == "<init>");
            let which = if in_constructor { DescribedObjects::Constants } else { DescribedObjects::All };
            describe(vm, tables, &values, which).await?;
            // The owner of a written field, or an object under construction, may be incomplete.
            describe(vm, tables, &[&found.owner], DescribedObjects::Constants).await?;
            let count = self.counts.entry(number).or_insert(0);
            *count += 1;
            if *count > DESCRIBED_HITS {
                continue;
            }
            let has_changed = matches!(query.event, Event::Changed(_));
            let shown: Vec<&Value> = found.shown(keep, has_changed).collect();
            let contents = contents(vm, tables, &shown, DESCRIBED_OBJECTS).await?;
            if !contents.is_empty() {
                found.detail.get_or_insert_default().contents = contents;
            }
        }
        Ok(())
    }
}

/// Reads the identity of these values for a thread stopped at a location.
pub async fn describe_values(watched: &mut Watched, at: Location, values: &[&Value]) -> Result<(), RunError> {
    let vm = &mut watched.vm;
    let in_constructor = &*vm.method(at.class, at.method).await?.name.name == "<init>";
    let which = if in_constructor { DescribedObjects::Constants } else { DescribedObjects::All };
    describe(vm, &mut watched.tables, values, which).await
}
