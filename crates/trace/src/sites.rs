//! The meaning of site numbers and the names of threads, as the agent reported them.

use super::columns::Checksum;
use super::error::TraceError;
use super::folder::Folder;
use super::loaders::Loaders;
use super::report_checksum::without_files;
use bytecode::descriptor::generated::recorded_name;
use model::{MethodName, ThreadIdentity};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, LazyLock};
use wire::recording::{
    DERIVED_LINES, DeclaredField, FIRST_SITE, Level, RingPlace, RingReport, Traced, TracedClass,
    TracedMethod, TracedSite, WriteReport, WrittenVariable,
};
use wire::{LoadedClass, Report};

/// A recorded class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its superclass, with dots.
    pub superclass: Option<String>,
    /// The interfaces that it names, with dots.
    pub interfaces: Vec<String>,
    /// Its access flags (JVMS §4.1).
    pub access: u16,
    /// The fields that it declares.
    pub fields: Vec<Field>,
}

/// A field of a recorded class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Its access flags (JVMS §4.5).
    pub access: u16,
}

impl From<DeclaredField> for Field {
    fn from(field: DeclaredField) -> Field {
        let is_static = field.is_static();
        Field { name: field.name, descriptor: field.descriptor, is_static, access: field.access }
    }
}

/// A recorded method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Binary name of its class, with dots.
    pub class: Arc<str>,
    /// The number of the loader that defines the class.
    pub(super) loader: u32,
    /// The method's name.
    pub name: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// Whether it is static.
    pub is_static: bool,
    /// Its access flags (JVMS §4.6).
    pub access: u16,
    /// Whether the compiler made it: a bridge, an accessor, the body of a lambda.
    pub is_synthetic: bool,
    /// Name of the source file, if known.
    pub source: Option<Arc<str>>,
    /// The recording level.
    pub level: Level,
    /// Names of the parameters, where known.
    pub parameters: Vec<Option<String>>,
}

impl Method {
    /// The method as users read it: `com.acme.Shop.total`.
    pub fn shown(&self) -> String {
        model::method_text(&self.class, &self.name)
    }

    /// The same without its package: `Shop.total`.
    pub fn short(&self) -> String {
        model::short_method_name(&self.class, &self.name)
    }
}

/// The encoding of a recorded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `boolean`
    Boolean,
    /// `byte`
    Byte,
    /// `short`
    Short,
    /// `char`
    Char,
    /// `int`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// An object's number.
    Object,
}

impl Kind {
    /// Size in bytes.
    fn bytes(self) -> usize {
        if matches!(self, Kind::Long | Kind::Double) { 8 } else { 4 }
    }

    /// The kind for a descriptor or its first letter.
    fn of(descriptor: &str) -> Kind {
        match descriptor.as_bytes().first() {
            Some(b'Z') => Kind::Boolean,
            Some(b'B') => Kind::Byte,
            Some(b'S') => Kind::Short,
            Some(b'C') => Kind::Char,
            Some(b'J') => Kind::Long,
            Some(b'F') => Kind::Float,
            Some(b'D') => Kind::Double,
            Some(b'L' | b'[') => Kind::Object,
            _ => Kind::Int,
        }
    }
}

/// A site that records events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The number by which events name it; 0 for an event without a site.
    pub id: u32,
    /// The method's number.
    pub method: u32,
    /// The bytecode index.
    pub bci: u32,
    /// The kind of event.
    pub what: Traced,
    /// The kinds of the recorded values.
    pub values: Arc<[Kind]>,
    /// Size of these values in bytes.
    pub(super) length: usize,
    /// The source line, if known.
    pub line: Option<u16>,
    /// For a branch: the line of its target.
    pub to: Option<u16>,
    /// The written variable or field, if it has a name.
    pub written: Option<Arc<WrittenVariable>>,
    /// For a call: the unrecorded method that did the write, such as `java.util.Arrays.sort`.
    pub by: Option<Arc<str>>,
    /// The sites of the lines that follow each of its events and have no events of their own.
    pub(super) lines: Arc<[u32]>,
}

