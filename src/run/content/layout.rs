//! What the fields of a class mean.

use super::collections::Recipe;
use crate::model::Fact;
use jdwp::{FieldId, ReferenceTypeId};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What the fields of a class mean.
pub struct Layout {
    /// Its binary name and those of its superclasses.
    pub names: Vec<Arc<str>>,
    /// Its instance fields, those of superclasses last.
    pub fields: Vec<(Arc<str>, FieldId)>,
    pub fact: Option<Fact>,
    pub recipe: Option<Recipe>,
}

impl Layout {
    /// A field of the JDK's by its name: that of the uppermost class, since a class of the program can have
    /// one of the same name.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().rev().find(|(own, _)| **own == *name).map(|(_, id)| *id)
    }

    pub fn fields_named(&self, names: &[&str]) -> Option<Vec<FieldId>> {
        names.iter().map(|name| self.field(name)).collect()
    }
}

/// The layouts of the classes that were met in one run.
#[derive(Default)]
pub struct Layouts {
    known: HashMap<ReferenceTypeId, Rc<Layout>>,
}

impl Layouts {
    /// The layout of a class, if the class was met.
    pub fn get(&self, class: ReferenceTypeId) -> Option<Rc<Layout>> {
        self.known.get(&class).cloned()
    }

    /// Keeps the layout of a class.
    pub fn add(&mut self, class: ReferenceTypeId, layout: Rc<Layout>) {
        self.known.insert(class, layout);
    }

    /// Forgets a class that was redefined.
    pub fn forget(&mut self, class: ReferenceTypeId) {
        self.known.remove(&class);
    }
}
