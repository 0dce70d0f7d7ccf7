//! Resolves the path to a wrong value, as questions show it, to the places that hold the value.
//!
//! A path begins with a name in the question. Fields (`.left`), elements (`[2]`) and keys (`{"a"}`) follow.
//! The path is followed through the values at the exit of the call. The paths of changes hold at the entry
//! instead, so these are followed there too, and both places count. A path to an object denotes everything
//! that the object refers to.

use super::changes::all_statics;
use super::question::{NamedCall, Question, locals};
use model::short_static_name;
use past::fields::Fields;
use past::heap::ObjectPart;
use past::snapshot::{Bounds, Shape, Shaper};
use session::SessionError;
use slice::Target;
use std::collections::HashSet;
use trace::{Calls, EventTime, Exit, Items, Value};

/// Maximum number of fields and elements behind an object that a path may denote.
const MOST: usize = 20_000;

/// Resolves paths of one question.
pub struct PathResolver<'a> {
    /// The recording that contains the call.
    pub calls: &'a mut Calls,
    /// The number of the call in that recording.
    pub node: u32,
    /// The fields of classes.
    pub fields: &'a mut Fields,
    /// The question about the call.
    pub question: &'a Question,
}

/// A name at which paths begin.
struct Root {
    name: String,
    /// Its value at the entry of the call; `None` if it did not exist then.
    before: Option<Option<Value>>,
    /// Its value at the exit of the call, and the place that holds it.
    after: Option<(Option<Value>, Option<Target>)>,
}

/// What follows the name at the beginning of a path; `None` if the path begins otherwise.
fn rest_of<'p>(path: &'p str, name: &str) -> Option<&'p str> {
    path.strip_prefix(name).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
}

impl PathResolver<'_> {
    /// The places that a path denotes; `None` if too many places are reachable from its value.
    ///
    /// # Errors
    /// The question has no such part, or the recording cannot be read.
    pub fn targets(mut self, path: &str) -> Result<Option<Vec<Target>>, SessionError> {
        let (begins, ends) = self.calls.span(self.node)?;
        let roots = self.roots_of(begins, ends)?;
        let PathResolver { calls, fields, question, .. } = self;
        let no_part = |why: String| SessionError::NoPart { path: path.to_owned(), why };
        // Text shows static fields without the package of their class.
        let in_full = roots.iter().find_map(|root| {
            let rest = rest_of(path, &short_static_name(&root.name))?;
            Some(format!("{}{rest}", root.name))
        });
        let is_exact = roots.iter().any(|root| rest_of(path, &root.name).is_some());
        let path = in_full.as_deref().filter(|_| !is_exact).unwrap_or(path);
        // Choose the longest name: one can be the prefix of another.
        let is_root = |root: &&Root| rest_of(path, &root.name).is_some();
        let Some(root) = roots.iter().filter(is_root).max_by_key(|root| root.name.len()) else {
            let mut there: Vec<&str> = roots.iter().map(|root| root.name.as_str()).collect();
            there.dedup();
            return Err(no_part(format!("begin the path with one of {}", there.join(", "))));
        };
        let steps = path.get(root.name.len()..).unwrap_or_default();
        let is_changed = question.changed.iter().any(|change| path.starts_with(&change.path));
        let bounds = Bounds { depth: 0, elements: 0, parts: MOST };
        let mut way = PathWalk { shaper: Shaper { calls, fields, bounds }, targets: Vec::new(), ends };
        let mut found = Err(String::new());
        if let (Some(before), true) = (root.before, is_changed && !steps.is_empty()) {
            found = way.follow(&root.name, before, steps, begins)?;
            // Only the last place counts: the call was given the references on the path.
            let last = way.targets.pop();
            way.targets = last.into_iter().collect();
        }
        if let Some((after, target)) = &root.after {
            let kept = way.targets.clone();
            way.targets.extend(target.clone());
            match (way.follow(&root.name, *after, steps, ends)?, &found) {
                (Ok(value), _) => {
                    let other = std::mem::replace(&mut found, Ok(value)).ok().flatten();
                    if !way.hangs_on(other)? {
                        return Ok(None);
                    }
                }
                (Err(_), Ok(_)) => way.targets = kept,
                (Err(why), Err(_)) => found = Err(why),
            }
        }
        let value = found.map_err(no_part)?;
        Ok(if way.hangs_on(value)? { Some(way.targets) } else { None })
    }

    /// All names of the question.
    fn roots_of(&mut self, begins: EventTime, ends: EventTime) -> Result<Vec<Root>, SessionError> {
        let NamedCall { call, this, arguments, .. } = NamedCall::of(self.calls, self.node)?;
        let mut roots = Vec::new();
        let exit = match call.exit {
            Exit::Returned => call.result.map(|result| ("result", result)),
            Exit::Threw => call.result.map(|exception| ("exception", exception)),
            Exit::Open | Exit::Unrecorded => None,
        };
        if let Some((name, value)) = exit {
            roots.push(Root {
                name: name.to_owned(),
                before: None,
                after: Some((Some(value), Some(Target::Exit))),
            });
        }
        if let Some(this) = this {
            roots.push(Root { name: "this".to_owned(), before: Some(this), after: Some((this, None)) });
        }
        for ((name, value, _), _) in locals(self.calls, self.node, &arguments, None)? {
            if roots.iter().any(|root| root.name == name) {
                continue;
            }
            let before =
                arguments.iter().find(|(other, ..)| *other == name).map(|(_, value, _)| Some(*value));
            let target = Target::Variable(name.clone());
            roots.push(Root { name, before, after: Some((Some(value), Some(target))) });
        }
        let bounds = Bounds { depth: 0, elements: 0, parts: 0 };
        let statics = all_statics(self.calls)?;
        let mut shaper = Shaper { calls: self.calls, fields: self.fields, bounds };
        for (number, name) in statics {
            let part = ObjectPart::of_static(number);
            let (before, after) = (shaper.held(0, &part, begins)?, shaper.held(0, &part, ends)?);
            let field = name.rsplit('.').next().unwrap_or_default().to_owned();
            let target = Target::Field(0, Some(number), field);
            roots.push(Root { name, before: Some(before), after: Some((after, Some(target))) });
        }
        for change in &self.question.changed {
            let is_known = roots.iter().any(|root| root.name == change.path);
            if matches!(change.new, Shape::Printed { .. }) && !is_known {
                let after = Some((None, Some(Target::Output)));
                roots.push(Root { name: change.path.clone(), before: None, after });
            }
        }
        Ok(roots)
    }
}

