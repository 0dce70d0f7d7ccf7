//! What objects are and hold, read from their fields. No code of the program runs for it.
//!
//! - [`Layout`] is what the fields of a class mean; each class is looked at once.
//! - `told` reads what never changes: boxes, enum constants, dates, messages of exceptions.
//! - `held` reads what objects hold at the moment: elements, pairs, fields. `collections` knows the JDK's
//!   collections.
//! - `lambda` finds the code that a lambda calls.

mod collections;
mod held;
mod lambda;
mod told;

pub use held::held;
pub use told::{Which, tell};

use super::error::RunError;
use super::vm::Vm;
use crate::model::{Fact, LambdaCode, Value, is_lambda_class};
use collections::Recipe;
use jdwp::commands::object_reference;
use jdwp::{FieldId, ReferenceTypeId};
use std::collections::HashMap;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

/// What the packages of the JDK begin with.
const JDK: [&str; 5] = ["java.", "javax.", "jdk.", "sun.", "com.sun."];

/// What the fields of a class mean.
pub struct Layout {
    /// Its binary name and those of its superclasses.
    names: Vec<Arc<str>>,
    /// Its instance fields, those of superclasses last.
    fields: Vec<(Arc<str>, FieldId)>,
    fact: Option<Fact>,
    recipe: Option<Recipe>,
}

impl Layout {
    /// A field of the JDK's by its name: that of the uppermost class, since a class of the program can have
    /// one of the same name.
    fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().rev().find(|(own, _)| **own == *name).map(|(_, id)| *id)
    }

    fn fields_named(&self, names: &[&str]) -> Option<Vec<FieldId>> {
        names.iter().map(|name| self.field(name)).collect()
    }
}

/// The layouts of the classes that were met in one run.
#[derive(Default)]
pub struct Layouts {
    known: HashMap<ReferenceTypeId, Rc<Layout>>,
}

impl Layouts {
    /// Forgets a class that was redefined.
    pub fn forget(&mut self, class: ReferenceTypeId) {
        self.known.remove(&class);
    }
}

/// The layout of a class.
async fn layout(vm: &mut Vm, class: ReferenceTypeId) -> Result<Rc<Layout>, RunError> {
    if let Some(known) = vm.layouts.known.get(&class) {
        return Ok(known.clone());
    }
    let (mut names, mut fields) = (Vec::new(), Vec::new());
    let mut next = Some(class);
    while let Some(id) = next {
        let loaded = vm.class(id).await?;
        names.push(loaded.name.clone());
        let own = loaded.fields.iter().filter(|f| !f.is_static);
        fields.extend(own.map(|f| (Arc::from(f.name.as_str()), f.id)));
        next = loaded.superclass;
    }
    let lambda: Option<Arc<LambdaCode>> = match names.first() {
        Some(name) if is_lambda_class(name) => lambda::code(vm, class).await?,
        _ => None,
    };
    let fact = lambda.map(Fact::Lambda).or_else(|| Fact::of(&names));
    let recipe = if fact.is_some() { None } else { Recipe::of(&names) };
    let layout = Rc::new(Layout { names, fields, fact, recipe });
    vm.layouts.known.insert(class, layout.clone());
    Ok(layout)
}

/// The layout of a loaded class by its name: of a class of the JDK, which has one loader.
async fn layout_named(vm: &mut Vm, name: &str) -> Result<Option<Rc<Layout>>, RunError> {
    match vm.classes_named(name).await?.first() {
        Some(class) => Ok(Some(layout(vm, *class).await?)),
        None => Ok(None),
    }
}

/// The objects among some values, each once, no more than so many, with their layouts.
async fn objects<'v>(
    vm: &mut Vm,
    values: impl Iterator<Item = &'v Value>,
    most: usize,
) -> Result<Vec<(jdwp::ObjectId, Rc<Layout>)>, RunError> {
    let mut ids: Vec<jdwp::ObjectId> = Vec::new();
    for value in values {
        if let Value::Object { id, .. } = value {
            let id = jdwp::ObjectId::new(id.0);
            if ids.len() < most && !ids.contains(&id) {
                ids.push(id);
            }
        }
    }
    let mut classes = Vec::new();
    for object in ids {
        let class = match vm.type_of(object) {
            Some(known) => Ok(known),
            None => Err(vm.conn().send(object_reference::ReferenceType { object })),
        };
        classes.push((object, class));
    }
    let mut found = Vec::new();
    for (object, class) in classes {
        let class = match class {
            Ok(known) => known,
            Err(asked) => match asked.await {
                Ok(info) => info.type_id,
                Err(e) if e.is_fatal() => return Err(e.into()),
                // The object has gone.
                Err(_) => continue,
            },
        };
        found.push((object, layout(vm, class).await?));
    }
    Ok(found)
}

/// Waits for all of these at once.
async fn join_all<T>(mut all: Vec<Pin<Box<dyn Future<Output = T> + '_>>>) -> Vec<T> {
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut ready = true;
        for (future, done) in all.iter_mut().zip(done.iter_mut()) {
            if done.is_none() {
                match future.as_mut().poll(context) {
                    Poll::Ready(value) => *done = Some(value),
                    Poll::Pending => ready = false,
                }
            }
        }
        if ready { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// What could be read; a refusal of the VM, as for an object that has gone, is nothing.
fn granted<T>(reply: Result<T, jdwp::Error>) -> Result<Option<T>, RunError> {
    match reply {
        Ok(value) => Ok(Some(value)),
        Err(e) if e.is_fatal() => Err(e.into()),
        Err(_) => Ok(None),
    }
}
