//! The current contents of objects: the first elements, pairs or fields of each.

use super::super::error::RunError;
use super::super::vm::Vm;
use super::collections::{CONCURRENT_NODE, HASH_NODE, Links, Recipe, TREE_NODE, helpers};
use super::descriptions::{DescribedObjects, describe};
use super::layout::Layout;
use super::objects::{layout, layout_named, objects};
use super::replies::{granted, join_all};
use jdk::layouts::*;
use jdwp::commands::{array_reference, object_reference, reference_type};
use jdwp::{ArrayId, Connection, FieldId};
use model::{ContentsByObject, MOST_ITEMS, ObjectContents, ObjectId, Tables, Value, instant_text};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

/// Number of nested wrappers that are unwrapped.
const WRAPPED: usize = 4;
/// Slots of a hash table read in one request, and the largest number of requests.
const SLOTS: i32 = 1024;
const SLICES: i32 = 16;
/// Longest text read from a string builder, in characters.
const CHARACTERS: i32 = 256;
/// Depth limit of a tree: a red-black tree of 2^32 entries is not deeper.
const TREE: usize = 64;

/// An object whose contents are read.
struct Subject {
    /// The object asked about.
    of: jdwp::ObjectId,
    /// The object with the contents: `of` itself or the object that it wraps.
    at: jdwp::ObjectId,
    layout: Rc<Layout>,
    /// Whether the contents are only the keys of a map.
    keys: bool,
}

/// Contents as received from the VM.
enum RawContents {
    Elements(Vec<jdwp::Value>, usize),
    Pairs(Vec<(jdwp::Value, jdwp::Value)>, usize),
    Fields(Vec<(Arc<str>, jdwp::Value)>, usize),
    Text(String),
    One(jdwp::Value),
}

type Reading = Result<Option<RawContents>, RunError>;

