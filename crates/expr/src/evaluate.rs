//! Evaluates an expression at a point, reading the state of the debuggee through a [`Machine`].

use super::class_names::get_hint;
use super::concat::text_of;
use super::error::{EvalError, nearest};
use super::evaluator::{EvalResult, Evaluator, Operand, OperandValue, type_error};
use super::machine::Machine;
use super::number::{self, NoResult, convert, primitive_of};
use super::scope::EventTypes;
use super::tree::{BinaryOperator, Literal, Node, UnaryOperator};
use super::types::{Primitive, Type};
use super::{Expr, check};
use model::Value;
use std::future::Future;
use std::pin::Pin;

/// Evaluates an expression.
///
/// # Errors
/// Why there is no value. A condition that cannot be evaluated is an error, never `false`.
pub async fn evaluate<M: Machine>(expr: &Expr, machine: &mut M) -> EvalResult<Value, M> {
    let mut evaluator = Evaluator { machine };
    let operand = evaluator.eval(expr.node()).await?;
    evaluator.materialize(operand).await
}

/// Evaluates a condition, whose value can also be a `Boolean`.
///
/// # Errors
/// As [`evaluate`], and if the value is not boolean.
pub async fn holds<M: Machine>(condition: &Expr, machine: &mut M) -> EvalResult<bool, M> {
    Evaluator { machine }.condition(condition.node()).await
}

type Evaluated<'a, M> = Pin<Box<dyn Future<Output = EvalResult<Operand, M>> + 'a>>;