/// The site of collection changes, which belong to no recorded method.
pub(super) static CONTENTS_SITE: LazyLock<Site> = LazyLock::new(|| nowhere(Traced::Contents));
/// The site of text changes.
pub(super) static TEXT_SITE: LazyLock<Site> = LazyLock::new(|| nowhere(Traced::Text));
/// The site of thread starts.
pub(super) static START_SITE: LazyLock<Site> = LazyLock::new(|| nowhere(Traced::Start));
/// The site of exceptions that no recorded `athrow` has thrown.
pub(super) static RAISED_SITE: LazyLock<Site> = LazyLock::new(|| nowhere(Traced::Raised));
/// The site of writes to an array through the list that `Arrays.asList` made of it.
pub(super) static STORED_SITE: LazyLock<Site> = LazyLock::new(|| {
    let values: Arc<[Kind]> = [Kind::Object, Kind::Int, Kind::Object].into();
    Site {
        length: length(&values),
        values,
        by: Some("java.util.Arrays.asList".into()),
        ..nowhere(Traced::Element('L'))
    }
});

fn length(values: &[Kind]) -> usize {
    values.iter().map(|kind| kind.bytes()).sum()
}

fn nowhere(what: Traced) -> Site {
    let values = [].into();
    Site {
        id: 0,
        method: u32::MAX,
        bci: 0,
        what,
        values,
        length: 0,
        line: None,
        to: None,
        written: None,
        by: None,
        lines: [].into(),
    }
}

/// Maximum gap in site numbers. The agent numbers sites consecutively, so a larger gap means a damaged file.
const GAP: usize = 1 << 20;

/// All reported sites, methods and threads.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    methods: Vec<Method>,
    sites: Vec<Option<Site>>,
    /// By name, with dots.
    classes: HashMap<Arc<str>, Class>,
    loaders: Loaders,
    /// Recorded classes as they were loaded, by name with dots, if Java agents may have rewritten them.
    pub loaded: BTreeMap<String, Vec<u8>>,
    /// The threads by number: label, and number of the thread's object.
    pub threads: BTreeMap<u32, (String, u32)>,
    /// The numbers of the threads by those of their objects.
    pub of_objects: HashMap<u32, u32>,
    /// The threads in the VM, by number.
    pub identities: BTreeMap<u32, ThreadIdentity>,
    /// The names of the threads' groups.
    groups: BTreeMap<u32, String>,
    /// The location of each thread's ring.
    pub(super) rings: BTreeMap<u32, RingPlace>,
    /// Methods and hidden classes that were not recorded, with the reason.
    pub left: Vec<(String, String)>,
    /// Names of hidden classes, which are not recorded.
    pub hidden: BTreeSet<String>,
    /// Problems that the agent reported.
    pub problems: Vec<String>,
    /// The classes with a constructor that records that it made its object.
    constructed: HashSet<Arc<str>>,
    /// Checksum of the agent's report.
    pub(super) checksum: Checksum,
    /// The same without the files that the program wrote, which can have other names each time.
    pub(super) without_files: Checksum,
}

impl Site {
    /// Whether the site belongs to no recorded method.
    pub fn is_nowhere(&self) -> bool {
        self.method == u32::MAX
    }

    /// Whether its values record a write or a creation.
    pub(super) fn tells_of_a_write(&self) -> bool {
        use Traced::{Array, Born, Element, Preset, Put, PutStatic};
        matches!(self.what, Born | Put | PutStatic | Preset | Element(_) | Array)
    }
}

/// The kinds of the values that a method's events have.
struct EventKinds {
    entry: Arc<[Kind]>,
    result: Arc<[Kind]>,
    /// One object.
    object: Arc<[Kind]>,
}

impl EventKinds {
    fn of(method: &TracedMethod) -> EventKinds {
        let parts = bytecode::descriptor::parse_method(&method.descriptor);
        let (entry, result) = parts.map(|p| (p.parameters, p.result)).unwrap_or_default();
        let this = (!method.is_static() && method.name != "<init>").then_some(Kind::Object);
        let entry = this.into_iter().chain(entry.iter().map(|descriptor| Kind::of(descriptor)));
        EventKinds {
            entry: entry.collect(),
            result: if result == "V" { [].into() } else { [Kind::of(&result)].into() },
            object: [Kind::Object].into(),
        }
    }

