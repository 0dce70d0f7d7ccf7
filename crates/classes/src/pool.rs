//! Finds every class of the debuggee by name. Opens each path element when first needed and parses each class
//! once.

use super::code_owner::{CodeOwner, CodeOwners, is_of_harness};
use super::entry::Entry;
use super::error::ClassesError;
use super::found_class::FoundClass;
use super::names;
use super::origin::{ClassBytes, Origin};
use super::paths::{ClassPaths, ResolvedPath, class_path_element, module_path_element};
use super::runtime::{Runtime, feature_version};
use super::sources::SourceRoots;
use bytecode::ClassFile;
use bytecode::descriptor::written::{Language, SOURCE_EXTENSIONS};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Maximum number of classes searched for overriding methods.
const MOST_SEARCHED: usize = 2_000;

/// All classes of the debuggee. Opening it is cheap: each folder or jar is opened only when a name was not
/// found in the earlier ones.
pub struct ClassPool {
    patches: Vec<Entry>,
    runtime: Option<Runtime>,
    feature: u32,
    copies: bool,
    own_jar: Option<PathBuf>,
    agents: Vec<PathBuf>,
    /// Class files as Java agents have rewritten them, by binary name.
    loaded: HashMap<String, Vec<u8>>,
    missing: Vec<PathBuf>,
    state: Mutex<State>,
    user_names: OnceLock<BTreeSet<String>>,
    sources: Option<SourceRoots>,
}

#[derive(Default)]
struct State {
    opened: Vec<Arc<Entry>>,
    pending: VecDeque<ResolvedPath>,
    /// Nested jars are searched last: their class loader delegates to the class path first.
    nested: Vec<Arc<Entry>>,
    nested_opened: bool,
    seen: HashSet<PathBuf>,
    unreadable: Vec<(String, String)>,
    classes: HashMap<String, Option<Arc<FoundClass>>>,
    /// The classes that simple names denote, by the class in whose code they are written.
    simple_names: HashMap<(String, String), Arc<[String]>>,
}

impl ClassPool {
    /// Opens the pool. Class path elements that do not exist are recorded but not refused, as `java` ignores
    /// them.
    ///
    /// # Errors
    /// The Java home has no readable runtime image.
    pub fn open(paths: &ClassPaths) -> Result<ClassPool, ClassesError> {
        let runtime = paths.java_home.as_deref().map(Runtime::open).transpose()?;
        let feature = paths.java_home.as_deref().and_then(feature_version).unwrap_or(17);
        let cwd = &paths.cwd;
        let mut places: Vec<ResolvedPath> =
            paths.module_path.iter().flat_map(|p| module_path_element(p, cwd)).collect();
        places.extend(paths.class_path.iter().flat_map(|p| class_path_element(p, cwd)));
        places.extend(paths.agents.iter().map(|jar| ResolvedPath::new(jar.clone(), cwd)));
        let (pending, missing): (Vec<_>, Vec<_>) = places.into_iter().partition(|p| p.real.exists());
        let mut state = State { pending: pending.into(), ..State::default() };
        let mut missing: Vec<PathBuf> = missing.into_iter().map(|p| p.shown).collect();
        let mut patches = Vec::new();
        for place in paths.patches.iter().map(|p| ResolvedPath::new(p.clone(), cwd)) {
            let shown = place.shown.clone();
            match Entry::open(place, feature) {
                Ok(entry) => patches.push(entry),
                Err(_) if !cwd.join(&shown).exists() => missing.push(shown),
                Err(reason) => state.unreadable.push((shown.display().to_string(), reason)),
            }
        }
        Ok(ClassPool {
            patches,
            runtime,
            feature,
            copies: paths.copies,
            own_jar: paths.own_jar.clone(),
            agents: paths.agents.clone(),
            loaded: HashMap::new(),
            missing,
            state: Mutex::new(state),
            user_names: OnceLock::new(),
            sources: None,
        })
    }

    /// Resolves simple names by the imports of these sources.
    #[must_use]
    pub fn with_sources(self, sources: SourceRoots) -> ClassPool {
        ClassPool { sources: Some(sources), ..self }
    }

    pub(super) fn sources(&self) -> Option<&SourceRoots> {
        self.sources.as_ref()
    }

    /// The classes of a simple name in a class's code, looked up once.
    pub(super) fn denoted_once(
        &self,
        class: &str,
        simple: &str,
        look_up: impl FnOnce() -> Vec<String>,
    ) -> Arc<[String]> {
        let key = (class.to_owned(), simple.to_owned());
        if let Some(known) = self.state().simple_names.get(&key) {
            return known.clone();
        }
        let found: Arc<[String]> = look_up().into();
        self.state().simple_names.insert(key, found.clone());
        found
    }