impl<M: Machine> Evaluator<'_, M> {
    /// Evaluates a node. The evaluation is recursive, so each kind of node has its own boxed future: a deep
    /// expression then needs no stack space for the other kinds.
    pub(super) fn eval<'a>(&'a mut self, node: &'a Node) -> Evaluated<'a, M> {
        match node {
            Node::Field { owner, name } => Box::pin(self.field(node, owner, name)),
            Node::Index { array, index } => Box::pin(self.element(node, array, index)),
            Node::Mapped { map, key } => {
                Box::pin(self.call(node, Some(map), "get", std::slice::from_ref(key)))
            }
            Node::Call { owner, name, arguments } => {
                let owner = owner.as_deref();
                match node.old() {
                    Some(operand) => Box::pin(self.old(node, operand, owner, name, arguments)),
                    None => Box::pin(self.call(node, owner, name, arguments)),
                }
            }
            Node::Unary { operator, operand } => Box::pin(self.unary(node, *operator, operand)),
            Node::Binary { operator, left, right } => match operator {
                BinaryOperator::And | BinaryOperator::Or => Box::pin(self.lazy(*operator, left, right)),
                _ => Box::pin(self.binary(node, *operator, left, right)),
            },
            Node::Cast { to, operand } => Box::pin(self.cast(node, to, operand)),
            Node::InstanceOf { operand, class } => Box::pin(async move {
                let found = self.eval(operand).await?;
                self.instance_of(node, &found, class).await.map(|b| Operand::of(Value::Boolean(b)))
            }),
            Node::Conditional { condition, yes, no } => Box::pin(async move {
                let chosen = if self.condition(condition).await? { yes } else { no };
                let found = self.eval(chosen).await?;
                self.conditional_type(found, yes, no).await
            }),
            _ => Box::pin(self.leaf(node)),
        }
    }

    async fn leaf(&mut self, node: &Node) -> EvalResult<Operand, M> {
        match node {
            Node::Literal(literal) => Ok(literal_operand(literal)),
            Node::Name(name) => match self.variable(name).await? {
                Some(found) => Ok(found),
                None => Err(self.unknown_name(name).await),
            },
            Node::This => self.this("this").await,
            Node::OuterThis(class) => self.outer_this(class).await,
            Node::ClassObject(class) => {
                let found = self.find(class).await?;
                let object = match found {
                    Some(found) => self.machine.class_object(&found).await.map_err(EvalError::Machine)?,
                    None => None,
                };
                match object {
                    Some(object) => Ok(Operand::of(object)),
                    None => type_error::<_, M>(node, "is not loaded for this frame"),
                }
            }
            Node::Event(part) => match self.machine.event_part(*part) {
                Some(value) => Ok(Operand::of(value)),
                None => Err(EvalError::NotInEvent { part: *part }),
            },
            other => type_error::<_, M>(other, "is not a value"),
        }
    }

    /// Evaluates `old(x)`, unless the program has such a method.
    async fn old(
        &mut self,
        node: &Node,
        operand: &Node,
        owner: Option<&Node>,
        name: &str,
        arguments: &[Node],
    ) -> EvalResult<Operand, M> {
        match self.machine.look_back(true) {
            Some(was) => {
                let found = self.eval(operand).await;
                self.machine.look_back(was);
                found
            }
            None => self.call(node, owner, name, arguments).await,
        }
    }

    async fn unary(&mut self, node: &Node, operator: UnaryOperator, inner: &Node) -> EvalResult<Operand, M> {
        let operand = self.eval(inner).await?;
        let value = self.unboxed(operand, inner).await?;
        self.number(node, number::unary(operator, &value), &[&value], operator)
    }

    async fn lazy(&mut self, operator: BinaryOperator, left: &Node, right: &Node) -> EvalResult<Operand, M> {
        let decided = self.condition(left).await?;
        let is_decided = decided == (operator == BinaryOperator::Or);
        let value = if is_decided { decided } else { self.condition(right).await? };
        Ok(Operand::of(Value::Boolean(value)))
    }

    /// Converts the operand to a value of the debuggee; may create a string there.
    pub(super) async fn materialize(&mut self, operand: Operand) -> EvalResult<Value, M> {
        match operand.value {
            OperandValue::Value(value) => Ok(value),
            OperandValue::Text(text) => self.machine.new_string(&text).await.map_err(EvalError::Machine),
        }
    }

    /// `this`, with the declaring class of the method as its type, so that private members of that class are
    /// found.
    pub(super) async fn this(&mut self, text: &str) -> EvalResult<Operand, M> {
        let level = self.innermost().await?;
        let value = level.object.ok_or_else(|| EvalError::NoThis { text: text.to_owned() })?;
        Ok(Operand::declared(value, Type::Class(self.machine.scope().class.clone())))
    }

    fn number(
        &self,
        node: &Node,
        found: Result<Value, NoResult>,
        operands: &[&Value],
        operator: impl std::fmt::Display,
    ) -> EvalResult<Operand, M> {
        match found {
            Ok(value) => Ok(Operand::of(value)),
            Err(NoResult::DivisionByZero) => Err(EvalError::DivisionByZero { text: node.to_string() }),
            Err(NoResult::Types) => {
                let kinds: Vec<_> = operands.iter().map(|v| kind_of(v)).collect();
                type_error::<_, M>(node, format!("`{operator}` cannot be applied to {}", kinds.join(" and ")))
            }
        }
    }

    /// The primitive value, unboxed if necessary (JLS §5.1.8).
    pub(super) async fn unboxed(&mut self, operand: Operand, node: &Node) -> EvalResult<Value, M> {
        let value = match operand.value {
            OperandValue::Text(_) => {
                return type_error::<_, M>(node, "a string is neither a number nor a boolean");
            }
            OperandValue::Value(value) => value,
        };
        if value == Value::Null {
            return Err(EvalError::NullPointer { text: node.to_string(), wanted: "value in it".to_owned() });
        }
        match self.unbox(&value).await? {
            Some(inner) => Ok(inner),
            None => type_error::<_, M>(
                node,
                format!("{} is neither a number nor a boolean", self.describe(&value).await?),
            ),
        }
    }

    /// The primitive value, unboxed if necessary; `None` for any other value.
    async fn unbox(&mut self, value: &Value) -> EvalResult<Option<Value>, M> {
        if primitive_of(value).is_some() {
            return Ok(Some(value.clone()));
        }
        let Value::Object { id, .. } = value else { return Ok(None) };
        let class = self.class_of(*id).await?;
        let info = self.info(&class).await?;
        if Primitive::from_box(&info.name).is_none() {
            return Ok(None);
        }
        // Every box class of the JDK stores its value in the private field `value`.
        let index = info.fields.iter().position(|f| f.name == "value" && !f.is_static);
        match index {
            Some(index) => {
                self.machine.get_field(*id, &class, index).await.map(Some).map_err(EvalError::Machine)
            }
            None => Ok(None),
        }
    }

    /// A description of the value for messages: `int`, `null`, `an object of shop.Rec`.
    pub(super) async fn describe(&mut self, value: &Value) -> EvalResult<String, M> {
        match value {
            Value::Object { id, .. } => {
                let class = self.class_of(*id).await?;
                Ok(format!("an object of {}", self.info(&class).await?.name))
            }
            other => Ok(kind_of(other)),
        }
    }

    async fn condition(&mut self, node: &Node) -> EvalResult<bool, M> {
        let operand = self.eval(node).await?;
        match self.unboxed(operand, node).await? {
            Value::Boolean(b) => Ok(b),
            other => type_error::<_, M>(node, format!("is {} where a boolean is needed", kind_of(&other))),
        }
    }

    async fn field(&mut self, node: &Node, owner: &Node, name: &str) -> EvalResult<Operand, M> {
        if *owner == Node::Super {
            let this = self.this("super").await?;
            return self.super_field(node, this, name).await;
        }
        let Some(parts) = node.dotted() else {
            let found = self.eval(owner).await?;
            return self.select(found, &owner.to_string(), name).await;
        };
        let (mut found, used) = self.dotted_start(&parts).await?;
        if let Some(Start::Class(class)) = found.take_if(|f| matches!(f, Start::Class(_))) {
            let Some(part) = parts.get(used) else {
                return type_error::<_, M>(node, "is a class, not a value");
            };
            let operand = self.static_field(&class, part, &parts, used).await?;
            return self.select_all(operand, &parts, used + 1).await;
        }
        match found {
            Some(Start::Value(operand)) => self.select_all(operand, &parts, used).await,
            _ => Err(self.unknown_name(parts.first().copied().unwrap_or(name)).await),
        }
    }

    /// The meaning of the start of a dotted name (a variable, otherwise a class), and the number of its
    /// parts.
    pub(super) async fn dotted_start(
        &mut self,
        parts: &[&str],
    ) -> EvalResult<(Option<Start<M::Class>>, usize), M> {
        let Some(first) = parts.first() else { return Ok((None, 0)) };
        if let Some(found) = self.variable(first).await? {
            return Ok((Some(Start::Value(found)), 1));
        }
        Ok(match self.class_prefix(parts, true).await? {
            Some((class, used)) => (Some(Start::Class(class)), used),
            None => (None, 0),
        })
    }

    pub(super) async fn select_all(
        &mut self,
        start: Operand,
        parts: &[&str],
        from: usize,
    ) -> EvalResult<Operand, M> {
        let mut found = start;
        for (at, part) in parts.iter().enumerate().skip(from) {
            let text = parts.get(..at).unwrap_or_default().join(".");
            found = self.select(found, &text, part).await?;
        }
        Ok(found)
    }

    pub(super) async fn static_field(
        &mut self,
        class: &M::Class,
        name: &str,
        parts: &[&str],
        used: usize,
    ) -> EvalResult<Operand, M> {
        let text = parts.get(..=used).unwrap_or_default().join(".");
        match self.find_field(class, name).await? {
            Some(field) if field.info.is_static => self.read_field(&field, None, &text).await,
            Some(_) => type_error::<_, M>(text, format!("`{name}` is not static; it needs an object")),
            None => Err(self.no_such_field(class, name, text).await?),
        }
    }

    async fn super_field(&mut self, node: &Node, this: Operand, name: &str) -> EvalResult<Operand, M> {
        let class = self.machine.frame_class().await.map_err(EvalError::Machine)?;
        let above = self.info(&class).await?.superclass.clone().unwrap_or(class);
        let OperandValue::Value(value) = &this.value else {
            return Err(EvalError::NoThis { text: node.to_string() });
        };
        match self.find_field(&above, name).await? {
            Some(field) => self.read_field(&field, value.object_id(), &node.to_string()).await,
            None => Err(self.no_such_field(&above, name, node.to_string()).await?),
        }
    }

    async fn no_such_field(
        &mut self,
        class: &M::Class,
        name: &str,
        text: String,
    ) -> EvalResult<EvalError<M::Error>, M> {
        let names = self.field_names(class).await?;
        let hint = nearest(name, names.iter().map(String::as_str));
        let class = self.info(class).await?.name.to_string();
        Ok(EvalError::NoSuchField { text, class, field: name.to_owned(), hint })
    }

    /// A field of a value, or the length of an array.
    async fn select(&mut self, owner: Operand, owner_text: &str, name: &str) -> EvalResult<Operand, M> {
        let text = format!("{owner_text}.{name}");
        if owner.is_null() {
            return Err(EvalError::NullPointer { text: owner_text.to_owned(), wanted: format!(".{name}") });
        }
        let declared = owner.declared.clone();
        let value = self.materialize(owner).await?;
        let Some(id) = value.object_id() else {
            return type_error::<_, M>(text, format!("{} has no fields", kind_of(&value)));
        };
        let class = self.class_of(id).await?;
        let is_array = self.info(&class).await?.name.ends_with("[]");
        if is_array && name == "length" {
            let length = self.machine.array_length(id).await.map_err(EvalError::Machine)?;
            return Ok(Operand::of(Value::Int(length)));
        }
        let seen_as = match &declared {
            Type::Class(name) => self.supertype(&class, name).await?,
            _ => None,
        };
        let mut field = None;
        if let Some(seen_as) = &seen_as {
            field = self.find_field(seen_as, name).await?;
        }
        if field.is_none() {
            field = self.find_field(&class, name).await?;
        }
        match field {
            Some(field) => self.read_field(&field, Some(id), &text).await,
            None => Err(self.no_such_field(&class, name, text).await?),
        }
    }

    async fn element(&mut self, node: &Node, array: &Node, index: &Node) -> EvalResult<Operand, M> {
        let owner = self.eval(array).await?;
        let at = self.eval(index).await?;
        let at = self.unboxed(at, index).await?;
        let at = match primitive_of(&at).map(Primitive::promoted).and_then(|p| convert(&at, p)) {
            Some(Value::Int(at)) => at,
            _ => {
                return type_error::<_, M>(
                    index,
                    format!("is {} where an int index is needed", kind_of(&at)),
                );
            }
        };
        if owner.is_null() {
            return Err(EvalError::NullPointer { text: array.to_string(), wanted: format!("[{index}]") });
        }
        let declared = match &owner.declared {
            Type::Array(element) => (**element).clone(),
            _ => Type::Unknown,
        };
        let id = match &owner.value {
            OperandValue::Value(Value::Object { id, .. }) => *id,
            OperandValue::Value(value) => {
                return type_error::<_, M>(array, format!("{} is not an array", kind_of(value)));
            }
            OperandValue::Text(_) => {
                return type_error::<_, M>(array, "a string is not an array; use charAt");
            }
        };
        let class = self.class_of(id).await?;
        let info = self.info(&class).await?;
        if !info.name.ends_with("[]") {
            let line = self.lineage(&class).await?;
            let hint = get_hint(line.iter().map(|(_, info)| &*info.name), array, index);
            return type_error::<_, M>(array, format!("an object of {} is not an array{hint}", info.name));
        }
        let length = self.machine.array_length(id).await.map_err(EvalError::Machine)?;
        if at < 0 || at >= length {
            return Err(EvalError::ArrayIndex { text: node.to_string(), index: at, length });
        }
        let value = self.machine.array_get(id, at).await.map_err(EvalError::Machine)?;
        Ok(Operand::declared(value, declared))
    }

    async fn binary(
        &mut self,
        node: &Node,
        operator: BinaryOperator,
        left: &Node,
        right: &Node,
    ) -> EvalResult<Operand, M> {
        let a = self.eval(left).await?;
        let b = self.eval(right).await?;
        if operator == BinaryOperator::Add && (a.is_string() || b.is_string()) {
            let mut text = self.concat_text(a, left).await?;
            text.push_str(&self.concat_text(b, right).await?);
            return Ok(Operand::text(text));
        }
        let equality = matches!(operator, BinaryOperator::Equal | BinaryOperator::NotEqual);
        if equality && a.primitive().is_none() && b.primitive().is_none() {
            let same = self.same(node, &a, &b)?;
            return Ok(Operand::of(Value::Boolean(same == (operator == BinaryOperator::Equal))));
        }
        let a = self.unboxed(a, left).await?;
        let b = self.unboxed(b, right).await?;
        self.number(node, number::binary(operator, &a, &b), &[&a, &b], operator)
    }

    /// Compares references with `==`. A string literal of the expression is compared by its characters.
    fn same(&self, node: &Node, a: &Operand, b: &Operand) -> EvalResult<bool, M> {
        match (&a.value, &b.value) {
            (OperandValue::Text(a), OperandValue::Text(b)) => Ok(a == b),
            (OperandValue::Text(text), OperandValue::Value(value))
            | (OperandValue::Value(value), OperandValue::Text(text)) => match value {
                Value::Str(s) => Ok(s.text == *text),
                Value::Null | Value::Object { .. } => Ok(false),
                other => type_error::<_, M>(node, format!("cannot compare a string with {}", kind_of(other))),
            },
            // Equal constants are the same string, and strings with different characters are different ones
            // (JLS §3.10.5).
            (OperandValue::Value(Value::Str(a)), OperandValue::Value(Value::Str(b)))
                if self.machine.is_made(a.id) || self.machine.is_made(b.id) =>
            {
                let are_constants = self.machine.is_made(a.id) && self.machine.is_made(b.id);
                match a.text == b.text {
                    true if !are_constants => {
                        type_error::<_, M>(node, "it is unknown whether both are the same string; use equals")
                    }
                    same => Ok(same),
                }
            }
            (OperandValue::Value(a), OperandValue::Value(b)) => {
                let nothing = |v: &&Value| v.object_id().is_none() && **v != Value::Null;
                match [a, b].into_iter().find(nothing) {
                    Some(v) => type_error::<_, M>(node, format!("cannot compare {}", kind_of(v))),
                    None => Ok(a.object_id() == b.object_id()),
                }
            }
        }
    }

    async fn concat_text(&mut self, operand: Operand, node: &Node) -> EvalResult<String, M> {
        let value = match operand.value {
            OperandValue::Text(text) => return Ok(text),
            OperandValue::Value(value) => value,
        };
        let value = self.unbox(&value).await?.unwrap_or(value);
        match text_of(&value) {
            Some(text) => Ok(text),
            None if value.object_id().is_none() => {
                type_error::<_, M>(node, format!("is {}", kind_of(&value)))
            }
            None => {
                let what = self.describe(&value).await?;
                type_error::<_, M>(node, format!("is {what}; write .toString() to call it"))
            }
        }
    }

    /// Converts the selected branch to the common type of both branches (JLS §15.25).
    async fn conditional_type(&mut self, found: Operand, yes: &Node, no: &Node) -> EvalResult<Operand, M> {
        let scope = self.machine.scope();
        let kind = check::conditional_primitive(yes, no, scope, &EventTypes::unknown());
        let Some(kind) = kind else { return Ok(found) };
        let OperandValue::Value(value) = &found.value else { return Ok(found) };
        let Some(value) = self.unbox(value).await? else { return Ok(found) };
        Ok(convert(&value, kind).map_or(found, Operand::of))
    }
}

