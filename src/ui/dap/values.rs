//! What is there at the current position: stacks, scopes, variables, expressions, exceptions and sources.

use super::adapter::Adapter;
use super::answer::{Answer, Refusal, answer, body, number};
use super::shown;
use crate::ui::render::console_reply;
use dap::types::{
    CompletionItem, CompletionKind, CompletionsArguments, CompletionsBody, EvaluateArguments, EvaluateBody,
    EvaluateContext, ExceptionBreakMode, ExceptionDetails, ExceptionInfoBody, LoadedSourcesBody, ScopeHint,
    ScopesArguments, ScopesBody, Source, SourceArguments, SourceBody, StackTraceArguments, StackTraceBody,
    Variable, VariablesArguments, VariablesBody,
};
use past::{FrameSource, HeldVariable, VariableGroup};
use servers::dap::{CONSOLE_TABLE, ConsoleCommand, ConsoleReply};
use session::Context;

/// The maximum number of frames of an answer.
const FRAMES: usize = 1000;

impl Adapter {
    pub(super) fn stack(&mut self, arguments: &StackTraceArguments) -> Result<Answer, Refusal> {
        let thread = u32::try_from(arguments.thread_id).unwrap_or(u32::MAX);
        let cursor = self.cursor()?;
        let at = cursor.trace.position_of(thread, cursor.at)?;
        let size = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
        let first = size(arguments.start_frame).unwrap_or(0);
        let many = size(arguments.levels).filter(|many| *many > 0).unwrap_or(FRAMES).min(FRAMES);
        let (frames, all) = cursor.trace.stack(at, first, many)?;
        let mut stack_frames = Vec::new();
        for frame in frames {
            let source = frame.source.as_ref().map(|source| self.shown_source(source));
            stack_frames.push(shown::frame(self.handles.of_frame(frame.at), frame, source));
        }
        answer(&StackTraceBody { stack_frames, total_frames: Some(number(all)) })
    }

    /// A source; one without a file of its own has a number by which its text can be read.
    pub(super) fn shown_source(&mut self, source: &FrameSource) -> Source {
        let reference = match (&source.path, source.has_text) {
            (None, true) => Some(self.handles.of_source(&source.class, &source.name)),
            _ => None,
        };
        Source {
            name: Some(source.name.clone()),
            path: source.path.as_ref().map(|path| path.display().to_string()),
            source_reference: reference,
            ..Source::default()
        }
    }

    pub(super) fn scopes(&mut self, arguments: &ScopesArguments) -> Result<Answer, Refusal> {
        let at = self.handles.frame(Some(arguments.frame_id))?;
        let of = |name: &str, group, hint, is_long| (name.to_owned(), group, hint, is_long);
        let mut scopes = vec![of("Locals", VariableGroup::Locals(at), Some(ScopeHint::Locals), false)];
        let cursor = self.cursor()?;
        let moment = cursor.moment()?;
        let mut is_empty = |group| Ok::<_, Refusal>(cursor.trace.variables(moment, group, None)?.is_empty());
        if !is_empty(VariableGroup::Arguments(at))? {
            scopes.push(of("Arguments", VariableGroup::Arguments(at), Some(ScopeHint::Arguments), false));
        }
        if !is_empty(VariableGroup::Returned(at))? {
            let hint = Some(ScopeHint::Other("returnValue".to_owned()));
            scopes.push(of("Returned", VariableGroup::Returned(at), hint, false));
        }
        if !is_empty(VariableGroup::Statics(at))? {
            scopes.push(of("Statics", VariableGroup::Statics(at), None, false));
        }
        // A call may have written a lot.
        scopes.push(of("Changed in this call", VariableGroup::Changed(at), None, true));
        let scopes = scopes.into_iter().map(|(name, group, hint, is_long)| {
            shown::scope(name, self.handles.of_group(Some(group), None), hint, is_long)
        });
        let scopes = scopes.collect();
        answer(&ScopesBody { scopes })
    }

    pub(super) fn variables(&mut self, arguments: &VariablesArguments) -> Result<Answer, Refusal> {
        let (group, of) = self.handles.group(arguments.variables_reference)?;
        let size = |n: Option<i64>| n.and_then(|n| usize::try_from(n).ok());
        // A count of 0 means all.
        let range = match (size(arguments.start), size(arguments.count).filter(|count| *count > 0)) {
            (None, None) => None,
            (first, many) => Some((first.unwrap_or(0), many.unwrap_or(usize::MAX))),
        };
        let cursor = self.cursor()?;
        let moment = cursor.moment()?;
        let held = cursor.trace.variables(moment, group, range)?;
        let variables = held.into_iter().map(|one| {
            let part = of.as_ref().zip(one.selector.as_ref()).map(|(of, selector)| format!("{of}{selector}"));
            self.shown_variable(HeldVariable { expression: one.expression.clone().or(part), ..one })
        });
        let variables = variables.collect();
        answer(&VariablesBody { variables })
    }

    fn shown_variable(&mut self, held: HeldVariable) -> Variable {
        let reference = self.handles.of_group(held.leads_to, held.expression.clone());
        let pages = self.editor.supports_variable_paging == Some(true);
        shown::variable(held, reference, pages)
    }