    fn values(&self, site: &TracedSite) -> Arc<[Kind]> {
        let written = || site.written.as_ref().map_or(Kind::Object, |w| Kind::of(&w.descriptor));
        match site.what {
            Traced::Enter => self.entry.clone(),
            Traced::Return => self.result.clone(),
            Traced::Line(_)
            | Traced::Branch(_)
            | Traced::Contents
            | Traced::Start
            | Traced::Text
            | Traced::Raised => [].into(),
            Traced::Put => [Kind::Object, written(), written()].into(),
            Traced::PutStatic => [written(), written()].into(),
            Traced::Preset => [written()].into(),
            Traced::Element(of) => {
                let of = Kind::of(of.encode_utf8(&mut [0; 4]));
                [Kind::Object, Kind::Int, of, of].into()
            }
            Traced::Local { kind: 'L', .. } => self.object.clone(),
            Traced::Local { kind: 'I', .. } if site.written.is_some() => [written()].into(),
            Traced::Local { kind, .. } => [Kind::of(kind.encode_utf8(&mut [0; 4]))].into(),
            Traced::Born
            | Traced::Throw
            | Traced::Leave
            | Traced::Catch
            | Traced::Array
            | Traced::Lock
            | Traced::Unlock => self.object.clone(),
        }
    }
}

impl Sites {
    /// Reads the agent's report. `recorded` is its checksum when the program ended, if known.
    ///
    /// # Errors
    /// The file cannot be read; [`TraceError::SitesChanged`] when its checksum differs.
    pub fn read(folder: &Folder, recorded: Option<Checksum>) -> Result<Sites, TraceError> {
        let path = folder.sites();
        let bytes = files::read_regular(&path, u64::MAX, false).map_err(TraceError::at(&path))?;
        if let Some(recorded) = recorded {
            // A VM that outlives the recording may still append to the file.
            let recorded_bytes = usize::try_from(recorded.bytes).ok().and_then(|end| bytes.get(..end));
            if recorded_bytes.map(Checksum::of) != Some(recorded) {
                return Err(TraceError::SitesChanged(path));
            }
        }
        let mut sites = Sites {
            checksum: Checksum::of(&bytes),
            without_files: without_files(&bytes),
            ..Sites::default()
        };
        wire::reports(&bytes)
            .map_err(TraceError::at(&path))?
            .into_iter()
            .for_each(|report| sites.add(report));
        sites.name_loaders();
        sites.label_threads();
        let births = sites.all().filter(|site| site.what == Traced::Born);
        let made = births.filter_map(|site| sites.method(site.method));
        sites.constructed =
            made.filter(|method| method.level >= Level::Writes).map(|method| method.class.clone()).collect();
        Ok(sites)
    }

    /// Adds what the agent has reported. Labels of threads, and the loaders in the names of classes, need the
    /// whole report ([`Sites::read`]).
    pub(super) fn add(&mut self, report: Report) {
        match report {
            Report::Traced(class) => self.class(class),
            Report::Write(write) => self.write(write),
            Report::Ring(RingReport { ring, thread, number, is_virtual, group, object, place }) => {
                self.groups.extend(group.map(|group| (ring, group)));
                let identity = ThreadIdentity { name: thread.into(), number, is_virtual };
                self.threads.insert(ring, (String::new(), object));
                self.of_objects.entry(object).or_insert(ring);
                self.identities.insert(ring, identity);
                self.rings.insert(ring, place);
            }
            Report::Loader(loader) => self.loaders.add(loader),
            Report::Loaded(LoadedClass { class, bytes }) => {
                self.loaded.entry(class.replace('/', ".")).or_insert(bytes);
            }
            Report::Problem(problem) => self.problems.push(problem),
            Report::Hidden(class) => {
                let why = "it is a hidden class, which cannot be recorded".to_owned();
                let name = class.class.replace('/', ".");
                self.hidden.insert(name.clone());
                self.left.push((name, why));
            }
            Report::Started
            | Report::Class(_)
            | Report::Coverable(_)
            | Report::Covered(_)
            | Report::Reached { .. }
            | Report::Wrote(_)
            | Report::Existed(_)
            | Report::Forked
            | Report::Socket
            | Report::Counts { .. } => {}
        }
    }

    /// Adds the loader to the class of each written static field, where several loaders define that class.
    fn name_loaders(&mut self) {
        for site in self.sites.iter_mut().flatten().filter(|site| site.what == Traced::PutStatic) {
            let Some(written) = &site.written else { continue };
            // The class that unrecorded code refers to is unknown.
            let method = usize::try_from(site.method).ok().and_then(|number| self.methods.get(number));
            let code = method.filter(|_| site.by.is_none()).map(|method| method.loader);
            let class = written.class.replace('/', ".");
            if let Some(class) = self.loaders.named(&class, code, &written.name) {
                site.written = Some(WrittenVariable { class, ..(**written).clone() }.into());
            }
        }
    }

