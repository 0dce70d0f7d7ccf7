//! Digests of a call, by which two runs are compared without keeping their events.

use session::background::in_background;
use session::{Context, SessionError};
use std::collections::HashMap;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use trace::{Calls, Level, Objects, Site, TraceError, Value, WalkControl};

/// Number of events that share a digest. A call may have too many events to keep one digest for each.
const BLOCK: usize = 1 << 12;

/// The events of a call at level `calls`, and the entries of its callers. Object numbers differ between runs,
/// so objects are numbered in the order of their first occurrence.
#[derive(Default)]
pub(super) struct CallDigest {
    /// A digest of each block of events.
    pub blocks: Vec<u64>,
    /// For one block: the digest of each event, and its call.
    pub events: Vec<(u64, u32)>,
    /// The objects in the order of their first occurrence.
    pub objects: Vec<u32>,
    count: usize,
}

/// A call of a run: its callers, the outermost first, and the call itself.
pub(super) struct CallPath<'a>(pub &'a Calls, pub &'a [u32]);

/// The digests of a call in two runs, on a thread each. The events of one block are kept if it is given.
///
/// # Errors
/// The events cannot be read, or the user interrupts.
pub(super) async fn digests(
    one: CallPath<'_>,
    other: CallPath<'_>,
    block: Option<usize>,
    context: &Context,
) -> Result<[CallDigest; 2], SessionError> {
    let own = |CallPath(calls, path): CallPath<'_>| (calls.again(), path.to_vec());
    let ((mut one, path), (mut other, of_other)) = (own(one), own(other));
    in_background(context, move |stop| {
        std::thread::scope(|scope| {
            let reads = || CallDigest::of(&mut other, &of_other, block, &stop);
            let other = std::thread::Builder::new().spawn_scoped(scope, reads);
            let one = CallDigest::of(&mut one, &path, block, &stop);
            let other = other.map_err(|_| TraceError::Interrupted)?.join();
            Ok([one?, other.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?])
        })
    })
    .await
}

impl CallDigest {
    fn of(
        calls: &mut Calls,
        path: &[u32],
        block: Option<usize>,
        stop: &AtomicBool,
    ) -> Result<CallDigest, TraceError> {
        let mut digest = CallDigest::default();
        let (mut met, mut of_sites) = (MetObjects::default(), SiteDigests::default());
        for (at, node) in path.iter().enumerate() {
            let Some(thread) = calls.thread_number(*node) else { continue };
            let is_around = at + 1 < path.len();
            calls.walk(thread, Some(*node), |calls, seen| {
                if seen.site.what.level() == Level::Calls {
                    let mut says = of_sites.of(seen.site, calls);
                    for value in seen.values {
                        says = mixed(says, met.digest(*value, &calls.objects));
                    }
                    digest.event(says, seen.node.unwrap_or(*node), block);
                }
                if is_around || stop.load(Ordering::Relaxed) { WalkControl::Stop } else { WalkControl::Next }
            })?;
        }
        digest.objects = met.objects;
        Ok(digest)
    }

    fn event(&mut self, says: u64, node: u32, block: Option<usize>) {
        if block == Some(self.count / BLOCK) {
            self.events.push((says, node));
        }
        if self.count.is_multiple_of(BLOCK) {
            self.blocks.push(0);
        }
        if let Some(digest) = self.blocks.last_mut() {
            *digest = mixed(*digest, says);
        }
        self.count += 1;
    }
}

/// The objects of a call so far.
#[derive(Default)]
struct MetObjects {
    /// In the order of their first occurrence.
    objects: Vec<u32>,
    /// Their places in that order.
    places: HashMap<u32, u32, foldhash::fast::FixedState>,
    /// The digests of classes, by the address of the name, which stays while the recording is open.
    classes: HashMap<usize, u64, foldhash::fast::FixedState>,
}

impl MetObjects {
    fn digest(&mut self, value: Value, objects: &Objects) -> u64 {
        let (kind, bits) = match value {
            Value::Object(0) => (0, 0),
            Value::Object(object) => {
                let next = u32::try_from(self.objects.len()).unwrap_or(u32::MAX);
                let at = *self.places.entry(object).or_insert(next);
                if at == next {
                    self.objects.push(object);
                    return mixed(u64::from(at), self.kind(objects, object));
                }
                (1, u64::from(at))
            }
            Value::Boolean(v) => (2, u64::from(v)),
            Value::Char(v) => (3, u64::from(v)),
            Value::Int(v) => (4, u64::from(v.cast_unsigned())),
            Value::Long(v) => (5, v.cast_unsigned()),
            Value::Float(v) => (6, u64::from(v.to_bits())),
            Value::Double(v) => (7, v.to_bits()),
        };
        mixed(kind, bits)
    }

    /// The digest of what does not change with the run of an object: its text, or its class.
    fn kind(&mut self, objects: &Objects, object: u32) -> u64 {
        match objects.named_by_class(object) {
            Some(class) => {
                *self.classes.entry(class.as_ptr().addr()).or_insert_with(|| kind_of(objects, object))
            }
            None => kind_of(objects, object),
        }
    }
}

/// The digest of an object's name without its number.
fn kind_of(objects: &Objects, object: u32) -> u64 {
    let shown = objects.name(object);
    let is_text = objects.text_of(object).is_some();
    let kind = if is_text { None } else { shown.rsplit_once('@') };
    let mut hasher = DefaultHasher::new();
    unnamed(kind.map_or(shown.as_str(), |(kind, _)| kind)).hash(&mut hasher);
    hasher.finish()
}

/// Adds a number to a digest.
fn mixed(digest: u64, number: u64) -> u64 {
    foldhash::quality::FixedState::default().hash_one((digest, number))
}

/// The digests of sites, by number. They name the code, because the numbers change with the run.
#[derive(Default)]
struct SiteDigests(Vec<Option<u64>>);

impl SiteDigests {
    fn of(&mut self, site: &Site, calls: &Calls) -> u64 {
        let place = usize::try_from(site.id).unwrap_or(0);
        if let Some(Some(known)) = self.0.get(place) {
            return *known;
        }
        let mut hasher = DefaultHasher::new();
        (site.what, site.bci).hash(&mut hasher);
        if let Some(method) = calls.sites.method(site.method) {
            (unnamed(&method.class), &method.name, &method.descriptor).hash(&mut hasher);
        }
        let says = hasher.finish();
        // Events without a site share the number 0.
        if place > 0 {
            if self.0.len() <= place {
                self.0.resize(place + 1, None);
            }
            self.0.get_mut(place).into_iter().for_each(|of| *of = Some(says));
        }
        says
    }
}

/// A class name without the suffix of a hidden class, which differs in each run.
fn unnamed(class: &str) -> &str {
    class.split_once("/0x").map_or(class, |(name, _)| name)
}
