//! Names of threads, methods, fields and lines that another run shares.

use super::keys::LineKey;
use crate::log::{DecodedBlock, Kind, LogEvent};
use crate::names::java_name;
use crate::search::Source;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;
use trace::{Calls, Method, Value, shown_class};

/// A recording, with the names that were looked up in it.
pub(super) struct RunNames<'a> {
    pub source: &'a mut Source,
    /// When it was recorded. Sources that were changed later are not read.
    recorded: Option<SystemTime>,
    threads: HashMap<u32, String>,
    methods: HashMap<u32, Arc<str>>,
    /// By site of a write.
    fields: HashMap<u32, Option<Arc<str>>>,
    /// The first recorded line of each method.
    first_lines: HashMap<u32, u16>,
    lines: HashMap<(u32, u16), LineKey>,
    /// By method and line: the first line that was met with its text.
    groups: HashMap<(u32, u16), u16>,
    texts: HashMap<(u32, String), u16>,
}

impl<'a> RunNames<'a> {
    /// Reads names of a recording.
    pub fn new(source: &'a mut Source, recorded: Option<SystemTime>) -> RunNames<'a> {
        let calls = &source.recording.calls;
        let mut first_lines: HashMap<u32, u16> = HashMap::new();
        for site in calls.sites.all() {
            if let Some(line) = site.line {
                let first = first_lines.entry(site.method).or_insert(line);
                *first = line.min(*first);
            }
        }
        let threads = thread_names(calls);
        let (methods, fields, lines) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (groups, texts) = (HashMap::new(), HashMap::new());
        RunNames { source, recorded, threads, methods, fields, first_lines, lines, groups, texts }
    }

    /// The name of a thread. Different threads have different ones.
    pub fn thread(&self, thread: u32) -> &str {
        self.threads.get(&thread).map_or("", String::as_str)
    }

    /// A method: `Shop.pay(int)`.
    pub fn method(&mut self, number: u32) -> Option<Arc<str>> {
        if let Some(known) = self.methods.get(&number) {
            return Some(known.clone());
        }
        let name: Arc<str> = method_name(self.source.recording.calls.sites.method(number)?).into();
        self.methods.insert(number, name.clone());
        Some(name)
    }

    /// The field that a site writes: `Shop.total`.
    fn field(&mut self, site: u32) -> Option<Arc<str>> {
        if let Some(known) = self.fields.get(&site) {
            return known.clone();
        }
        let sites = &self.source.recording.calls.sites;
        let written = sites.site(site).and_then(|site| site.written.clone());
        let name = written.map(|written| format!("{}.{}", sites.declares(&written), written.name).into());
        self.fields.insert(site, name.clone());
        name
    }

    /// A line of a method.
    pub fn line(&mut self, method: u32, line: u16) -> LineKey {
        if let Some(known) = self.lines.get(&(method, line)) {
            return known.clone();
        }
        let (calls, lines) = (&self.source.recording.calls, &mut self.source.recording.lines);
        let text = calls.sites.method(method).and_then(|of| {
            let file = of.source.as_deref();
            lines.text(&of.class, file, line.into(), self.recorded)
        });
        let offset = self.first_lines.get(&method).and_then(|first| line.checked_sub(*first));
        let key = LineKey { method: None, offset, text };
        self.lines.insert((method, line), key.clone());
        key
    }

    /// A number that lines of a method share if they have the same text.
    pub fn group(&mut self, method: u32, line: u16) -> u16 {
        if let Some(known) = self.groups.get(&(method, line)) {
            return *known;
        }
        let group = match self.line(method, line).text {
            Some(text) => *self.texts.entry((method, text)).or_insert(line),
            None => line,
        };
        self.groups.insert((method, line), group);
        group
    }

    /// What an event happened to: its method, field or class.
    pub fn subject(&mut self, block: &DecodedBlock, event: &LogEvent) -> Option<Arc<str>> {
        let calls = &self.source.recording.calls;
        match event.kind {
            Kind::MethodCall | Kind::MethodExit | Kind::Step => {
                let method = event.call().and_then(|node| calls.method_number(node))?;
                self.method(method)
            }
            Kind::SetField => self.field(event.site),
            Kind::DataStructure | Kind::Exception => match block.values(event).first() {
                Some(Value::Object(object)) => {
                    calls.objects.class(*object).map(|class| match class.starts_with('[') {
                        true => java_name(class).into(),
                        false => class.clone(),
                    })
                }
                _ => None,
            },
            Kind::MemberFields => {
                self.source.log.index().class(event.site).map(|class| java_name(class).into())
            }
            Kind::ThreadStart | Kind::ThreadDeath => None,
        }
    }

    /// The method and the line of a step.
    pub fn step(&self, event: &LogEvent) -> Option<(u32, u16)> {
        let is_step = event.kind == Kind::Step && event.line != 0;
        let node = event.call().filter(|_| is_step)?;
        Some((self.source.recording.calls.method_number(node)?, event.line))
    }
}

fn thread_names(calls: &Calls) -> HashMap<u32, String> {
    let mut met: HashMap<String, u32> = HashMap::new();
    let mut names = HashMap::new();
    let mut threads = calls.threads();
    // Other runs number the threads differently, and create those of one name in the same order.
    threads.sort_by_key(|(thread, ..)| calls.identity(*thread).number);
    for (thread, ..) in threads {
        let name = calls.identity(thread).base().to_string();
        let count = met.entry(name.clone()).or_default();
        *count += 1;
        names.insert(thread, if *count == 1 { name } else { format!("{name} ({count})") });
    }
    names
}

fn method_name(method: &Method) -> String {
    format!("{}.{}{}", method.class, method.name, parameters(&method.descriptor))
}

/// The parameters of a method as they are written in Java.
fn parameters(descriptor: &str) -> String {
    let inside =
        descriptor.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(all, _)| all);
    let mut all = Vec::new();
    let mut rest = inside;
    while !rest.is_empty() {
        let dimensions = rest.len() - rest.trim_start_matches('[').len();
        let base = rest.get(dimensions..).unwrap_or("");
        let end = match base.starts_with('L') {
            true => base.find(';').map_or(base.len(), |end| end + 1),
            false => base.chars().next().map_or(0, char::len_utf8),
        };
        let (one, after) = rest.split_at((dimensions + end).min(rest.len()));
        if one.is_empty() {
            break;
        }
        all.push(shown_class(&bytecode::descriptor::java_type(one)));
        rest = after;
    }
    format!("({})", all.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_written_as_in_java() {
        assert_eq!(parameters("()V"), "()");
        assert_eq!(parameters("(I[[JLjava/lang/String;[Lcom/acme/Rec;)V"), "(int, long[][], String, Rec[])");
    }
}
