//! Name resolution at run time (JLS §6.4, §6.5): local, field, outer instance, captured local, static field,
//! class.

use super::class_names::{ambiguous, ambiguous_field, is_called, same_package_then_lang};
use super::error::{EvalError, nearest};
use super::evaluator::{EvalResult, Evaluator, Operand};
use super::hierarchy::FoundField;
use super::machine::Machine;
use super::tree::ElementName;
use super::types::Type;
use model::{ObjectId, Value};

/// A class of the lexical nest, from the frame's own class outwards, with its instance if there is one.
pub(super) struct Level<C> {
    pub(super) class: C,
    pub(super) object: Option<Value>,
}

impl<M: Machine> Evaluator<'_, M> {
    /// The frame's own class and `this`.
    pub(super) async fn innermost(&mut self) -> EvalResult<Level<M::Class>, M> {
        let class = self.machine.frame_class().await.map_err(EvalError::Machine)?;
        let object = if self.machine.scope().is_static {
            None
        } else {
            self.machine.this_object().await.map_err(EvalError::Machine)?
        };
        Ok(Level { class, object })
    }

    /// The next enclosing class: from the synthetic field `this$0` if there is an instance, otherwise from
    /// the name.
    pub(super) async fn outwards(
        &mut self,
        level: &Level<M::Class>,
    ) -> EvalResult<Option<Level<M::Class>>, M> {
        let info = self.info(&level.class).await?;
        let link = info.fields.iter().enumerate().find(|(_, f)| f.is_outer_instance());
        // Before a constructor has called another one, only its parameter has the outer instance.
        let own = self.machine.scope().class.clone();
        let parameter = link
            .filter(|_| info.name == own)
            .and_then(|(_, field)| self.machine.scope().local(&field.name).cloned());
        let outer = match (parameter, level.object.as_ref().and_then(Value::object_id), link) {
            (Some(parameter), ..) => Some(self.machine.local(&parameter).await.map_err(EvalError::Machine)?),
            (None, Some(id), Some((index, _))) => {
                Some(self.machine.get_field(id, &level.class, index).await.map_err(EvalError::Machine)?)
            }
            _ => None,
        };
        if let (Some(outer), Some((_, field))) = (outer, link)
            && let (Some(outer_id), Type::Class(name)) =
                (outer.object_id(), Type::of_descriptor(&field.descriptor))
        {
            let runtime = self.class_of(outer_id).await?;
            if let Some(class) = self.supertype(&runtime, &name).await? {
                return Ok(Some(Level { class, object: Some(outer) }));
            }
        }
        let mut name = &*info.name;
        while let Some((outer, _)) = name.rsplit_once('$') {
            if let Some(class) = self.find(outer).await? {
                return Ok(Some(Level { class, object: None }));
            }
            name = outer;
        }
        Ok(None)
    }

    /// The value of a simple name; `None` if it denotes no variable.
    pub(super) async fn variable(&mut self, name: &str) -> EvalResult<Option<Operand>, M> {
        if let Some(local) = self.machine.scope().local(name).cloned() {
            let value = self.machine.local(&local).await.map_err(EvalError::Machine)?;
            if value == Value::Unassigned {
                return Err(EvalError::Unassigned { name: name.to_owned() });
            }
            return Ok(Some(Operand::declared(value, Type::of_descriptor(&local.descriptor))));
        }
        let captured = format!("val${name}");
        let mut level = Some(self.innermost().await?);
        while let Some(at) = level {
            let field = match self.find_field(&at.class, name).await? {
                None => self.find_field(&at.class, &captured).await?,
                found => found,
            };
            if let Some(field) = field {
                let object = at.object.as_ref().and_then(Value::object_id);
                return self.read_field(&field, object, name).await.map(Some);
            }
            level = self.outwards(&at).await?;
        }
        let imported = self.machine.imported(name, false);
        if imported.len() > 1 {
            let problem = ambiguous_field(&imported, name);
            return Err(EvalError::Type { text: name.to_owned(), problem });
        }
        for class in imported {
            let Some(class) = self.find(&class).await? else { continue };
            if let Some(field) = self.find_field(&class, name).await?.filter(|field| field.info.is_static) {
                return self.read_field(&field, None, name).await.map(Some);
            }
        }
        Ok(None)
    }

    /// Reads an instance field or a static field.
    pub(super) async fn read_field(
        &mut self,
        field: &FoundField<M::Class>,
        object: Option<ObjectId>,
        text: &str,
    ) -> EvalResult<Operand, M> {
        let value = match (field.info.is_static, object) {
            (true, _) => self.machine.get_static(&field.class, field.index).await,
            (false, Some(id)) => self.machine.get_field(id, &field.class, field.index).await,
            (false, None) => return Err(EvalError::NoThis { text: text.to_owned() }),
        };
        let value = value.map_err(EvalError::Machine)?;
        Ok(Operand::declared(value, Type::of_descriptor(&field.info.descriptor)))
    }

    /// The instance of the enclosing class with this simple or full name, for `Outer.this`.
    pub(super) async fn outer_this(&mut self, class: &str) -> EvalResult<Operand, M> {
        let mut level = Some(self.innermost().await?);
        while let Some(at) = level {
            let name = self.info(&at.class).await?.name.clone();
            if is_called(&name, class) {
                let value = at.object.ok_or_else(|| EvalError::NoThis { text: format!("{class}.this") })?;
                return Ok(Operand::declared(value, Type::Class(name)));
            }
            level = self.outwards(&at).await?;
        }
        let problem = format!("{class} is not a class around {}", self.machine.scope().class);
        Err(EvalError::Type { text: format!("{class}.this"), problem })
    }

    /// The loaded class denoted by a complete dotted name.
    pub(super) async fn class_named(&mut self, name: &str) -> EvalResult<Option<M::Class>, M> {
        let parts: Vec<&str> = name.split('.').collect();
        match self.class_prefix(&parts, false).await? {
            Some((class, used)) if used == parts.len() => Ok(Some(class)),
            _ => Ok(None),
        }
    }

    /// The class denoted by the start of a dotted name, and the number of parts it uses. With `fields`, a
    /// static field takes precedence over a nested class with the same name.
    pub(super) async fn class_prefix(
        &mut self,
        parts: &[&str],
        fields: bool,
    ) -> EvalResult<Option<(M::Class, usize)>, M> {
        let Some(first) = parts.first() else { return Ok(None) };
        let mut found = self.simple_class(first).await?.map(|c| (c, 1));
        let mut qualified = (*first).to_owned();
        for (at, part) in parts.iter().enumerate().skip(1) {
            if found.is_some() {
                break;
            }
            qualified.push('.');
            qualified.push_str(part);
            found = self.find(&qualified).await?.map(|c| (c, at + 1));
        }
        let Some((mut class, mut used)) = found else { return Ok(None) };
        while let Some(part) = parts.get(used) {
            if fields && self.find_field(&class, part).await?.is_some() {
                break;
            }
            let nested = format!("{}${part}", self.info(&class).await?.name);
            let Some(inner) = self.find(&nested).await? else { break };
            class = inner;
            used += 1;
        }
        Ok(Some((class, used)))
    }

    /// Finds a class by its simple name: nested in an enclosing class or its supertypes, itself an enclosing
    /// class, in the same package, in `java.lang`, or a name with `$`.
    async fn simple_class(&mut self, name: &str) -> EvalResult<Option<M::Class>, M> {
        let own = self.machine.scope().class.clone();
        let mut around = Some(&*own);
        while let Some(outer) = around {
            let names = match self.find(outer).await? {
                Some(class) => self.lineage(&class).await?.iter().map(|(_, i)| i.name.clone()).collect(),
                None => vec![outer.into()],
            };
            for host in names {
                if let Some(class) = self.find(&format!("{host}${name}")).await? {
                    return Ok(Some(class));
                }
            }
            if is_called(outer, name) {
                return self.find(outer).await;
            }
            around = outer.rsplit_once('$').map(|(before, _)| before);
        }
        let denoted = self.machine.denoted(name);
        if denoted.len() > 1 {
            return Err(EvalError::Type { text: name.to_owned(), problem: ambiguous(&denoted) });
        }
        // A class without a class file may be loaded in the same package.
        for candidate in denoted.into_iter().chain(same_package_then_lang(&own, name)) {
            if let Some(class) = self.find(&candidate).await? {
                return Ok(Some(class));
            }
        }
        Ok(None)
    }

    /// The error for a name that is neither a variable nor a class, with a suggestion.
    pub(super) async fn unknown_name(&mut self, name: &str) -> EvalError<M::Error> {
        let mut names = match self.fields_around().await {
            Ok(names) => names,
            Err(error) => return error,
        };
        let hint = self.full_name_hint(name);
        if !hint.is_empty() {
            return EvalError::UnknownName { name: name.to_owned(), hint };
        }
        let scope = self.machine.scope();
        names.extend(scope.locals.iter().map(|l| l.name.clone()));
        let mut hint = nearest(name, names.iter().map(String::as_str));
        if hint.is_empty() && !scope.has_variable_table {
            hint = format!("; {} has no table of its locals: compile it with -g", scope.class);
        }
        EvalError::UnknownName { name: name.to_owned(), hint }
    }

    /// What the classes with this simple name are: not loaded yet, or of other packages; empty if there is
    /// none.
    pub(super) fn full_name_hint(&self, name: &str) -> String {
        let (imported, denoted) = (self.machine.imported(name, false), self.machine.denoted(name));
        if let [known] = if imported.is_empty() { &denoted[..] } else { &imported[..] } {
            return format!("; {} is not loaded yet", known.replace('$', "."));
        }
        match self.machine.full_names(name) {
            full if full.is_empty() => String::new(),
            full => format!("; write the full name: {}", full.join(" or ")),
        }
    }

    /// The names of the fields of the frame's class and its enclosing classes.
    async fn fields_around(&mut self) -> EvalResult<Vec<String>, M> {
        let mut names = Vec::new();
        let mut level = Some(self.innermost().await?);
        while let Some(at) = level {
            names.extend(self.field_names(&at.class).await?);
            level = self.outwards(&at).await?;
        }
        Ok(names)
    }

    /// The type named in a cast or `instanceof`; `None` if its class is not loaded.
    pub(super) async fn type_written(
        &mut self,
        element: &ElementName,
    ) -> EvalResult<Option<(Type, Option<M::Class>)>, M> {
        match element {
            ElementName::Primitive(p) => Ok(Some((Type::Primitive(*p), None))),
            ElementName::Class(name) => match self.class_named(name).await? {
                Some(class) => {
                    let found = Type::Class(self.info(&class).await?.name.clone());
                    Ok(Some((found, Some(class))))
                }
                None => Ok(None),
            },
        }
    }
}
