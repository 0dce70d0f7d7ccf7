//! Casts and `instanceof` at run time (JLS §5.5, §15.16, §15.20.2).

use super::class_names::is_called;
use super::error::EvalError;
use super::evaluate::kind_of;
use super::evaluator::{EvalResult, Evaluator, Operand, OperandValue, type_error};
use super::hierarchy::type_named;
use super::machine::Machine;
use super::number::{convert, primitive_of};
use super::overload::{Supertypes, boxes_to};
use super::tree::{ElementName, Node, TypeName};
use super::types::Type;
use model::Value;

impl<M: Machine> Evaluator<'_, M> {
    pub(super) async fn cast(&mut self, node: &Node, to: &TypeName, inner: &Node) -> EvalResult<Operand, M> {
        let operand = self.eval(inner).await?;
        if let Some(to) = to.primitive() {
            let was_primitive = operand.primitive().is_some();
            let value = self.unboxed(operand, inner).await?;
            let from = primitive_of(&value);
            // An unboxed value can only be widened (JLS §5.5).
            let allowed = was_primitive || from.is_some_and(|from| from.widens_to(to));
            return match convert(&value, to).filter(|_| allowed) {
                Some(value) => Ok(Operand::of(value)),
                None => type_error::<_, M>(node, format!("{} cannot be cast to {to}", kind_of(&value))),
            };
        }
        let operand = match operand.primitive() {
            Some(from) => {
                let class = match &to.element {
                    ElementName::Class(name) if to.dimensions == 0 => self.class_named(name).await?,
                    _ => None,
                };
                let name = match &class {
                    Some(class) => self.info(class).await?.name.clone(),
                    None => "".into(),
                };
                if !boxes_to(from, &name) {
                    return type_error::<_, M>(node, format!("{from} cannot be cast to {to}"));
                }
                let value = self.materialize(operand).await?;
                Operand::of(self.boxed(value, node).await?)
            }
            None => operand,
        };
        if !operand.is_null() && !self.instance_of(node, &operand, to).await? {
            let from = match &operand.value {
                OperandValue::Text(_) => "java.lang.String".to_owned(),
                OperandValue::Value(value) => match value.object_id() {
                    Some(id) => {
                        let class = self.class_of(id).await?;
                        self.info(&class).await?.name.to_string()
                    }
                    None => kind_of(value),
                },
            };
            return Err(EvalError::ClassCast { text: node.to_string(), from, to: to.to_string() });
        }
        let declared = match self.type_written(&to.element).await? {
            Some((element, _)) => to.with_element(element),
            None => Type::Unknown,
        };
        let is_cast = declared != Type::Unknown;
        Ok(Operand { declared, is_cast, ..operand })
    }

    pub(super) async fn instance_of(
        &mut self,
        node: &Node,
        operand: &Operand,
        class: &TypeName,
    ) -> EvalResult<bool, M> {
        let value = match &operand.value {
            OperandValue::Value(Value::Null) => return Ok(false),
            OperandValue::Value(value) if value.object_id().is_none() => {
                return type_error::<_, M>(node, format!("{} is not an object", kind_of(value)));
            }
            OperandValue::Value(value) => value.clone(),
            OperandValue::Text(_) => self.materialize(operand.clone()).await?,
        };
        let Some(id) = value.object_id() else { return Ok(false) };
        let written = self.type_written(&class.element).await?;
        if let (Some((_, Some(wanted))), 0) = (&written, class.dimensions) {
            return self.machine.is_instance(id, wanted).await.map_err(EvalError::Machine);
        }
        let runtime = self.class_of(id).await?;
        let mut known = Supertypes::default();
        self.add_supertypes(&runtime, &mut known).await?;
        let own = type_named(&self.info(&runtime).await?.name);
        self.add_type(&own, &mut known).await?;
        match (written, &class.element) {
            (Some((element, _)), _) => Ok(known.is_subtype(&own, &class.with_element(element))),
            // No object can have a class that is not loaded.
            (None, ElementName::Class(name)) if self.machine.denoted(name).len() == 1 => Ok(false),
            (None, ElementName::Class(name)) => {
                // Without imports, the simple name of one of the object's own types is accepted. An unknown
                // name may denote a loaded class.
                let called = known.0.keys().filter(|k| is_called(k, name)).cloned().collect::<Vec<_>>();
                let is =
                    called.into_iter().any(|k| known.is_subtype(&own, &class.with_element(Type::Class(k))));
                if is || name.contains('.') {
                    Ok(is)
                } else {
                    let hint = self.full_name_hint(name);
                    Err(EvalError::ClassNotLoaded { text: node.to_string(), class: name.clone(), hint })
                }
            }
            (None, ElementName::Primitive(_)) => Ok(false),
        }
    }
}
