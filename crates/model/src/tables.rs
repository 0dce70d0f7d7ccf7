//! Data shared by the occurrences of one run: names, frames, stacks and activations, each stored once.
//!
//! A candidate holds four-byte keys. Stacks are a tree of frames that shares common callers, so a million
//! candidates with one caller cost one stack.

use super::content::ObjectDescription;
use super::keys::{ActivationKey, ClassKey, FrameKey, ReasonKey, ShapeKey, StackKey, ThreadKey};
use super::site::{MethodName, Site};
use super::thread_identity::ThreadIdentity;
use super::value::{ObjectId, Value};
use indexmap::IndexSet;
use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

/// The data of one activation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The nearest older activation on the same stack that is tracked too.
    pub caller: Option<ActivationKey>,
    /// Depth of its frame: the number of frames up to and including it. The oldest frame has depth 1.
    pub depth: u32,
    /// Its method, as an index into the run's tracked methods.
    pub method: u32,
    /// False if the entry could not be distinguished from a jump to index 0, or was not observed. It may then
    /// be another activation.
    pub certain: bool,
}

/// One frame of a stored stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The current instruction of the frame.
    pub site: Site,
    /// Source line of the site, if the class has a line table.
    pub line: Option<u32>,
    /// Name of the source file, if the class file names it.
    pub source_file: Option<Arc<str>>,
    /// The loader that defined its class, if a query watches that class.
    pub loader: Option<Arc<str>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct StackNode {
    caller: StackKey,
    frame: FrameKey,
}

/// The shared tables of one run.
#[derive(Clone, Default)]
pub struct Tables {
    shapes: IndexSet<Vec<Arc<str>>>,
    reasons: IndexSet<String>,
    classes: IndexSet<Arc<str>>,
    threads: Vec<ThreadIdentity>,
    /// The threads with a number.
    numbered: HashMap<ThreadIdentity, ThreadKey>,
    /// How many threads have a name.
    namesakes: HashMap<Arc<str>, u32>,
    frames: IndexSet<Frame>,
    stacks: IndexSet<StackNode>,
    methods: IndexSet<MethodName>,
    activations: HashMap<ActivationKey, Activation>,
    last_activation: Option<NonZeroU64>,
    descriptions: HashMap<ObjectId, ObjectDescription>,
    class_objects: HashMap<ObjectId, Arc<str>>,
}

/// Maximum number of described objects per run; about 50 MB.
const DESCRIPTIONS: usize = 500_000;