    /// The jars of Java agents, as written.
    pub fn java_agents(&self) -> &[PathBuf] {
        &self.agents
    }

    /// Uses these class files instead of those on the class path, because Java agents have rewritten the
    /// classes, or in addition, because they were made of sources while the program ran.
    pub fn use_loaded<'a>(&mut self, classes: impl IntoIterator<Item = (&'a String, &'a Vec<u8>)>) {
        for (name, bytes) in classes {
            self.state().classes.remove(name);
            self.loaded.insert(name.clone(), bytes.clone());
        }
        self.user_names = OnceLock::new();
    }

    /// The classes that Java agents have rewritten.
    pub fn loaded(&self) -> impl Iterator<Item = &str> {
        self.loaded.keys().map(String::as_str).filter(|name| self.has_file(name))
    }

    /// Whether a class has a class file.
    pub fn has_file(&self, name: &str) -> bool {
        matches!(self.read_file(name), Ok(Some(_)))
    }

    /// Whether the code of a loaded class is that of its class file. True without a class file.
    pub fn has_code_of(&self, name: &str, loaded: &[u8]) -> bool {
        let (Ok(Some(found)), Ok(loaded)) = (self.find(name), ClassFile::parse(loaded)) else { return true };
        found.file.methods.iter().all(|method| {
            let other = loaded.method(&method.name, &method.descriptor).and_then(|m| m.code.as_ref());
            method.code.as_ref().map(|code| &code.bytes) == other.map(|code| &code.bytes)
        })
    }

    /// Whether the classes are local copies of those of a program that runs elsewhere.
    pub fn are_copies(&self) -> bool {
        self.copies
    }

    /// Elements of the class path and module path that do not exist, as written. Elements of a manifest's
    /// `Class-Path` are left out: most manifests name jars that are not shipped.
    pub fn missing(&self) -> &[PathBuf] {
        &self.missing
    }

    /// Elements opened so far that are not readable jars, with the reason.
    pub fn unreadable(&self) -> Vec<(String, String)> {
        self.state().unreadable.clone()
    }

    /// The runtime's feature version (17, 25); 17 when unknown.
    pub fn feature_version(&self) -> u32 {
        self.feature
    }

    /// Finds a class by its binary name (`pkg.Outer$Inner`, or with slashes). Searches `--patch-module`
    /// first, then the runtime image, then the other elements, as the VM's class loaders do.
    ///
    /// # Errors
    /// The class exists but cannot be read or parsed, or its file holds another class.
    pub fn find(&self, binary_name: &str) -> Result<Option<Arc<FoundClass>>, ClassesError> {
        let name = binary_name.replace('/', ".");
        if let Some(known) = self.state().classes.get(&name) {
            return Ok(known.clone());
        }
        let found = match self.read(&name)? {
            Some(found) => Some(Arc::new(parse(&name, found)?)),
            None => None,
        };
        self.state().classes.insert(name, found.clone());
        Ok(found)
    }

    /// Reads the bytes of a class again, with their origin and modification time.
    ///
    /// # Errors
    /// The class exists but cannot be read.
    pub fn read(&self, binary_name: &str) -> Result<Option<ClassBytes>, ClassesError> {
        let found = self.read_file(binary_name)?;
        let loaded = self.loaded.get(&binary_name.replace('/', "."));
        Ok(match (found, loaded) {
            (Some(found), Some(bytes)) => Some(ClassBytes { bytes: bytes.clone(), ..found }),
            (None, Some(bytes)) => {
                Some(ClassBytes { bytes: bytes.clone(), origin: Origin::Source, modified: None })
            }
            (found, None) => found,
        })
    }

    fn read_file(&self, binary_name: &str) -> Result<Option<ClassBytes>, ClassesError> {
        let name = binary_name.replace('/', ".");
        let file = class_file(&name);
        let look = |entry: &Entry| {
            let found = entry.find(&file);
            found.map_err(|(origin, reason)| ClassesError::Unreadable { name: name.clone(), origin, reason })
        };
        for patch in &self.patches {
            if let Some(found) = look(patch)? {
                return Ok(Some(found));
            }
        }
        if let Some(runtime) = &self.runtime
            && let Some(found) = runtime.find(&file)?
        {
            return Ok(Some(found));
        }
        for entry in self.entries() {
            if let Some(found) = look(&entry)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Binary names of all classes outside the runtime image, sorted. Opens every element.
    pub fn user_classes(&self) -> impl Iterator<Item = &str> {
        self.user_names().iter().map(String::as_str)
    }

    /// Whose code a class is. A class without a class file was generated at run time, which counts as the
    /// JDK's code.
    pub fn owner_of(&self, class: &str) -> CodeOwner {
        let found = self.find(class).ok().flatten();
        match found.as_ref().map(|found| &found.origin) {
            _ if is_of_harness(class) => CodeOwner::Harness,
            None | Some(Origin::Runtime { .. }) => CodeOwner::Jdk,
            Some(Origin::Folder(_) | Origin::Source) => CodeOwner::Own,
            Some(Origin::Jar { jar, .. }) if self.agents.contains(jar) => CodeOwner::Harness,
            Some(Origin::Jar { jar, inside, .. }) => {
                match self.own_jar.as_ref() == Some(jar) && inside.is_empty() {
                    true => CodeOwner::Own,
                    false => CodeOwner::Library,
                }
            }
        }
    }

    /// Whose code the classes outside the runtime image are. Of two classes with one name the VM loads the
    /// first, so the second one does not count. Opens every element.
    pub fn code_owners(&self) -> CodeOwners {
        let mut owners = CodeOwners::default();
        let mut known: BTreeSet<String> = BTreeSet::new();
        for entry in self.entries() {
            let mut names = BTreeSet::new();
            entry.class_names(&mut names);
            names.retain(|name| known.insert(name.clone()));
            let (place, is_own) = entry.owner(self.own_jar.as_deref());
            if names.is_empty() {
                continue;
            }
            // A folder of classes of a harness alone, such as those of the test runner, is nobody's own code.
            if self.agents.contains(&place) {
                owners.agents.entry(place).or_default().extend(names);
                continue;
            }
            if is_own && !names.iter().all(|name| is_of_harness(name)) {
                owners.own.extend(names);
                owners.own_places.push(place);
            } else {
                owners.libraries.entry(place).or_default().extend(names);
            }
        }
        owners
    }

    /// The folders and jars that hold the classes outside the runtime image, in search order, with the
    /// entries of manifests and without nested jars. Opens every element.
    pub fn places(&self) -> Vec<PathBuf> {
        self.entries().filter_map(|entry| entry.place()).collect()
    }

    /// Binary names of the classes in the runtime image, sorted.
    pub fn runtime_classes(&self) -> BTreeSet<String> {
        self.runtime.as_ref().map(|r| r.class_names(None)).unwrap_or_default()
    }

    /// The exported packages of a module of the runtime, chosen by their names.
    pub(super) fn packages_of_module(&self, module: &str) -> Vec<String> {
        self.runtime.as_ref().map(|runtime| runtime.exported_packages(module)).unwrap_or_default()
    }

    /// Resolves a class name: a binary name, a name with dots for nested classes (`pkg.Outer.Inner`), or a
    /// unique end of a user class's name (`Intro`, `shop.Rec`).
    pub fn resolve(&self, written: &str) -> names::Resolution {
        let written = written.replace('/', ".");
        for candidate in names::spellings(&written) {
            if self.exists(&candidate) {
                return names::Resolution::One(candidate);
            }
        }
        match names::resolve_among(self.user_names(), &written) {
            names::Resolution::None { near } => {
                self.resolve_file(&written).unwrap_or(names::Resolution::None { near })
            }
            found => found,
        }
    }

    /// The class of a source file, such as `Intro.java`, which answers show, or `src.shop.Cart.java`: the
    /// folders count that belong to its package.
    fn resolve_file(&self, written: &str) -> Option<names::Resolution> {
        let (path, extension) = written.rsplit_once('.')?;
        if !SOURCE_EXTENSIONS.contains(&extension) {
            return None;
        }
        let mut path = path.trim_start_matches('.');
        if Language::of(Some(written)) != Some(Language::Clojure) {
            loop {
                match self.resolve(path) {
                    names::Resolution::None { .. } => {}
                    found => return Some(found),
                }
                match path.split_once('.') {
                    Some((_, inner)) => path = inner,
                    None => break,
                }
            }
        }
        // A namespace of Clojure has no class of its own, and the libraries have namespaces of its last name.
        self.of_source(written.trim_start_matches('.')).map(names::Resolution::One)
    }

    /// A class from a source file that holds no class of its own name. Folders above its package may stand
    /// before the file.
    fn of_source(&self, written: &str) -> Option<String> {
        let (path, extension) = written.rsplit_once('.')?;
        let (package, stem) = path.rsplit_once('.').unwrap_or(("", path));
        let file = format!("{stem}.{extension}");
        let is_in = |name: &&String| {
            let of = name.rsplit_once('.').map_or("", |(package, _)| package);
            let ends = |long: &str, end: &str| long == end || long.ends_with(&format!(".{end}"));
            of.is_empty() || package.is_empty() || ends(of, package) || ends(package, of)
        };
        let comes_from = |name: &&String| self.has_source(name, &file);
        let mut found: Vec<&String> = self.user_names().iter().filter(is_in).filter(comes_from).collect();
        // Own code before libraries.
        found.sort_by_key(|name| self.owner_of(name) != CodeOwner::Own);
        found.first().map(|name| (*name).clone())
    }

    /// User classes with names similar to `name`, best first, for "did you mean".
    pub fn nearest(&self, name: &str) -> Vec<String> {
        names::nearest(self.user_names(), name)
    }

    /// The names of all classes from the same source file as `class`: the class itself, its nested, local and
    /// anonymous classes, and other classes of the file. Searches only the same package of the same folder,
    /// jar or module.
    ///
    /// # Errors
    /// The class itself cannot be read.
    pub fn nested(&self, class: &str) -> Result<Vec<String>, ClassesError> {
        let class = class.replace('/', ".");
        let Some(found) = self.find(&class)? else { return Ok(Vec::new()) };
        let package = class.rsplit_once('.').map_or("", |(package, _)| package);
        let file = class_file(&class);
        let neighbours = match (&found.origin, &self.runtime) {
            (Origin::Runtime { .. }, Some(runtime)) => runtime.class_names(Some(package)),
            (Origin::Source, _) => {
                let is_beside = |name: &&String| name.rsplit_once('.').map_or("", |(of, _)| of) == package;
                self.loaded.keys().filter(is_beside).cloned().collect()
            }
            _ => match self.patches.iter().find(|e| e.contains(&file)) {
                Some(patch) => patch.package(package),
                None => {
                    self.entries().find(|e| e.contains(&file)).map(|e| e.package(package)).unwrap_or_default()
                }
            },
        };
        let top = top_level(&class);
        let inner = format!("{top}$");
        let source = found.file.source_file.clone();
        let same_file = |name: &String| {
            name == top
                || name.starts_with(&inner)
                || source.as_deref().is_some_and(|s| self.has_source(name, s))
        };
        Ok(neighbours.into_iter().filter(same_file).collect())
    }

    /// The user classes into which a compiler has copied code of the source file of `class`, besides those of
    /// that file: into `inline` functions' callers. Java copies none.
    ///
    /// # Errors
    /// A class cannot be read.
    pub fn copying(&self, class: &ClassFile) -> Result<Vec<Arc<ClassFile>>, ClassesError> {
        let Some(source) = class.source_file.as_deref().filter(|source| !source.ends_with(".java")) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for name in self.user_names() {
            let has = |bytes: &[u8], text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
            match self.read(name) {
                Ok(Some(read)) if has(&read.bytes, "SourceDebugExtension") && has(&read.bytes, source) => {}
                _ => continue,
            }
            let Some(file) = self.find(name)?.map(|found| found.file.clone()) else { continue };
            let mut copied =
                file.methods.iter().filter_map(|m| m.code.as_ref()).flat_map(|c| &c.copied_lines);
            let is_own = file.source_file.as_deref() == Some(source) && file.package() == class.package();
            if !is_own && copied.any(|line| line.is_of(source, class.package())) {
                found.push(file);
            }
        }
        Ok(found)
    }

    /// Whether the class's SourceFile attribute is `source`. Most classes do not contain that text, so the
    /// bytes are searched before they are parsed. An unreadable class counts as not from that file.
    fn has_source(&self, name: &str, source: &str) -> bool {
        if let Some(Some(known)) = self.state().classes.get(name) {
            return known.file.source_file.as_deref() == Some(source);
        }
        match self.read(name) {
            Ok(Some(found)) if found.bytes.windows(source.len()).any(|w| w == source.as_bytes()) => {}
            _ => return false,
        }
        matches!(self.find(name), Ok(Some(found)) if found.file.source_file.as_deref() == Some(source))
    }

    /// The user classes below a class or interface that override this method, by binary name. Searches a
    /// bounded number of classes, since the result is only a hint.
    pub fn overriding(&self, class: &str, method: &str, descriptor: &str) -> Vec<String> {
        const ACC_PRIVATE: u16 = 0x0002;
        let base = self.find(class).ok().flatten();
        let declared = base.as_ref().and_then(|f| f.file.method(method, descriptor));
        if declared.is_none_or(|m| m.is_static() || m.access & ACC_PRIVATE != 0 || method.starts_with('<')) {
            return Vec::new();
        }
        let files = self.user_names().iter().take(MOST_SEARCHED).filter_map(|name| self.find(name).ok()?);
        let files: Vec<Arc<FoundClass>> = files.collect();
        let mut below = BTreeSet::from([class.to_owned()]);
        loop {
            let is_below = |f: &&Arc<FoundClass>| {
                let mut above = f.file.super_name.iter().chain(&f.file.interfaces);
                !below.contains(&f.name) && above.any(|name| below.contains(name))
            };
            let more: Vec<String> = files.iter().filter(is_below).map(|f| f.name.clone()).collect();
            if more.is_empty() {
                break;
            }
            below.extend(more);
        }
        let declares = |f: &&Arc<FoundClass>| {
            let found = f.file.method(method, descriptor);
            f.name != class
                && below.contains(&f.name)
                && found.is_some_and(|m| !m.is_static() && !m.is_abstract() && !m.is_synthetic())
        };
        files.iter().filter(declares).map(|f| f.name.clone()).collect()
    }

    pub(super) fn exists(&self, name: &str) -> bool {
        let file = class_file(name);
        let in_image = |r: &Runtime| matches!(r.find(&file), Ok(Some(_)));
        self.runtime.as_ref().is_some_and(in_image)
            || self.patches.iter().any(|e| e.contains(&file))
            || self.entries().any(|e| e.contains(&file))
            || self.loaded.contains_key(name)
    }

    pub(super) fn user_names(&self) -> &BTreeSet<String> {
        self.user_names.get_or_init(|| {
            let mut names = BTreeSet::new();
            self.patches.iter().for_each(|e| e.class_names(&mut names));
            self.entries().for_each(|e| e.class_names(&mut names));
            names.extend(self.loaded.keys().cloned());
            names
        })
    }

    /// All entries in search order; each is opened when it is reached.
    fn entries(&self) -> impl Iterator<Item = Arc<Entry>> {
        (0..).map_while(|at| self.entry(at))
    }

    /// The entry at an index of the search order; opens entries as needed.
    fn entry(&self, at: usize) -> Option<Arc<Entry>> {
        let mut state = self.state();
        loop {
            if let Some(entry) = state.opened.get(at) {
                return Some(entry.clone());
            }
            let Some(place) = state.pending.pop_front() else { break };
            let real = place.real.canonicalize().unwrap_or_else(|_| place.real.clone());
            if !place.real.exists() || !state.seen.insert(real) {
                continue;
            }
            let shown = place.shown.display().to_string();
            match Entry::open(place, self.feature) {
                Ok(entry) => {
                    for follow in entry.follow().into_iter().rev() {
                        state.pending.push_front(follow);
                    }
                    state.opened.push(Arc::new(entry));
                }
                Err(reason) => state.unreadable.push((shown, reason)),
            }
        }
        if !state.nested_opened {
            state.nested_opened = true;
            for inner in state.opened.clone().iter().flat_map(|e| e.nested(self.feature)) {
                match inner {
                    Ok(entry) => state.nested.push(Arc::new(entry)),
                    Err(unreadable) => state.unreadable.push(unreadable),
                }
            }
        }
        state.nested.get(at.checked_sub(state.opened.len())?).cloned()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No statement leaves the state inconsistent, so a poisoned lock can still be used.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn class_file(name: &str) -> String {
    format!("{}.class", name.replace('.', "/"))
}

/// The top-level class of a nested one: `pkg.Outer` for `pkg.Outer$Inner$1`. A leading `$` is part of the
/// name.
fn top_level(class: &str) -> &str {
    let simple = class.rfind('.').map_or(0, |i| i + 1);
    let dollar = class.get(simple + 1..).and_then(|rest| rest.find('$'));
    dollar.and_then(|i| class.get(..simple + 1 + i)).unwrap_or(class)
}

fn parse(name: &str, found: ClassBytes) -> Result<FoundClass, ClassesError> {
    let ClassBytes { bytes, origin, modified } = found;
    let file = match ClassFile::parse(&bytes) {
        Ok(file) => file,
        Err(e) => return Err(ClassesError::BadClass { origin, reason: e.to_string() }),
    };
    let actual = file.name.replace('/', ".");
    if actual != name {
        return Err(ClassesError::WrongName { origin, wanted: name.to_owned(), actual });
    }
    Ok(FoundClass { name: name.to_owned(), file: Arc::new(file), origin, modified })
}
