//! What a name or an expression denotes at a moment: a variable whose writes can be asked for, or a value.
//!
//! Expressions are Java's (`expr`). An object can also be written as texts show it: `Rec@7`, `Rec@7.bar`,
//! `int[]@9[3]`; a field that another one hides with its class, `Rec@7.Base.bar`.

use crate::error::PastError;
use crate::expression::{ExpressionAt, RecordedValue};
use crate::fields::StaticName;
use crate::heap::ObjectPart;
use crate::locals::{KnownLocals, LocalValue};
use crate::moment::Moment;
use crate::object_names::{check_element, check_object, object_in};
use crate::recorded_classes::RecordedClasses;
use crate::recording::Recording;
use bytecode::ClassFile;
use expr::{Expr, Scope, ScopeLocal, VariableRef, place};
use std::collections::HashSet;
use trace::{CONTENTS, EventPosition, Level, TEXT, Traced, Value};

/// The name that stands for an object that is written by its number. No Java source has it.
const OBJECT: &str = "$object";

/// A variable of the recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Variable {
    /// A local variable or parameter of a call.
    Local {
        /// The call.
        node: u32,
        /// Its name.
        name: String,
    },
    /// A field of an object, an element of an array, or a static field, whose object is 0.
    Part {
        /// The object.
        object: u32,
        /// The field or element.
        part: ObjectPart,
    },
    /// The contents of a collection, or the text of a builder or stream.
    Contents {
        /// The object.
        object: u32,
        /// [`CONTENTS`] or [`TEXT`].
        part: u32,
    },
}

impl Variable {
    /// The object and the key under which its writes are found; `None` for a local variable, and for a
    /// variable that is never written.
    pub fn key(&self) -> Option<(u32, u32)> {
        match self {
            Variable::Local { .. } => None,
            Variable::Part { object, part } => Some((*object, part.part?)),
            Variable::Contents { object, part } => Some((*object, *part)),
        }
    }
}

/// A name or expression with the names that are visible where it is evaluated.
struct Named {
    expr: Expr,
    scope: Scope,
    /// The object that [`OBJECT`] stands for.
    object: Option<u32>,
}

