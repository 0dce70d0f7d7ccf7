//! The objects among some values, with the layouts of their classes. Each class is inspected once.

use super::super::error::RunError;
use super::super::loaded::LoadedField;
use super::super::vm::Vm;
use super::collections::Recipe;
use super::lambda::code as lambda_code;
use super::layout::Layout;
use jdwp::ReferenceTypeId;
use jdwp::commands::object_reference;
use model::{Fact, LambdaCode, Value, is_lambda_class};
use std::rc::Rc;
use std::sync::Arc;

/// The layout of a class.
pub async fn layout(vm: &mut Vm, class: ReferenceTypeId) -> Result<Rc<Layout>, RunError> {
    if let Some(known) = vm.layouts.get(class) {
        return Ok(known);
    }
    let (mut names, mut fields) = (Vec::new(), Vec::new());
    let (mut declared_by, mut outer): (Vec<Arc<str>>, _) = (Vec::new(), Vec::new());
    let mut next = Some(class);
    while let Some(id) = next {
        let loaded = vm.class(id).await?;
        names.push(loaded.name.clone());
        let own = loaded.fields.iter().filter(|f| !f.is_static);
        let is_outer = |f: &&LoadedField| f.is_synthetic && f.name.starts_with("this$");
        outer.extend(own.clone().filter(is_outer).map(|f| f.id));
        declared_by.extend(own.clone().map(|_| loaded.name.clone()));
        fields.extend(own.map(|f| (Arc::from(f.name.as_str()), f.id)));
        next = loaded.superclass;
    }
    let lambda: Option<Arc<LambdaCode>> = match names.first() {
        Some(name) if is_lambda_class(name) => lambda_code(vm, class).await?,
        _ => None,
    };
    let fact = lambda.map(Fact::Lambda).or_else(|| Fact::of(&names));
    let recipe = if fact.is_some() { None } else { Recipe::of(&names) };
    let layout = Rc::new(Layout { names, fields, declared_by, outer, fact, recipe });
    vm.layouts.add(class, layout.clone());
    Ok(layout)
}

/// The layout of a loaded JDK class by its name. Such a class has only one loader.
pub async fn layout_named(vm: &mut Vm, name: &str) -> Result<Option<Rc<Layout>>, RunError> {
    match vm.classes_named(name).await?.first() {
        Some(class) => Ok(Some(layout(vm, *class).await?)),
        None => Ok(None),
    }
}

/// The distinct objects among some values, at most `most`, with their layouts.
pub async fn objects<'v>(
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
                // The object has been collected.
                Err(_) => continue,
            },
        };
        found.push((object, layout(vm, class).await?));
    }
    Ok(found)
}