/// The meaning of the start of a dotted name.
pub(super) enum Start<C> {
    Value(Operand),
    Class(C),
}

fn literal_operand(literal: &Literal) -> Operand {
    match literal {
        Literal::Null => Operand::declared(Value::Null, Type::Null),
        Literal::Boolean(v) => Operand::of(Value::Boolean(*v)),
        Literal::Char(v) => Operand::of(Value::Char(*v)),
        Literal::Int(v) => Operand::of(Value::Int(*v)),
        Literal::Long(v) => Operand::of(Value::Long(*v)),
        Literal::Float(v) => Operand::of(Value::Float(*v)),
        Literal::Double(v) => Operand::of(Value::Double(*v)),
        Literal::Text(text) => Operand::text(text.clone()),
    }
}

/// A description of the value that needs no class lookup.
pub(super) fn kind_of(value: &Value) -> String {
    match value {
        Value::Unassigned => "an unassigned local".to_owned(),
        Value::Absent => "no element".to_owned(),
        Value::Failed(_) => "a value that could not be read".to_owned(),
        Value::Void => "nothing (a void method's result)".to_owned(),
        Value::Null => "null".to_owned(),
        Value::Str(_) => "a string".to_owned(),
        Value::Object { .. } => "an object".to_owned(),
        other => primitive_of(other).map_or_else(String::new, |p| p.to_string()),
    }
}
