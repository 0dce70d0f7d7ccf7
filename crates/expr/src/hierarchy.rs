//! The superclasses, fields and methods of loaded classes, read through the [`Machine`].

use super::error::EvalError;
use super::evaluator::{EvalResult, Evaluator};
use super::machine::{ClassInfo, FieldInfo, Machine, MethodInfo};
use super::overload::Supertypes;
use super::types::Type;
use model::ObjectId;
use std::sync::Arc;

/// A field and its declaring class.
pub(super) struct FoundField<C> {
    pub(super) class: C,
    pub(super) index: usize,
    pub(super) info: FieldInfo,
}

/// A method and its declaring class.
pub(super) struct FoundMethod<C> {
    pub(super) class: C,
    pub(super) class_name: Arc<str>,
    pub(super) index: usize,
    pub(super) info: MethodInfo,
}

/// Classes with their declarations.
pub(super) type Lineage<C> = Vec<(C, Arc<ClassInfo<C>>)>;

impl<M: Machine> Evaluator<'_, M> {
    pub(super) async fn class_of(&mut self, id: ObjectId) -> EvalResult<M::Class, M> {
        self.machine.class_of(id).await.map_err(EvalError::Machine)
    }

    pub(super) async fn info(&mut self, class: &M::Class) -> EvalResult<Arc<ClassInfo<M::Class>>, M> {
        self.machine.class_info(class).await.map_err(EvalError::Machine)
    }

    pub(super) async fn find(&mut self, name: &str) -> EvalResult<Option<M::Class>, M> {
        self.machine.find_class(name).await.map_err(EvalError::Machine)
    }

    /// The class and all its supertypes, superclasses first, each once. For interfaces and arrays this
    /// includes `java.lang.Object`, whose members they also have.
    pub(super) async fn lineage(&mut self, class: &M::Class) -> EvalResult<Lineage<M::Class>, M> {
        let mut line: Lineage<M::Class> = Vec::new();
        let mut interfaces: Vec<M::Class> = Vec::new();
        let mut next = Some(class.clone());
        while let Some(class) = next {
            if line.iter().any(|(c, _)| *c == class) {
                break;
            }
            let info = self.info(&class).await?;
            interfaces.extend(info.interfaces.iter().cloned());
            next = info.superclass.clone();
            line.push((class, info));
        }
        let mut at = 0;
        while let Some(class) = interfaces.get(at).cloned() {
            at += 1;
            if line.iter().any(|(c, _)| *c == class) {
                continue;
            }
            let info = self.info(&class).await?;
            interfaces.extend(info.interfaces.iter().cloned());
            line.push((class, info));
        }
        if !line.iter().any(|(_, info)| &*info.name == "java.lang.Object")
            && let Some(object) = self.find("java.lang.Object").await?
        {
            let info = self.info(&object).await?;
            line.push((object, info));
        }
        Ok(line)
    }

    /// The class or supertype with this name.
    pub(super) async fn supertype(
        &mut self,
        class: &M::Class,
        name: &str,
    ) -> EvalResult<Option<M::Class>, M> {
        let line = self.lineage(class).await?;
        Ok(line.into_iter().find(|(_, info)| &*info.name == name).map(|(c, _)| c))
    }

    /// The nearest field with this name in the class or its supertypes, including private fields.
    pub(super) async fn find_field(
        &mut self,
        class: &M::Class,
        name: &str,
    ) -> EvalResult<Option<FoundField<M::Class>>, M> {
        for (class, info) in self.lineage(class).await? {
            if let Some((index, field)) = info.fields.iter().enumerate().find(|(_, f)| f.name == name) {
                return Ok(Some(FoundField { class, index, info: field.clone() }));
            }
        }
        Ok(None)
    }

    /// All methods with this name in the class and its supertypes, nearest first.
    pub(super) async fn find_methods(
        &mut self,
        class: &M::Class,
        name: &str,
    ) -> EvalResult<Vec<FoundMethod<M::Class>>, M> {
        let mut found: Vec<FoundMethod<M::Class>> = Vec::new();
        for (class, info) in self.lineage(class).await? {
            for (index, method) in info.methods.iter().enumerate() {
                if method.name == name {
                    let (class, class_name, info) = (class.clone(), info.name.clone(), method.clone());
                    found.push(FoundMethod { class, class_name, index, info });
                }
            }
        }
        Ok(found)
    }

    /// The names of all fields of the class and its supertypes, for suggestions.
    pub(super) async fn field_names(&mut self, class: &M::Class) -> EvalResult<Vec<String>, M> {
        let line = self.lineage(class).await?;
        Ok(line.iter().flat_map(|(_, info)| info.fields.iter().map(|f| f.name.clone())).collect())
    }

    /// The names of all methods of the class and its supertypes, for suggestions.
    pub(super) async fn method_names(&mut self, class: &M::Class) -> EvalResult<Vec<String>, M> {
        let line = self.lineage(class).await?;
        Ok(line.iter().flat_map(|(_, info)| info.methods.iter().map(|m| m.name.clone())).collect())
    }

    /// Adds a class and all its supertypes.
    pub(super) async fn add_supertypes(
        &mut self,
        class: &M::Class,
        known: &mut Supertypes,
    ) -> EvalResult<(), M> {
        for (_, info) in self.lineage(class).await? {
            if known.0.contains_key(&info.name) {
                continue;
            }
            let mut above = Vec::new();
            for class in info.superclass.iter().chain(&info.interfaces) {
                above.push(self.info(class).await?.name.clone());
            }
            known.0.insert(info.name.clone(), above);
        }
        Ok(())
    }

    /// Adds the class of a type, or of an array's elements, if it is loaded.
    pub(super) async fn add_type(&mut self, of: &Type, known: &mut Supertypes) -> EvalResult<(), M> {
        let mut element = of;
        while let Type::Array(inner) = element {
            element = inner;
        }
        if let Type::Class(name) = element
            && !known.0.contains_key(name)
            && let Some(class) = self.find(name).await?
        {
            self.add_supertypes(&class, known).await?;
        }
        Ok(())
    }
}

/// The type of a runtime class, given by its name: `pkg.Rec[]` is an array.
pub(super) fn type_named(name: &str) -> Type {
    let mut element = name;
    let mut dimensions = 0;
    while let Some(inner) = element.strip_suffix("[]") {
        element = inner;
        dimensions += 1;
    }
    let primitive = super::types::Primitive::from_keyword(element);
    let found = primitive.map_or_else(|| Type::class(element), Type::Primitive);
    (0..dimensions).fold(found, |t, _| Type::Array(Box::new(t)))
}