    /// Evaluates an expression, or answers a question of the console. It runs no code of the program.
    pub(super) async fn evaluate(
        &mut self,
        arguments: &EvaluateArguments,
        context: &Context,
    ) -> Result<Answer, Refusal> {
        let frame = self.frame(arguments.frame_id)?;
        let text = arguments.expression.trim();
        // Some editors send no context from their console.
        let is_console = matches!(arguments.context, None | Some(EvaluateContext::Repl));
        if let Some(question) = is_console.then(|| ConsoleCommand::parse(text)).transpose()?.flatten() {
            let reply = Box::pin(question.answer(self.cursor()?, frame, context)).await?;
            let result = console_reply(&reply);
            let shown = EvaluateBody { result, variables_reference: 0, ..EvaluateBody::default() };
            let moved = match &reply {
                ConsoleReply::Moved(stop) => self.stopped(stop).after_continuing(),
                _ => Answer::default(),
            };
            return Ok(Answer { body: body(&shown)?, ..moved });
        }
        let cursor = self.cursor()?;
        let moment = cursor.moment_in(frame)?;
        let held = cursor.trace.evaluated(moment, text)?;
        let Variable { value, type_name, variables_reference, indexed_variables, .. } =
            self.shown_variable(held);
        let shown = EvaluateBody {
            result: value,
            type_name,
            variables_reference,
            indexed_variables,
            ..EvaluateBody::default()
        };
        answer(&shown)
    }

    /// Completes the word before the cursor: a variable, a field, or a question of the console.
    pub(super) fn completions(&mut self, arguments: &CompletionsArguments) -> Result<Answer, Refusal> {
        let column = usize::try_from(arguments.column - 1).unwrap_or(0);
        let before: String = arguments.text.chars().take(column).collect();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let begin = before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last();
        let (ahead, word) = before.split_at(begin.map_or(before.len(), |(at, _)| at));
        let frame = self.frame(arguments.frame_id)?;
        let mut known: Vec<(String, CompletionKind)> = Vec::new();
        let cursor = self.cursor()?;
        let moment = cursor.moment_in(frame)?;
        if let Some(path) = ahead.strip_suffix('.') {
            let path: String = path.chars().rev().take_while(|c| is_word(*c) || *c == '.').collect();
            let path: String = path.chars().rev().collect();
            let fields = cursor.trace.fields_of(moment, &path)?;
            known.extend(fields.into_iter().map(|name| (name, CompletionKind::Field)));
        } else {
            for group in [VariableGroup::Locals(frame), VariableGroup::Arguments(frame)] {
                let held = cursor.trace.variables(moment, group, None)?;
                known.extend(held.into_iter().map(|held| (held.name, CompletionKind::Variable)));
            }
            let fields = cursor.trace.fields_of(moment, "this")?;
            known.extend(fields.into_iter().map(|name| (name, CompletionKind::Field)));
            if ahead.trim().is_empty() {
                let words = CONSOLE_TABLE.iter().map(|row| (row.name.to_owned(), CompletionKind::Keyword));
                known.extend(words);
            }
        }
        known.retain(|(name, _)| name.starts_with(word));
        known.sort_by(|(a, _), (b, _)| a.cmp(b));
        known.dedup_by(|(a, _), (b, _)| a == b);
        let start = number(ahead.chars().count());
        let targets = known.into_iter().map(|(label, kind)| CompletionItem {
            label,
            kind: Some(kind),
            start: Some(start),
            length: Some(number(word.chars().count())),
            ..CompletionItem::default()
        });
        answer(&CompletionsBody { targets: targets.collect() })
    }

    pub(super) fn exception_info(&mut self) -> Result<Answer, Refusal> {
        let none = || Refusal::Request("no exception is thrown here".to_owned());
        let cursor = self.cursor()?;
        let thrown = cursor.trace.thrown(cursor.at)?.ok_or_else(none)?;
        let simple = thrown.class.rsplit('.').next().unwrap_or_default().to_owned();
        answer(&ExceptionInfoBody {
            exception_id: thrown.class.clone(),
            description: Some(thrown.shown.clone()),
            break_mode: match thrown.is_uncaught {
                true => ExceptionBreakMode::Unhandled,
                false => ExceptionBreakMode::Always,
            },
            details: Some(ExceptionDetails {
                message: Some(thrown.shown),
                type_name: Some(simple),
                full_type_name: Some(thrown.class),
                stack_trace: Some(thrown.stack.join("\n")),
                ..ExceptionDetails::default()
            }),
        })
    }

    pub(super) fn source(&mut self, arguments: &SourceArguments) -> Result<Answer, Refusal> {
        let in_source = arguments.source.as_ref().and_then(|source| source.source_reference);
        let reference = in_source.filter(|id| *id != 0).unwrap_or(arguments.source_reference);
        let (class, name) = self.handles.source(reference)?;
        let none = || Refusal::Request(format!("the source of {class} is not there any more"));
        let content = self.cursor()?.trace.source_text(&class, &name).ok_or_else(none)?;
        answer(&SourceBody { content, mime_type: Some("text/x-java".to_owned()) })
    }

    pub(super) fn loaded_sources(&mut self) -> Result<Answer, Refusal> {
        let known = self.launched.as_ref().map(|launched| launched.cursor.trace.recorded_sources());
        let found = known.unwrap_or_default();
        let sources = found.iter().map(|source| self.shown_source(source)).collect();
        answer(&LoadedSourcesBody { sources })
    }
}