    /// Gives each thread its label.
    fn label_threads(&mut self) {
        let mut namesakes: HashMap<Arc<str>, u32> = HashMap::new();
        for thread in self.identities.values() {
            *namesakes.entry(thread.name.clone()).or_default() += 1;
        }
        for (number, thread) in &self.identities {
            let is_shared = namesakes.get(&thread.name).is_some_and(|threads| *threads > 1);
            if let Some((label, _)) = self.threads.get_mut(number) {
                *label = thread.label(is_shared).to_string();
            }
        }
    }

    /// Whether several loaders define a class of this name. The keys of its static fields then have the
    /// loader ([`Sites::declares`]).
    pub fn is_ambiguous(&self, class: &str) -> bool {
        self.loaders.is_ambiguous(class)
    }

    /// A class, by its name with dots, as a method refers to it: with its loader if several loaders define
    /// it. `None` if it is unknown which one is meant.
    pub fn class_named(&self, class: &str, method: &Method) -> Option<String> {
        self.loaders.class_named(class, method.loader)
    }

    fn class(&mut self, class: TracedClass) {
        let name: Arc<str> = recorded_name(&class.class.replace('/', ".")).into();
        self.loaders.define(&name, &class);
        let loader = class.loader;
        let source: Option<Arc<str>> = class.source.map(Into::into);
        let dotted = |class: String| class.replace('/', ".");
        let described = Class {
            superclass: class.superclass.map(dotted),
            interfaces: class.interfaces.into_iter().map(dotted).collect(),
            access: class.access,
            fields: class.fields.into_iter().map(Field::from).collect(),
        };
        self.classes.entry(name.clone()).or_insert(described);
        for (method, _, why) in class.left {
            self.left.push((format!("{name}.{method}"), why));
        }
        for method in class.methods {
            let is_static = method.is_static();
            let is_synthetic = method.access & bytecode::class::ACC_SYNTHETIC != 0;
            let number = u32::try_from(self.methods.len()).unwrap_or(u32::MAX);
            let kinds = EventKinds::of(&method);
            let none: Arc<[u32]> = [].into();
            for site in &method.sites {
                let values = kinds.values(site);
                let (bci, what, line, to) = (site.bci, site.what, site.line, site.to);
                let by = site.by.clone().map(Into::into);
                let written = site.written.clone().map(Into::into);
                let length = length(&values);
                // More would have the positions of the next event.
                let lines = match site.lines.get(..DERIVED_LINES).unwrap_or(&site.lines) {
                    [] => none.clone(),
                    lines => lines.into(),
                };
                let (id, method) = (site.id, number);
                let found = Site { id, method, bci, what, values, length, line, to, written, by, lines };
                self.keep(id, found);
            }
            self.methods.push(Method {
                class: name.clone(),
                loader,
                name: method.name,
                descriptor: method.descriptor,
                is_static,
                access: method.access,
                is_synthetic,
                source: source.clone(),
                level: method.level,
                parameters: method.parameters,
            });
        }
    }

    /// Adds the site of a field write that an unrecorded callee did.
    fn write(&mut self, WriteReport { of, id, written, is_static }: WriteReport) {
        let Some(call) = self.site(of).cloned() else { return };
        let kind = Kind::of(&written.descriptor);
        let (what, values): (_, Arc<[Kind]>) = match is_static {
            true => (Traced::PutStatic, [kind, kind].into()),
            false => (Traced::Put, [Kind::Object, kind, kind].into()),
        };
        let written = Some(written.into());
        self.keep(id, Site { id, what, length: length(&values), values, written, ..call });
    }

    /// Adds a site; a known one stays as it is.
    fn keep(&mut self, id: u32, site: Site) {
        let place = id.checked_sub(FIRST_SITE).and_then(|n| usize::try_from(n).ok());
        let Some(place) = place.filter(|place| *place < self.sites.len() + GAP) else { return };
        if self.sites.len() <= place {
            self.sites.resize(place + 1, None);
        }
        if let Some(known @ None) = self.sites.get_mut(place) {
            *known = Some(site);
        }
    }

