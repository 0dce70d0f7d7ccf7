//! Describes the objects of candidates while their threads are suspended: their identity and their contents
//! at that time.

use super::content::{DescribedObjects, contents, describe};
use super::error::RunError;
use super::queries::Queries;
use super::watched::Watched;
use jdwp::Location;
use model::{Occurrence, Value};
use query::Event;
use std::collections::HashMap;

/// Number of hits of one point whose objects' contents are read. With JDWP events a point can have millions
/// of hits.
const DESCRIBED: u64 = 500;
/// Maximum number of objects per candidate whose contents are read.
const OBJECTS: usize = 24;

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
            let values: Vec<&Value> = values(found).collect();
            let (vm, tables) = (&mut watched.vm, &mut watched.tables);
            let in_constructor = tables.frame(found.frame).is_some_and(|f| &*f.site.method.name == "<init>");
            let which = if in_constructor { DescribedObjects::Constants } else { DescribedObjects::All };
            describe(vm, tables, &values, which).await?;
            // The owner of a written field, or an object under construction, may be incomplete.
            describe(vm, tables, &[&found.owner], DescribedObjects::Constants).await?;
            let count = self.counts.entry(number).or_insert(0);
            *count += 1;
            if *count > DESCRIBED {
                continue;
            }
            let shown: Vec<&Value> = shown(found, &query.event, keep).collect();
            let contents = contents(vm, tables, &shown, OBJECTS).await?;
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

/// All values of a candidate except its owner.
fn values(found: &Occurrence) -> impl Iterator<Item = &Value> {
    let detail = found.detail.iter().flat_map(|d| [&d.thrown, &d.result]).flatten();
    [&found.old, &found.new].into_iter().chain(detail).chain(found.kept.iter()).chain(stack_values(found))
}

/// The values whose contents are shown. The owner's contents are omitted: an object under construction, or
/// one whose field is being written, holds only part of them.
fn shown<'o>(found: &'o Occurrence, event: &Event, keep: usize) -> impl Iterator<Item = &'o Value> {
    let detail = found.detail.iter().flat_map(|d| [&d.thrown, &d.result]).flatten();
    let owner = Some(&found.owner).filter(|_| matches!(event, Event::Changed(_)));
    let collected = found.kept.get(keep..).unwrap_or_default();
    let values = [&found.new, &found.old].into_iter().chain(detail).chain(owner);
    values.chain(collected).chain(stack_values(found))
}

fn stack_values(found: &Occurrence) -> impl Iterator<Item = &Value> {
    found.detail.iter().flat_map(|detail| &detail.stack_values).map(|kept| &kept.value)
}