impl Recording {
    /// The moment of an event, in its call.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn moment(&mut self, at: EventPosition) -> Result<Moment, PastError> {
        Ok(Moment { at, when: self.calls.when_at(at)? })
    }

    /// The variable that a name or expression denotes. An expression with a collection as its value denotes
    /// the contents.
    ///
    /// # Errors
    /// It denotes no variable, or the events cannot be read.
    pub fn variable(&mut self, moment: Moment, text: &str) -> Result<Variable, PastError> {
        let named = self.named(moment, text)?;
        let classes = RecordedClasses { pool: self.code.fields.pool(), calls: Some(&self.calls) };
        let found = place(&named.expr, &named.scope, &classes);
        let is_object = named.object.is_some();
        match found {
            Ok(VariableRef::Local { name, .. }) if is_object && name == OBJECT => {
                self.contents_of(named.object.unwrap_or(0), text)
            }
            Ok(VariableRef::Local { name, .. }) => Ok(Variable::Local { node: moment.at.node, name }),
            Ok(VariableRef::Field { owner, class, name, .. }) => {
                let object = self.object_of(moment, &named, owner, text)?;
                self.field(object, Some(&class), &name, text)
            }
            Ok(VariableRef::Unknown { owner, field }) => {
                let object = self.object_of(moment, &named, owner, text)?;
                self.field(object, None, &field, text)
            }
            Ok(VariableRef::Static { class, name, .. }) => {
                let method = self.calls.method_number(moment.at.node);
                let static_name = StaticName { class: &class, name: &name, method };
                let part = ObjectPart::of_static_field(&static_name, &mut self.code.fields, &self.calls);
                Ok(Variable::Part { object: 0, part: ObjectPart { name: Some(name), ..part } })
            }
            Ok(VariableRef::Element { array, index, .. }) => {
                let array = self.object_of(moment, &named, array, text)?;
                check_element(text, array, &self.calls)?;
                let index = self.value_of(moment, Named { expr: index, ..named })?;
                let index = index.index.ok_or_else(|| PastError::NoVariable(text.to_owned()))?;
                self.element(array, index)
            }
            Err(error) => {
                let value = self.value_of(moment, named);
                let why = || PastError::NoStep(format!("`{}` {}", error.text, error.problem));
                match value {
                    Ok(RecordedValue { object: Some(object), .. }) => {
                        self.contents_of(object, text).map_err(|_| why())
                    }
                    Ok(_) | Err(PastError::NoStep(_)) => Err(why()),
                    Err(error) => Err(error),
                }
            }
        }
    }

    /// The value of a name or expression. No code of the program runs.
    ///
    /// # Errors
    /// It has no value there, or the events cannot be read.
    pub fn evaluate(&mut self, moment: Moment, text: &str) -> Result<RecordedValue, PastError> {
        let named = self.named(moment, text)?;
        self.value_of(moment, named)
    }

    /// An element of an array.
    fn element(&mut self, array: u32, index: u32) -> Result<Variable, PastError> {
        let class = self.calls.objects.class(array).cloned().unwrap_or_default();
        let part = ObjectPart::of_element(&class, index, self.calls.was_made(array)?);
        Ok(Variable::Part { object: array, part })
    }

    /// A field of an object: the one that a class declares, or the nearest one with this name.
    fn field(
        &mut self,
        object: u32,
        declared_by: Option<&str>,
        name: &str,
        text: &str,
    ) -> Result<Variable, PastError> {
        let unknown = || PastError::NoVariable(text.to_owned());
        let class = self.calls.objects.class(object).cloned().ok_or_else(unknown)?;
        let fields = self.code.fields.of(&class, &self.calls);
        let found = match declared_by {
            Some(declares) => fields.declared(declares, name),
            None => fields.fields.iter().rev().find(|field| field.is_named(name)),
        };
        let part = ObjectPart::of_field(found.ok_or_else(unknown)?, self.calls.was_made(object)?);
        Ok(Variable::Part { object, part })
    }

    /// The contents of a collection or the text of a builder, as a variable.
    fn contents_of(&mut self, object: u32, text: &str) -> Result<Variable, PastError> {
        match self.contents_variable(object)? {
            Some(contents) => Ok(contents),
            None => Err(PastError::NoVariable(text.to_owned())),
        }
    }

    /// The contents of an object as a variable, if it is a collection, builder or stream whose changes were
    /// recorded.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn contents_variable(&mut self, object: u32) -> Result<Option<Variable>, PastError> {
        let calls = &mut self.calls;
        Ok(if calls.has_contents(object)? {
            Some(Variable::Contents { object, part: CONTENTS })
        } else if calls.has_text(object)? {
            Some(Variable::Contents { object: calls.text_owner(object)?, part: TEXT })
        } else {
            None
        })
    }

    /// The object that an expression refers to.
    fn object_of(&mut self, moment: Moment, named: &Named, expr: Expr, text: &str) -> Result<u32, PastError> {
        let named = Named { expr, scope: named.scope.clone(), object: named.object };
        let value = self.value_of(moment, named)?;
        value.object.filter(|object| *object != 0).ok_or_else(|| PastError::NoVariable(text.to_owned()))
    }

    fn value_of(&mut self, moment: Moment, named: Named) -> Result<RecordedValue, PastError> {
        let Named { expr, scope, object } = named;
        let text = expr.to_string().replace(OBJECT, "it");
        let compiled = self.checked(expr, scope).map_err(PastError::NoStep)?;
        let locals = match object {
            Some(object) => vec![(OBJECT.to_owned(), Value::Object(object))],
            None => self.named_locals(moment.at)?,
        };
        let value = compiled.value(&mut self.calls, &mut self.code.fields, moment, locals)?;
        value.map_err(|why| PastError::NoStep(format!("`{text}` has no value here: {why}")))
    }

    fn checked(&mut self, expr: Expr, scope: Scope) -> Result<ExpressionAt, String> {
        let unseen = self.code.unseen(&self.calls);
        let classes = RecordedClasses { pool: self.code.fields.pool(), calls: Some(&self.calls) };
        ExpressionAt::new(expr, scope, &classes, unseen)
    }

    /// The local variables of the frame of an event, by name, with their values at it.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn named_locals(&mut self, at: EventPosition) -> Result<Vec<(String, Value)>, PastError> {
        Ok(self.locals_at(at)?.into_iter().map(|local| (local.name, local.value)).collect())
    }

    /// Checks an expression that is evaluated at many events like this one; or says why it has no value
    /// there.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn compile(
        &mut self,
        at: EventPosition,
        text: &str,
    ) -> Result<Result<ExpressionAt, String>, PastError> {
        match Expr::parse(text) {
            Ok(expr) => {
                let scope = self.scope(at)?;
                Ok(self.checked(expr, scope))
            }
            Err(error) => Ok(Err(error.to_string())),
        }
    }

    /// The value of a compiled expression before an event, or why it is unknown.
    ///
    /// # Errors
    /// The recording or a class file cannot be read.
    pub fn value(
        &mut self,
        at: EventPosition,
        compiled: &ExpressionAt,
    ) -> Result<Result<RecordedValue, String>, PastError> {
        let (moment, locals) = (self.moment(at)?, self.named_locals(at)?);
        compiled.value(&mut self.calls, &mut self.code.fields, moment, locals)
    }

    /// The variables of a call before one of its events, as far as their values are known.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn locals_at(&mut self, at: EventPosition) -> Result<Vec<LocalValue>, PastError> {
        let unknown = self.unrecorded_parameters(at);
        let all = self.all_locals_at(at)?.into_iter().enumerate();
        Ok(all.filter(|(at, _)| !unknown.contains(at)).map(|(_, local)| local).collect())
    }

    /// The variables of a call before one of its events, the parameters first; of those that
    /// [`Recording::unrecorded_parameters`] has, the value at the entry.
    ///
    /// # Errors
    /// The events cannot be read.
    pub fn all_locals_at(&mut self, at: EventPosition) -> Result<Vec<LocalValue>, PastError> {
        self.kept.locals = KnownLocals::before(self.kept.locals.take(), &mut self.calls, at)?;
        Ok(self.kept.locals.as_ref().map(KnownLocals::list).unwrap_or_default())
    }

    /// The parameters of a call that its code may have assigned before an event without a recorded write, by
    /// their positions: only level `all` records such writes.
    pub fn unrecorded_parameters(&self, at: EventPosition) -> HashSet<usize> {
        let method = self.calls.method(at.node).filter(|method| method.level < Level::All);
        let is_entry = self.calls.entry(at.node) == Some(at);
        let assigned = method.filter(|_| !is_entry).and_then(|method| self.code.assigned_parameters(method));
        assigned.unwrap_or_default()
    }

    /// The expression of a text, with the names that are visible to it.
    fn named(&mut self, moment: Moment, text: &str) -> Result<Named, PastError> {
        let text = text.trim();
        let no_java = |error: expr::ParseError| PastError::NoStep(format!("`{text}`: {error}"));
        let Some((object, class, rest)) = object_in(text) else {
            let expr = Expr::parse(text).map_err(no_java)?;
            return Ok(Named { expr, scope: self.scope(moment.at)?, object: None });
        };
        check_object(&self.calls, object, class)?;
        let object = self.calls.objects.own(object);
        let own = self.calls.objects.class(object).cloned().unwrap_or_default();
        let descriptor = match own.starts_with('[') {
            true => own.replace('.', "/"),
            false => format!("L{};", own.replace('.', "/")),
        };
        let written = match self.hidden_field(&own, rest) {
            Some((declares, rest)) => format!("(({declares}) {OBJECT}){rest}"),
            None => format!("{OBJECT}{rest}"),
        };
        let locals = vec![ScopeLocal { name: OBJECT.to_owned(), descriptor, slot: 0 }];
        let scope =
            Scope { of_copied: Vec::new(), class: own, is_static: true, locals, has_variable_table: true };
        Ok(Named { expr: Expr::parse(&written).map_err(no_java)?, scope, object: Some(object) })
    }

    /// The class of a hidden field and the rest of its path: of `.Base.n`, they are `pkg.Base` and `.n`.
    fn hidden_field<'t>(&mut self, class: &str, path: &'t str) -> Option<(String, &'t str)> {
        let fields = self.code.fields.of(class, &self.calls);
        fields.fields.iter().find_map(|field| {
            let (declared_by, name) = field.name.rsplit_once('.')?;
            let simple = declared_by.rsplit('.').next().unwrap_or(declared_by);
            [declared_by, simple].into_iter().find_map(|of| {
                let rest = path.strip_prefix('.')?.strip_prefix(of)?;
                let behind = rest.strip_prefix('.')?.strip_prefix(name)?;
                let is_whole = behind.is_empty() || behind.starts_with(['.', '[', '(']);
                is_whole.then(|| (field.class.replace('$', "."), rest))
            })
        })
    }

    /// The names that are visible before an event of a call. They include the variables that the call assigns
    /// later.
    fn scope(&mut self, at: EventPosition) -> Result<Scope, PastError> {
        let nowhere = || PastError::NoStep("this frame was not recorded".to_owned());
        let (number, bci) = self.code.index(&mut self.calls, at)?.ok_or_else(nowhere)?;
        let method = self.calls.sites.method(number).cloned().ok_or_else(nowhere)?;
        let found = self.code.fields.pool().and_then(|pool| pool.find(&method.class).ok().flatten());
        let file: Option<&ClassFile> = found.as_ref().map(|found| &*found.file);
        if let Some(file) = file
            && let Some(code) = file.method(&method.name, &method.descriptor)
        {
            let mut scope = Scope::at(file, code, bci);
            let variables = code.code.iter().flat_map(|code| &code.variables);
            let later = variables.filter(|variable| variable.name != "this").map(|variable| ScopeLocal {
                name: variable.name.clone(),
                descriptor: variable.descriptor.clone(),
                slot: variable.slot,
            });
            // The visible ones stand last, so that they count.
            scope.locals.splice(0..0, later);
            return Ok(scope);
        }
        Ok(Scope {
            of_copied: Vec::new(),
            class: method.class.clone(),
            is_static: method.is_static,
            locals: self.recorded_locals(at, &method)?,
            has_variable_table: true,
        })
    }

    /// The variables of a call without its class file: its parameters, and those that it assigns.
    fn recorded_locals(
        &mut self,
        at: EventPosition,
        method: &trace::Method,
    ) -> Result<Vec<ScopeLocal>, PastError> {
        let types = bytecode::descriptor::parse_method(&method.descriptor);
        let types = types.map(|types| types.parameters).unwrap_or_default();
        let mut locals = Vec::new();
        let mut slot = u16::from(!method.is_static);
        for (name, descriptor) in method.parameters.iter().zip(types) {
            let size = if matches!(descriptor.as_str(), "J" | "D") { 2 } else { 1 };
            locals.extend(name.clone().map(|name| ScopeLocal { name, descriptor, slot }));
            slot = slot.saturating_add(size);
        }
        let mut known: HashSet<String> = locals.iter().map(|local| local.name.clone()).collect();
        let Some(entry) = self.calls.entry(at.node) else { return Ok(locals) };
        self.calls.events_after(entry, |_, seen| {
            if let (Traced::Local { slot, .. }, Some(written)) = (seen.site.what, &seen.site.written)
                && known.insert(written.name.clone())
            {
                let (name, descriptor) = (written.name.clone(), written.descriptor.clone());
                locals.push(ScopeLocal { name, descriptor, slot });
            }
            true
        })?;
        Ok(locals)
    }
}
