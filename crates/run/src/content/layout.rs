//! How to interpret the fields of a class.

use super::collections::Recipe;
use jdk::layouts::ContentField;
use jdwp::{FieldId, ReferenceTypeId};
use model::{Fact, hidden_field_name};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// How to interpret the fields of a class.
pub struct Layout {
    /// Its binary name, followed by those of its superclasses.
    pub names: Vec<Arc<str>>,
    /// Its instance fields, followed by those of its superclasses.
    pub fields: Vec<(Arc<str>, FieldId)>,
    /// The classes that declare them, in the same order.
    pub declared_by: Vec<Arc<str>>,
    /// The synthetic ones of outer instances, which do not describe an object.
    pub outer: Vec<FieldId>,
    pub fact: Option<Fact>,
    pub recipe: Option<Recipe>,
}

impl Layout {
    /// A field of a JDK class by its name. Takes the field of the uppermost class, since a subclass in the
    /// program can declare one with the same name.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        self.fields.iter().rev().find(|(own, _)| **own == *name).map(|(_, id)| *id)
    }

    /// The fields that describe an object, with the names that they are shown by: one that a subclass hides
    /// has its class in its name.
    pub fn shown_fields(&self) -> Vec<(Arc<str>, FieldId)> {
        let named = self.fields.iter().enumerate().map(|(at, (name, id))| {
            let is_hidden = self.fields.iter().take(at).any(|(other, _)| other == name);
            let class = self.declared_by.get(at).filter(|_| is_hidden);
            (class.map_or_else(|| name.clone(), |class| hidden_field_name(class, name).into()), *id)
        });
        named.filter(|(_, id)| !self.outer.contains(id)).collect()
    }

    /// The fields of a class of the JDK; `None` if one of them is not there.
    pub fn parts(&self, fields: &[ContentField]) -> Option<Vec<FieldId>> {
        fields.iter().map(|of| self.field(of.field)).collect()
    }

    pub fn fields_named(&self, names: &[&str]) -> Option<Vec<FieldId>> {
        names.iter().map(|name| self.field(name)).collect()
    }
}

/// The layouts of the classes seen in one run.
#[derive(Default)]
pub struct Layouts {
    known: HashMap<ReferenceTypeId, Rc<Layout>>,
}

impl Layouts {
    /// The layout of a class, if known.
    pub fn get(&self, class: ReferenceTypeId) -> Option<Rc<Layout>> {
        self.known.get(&class).cloned()
    }

    /// Stores the layout of a class.
    pub fn add(&mut self, class: ReferenceTypeId, layout: Rc<Layout>) {
        self.known.insert(class, layout);
    }

    /// Forgets a redefined class.
    pub fn forget(&mut self, class: ReferenceTypeId) {
        self.known.remove(&class);
    }
}