fn key(index: usize) -> u32 {
    // Tables of four billion entries exceed memory; saturating makes the conversion total.
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Tables {
    /// The key of a class name; adds it if it is new.
    pub fn class_key(&mut self, name: &str) -> ClassKey {
        if let Some(index) = self.classes.get_index_of(name) {
            return ClassKey(key(index));
        }
        ClassKey(key(self.classes.insert_full(name.into()).0))
    }

    /// The class name of a key; `?` for a key of another run.
    pub fn class(&self, class: ClassKey) -> Arc<str> {
        self.classes.get_index(class.0 as usize).cloned().unwrap_or_else(|| "?".into())
    }

    /// The binary name of the runtime class of a value, for a reference that is not `null`.
    pub fn class_name(&self, value: &Value) -> Option<Arc<str>> {
        match value {
            Value::Str(_) => Some("java.lang.String".into()),
            Value::Object { class, .. } => Some(self.class(*class)),
            _ => None,
        }
    }

    /// Notes the loader of the class of a class object.
    pub fn note_loader(&mut self, class_object: &Value, loader: Arc<str>) {
        self.class_objects.extend(class_object.object_id().map(|id| (id, loader)));
    }

    /// The loader of the class of a class object, if that was noted.
    pub fn loader(&self, class_object: &Value) -> Option<&Arc<str>> {
        self.class_objects.get(&class_object.object_id()?)
    }

    /// Stores the description of an immutable object.
    pub fn describe(&mut self, object: ObjectId, description: ObjectDescription) {
        if self.descriptions.len() < DESCRIPTIONS {
            self.descriptions.insert(object, description);
        }
    }

    /// The description of an object, if known.
    pub fn description(&self, object: ObjectId) -> Option<&ObjectDescription> {
        self.descriptions.get(&object)
    }

    /// The lambdas described so far.
    pub fn lambdas(&self) -> impl Iterator<Item = &Arc<super::content::LambdaCode>> {
        self.descriptions.values().filter_map(|description| match description {
            ObjectDescription::Lambda(code) => Some(code),
            _ => None,
        })
    }

    /// The key of a list of names.
    pub fn shape_key(&mut self, names: &[Arc<str>]) -> ShapeKey {
        if names.is_empty() {
            return ShapeKey::NONE;
        }
        if let Some(index) = self.shapes.get_index_of(names) {
            return ShapeKey(key(index).saturating_add(1));
        }
        ShapeKey(key(self.shapes.insert_full(names.to_vec()).0).saturating_add(1))
    }

    /// The names of a shape.
    pub fn shape(&self, shape: ShapeKey) -> &[Arc<str>] {
        let index = (shape.0 as usize).checked_sub(1);
        index.and_then(|i| self.shapes.get_index(i)).map_or(&[], |names| names.as_slice())
    }

    /// The key of a reason why a value could not be read.
    pub fn reason_key(&mut self, reason: &str) -> ReasonKey {
        if let Some(index) = self.reasons.get_index_of(reason) {
            return ReasonKey(key(index));
        }
        ReasonKey(key(self.reasons.insert_full(reason.to_owned()).0))
    }

    /// The reason of a key.
    pub fn reason(&self, reason: ReasonKey) -> &str {
        self.reasons.get_index(reason.0 as usize).map_or("unknown", String::as_str)
    }

    /// The key of a thread; adds it if it is new. A thread without a number always is.
    pub fn thread_key(&mut self, thread: ThreadIdentity) -> ThreadKey {
        if let Some(known) = self.numbered.get(&thread) {
            return *known;
        }
        let added = ThreadKey(key(self.threads.len()));
        if thread.number != 0 {
            self.numbered.insert(thread.clone(), added);
        }
        *self.namesakes.entry(thread.name.clone()).or_default() += 1;
        self.threads.push(thread);
        added
    }

    /// A thread, with the name that it had when it was first seen.
    pub fn thread(&self, thread: ThreadKey) -> ThreadIdentity {
        let known = self.threads.get(thread.0 as usize).cloned();
        known.unwrap_or_else(|| ThreadIdentity::named("?"))
    }

    /// Whether other threads of the run have the name of this one.
    pub fn has_namesakes(&self, thread: &ThreadIdentity) -> bool {
        self.namesakes.get(&thread.name).is_some_and(|threads| *threads > 1)
    }

    /// The text by which a thread is shown.
    pub fn thread_label(&self, thread: &ThreadIdentity) -> Arc<str> {
        thread.label(self.has_namesakes(thread))
    }

    /// The key of a frame; adds it if it is new.
    pub fn frame_key(&mut self, frame: Frame) -> FrameKey {
        FrameKey(key(self.frames.insert_full(frame).0))
    }

    /// The frame of a key.
    pub fn frame(&self, frame: FrameKey) -> Option<&Frame> {
        self.frames.get_index(frame.0 as usize)
    }

    /// The key of the stack that has `frame` on top of `caller`.
    pub fn push_frame(&mut self, caller: StackKey, frame: FrameKey) -> StackKey {
        StackKey(key(self.stacks.insert_full(StackNode { caller, frame }).0).saturating_add(1))
    }

    /// The key of a whole stack, newest frame first.
    pub fn stack_key(&mut self, newest_first: &[FrameKey]) -> StackKey {
        newest_first.iter().rev().fold(StackKey::EMPTY, |caller, frame| self.push_frame(caller, *frame))
    }

    /// The frames of a stack, newest first.
    pub fn stack(&self, stack: StackKey) -> impl Iterator<Item = &Frame> {
        self.frame_keys(stack).filter_map(|f| self.frame(f))
    }

    /// The frame keys of a stack, newest first.
    pub fn frame_keys(&self, stack: StackKey) -> impl Iterator<Item = FrameKey> {
        let mut at = stack;
        std::iter::from_fn(move || {
            let node = self.stacks.get_index((at.0 as usize).checked_sub(1)?)?;
            at = node.caller;
            Some(node.frame)
        })
    }

    /// The number of frames of a stack.
    pub fn depth(&self, stack: StackKey) -> u32 {
        key(self.frame_keys(stack).count())
    }

    /// The key of a tracked method.
    pub fn method_key(&mut self, method: &MethodName) -> u32 {
        key(self.methods.insert_full(method.clone()).0)
    }

    /// The key of a method, if it is tracked.
    pub fn find_method(&self, method: &MethodName) -> Option<u32> {
        self.methods.get_index_of(method).map(key)
    }

    /// Whether this is the key of the tracked method. Faster than looking the method up.
    pub fn is_method(&self, key: u32, method: &MethodName) -> bool {
        self.methods.get_index(key as usize) == Some(method)
    }

    /// Adds an activation and assigns its serial number.
    pub fn add_activation(&mut self, activation: Activation) -> ActivationKey {
        let number = self.last_activation.map_or(NonZeroU64::MIN, |last| last.saturating_add(1));
        self.last_activation = Some(number);
        let serial = ActivationKey::new(number);
        self.activations.insert(serial, activation);
        serial
    }

    /// The data of an activation.
    pub fn activation(&self, activation: ActivationKey) -> Option<&Activation> {
        self.activations.get(&activation)
    }

    /// An activation and its tracked callers, newest first.
    pub fn activations(
        &self,
        from: Option<ActivationKey>,
    ) -> impl Iterator<Item = (ActivationKey, &Activation)> {
        let mut next = from;
        std::iter::from_fn(move || {
            let current = next?;
            let activation = self.activations.get(&current)?;
            next = activation.caller;
            Some((current, activation))
        })
    }

    /// The number of stored activations.
    pub fn activation_count(&self) -> usize {
        self.activations.len()
    }

    /// Removes every activation that is neither in `roots` nor a caller of one.
    pub fn retain_activations(&mut self, roots: impl Iterator<Item = ActivationKey>) {
        let mut live = HashMap::new();
        for root in roots {
            let mut next = Some(root);
            while let Some(current) = next {
                if live.contains_key(&current) {
                    break;
                }
                let Some(activation) = self.activations.get(&current) else { break };
                next = activation.caller;
                live.insert(current, activation.clone());
            }
        }
        self.activations = live;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tables: &mut Tables, bci: u32) -> FrameKey {
        let site = Site { method: MethodName::new("C", "m", "()V"), bci };
        tables.frame_key(Frame { site, line: None, source_file: None, loader: None })
    }

    #[test]
    fn stacks_share_their_callers() {
        let mut t = Tables::default();
        let (a, b, c) = (frame(&mut t, 1), frame(&mut t, 2), frame(&mut t, 3));
        let one = t.stack_key(&[a, c]);
        let two = t.stack_key(&[b, c]);
        assert_ne!(one, two);
        assert_eq!(t.stack_key(&[a, c]), one);
        assert_eq!(t.stack(two).map(|f| f.site.bci).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(t.stacks.len(), 3);
        assert_eq!(t.depth(StackKey::EMPTY), 0);
    }

    #[test]
    fn retained_activations_keep_their_callers() {
        let mut t = Tables::default();
        let outer = t.add_activation(Activation { caller: None, depth: 1, method: 0, certain: true });
        let dead = t.add_activation(Activation { caller: Some(outer), depth: 2, method: 1, certain: true });
        let inner = t.add_activation(Activation { caller: Some(outer), depth: 2, method: 1, certain: true });
        t.retain_activations([inner].into_iter());
        assert!(t.activation(dead).is_none());
        assert_eq!(t.activations(Some(inner)).map(|(k, _)| k).collect::<Vec<_>>(), [inner, outer]);
    }
}