/// The contents of at most `most` objects among these values.
///
/// # Errors
/// The connection has ended.
pub async fn contents(
    vm: &mut Vm,
    tables: &mut Tables,
    values: &[&Value],
    most: usize,
) -> Result<ContentsByObject, RunError> {
    let unknown =
        values.iter().copied().filter(|v| v.object_id().is_some_and(|id| tables.description(id).is_none()));
    let mut subjects: Vec<Subject> = objects(vm, unknown, most)
        .await?
        .into_iter()
        .filter(|(_, layout)| layout.recipe.is_some())
        .map(|(object, layout)| Subject { of: object, at: object, layout, keys: false })
        .collect();
    for _ in 0..WRAPPED {
        if !unwrapped(vm, &mut subjects).await? {
            break;
        }
    }
    let mut nodes: HashMap<&'static str, Rc<Layout>> = HashMap::new();
    let mut empty = None;
    for recipe in subjects.iter().filter_map(|s| s.layout.recipe).collect::<Vec<_>>() {
        for name in helpers(recipe) {
            if !nodes.contains_key(name)
                && let Some(layout) = layout_named(vm, name).await?
            {
                nodes.insert(name, layout);
            }
        }
        if matches!(recipe, Recipe::Few(_)) && empty.is_none() {
            empty = empty_marker(vm).await?;
        }
    }
    let reader = Reader { conn: vm.conn().clone(), nodes, empty };
    let readings =
        subjects.iter().map(|s| Box::pin(reader.read(s)) as Pin<Box<dyn Future<Output = Reading> + '_>>);
    let mut found = Vec::new();
    for (subject, raw) in subjects.iter().zip(join_all(readings.collect()).await) {
        if let Some(raw) = raw? {
            let raw = if subject.keys { raw.keys() } else { raw };
            found.push((ObjectId(subject.of.raw()), raw));
        }
    }
    let flat: Vec<jdwp::Value> = found.iter().flat_map(|(_, raw)| raw.values()).collect();
    let mut values = vm.values(tables, &flat).await?.into_iter();
    let contents: ContentsByObject = found.into_iter().map(|(of, raw)| (of, raw.with(&mut values))).collect();
    let inside: Vec<&Value> = contents.iter().flat_map(|(_, contents)| contents.values()).collect();
    describe(vm, tables, &inside, DescribedObjects::All).await?;
    Ok(contents)
}

/// Replaces wrappers by the collections that they wrap. Returns whether it found a wrapper.
async fn unwrapped(vm: &mut Vm, subjects: &mut Vec<Subject>) -> Result<bool, RunError> {
    let mut any = false;
    for subject in subjects.iter_mut() {
        let (field, keys) = match subject.layout.recipe {
            Some(Recipe::Keys(field)) => (field, true),
            Some(Recipe::Same(field)) => (field, false),
            _ => continue,
        };
        let Some(field) = subject.layout.field(field.field) else { continue };
        let ask = object_reference::GetValues { object: subject.at, fields: vec![field] };
        let inner = granted(vm.conn().send(ask).await)?.and_then(|values| object_of(values.first()?));
        let Some(inner) = inner else { continue };
        let ask = object_reference::ReferenceType { object: inner };
        let Some(class) = granted(vm.conn().send(ask).await)? else { continue };
        subject.layout = layout(vm, class.type_id).await?;
        (subject.at, subject.keys) = (inner, subject.keys || keys);
        any = true;
    }
    subjects.retain(|s| s.layout.recipe.is_some());
    Ok(any)
}

/// The object that marks an empty field in the JDK's small immutable collections.
async fn empty_marker(vm: &mut Vm) -> Result<Option<jdwp::ObjectId>, RunError> {
    let classes = vm.classes_named("java.util.ImmutableCollections").await?;
    let Some(class) = classes.first().copied() else { return Ok(None) };
    let loaded = vm.class(class).await?;
    let Some(field) = loaded.fields.iter().find(|f| f.is_static && f.name == "EMPTY") else {
        return Ok(None);
    };
    let ask = reference_type::GetValues { ref_type: class, fields: vec![field.id] };
    Ok(granted(vm.conn().send(ask).await)?.and_then(|values| object_of(values.first()?)))
}

fn object_of(value: &jdwp::Value) -> Option<jdwp::ObjectId> {
    match value {
        jdwp::Value::Object { id, .. } => *id,
        _ => None,
    }
}

fn int(value: Option<&jdwp::Value>) -> i32 {
    match value {
        Some(jdwp::Value::Int(value)) => *value,
        _ => 0,
    }
}

fn size(count: i32) -> usize {
    usize::try_from(count).unwrap_or(0)
}

fn most() -> i32 {
    i32::try_from(MOST_ITEMS).unwrap_or(i32::MAX)
}

impl RawContents {
    fn keys(self) -> RawContents {
        match self {
            RawContents::Pairs(pairs, size) => {
                RawContents::Elements(pairs.into_iter().map(|(key, _)| key).collect(), size)
            }
            other => other,
        }
    }

    fn values(&self) -> Vec<jdwp::Value> {
        match self {
            RawContents::Elements(values, _) => values.clone(),
            RawContents::Pairs(pairs, _) => pairs.iter().flat_map(|(key, value)| [*key, *value]).collect(),
            RawContents::Fields(fields, _) => fields.iter().map(|(_, value)| *value).collect(),
            RawContents::Text(_) => Vec::new(),
            RawContents::One(value) => vec![*value],
        }
    }

    /// Replaces the values by those given, in the order of [`RawContents::values`].
    fn with(self, values: &mut impl Iterator<Item = Value>) -> ObjectContents {
        let mut next = || values.next().unwrap_or(Value::Null);
        match self {
            RawContents::Elements(all, size) => {
                ObjectContents::Elements { first: all.iter().map(|_| next()).collect(), size }
            }
            RawContents::Pairs(all, size) => {
                ObjectContents::Pairs { first: all.iter().map(|_| (next(), next())).collect(), size }
            }
            RawContents::Fields(all, size) => ObjectContents::Fields {
                first: all.into_iter().map(|(name, _)| (name, next())).collect(),
                size,
            },
            RawContents::Text(text) => ObjectContents::Text(text.into()),
            RawContents::One(_) => ObjectContents::Value(next()),
        }
    }
}

/// Reads fields and arrays. It changes no state, so it can read objects concurrently.
struct Reader {
    conn: Connection,
    nodes: HashMap<&'static str, Rc<Layout>>,
    empty: Option<jdwp::ObjectId>,
}

impl Reader {
    async fn read(&self, subject: &Subject) -> Reading {
        let Subject { at, layout, .. } = subject;
        let Some(recipe) = layout.recipe else { return Ok(None) };
        match recipe {
            Recipe::Array => {
                Ok(self.array(*at, 0, most()).await?.map(|(v, length)| RawContents::Elements(v, length)))
            }
            Recipe::Fields => self.fields(*at, layout).await,
            Recipe::EmptyList => Ok(Some(RawContents::Elements(Vec::new(), 0))),
            Recipe::EmptyMap => Ok(Some(RawContents::Pairs(Vec::new(), 0))),
            Recipe::List { array, size } => {
                let Some(fields) = self.named(*at, layout, &[array, size]).await? else { return Ok(None) };
                let count = int(fields.get(1));
                let elements = self.part_of(fields.first(), 0, count.min(most())).await?;
                Ok(elements.map(|elements| RawContents::Elements(elements, super::contents::size(count))))
            }
            Recipe::Whole(array) => {
                let Some(fields) = self.named(*at, layout, &[array]).await? else { return Ok(None) };
                let Some(array) = fields.first().and_then(object_of) else { return Ok(None) };
                Ok(self.array(array, 0, most()).await?.map(|(v, length)| RawContents::Elements(v, length)))
            }
            Recipe::SubList => self.sub_list(*at, layout).await,
            Recipe::Ring => self.ring(*at, layout).await,
            Recipe::Few(names) => {
                let Some(fields) = self.named(*at, layout, names).await? else { return Ok(None) };
                let is_there = |(n, v): &(usize, &jdwp::Value)| {
                    *n == 0 || object_of(v).is_some_and(|id| Some(id) != self.empty)
                };
                let there: Vec<jdwp::Value> =
                    fields.iter().enumerate().filter(is_there).map(|(_, v)| *v).collect();
                let count = there.len();
                Ok(Some(RawContents::Elements(there, count)))
            }
            Recipe::Pair(names) => {
                let fields = self.named(*at, layout, &names).await?;
                Ok(fields.and_then(|f| Some(RawContents::Pairs(vec![(*f.first()?, *f.get(1)?)], 1))))
            }
            Recipe::Slots => self.slots(*at, layout, FIXED_SET, FIXED_SET_SIZE).await,
            Recipe::PairSlots => {
                Ok(self.slots(*at, layout, FIXED_MAP_TABLE, FIXED_MAP_SIZE).await?.map(|raw| match raw {
                    RawContents::Elements(all, count) => {
                        let pairs = all.as_chunks::<2>().0.iter().map(|[key, value]| (*key, *value));
                        RawContents::Pairs(pairs.collect(), count)
                    }
                    other => other,
                }))
            }
            Recipe::Hash => self.hash(*at, layout).await,
            Recipe::Linked(links) => self.linked(*at, layout, links).await,
            Recipe::Tree => self.tree(*at, layout).await,
            Recipe::EnumMap => self.enum_map(*at, layout).await,
            Recipe::EnumSet => self.enum_set(*at, layout).await,
            Recipe::Builder => self.builder(*at, layout).await,
            Recipe::Date => {
                let fields = self.named(*at, layout, &[DATE_TIME]).await?;
                Ok(fields.and_then(|fields| match fields.first() {
                    Some(jdwp::Value::Long(ms)) => {
                        let nanos = ms.rem_euclid(1000) * 1_000_000;
                        Some(RawContents::Text(instant_text(ms.div_euclid(1000), nanos)))
                    }
                    _ => None,
                }))
            }
            Recipe::One(field) => {
                let fields = self.named(*at, layout, &[field]).await?;
                Ok(fields.and_then(|fields| fields.first().copied()).map(RawContents::One))
            }
            // A wrapped collection that could not be reached.
            Recipe::Keys(_) | Recipe::Same(_) => Ok(None),
        }
    }

    async fn get(
        &self,
        object: jdwp::ObjectId,
        fields: Vec<FieldId>,
    ) -> Result<Option<Vec<jdwp::Value>>, RunError> {
        granted(self.conn.send(object_reference::GetValues { object, fields }).await)
    }

    async fn named(
        &self,
        object: jdwp::ObjectId,
        layout: &Layout,
        fields: &[ContentField],
    ) -> Result<Option<Vec<jdwp::Value>>, RunError> {
        match layout.parts(fields) {
            Some(fields) => self.get(object, fields).await,
            None => Ok(None),
        }
    }

    /// Elements of an array starting at an index, and the array's length.
    async fn array(
        &self,
        array: jdwp::ObjectId,
        from: i32,
        most: i32,
    ) -> Result<Option<(Vec<jdwp::Value>, usize)>, RunError> {
        let array_object = ArrayId::of(array);
        let Some(whole) = granted(self.conn.send(array_reference::Length { array_object }).await)? else {
            return Ok(None);
        };
        let length = most.min(whole.saturating_sub(from));
        if length <= 0 {
            return Ok(Some((Vec::new(), size(whole))));
        }
        let ask = array_reference::GetValues { array_object, first_index: from, length };
        let region = granted(self.conn.send(ask).await)?;
        Ok(region.map(|region| (region.iter().collect(), size(whole))))
    }

    /// Elements of the array in a field; none if the field holds no array.
    async fn part_of(
        &self,
        field: Option<&jdwp::Value>,
        from: i32,
        count: i32,
    ) -> Result<Option<Vec<jdwp::Value>>, RunError> {
        if count <= 0 {
            return Ok(Some(Vec::new()));
        }
        let Some(array) = field.and_then(object_of) else { return Ok(None) };
        Ok(self.array(array, from, count).await?.map(|(elements, _)| elements))
    }

    async fn fields(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let shown = layout.shown_fields();
        if shown.is_empty() {
            return Ok(None);
        }
        let first: Vec<_> = shown.iter().take(MOST_ITEMS).collect();
        let values = self.get(object, first.iter().map(|(_, id)| *id).collect()).await?;
        Ok(values.map(|values| {
            let named = first.iter().map(|(name, _)| name.clone()).zip(values).collect();
            RawContents::Fields(named, shown.len())
        }))
    }

    async fn sub_list(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) = self.named(object, layout, &[PART_ROOT, PART_OFFSET, SUBLIST_SIZE]).await? else {
            return Ok(None);
        };
        let (from, count) = (int(fields.get(1)), int(fields.get(2)));
        let Some(root) = fields.first().and_then(object_of) else { return Ok(None) };
        let Some(list) = self.nodes.get(LIST_ELEMENTS.class) else { return Ok(None) };
        let Some(array) = self.named(root, list, &[LIST_ELEMENTS]).await? else { return Ok(None) };
        let elements = self.part_of(array.first(), from, count.min(most())).await?;
        Ok(elements.map(|elements| RawContents::Elements(elements, size(count))))
    }

    async fn ring(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) = self.named(object, layout, &[RING_ELEMENTS, RING_HEAD, RING_TAIL]).await? else {
            return Ok(None);
        };
        let (head, tail) = (int(fields.get(1)), int(fields.get(2)));
        let Some(array) = fields.first().and_then(object_of) else { return Ok(None) };
        let until = if tail >= head { tail - head } else { i32::MAX };
        let Some((mut elements, length)) = self.array(array, head, until.min(most())).await? else {
            return Ok(None);
        };
        let count = if tail >= head { size(tail - head) } else { length.saturating_sub(size(head - tail)) };
        if tail < head && elements.len() < MOST_ITEMS {
            let more = tail.min(most().saturating_sub(i32::try_from(elements.len()).unwrap_or(0)));
            elements.extend(self.part_of(fields.first(), 0, more).await?.unwrap_or_default());
        }
        Ok(Some(RawContents::Elements(elements, count)))
    }

    /// The occupied slots of the array in one field, and the number in another one. A map occupies two slots
    /// per pair.
    async fn slots(
        &self,
        object: jdwp::ObjectId,
        layout: &Layout,
        slots: ContentField,
        number: ContentField,
    ) -> Reading {
        let is_map = slots == FIXED_MAP_TABLE;
        let Some(fields) = self.named(object, layout, &[slots, number]).await? else { return Ok(None) };
        let Some(array) = fields.first().and_then(object_of) else { return Ok(None) };
        let Some((slots, _)) = self.array(array, 0, SLOTS).await? else { return Ok(None) };
        let there = slots.into_iter().filter(|slot| object_of(slot).is_some()).take(2 * MOST_ITEMS);
        let mut there: Vec<jdwp::Value> = there.collect();
        if !is_map {
            there.truncate(MOST_ITEMS);
        }
        Ok(Some(RawContents::Elements(there, size(int(fields.get(1))))))
    }

    async fn hash(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let concurrent = layout.field(BINS_COUNT.field).is_some();
        let (held, node, parts) = match concurrent {
            true => ([BINS, BINS_COUNT], CONCURRENT_NODE, [BIN_KEY, BIN_VALUE, BIN_NEXT]),
            false => ([HASHED_TABLE, HASHED_SIZE], HASH_NODE, [NODE_KEY, NODE_VALUE, NODE_NEXT]),
        };
        let Some(fields) = self.named(object, layout, &held).await? else { return Ok(None) };
        let count = match fields.get(1) {
            Some(jdwp::Value::Long(count)) => usize::try_from(*count).unwrap_or(0),
            count => size(int(count)),
        };
        let Some(table) = fields.first().and_then(object_of) else {
            return Ok(Some(RawContents::Pairs(Vec::new(), 0)));
        };
        let Some(parts) = self.nodes.get(node).and_then(|node| node.parts(&parts)) else {
            return Ok(None);
        };
        let mut pairs = Vec::new();
        for slice in 0..SLICES {
            let Some((slots, length)) = self.array(table, slice * SLOTS, SLOTS).await? else { break };
            for slot in slots {
                let mut next = object_of(&slot);
                while let Some(node) = next.filter(|_| pairs.len() < MOST_ITEMS) {
                    let Some(read) = self.get(node, parts.clone()).await? else { break };
                    let [key, value, behind] = read.as_slice() else { break };
                    // A concurrent map finds a tree bin by a special node without a key.
                    if object_of(key).is_some() || !concurrent {
                        pairs.push((*key, *value));
                    }
                    next = object_of(behind);
                }
            }
            if pairs.len() >= MOST_ITEMS.min(count) || size((slice + 1) * SLOTS) >= length {
                break;
            }
        }
        let count = count.max(pairs.len());
        Ok(Some(RawContents::Pairs(pairs, count)))
    }

    async fn linked(&self, object: jdwp::ObjectId, layout: &Layout, links: Links) -> Reading {
        let Some(fields) = self.named(object, layout, &[links.first, links.size]).await? else {
            return Ok(None);
        };
        let count = size(int(fields.get(1)));
        let mut next = fields.first().and_then(object_of);
        let mut names = vec![links.next, links.key];
        names.extend(links.value);
        let (mut elements, mut pairs) = (Vec::new(), Vec::new());
        while let Some(node) = next.filter(|_| elements.len() + pairs.len() < MOST_ITEMS.min(count)) {
            let Some(parts) = self.nodes.get(links.next.class).and_then(|node| node.parts(&names)) else {
                return Ok(None);
            };
            let Some(read) = self.get(node, parts).await? else { break };
            match read.as_slice() {
                [_, key, value] => pairs.push((*key, *value)),
                [_, element] => elements.push(*element),
                _ => break,
            }
            next = read.first().and_then(object_of);
        }
        Ok(Some(match links.value {
            Some(_) => RawContents::Pairs(pairs, count),
            None => RawContents::Elements(elements, count),
        }))
    }

    async fn tree(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) = self.named(object, layout, &[TREE_ROOT, TREE_SIZE]).await? else {
            return Ok(None);
        };
        let count = size(int(fields.get(1)));
        let names = [TREE_KEY, TREE_VALUE, TREE_LEFT, TREE_RIGHT];
        let mut next = fields.first().and_then(object_of);
        let mut above: Vec<Vec<jdwp::Value>> = Vec::new();
        let mut pairs = Vec::new();
        while pairs.len() < MOST_ITEMS.min(count) {
            while let Some(node) = next.filter(|_| above.len() < TREE) {
                let Some(parts) = self.nodes.get(TREE_NODE).and_then(|node| node.parts(&names)) else {
                    return Ok(None);
                };
                let Some(read) = self.get(node, parts).await? else { return Ok(None) };
                next = read.get(2).and_then(object_of);
                above.push(read);
            }
            let Some(read) = above.pop() else { break };
            if let [key, value, _, right] = read.as_slice() {
                pairs.push((*key, *value));
                next = object_of(right);
            }
        }
        Ok(Some(RawContents::Pairs(pairs, count)))
    }

    async fn enum_map(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) =
            self.named(object, layout, &[ENUM_MAP_KEYS, ENUM_MAP_VALUES, ENUM_MAP_SIZE]).await?
        else {
            return Ok(None);
        };
        let keys = self.part_of(fields.first(), 0, SLOTS).await?.unwrap_or_default();
        let values = self.part_of(fields.get(1), 0, SLOTS).await?.unwrap_or_default();
        let there = keys.into_iter().zip(values).filter(|(_, value)| object_of(value).is_some());
        Ok(Some(RawContents::Pairs(there.take(MOST_ITEMS).collect(), size(int(fields.get(2))))))
    }

    async fn enum_set(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) = self.named(object, layout, &[ENUM_SET_UNIVERSE, ENUM_SET_ELEMENTS]).await? else {
            return Ok(None);
        };
        let Some(jdwp::Value::Long(bits)) = fields.get(1) else { return Ok(None) };
        let all = self.part_of(fields.first(), 0, 64).await?.unwrap_or_default();
        let there = all.into_iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1).map(|(_, v)| v);
        let count = usize::try_from(bits.count_ones()).unwrap_or(0);
        Ok(Some(RawContents::Elements(there.take(MOST_ITEMS).collect(), count)))
    }

    async fn builder(&self, object: jdwp::ObjectId, layout: &Layout) -> Reading {
        let Some(fields) = self.named(object, layout, &[BUILDER_VALUE, BUILDER_CODER, BUILDER_COUNT]).await?
        else {
            return Ok(None);
        };
        let wide = !matches!(fields.get(1), Some(jdwp::Value::Byte(0)));
        let count = int(fields.get(2)).min(CHARACTERS);
        let bytes = self.part_of(fields.first(), 0, if wide { 2 * count } else { count }).await?;
        let bytes: Vec<u8> = bytes
            .unwrap_or_default()
            .iter()
            .filter_map(|byte| match byte {
                jdwp::Value::Byte(byte) => Some(byte.cast_unsigned()),
                _ => None,
            })
            .collect();
        let units: Vec<u16> = match wide {
            true => bytes.as_chunks::<2>().0.iter().map(|pair| u16::from_ne_bytes(*pair)).collect(),
            false => bytes.iter().map(|byte| u16::from(*byte)).collect(),
        };
        let mut text = String::from_utf16_lossy(&units);
        if int(fields.get(2)) > count {
            text.push('…');
        }
        Ok(Some(RawContents::Text(text)))
    }
}