/// The places of everything that can be reached from a value at a time; `None` if there are too many.
///
/// # Errors
/// The recording cannot be read.
pub fn reachable(
    calls: &mut Calls,
    fields: &mut Fields,
    value: Value,
    ends: EventTime,
) -> Result<Option<Vec<Target>>, SessionError> {
    let bounds = Bounds { depth: 0, elements: 0, parts: MOST };
    let mut walk = PathWalk { shaper: Shaper { calls, fields, bounds }, targets: Vec::new(), ends };
    Ok(if walk.hangs_on(Some(value))? { Some(walk.targets) } else { None })
}

/// The state while a path is followed.
struct PathWalk<'a> {
    shaper: Shaper<'a>,
    targets: Vec<Target>,
    /// The time of the call's exit.
    ends: EventTime,
}

impl PathWalk<'_> {
    /// Follows a path from a value through the values at time `when`. Returns the value at the end of the
    /// path when the call ends, or else the reason why the path leads no further.
    fn follow(
        &mut self,
        root: &str,
        from: Option<Value>,
        steps: &str,
        when: EventTime,
    ) -> Result<Result<Option<Value>, String>, SessionError> {
        let (mut value, mut rest, mut so_far) = (from, steps, root.to_owned());
        while !rest.is_empty() {
            let object = match value {
                Some(Value::Object(0)) => return Ok(Err(format!("{so_far} is null"))),
                Some(Value::Object(object)) => object,
                Some(_) => return Ok(Err(format!("{so_far} has no parts"))),
                None => return Ok(Err(format!("the value of {so_far} is not known"))),
            };
            let Some((step, held)) = self.step(object, rest, when)? else {
                let shown = self.shaper.calls.objects.show(object);
                return Ok(Err(format!("{so_far} is {shown}, and has no {rest}")));
            };
            so_far.push_str(rest.get(..step).unwrap_or_default());
            rest = rest.get(step..).unwrap_or_default();
            value = held;
        }
        Ok(Ok(value))
    }

    /// Takes the first step of the rest of a path. Returns the length of the step and the value there: at the
    /// exit of the call for the last step, else at time `when`.
    fn step(
        &mut self,
        object: u32,
        rest: &str,
        when: EventTime,
    ) -> Result<Option<(usize, Option<Value>)>, SessionError> {
        if self.shaper.calls.has_contents(object)? {
            let mut found = self.items(object, rest, when)?;
            if found.is_none_or(|(step, _)| step == rest.len()) {
                // An item that was removed can be what is wrong.
                let now = self.items(object, rest, self.ends)?;
                found = now.or(found.map(|(step, _)| (step, None)));
            }
            if found.is_some() {
                self.targets.push(Target::Contents);
                return Ok(found);
            }
        }
        let (parts, _) = self.shaper.parts(object, MOST)?;
        let is_meant = |part: &&ObjectPart| {
            rest.strip_prefix(part.path("").as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '{']))
        };
        let Some(part) = parts.iter().filter(is_meant).max_by_key(|part| part.path("").len()) else {
            return Ok(None);
        };
        let step = part.path("").len();
        let when = if step == rest.len() { self.ends } else { when };
        self.targets.extend(target(object, part));
        Ok(Some((step, self.shaper.held(object, part, when)?)))
    }

    /// The item of a collection that the rest of a path begins with.
    fn items(
        &mut self,
        object: u32,
        rest: &str,
        when: EventTime,
    ) -> Result<Option<(usize, Option<Value>)>, SessionError> {
        let Some(held) = self.shaper.contents(object, when)? else { return Ok(None) };
        let is_meant = |text: &str| rest.starts_with(text).then_some(text.len());
        Ok(match held.items {
            Items::Pairs(pairs) => pairs.into_iter().find_map(|(key, value)| {
                Some((is_meant(&format!("{{{}}}", self.shaper.key(key)))?, Some(value)))
            }),
            Items::Elements(elements) => elements.into_iter().enumerate().find_map(|(at, value)| {
                let by_itself = value.map(|value| format!("{{{}}}", self.shaper.key(value)));
                let step = is_meant(&format!("[{at}]")).or(by_itself.and_then(|text| is_meant(&text)))?;
                Some((step, value))
            }),
        })
    }

    /// Adds everything reachable from a value to the targets. Returns false if that is too much.
    fn hangs_on(&mut self, value: Option<Value>) -> Result<bool, SessionError> {
        let mut left = MOST;
        let mut queue: Vec<u32> = Vec::new();
        let push = |queue: &mut Vec<u32>, value: Option<Value>| match value {
            Some(Value::Object(object)) if object != 0 => queue.push(object),
            _ => {}
        };
        push(&mut queue, value);
        let mut seen = HashSet::new();
        while let Some(object) = queue.pop() {
            if !seen.insert(object) {
                continue;
            }
            if self.shaper.calls.has_text(object)? {
                let is_stream = self.shaper.calls.is_stream(object);
                self.targets.push(if is_stream { Target::Output } else { Target::Contents });
            }
            if let Some(held) = self.shaper.contents(object, self.ends)? {
                self.targets.push(Target::Contents);
                left = left.saturating_sub(held.items.len());
                match held.items {
                    Items::Elements(elements) => {
                        elements.into_iter().for_each(|value| push(&mut queue, value))
                    }
                    Items::Pairs(pairs) => pairs.into_iter().for_each(|(key, value)| {
                        push(&mut queue, Some(key));
                        push(&mut queue, Some(value));
                    }),
                }
            }
            let (parts, is_whole) = self.shaper.parts(object, left.saturating_add(1))?;
            let objects = &self.shaper.calls.objects;
            if !is_whole && objects.text_of(object).is_none() && !objects.is_box(object) {
                self.targets.push(Target::Contents);
            }
            if parts.len() > left {
                return Ok(false);
            }
            left -= parts.len();
            for part in parts {
                self.targets.extend(target(object, &part));
                let held = self.shaper.held(object, &part, self.ends)?;
                push(&mut queue, held);
            }
        }
        Ok(true)
    }
}

/// The target for a field or element of an object.
fn target(object: u32, part: &ObjectPart) -> Option<Target> {
    match &part.name {
        // The name of a hidden field is qualified by its class.
        Some(name) => {
            let name = name.rsplit('.').next().unwrap_or_default();
            Some(Target::Field(object, part.part, name.to_owned()))
        }
        None => part.part.map(|index| Target::Element(object, index)),
    }
}