    /// The site with this number.
    pub fn site(&self, number: u32) -> Option<&Site> {
        self.sites.get(usize::try_from(number.checked_sub(FIRST_SITE)?).ok()?)?.as_ref()
    }

    /// Whether a constructor of this class records that it made its object.
    pub(super) fn constructs(&self, class: &str) -> bool {
        self.constructed.contains(class)
    }

    /// The site numbers that may be known: this many from [`FIRST_SITE`] on.
    pub(super) fn numbers(&self) -> usize {
        self.sites.len()
    }

    /// All known sites.
    pub fn all(&self) -> impl Iterator<Item = &Site> {
        self.sites.iter().flatten()
    }

    /// The class that declares a written field, with dots; the class named in the instruction if the
    /// declaring class was not recorded. If several loaders define the class of a static field, the loader
    /// follows: `a.Shop (URLClassLoader #2)`.
    pub fn declares(&self, written: &WrittenVariable) -> String {
        let named = written.class.replace('/', ".");
        self.resolve_field(&named, &written.name).unwrap_or(named)
    }

    /// A recorded class, by its name with dots.
    pub fn class_of(&self, class: &str) -> Option<&Class> {
        self.classes.get(class)
    }

    /// The recorded classes by name, with dots, in no particular order.
    pub fn classes(&self) -> impl Iterator<Item = (&Arc<str>, &Class)> {
        self.classes.iter()
    }

    /// The fields that a class declares, by its name with dots; empty if the class was not recorded.
    pub fn fields(&self, class: &str) -> &[Field] {
        self.class_of(class).map_or(&[], |class| &class.fields)
    }

    /// The superclass of a class, both with dots.
    pub fn superclass(&self, class: &str) -> Option<&str> {
        self.class_of(class).and_then(|class| class.superclass.as_deref())
    }

    /// The name of a thread's group, by the thread's number. `None` if the thread had no group when it first
    /// recorded something.
    pub fn thread_group(&self, thread: u32) -> Option<&str> {
        self.groups.get(&thread).map(String::as_str)
    }

    /// The method with this number.
    pub fn method(&self, number: u32) -> Option<&Method> {
        self.methods.get(usize::try_from(number).ok()?)
    }

    /// The name of the method with this number.
    pub fn method_name(&self, number: u32) -> Option<MethodName> {
        let method = self.method(number)?;
        Some(MethodName::new(method.class.clone(), method.name.as_str(), method.descriptor.as_str()))
    }

    /// All methods; a method's number is its index.
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }
}

#[cfg(test)]
mod tests {
    use super::super::folder::About;
    use super::*;

    #[test]
    fn classes_threads_and_their_groups_are_read_from_the_report() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = Folder::create(&temporary.path().join("trace"), &About::default()).unwrap();
        let report = concat!(
            r#"{"Traced":{"class":"a/B","source":null,"superclass":"a/A","access":33,"interfaces":["a/I"],"#,
            r#""fields":[{"name":"n","descriptor":"I","access":10},"#,
            r#"{"name":"of","descriptor":"La/A;","access":2}],"methods":[],"left":[]}}"#,
            "\n",
            r#"{"Ring":{"ring":1,"thread":"main","group":"main","object":7,"place":{"file":0,"at":0,"slot":0}}}"#,
            "\n",
            r#"{"Ring":{"ring":2,"thread":"late","number":31,"object":8,"place":{"file":0,"at":0,"slot":1}}}"#,
            "\n",
            r#"{"Ring":{"ring":3,"thread":"late","number":30,"object":9,"place":{"file":0,"at":0,"slot":2}}}"#,
            "\n",
        );
        std::fs::write(folder.sites(), report).unwrap();
        let sites = Sites::read(&folder, None).unwrap();
        let class = sites.class_of("a.B").unwrap();
        assert_eq!((class.superclass.as_deref(), class.access), (Some("a.A"), 33));
        assert_eq!(class.interfaces, ["a.I"]);
        let fields: Vec<_> =
            sites.fields("a.B").iter().map(|f| (&*f.name, &*f.descriptor, f.is_static)).collect();
        assert_eq!(fields, [("n", "I", true), ("of", "La/A;", false)]);
        assert!(sites.fields("a.A").is_empty());
        assert_eq!([1, 2].map(|thread| sites.thread_group(thread)), [Some("main"), None]);
        assert_eq!([1, 2].map(|thread| &*sites.threads[&thread].0), ["main", "late #31"]);
    }
}
