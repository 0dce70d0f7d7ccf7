//! Method calls: overload selection, argument conversion, and the result.

use super::error::{EvalError, nearest};
use super::evaluate::Start;
use super::evaluator::{EvalResult, Evaluator, Operand, OperandValue};
use super::hierarchy::{FoundMethod, type_named};
use super::machine::{Invoked, Machine};
use super::number::{convert, primitive_of};
use super::overload::{Parameters, Selection, Supertypes, expanded_parameter, select};
use super::tree::Node;
use super::types::{Type, method_types};
use model::{ObjectId, Value, quoted};

/// Maximum number of characters shown of an exception's message.
const MESSAGE: usize = 120;

/// The receiver of a method call.
struct Receiver<C> {
    /// The object; `None` in a static context.
    object: Option<ObjectId>,
    /// The classes in which to look up its methods, in this order: the static type, then the runtime class.
    classes: Vec<C>,
    /// Whether the call is `super.m()`.
    nonvirtual: bool,
}

/// The method selected for a call.
struct Chosen<C> {
    method: FoundMethod<C>,
    parameters: Parameters,
    result: Type,
    expanded: bool,
}

impl<M: Machine> Evaluator<'_, M> {
    pub(super) async fn call(
        &mut self,
        node: &Node,
        owner: Option<&Node>,
        name: &str,
        arguments: &[Node],
    ) -> EvalResult<Operand, M> {
        let receiver = match owner {
            None => self.unqualified(name).await?,
            Some(owner) => self.receiver(owner, name).await?,
        };
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.eval(argument).await?);
        }
        let chosen = self.choose(node, &receiver, name, &values).await?;
        if receiver.object.is_none() && !chosen.method.info.is_static {
            return Err(EvalError::NoThis { text: node.to_string() });
        }
        let passed = self.convert_arguments(node, &chosen, values).await?;
        let target = if chosen.method.info.is_static { None } else { receiver.object };
        let ended = self
            .machine
            .invoke(target, &chosen.method.class, chosen.method.index, passed, receiver.nonvirtual)
            .await
            .map_err(EvalError::Machine)?;
        match ended {
            Invoked::Returned(value) => Ok(Operand::declared(value, chosen.result)),
            Invoked::Threw(exception) => self.threw(node, exception).await,
        }
    }

    async fn threw<T>(&mut self, node: &Node, exception: Value) -> EvalResult<T, M> {
        let (class, message) = match exception.object_id() {
            Some(id) => {
                let class = self.class_of(id).await?;
                (self.info(&class).await?.name.to_string(), self.message(id, &class).await)
            }
            None => ("an exception".to_owned(), None),
        };
        let message = message.map(|m| format!(": {m}")).unwrap_or_default();
        Err(EvalError::Threw { text: node.to_string(), class, message, exception })
    }

    /// The message of an exception, read from its field, because `getMessage` would run code of the program.
    /// `None` if there is none or it cannot be read.
    async fn message(&mut self, exception: ObjectId, class: &M::Class) -> Option<String> {
        let field = self.find_field(class, "detailMessage").await.ok()??;
        match self.machine.get_field(exception, &field.class, field.index).await.ok()? {
            Value::Str(text) if text.text.chars().count() > MESSAGE => {
                let shown: String = text.text.chars().take(MESSAGE).chain(['…']).collect();
                Some(quoted(&shown, '"'))
            }
            Value::Str(text) => Some(quoted(&text.text, '"')),
            _ => None,
        }
    }

    /// The receiver of `m()`: the innermost enclosing class that has a method with that name (JLS §15.12.1).
    async fn unqualified(&mut self, name: &str) -> EvalResult<Receiver<M::Class>, M> {
        let innermost = self.innermost().await?;
        let own = innermost.class.clone();
        let mut level = Some(innermost);
        while let Some(at) = level {
            if !self.find_methods(&at.class, name).await?.is_empty() {
                let object = at.object.as_ref().and_then(Value::object_id);
                return Ok(Receiver { object, classes: vec![at.class], nonvirtual: false });
            }
            level = self.outwards(&at).await?;
        }
        let mut classes = Vec::new();
        for class in self.machine.imported(name, true) {
            classes.extend(self.find(&class).await?);
        }
        if classes.is_empty() {
            classes.push(own);
        }
        Ok(Receiver { object: None, classes, nonvirtual: false })
    }

    async fn receiver(&mut self, owner: &Node, name: &str) -> EvalResult<Receiver<M::Class>, M> {
        if *owner == Node::Super {
            let this = self.this("super").await?;
            let class = self.machine.frame_class().await.map_err(EvalError::Machine)?;
            let info = self.info(&class).await?;
            let object = self.materialize(this).await?.object_id();
            let above = info.superclass.iter().chain(&info.interfaces).cloned().collect();
            return Ok(Receiver { object, classes: above, nonvirtual: true });
        }
        let operand = match owner.dotted() {
            Some(parts) => match self.dotted_start(&parts).await? {
                (Some(Start::Class(class)), used) if used == parts.len() => {
                    return Ok(Receiver { object: None, classes: vec![class], nonvirtual: false });
                }
                (Some(Start::Class(class)), used) => {
                    let part = parts.get(used).copied().unwrap_or_default();
                    let first = self.static_field(&class, part, &parts, used).await?;
                    self.select_all(first, &parts, used + 1).await?
                }
                (Some(Start::Value(value)), used) => self.select_all(value, &parts, used).await?,
                (None, _) => return Err(self.unknown_name(parts.first().copied().unwrap_or(name)).await),
            },
            None => self.eval(owner).await?,
        };
        let declared = operand.declared.clone();
        let value = self.materialize(operand).await?;
        if value == Value::Null {
            return Err(EvalError::NullPointer { text: owner.to_string(), wanted: format!(".{name}()") });
        }
        let Some(id) = value.object_id() else {
            let problem = format!("{} has no methods", self.describe(&value).await?);
            return Err(EvalError::Type { text: owner.to_string(), problem });
        };
        let runtime = self.class_of(id).await?;
        let mut classes = Vec::new();
        if let Type::Class(name) = &declared {
            classes.extend(self.supertype(&runtime, name).await?);
        }
        if !classes.contains(&runtime) {
            classes.push(runtime);
        }
        Ok(Receiver { object: Some(id), classes, nonvirtual: false })
    }

    async fn choose(
        &mut self,
        node: &Node,
        receiver: &Receiver<M::Class>,
        name: &str,
        arguments: &[Operand],
    ) -> EvalResult<Chosen<M::Class>, M> {
        let mut known = Supertypes::default();
        let mut types = Vec::with_capacity(arguments.len());
        for argument in arguments {
            types.push(self.argument_type(node, argument, &mut known).await?);
        }
        let mut others = Vec::new();
        for class in &receiver.classes {
            let mut methods = Vec::new();
            let mut parameters = Vec::new();
            for method in self.find_methods(class, name).await? {
                let Some((types, result)) = method_types(&method.info.descriptor) else { continue };
                for parameter in &types {
                    self.add_type(parameter, &mut known).await?;
                }
                parameters.push(Parameters { types, is_varargs: method.info.is_varargs });
                methods.push((method, result));
            }
            let signature = |at: &usize| methods.get(*at).map(|(m, _)| signature(m)).unwrap_or_default();
            match select(&parameters, &types, &known) {
                Selection::One { method: at, expanded } => {
                    if let (Some((method, result)), Some(parameters)) =
                        (methods.into_iter().nth(at), parameters.into_iter().nth(at))
                    {
                        return Ok(Chosen { method, parameters, result, expanded });
                    }
                }
                Selection::Several(fitting) => {
                    let candidates = fitting.iter().map(signature).collect();
                    return Err(EvalError::AmbiguousCall { text: node.to_string(), candidates });
                }
                Selection::None => others.extend((0..methods.len()).map(|at| signature(&at))),
            }
        }
        self.no_such_method(node, receiver, name, &types, others).await
    }

    async fn no_such_method<T>(
        &mut self,
        node: &Node,
        receiver: &Receiver<M::Class>,
        name: &str,
        types: &[Type],
        mut others: Vec<String>,
    ) -> EvalResult<T, M> {
        let (mut class, mut names) = (String::new(), Vec::new());
        if let Some(last) = receiver.classes.last() {
            class = self.info(last).await?.name.to_string();
            names = self.method_names(last).await?;
        }
        others.dedup();
        let hint = if others.is_empty() {
            nearest(name, names.iter().map(String::as_str))
        } else {
            format!("; there is {}", others.join(" and "))
        };
        let arguments = types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
        Err(EvalError::NoSuchMethod {
            text: node.to_string(),
            class,
            method: name.to_owned(),
            arguments,
            hint,
        })
    }

    /// The argument type for overload selection: the runtime class, or the type to which the argument was
    /// cast.
    async fn argument_type(
        &mut self,
        node: &Node,
        argument: &Operand,
        known: &mut Supertypes,
    ) -> EvalResult<Type, M> {
        if argument.is_cast {
            self.add_type(&argument.declared, known).await?;
            return Ok(argument.declared.clone());
        }
        let value = match &argument.value {
            OperandValue::Text(_) => {
                self.add_type(&Type::string(), known).await?;
                return Ok(Type::string());
            }
            OperandValue::Value(value) => value,
        };
        if let Some(primitive) = primitive_of(value) {
            return Ok(Type::Primitive(primitive));
        }
        match value.object_id() {
            Some(id) => {
                let class = self.class_of(id).await?;
                self.add_supertypes(&class, known).await?;
                let found = type_named(&self.info(&class).await?.name);
                self.add_type(&found, known).await?;
                Ok(found)
            }
            None if *value == Value::Null => Ok(Type::Null),
            None => {
                let problem = format!("an argument is {}", self.describe(value).await?);
                Err(EvalError::Type { text: node.to_string(), problem })
            }
        }
    }

    async fn convert_arguments(
        &mut self,
        node: &Node,
        chosen: &Chosen<M::Class>,
        arguments: Vec<Operand>,
    ) -> EvalResult<Vec<Value>, M> {
        let fixed = chosen.parameters.types.len().saturating_sub(usize::from(chosen.expanded));
        let mut passed = Vec::with_capacity(arguments.len());
        for (at, argument) in arguments.into_iter().enumerate() {
            let parameter = if chosen.expanded {
                expanded_parameter(&chosen.parameters, at)
            } else {
                chosen.parameters.types.get(at).cloned()
            };
            let value = match parameter {
                Some(Type::Primitive(to)) => {
                    let value = self.unboxed(argument, node).await?;
                    convert(&value, to).unwrap_or(value)
                }
                _ if argument.primitive().is_some() => {
                    let value = self.materialize(argument).await?;
                    self.boxed(value, node).await?
                }
                _ => self.materialize(argument).await?,
            };
            passed.push(value);
        }
        if chosen.expanded {
            let elements = passed.split_off(fixed.min(passed.len()));
            let array = chosen.parameters.types.last().map(Type::to_string).unwrap_or_default();
            let made = match self.find(&array).await? {
                Some(class) => self.machine.new_array(&class, elements).await.map_err(EvalError::Machine)?,
                None => None,
            };
            let Some(made) = made else {
                let problem = format!("needs a new {array}, which cannot be created here; pass an array");
                return Err(EvalError::Type { text: node.to_string(), problem });
            };
            passed.push(made);
        }
        Ok(passed)
    }

    /// Boxes a primitive value with `valueOf` of its box class (JLS §5.1.7).
    pub(super) async fn boxed(&mut self, value: Value, node: &Node) -> EvalResult<Value, M> {
        let Some(primitive) = primitive_of(&value) else { return Ok(value) };
        let name = primitive.box_class();
        let not_loaded = || EvalError::ClassNotLoaded {
            text: node.to_string(),
            class: name.to_owned(),
            hint: String::new(),
        };
        let class = self.find(name).await?.ok_or_else(not_loaded)?;
        let descriptor = format!("({})L{};", primitive.letter(), name.replace('.', "/"));
        let info = self.info(&class).await?;
        let method = info.methods.iter().position(|m| m.name == "valueOf" && m.descriptor == descriptor);
        let method = method.ok_or_else(not_loaded)?;
        match self
            .machine
            .invoke(None, &class, method, vec![value], false)
            .await
            .map_err(EvalError::Machine)?
        {
            Invoked::Returned(value) => Ok(value),
            Invoked::Threw(exception) => self.threw(node, exception).await,
        }
    }
}

fn signature<C>(method: &FoundMethod<C>) -> String {
    let parameters = method_types(&method.info.descriptor).map(|(p, _)| p).unwrap_or_default();
    let parameters = parameters.iter().map(Type::to_string).collect::<Vec<_>>().join(", ");
    format!("{}.{}({parameters})", method.class_name, method.info.name)
}
