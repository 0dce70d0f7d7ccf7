//! Maven: its log at level DEBUG names the configuration of each plugin that it executes. The compiler's has
//! the class path of the tests, Surefire's the options of the test VM.

use super::module::TestModule;
use super::question::Question;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The outermost folder whose modules lead to this one.
pub fn root(module: &Path) -> PathBuf {
    let mut root = module.to_owned();
    for folder in module.ancestors().skip(1) {
        let leads_here = |inside: &PathBuf| {
            let inside = folder.join(inside);
            let inside = if inside.is_file() { inside.parent().map(Path::to_owned) } else { Some(inside) };
            inside.and_then(|inside| inside.canonicalize().ok()) == root.canonicalize().ok()
        };
        if modules(&folder.join("pom.xml")).iter().any(leads_here) {
            root = folder.to_owned();
        }
    }
    root
}

/// The modules that a POM names, in profiles too.
fn modules(pom: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(pom).unwrap_or_default();
    let mut reader = Reader::from_str(&text);
    let (mut found, mut is_module) = (Vec::new(), false);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) | Err(_) => return found,
            Ok(Event::Start(element)) => {
                is_module = ["module", "subproject"].contains(&element.name().as_ref());
            }
            Ok(Event::Text(text)) if is_module => found.push(PathBuf::from(text.trim())),
            Ok(Event::End(_)) => is_module = false,
            Ok(_) => {}
        }
    }
}

/// Executes the phases up to `test` without running the tests, and writes the log to `answer`.
pub fn question(root: &Path, module: &Path, answer: &Path) -> Question {
    let program = if root.join("mvnw").is_file() { "./mvnw" } else { "mvn" };
    let mut command = [program, "-B", "-X", "-T1", "-DskipTests"].map(str::to_owned).to_vec();
    command.extend(["-l".to_owned(), answer.display().to_string()]);
    if let Some(inside) = module.strip_prefix(root).ok().filter(|inside| !inside.as_os_str().is_empty()) {
        command.extend(["-pl".to_owned(), inside.display().to_string(), "-am".to_owned()]);
    }
    command.push("test".to_owned());
    Question { command, folder: root.to_owned(), script: None }
}

/// What the plugins of a module were told, by goal.
#[derive(Default)]
struct Configured {
    compile: BTreeMap<String, String>,
    test_compile: BTreeMap<String, String>,
    test: BTreeMap<String, String>,
}

/// The modules with tests in Maven's log.
pub fn modules_of(log: &str) -> Vec<TestModule> {
    let mut all: Vec<(PathBuf, Configured)> = Vec::new();
    let (mut goal, mut told) = (String::new(), BTreeMap::new());
    for line in log.lines().map(|line| line.strip_prefix("[DEBUG] ").unwrap_or(line)) {
        if let Some(plugin) = line.strip_prefix("Configuring mojo ").and_then(|rest| rest.split('\'').nth(1))
        {
            goal = plugin.to_owned();
            told = BTreeMap::new();
        } else if line.starts_with("-- end configuration --") {
            configured(&mut all, &goal, std::mem::take(&mut told));
            goal.clear();
        } else if let Some((name, value)) = parameter(line).filter(|_| !goal.is_empty()) {
            told.insert(name.to_owned(), value.to_owned());
        }
    }
    let sources: Vec<(PathBuf, Vec<PathBuf>)> = all.iter().map(|(_, told)| told.sources()).collect();
    all.into_iter().filter_map(|(folder, told)| told.module(folder, &sources)).collect()
}

/// The name and value of a line `  (f) name = value`.
fn parameter(line: &str) -> Option<(&str, &str)> {
    let line = line.trim_start();
    let rest = ["(f) ", "(s) "].iter().find_map(|kind| line.strip_prefix(kind))?;
    rest.split_once(" = ").or_else(|| rest.strip_suffix(" =").map(|name| (name, "")))
}

/// Keeps what a plugin was told, with its module.
fn configured(all: &mut Vec<(PathBuf, Configured)>, plugin: &str, told: BTreeMap<String, String>) {
    let Some(folder) = told.get("basedir").map(PathBuf::from) else { return };
    let is = |name: &str, goal: &str| {
        let mut words = plugin.split(':');
        words.any(|word| word == name) && words.any(|word| word == goal)
    };
    let at = all.iter().position(|(known, _)| *known == folder).unwrap_or_else(|| {
        all.push((folder, Configured::default()));
        all.len().saturating_sub(1)
    });
    let Some((_, module)) = all.get_mut(at) else { return };
    if is("maven-compiler-plugin", "compile") {
        module.compile = told;
    } else if is("maven-compiler-plugin", "testCompile") {
        module.test_compile = told;
    } else if is("maven-surefire-plugin", "test") && module.test.is_empty() {
        // The first execution is that of the phase `test`.
        module.test = told;
    }
}

impl Configured {
    /// The folder of the classes, and those of their sources.
    fn sources(&self) -> (PathBuf, Vec<PathBuf>) {
        let output = self.compile.get("outputDirectory").map(PathBuf::from).unwrap_or_default();
        (output, self.compile.get("compileSourceRoots").map(|text| paths(text)).unwrap_or_default())
    }

    /// The tests; `None` if they are not compiled.
    fn module(&self, folder: PathBuf, sources: &[(PathBuf, Vec<PathBuf>)]) -> Option<TestModule> {
        let of_compiler = |name: &str| self.test_compile.get(name);
        let of_surefire = |name: &str| self.test.get(name).map(String::as_str).unwrap_or_default();
        // Older versions of the compiler plugin call it `classpathElements`.
        let mut class_path = paths(of_compiler("testPath").or_else(|| of_compiler("classpathElements"))?);
        class_path.extend(paths(of_surefire("additionalClasspathElements")));
        let mut options = Vec::new();
        if of_surefire("enableAssertions") != "false" {
            options.push("-ea".to_owned());
        }
        options.extend(shlex::split(&without_late(of_surefire("argLine"))).unwrap_or_default());
        options.push(format!("-Dbasedir={}", folder.display()));
        let properties = pairs(of_surefire("systemPropertyVariables"));
        options.extend(properties.into_iter().map(|(name, value)| format!("-D{name}={value}")));
        let working = of_surefire("workingDirectory");
        let used = sources.iter().filter(|(output, _)| class_path.contains(output));
        let own = of_compiler("compileSourceRoots").map(|text| paths(text)).unwrap_or_default();
        Some(TestModule {
            folder: if working.is_empty() { folder.clone() } else { PathBuf::from(working) },
            project: folder,
            test_classes: of_compiler("outputDirectory").map(PathBuf::from).into_iter().collect(),
            sources: own.into_iter().chain(used.flat_map(|(_, sources)| sources.clone())).collect(),
            class_path,
            options,
            environment: pairs(of_surefire("environmentVariables")).into_iter().collect(),
            java: Some(PathBuf::from(of_surefire("jvm"))).filter(|java| !java.as_os_str().is_empty()),
        })
    }
}

/// Options without `@{property}`, which Surefire replaces by what other plugins have set, such as the agent
/// of a coverage tool.
fn without_late(options: &str) -> String {
    let mut parts = options.split("@{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('}').map_or("", |(_, rest)| rest))
}

/// The values of a printed list; a value can contain a comma.
fn elements(text: &str, begins: fn(&str) -> bool) -> Vec<String> {
    // `[a, b]` or `{a=1, b=2}`
    let mut inner = text.trim().chars();
    inner.next();
    inner.next_back();
    let inner = inner.as_str();
    let mut all: Vec<String> = Vec::new();
    for part in inner.split(", ").filter(|part| !part.is_empty()) {
        match all.last_mut().filter(|_| !begins(part)) {
            Some(last) => *last += &format!(", {part}"),
            None => all.push(part.to_owned()),
        }
    }
    all
}

fn paths(text: &str) -> Vec<PathBuf> {
    let all = elements(text, |part| Path::new(part).is_absolute());
    all.into_iter().map(PathBuf::from).collect()
}

fn pairs(text: &str) -> Vec<(String, String)> {
    let all = elements(text, |part| part.contains('='));
    all.iter().filter_map(|pair| pair.split_once('=')).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

/// What Maven said when it failed, without its explanation of how to get more of the log.
pub fn complaint(log: &str) -> Vec<&str> {
    let errors = log.lines().filter_map(|line| line.strip_prefix("[ERROR]"));
    let said = errors.take_while(|line| {
        ["To see the full stack trace", "For more information about the errors"]
            .iter()
            .all(|end| !line.contains(end))
    });
    said.map(|line| line.trim_start_matches(" [ERROR]").trim()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "\
[DEBUG] Configuring mojo 'org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile' with basic configurator -->
[DEBUG]   (f) basedir = /p/core
[DEBUG]   (f) compileSourceRoots = [/p/core/src/main/java]
[DEBUG]   (f) outputDirectory = /p/core/target/classes
[DEBUG] -- end configuration --
[DEBUG] Configuring mojo 'org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile' with basic configurator -->
[DEBUG]   (f) basedir = /p/till
[DEBUG]   (f) outputDirectory = /p/till/target/classes
[DEBUG] -- end configuration --
[DEBUG] Configuring mojo execution 'org.apache.maven.plugins:maven-compiler-plugin:3.13.0:testCompile:default' with basic configurator -->
[DEBUG]   (f) basedir = /p/till
[DEBUG]   (f) compileSourceRoots = [/p/till/src/test/java]
[DEBUG]   (f) outputDirectory = /p/till/target/test-classes
[DEBUG]   (f) testPath = [/p/till/target/test-classes, /p/core/target/classes, /r/a, b.jar]
[DEBUG] -- end configuration --
[DEBUG] Configuring mojo 'org.apache.maven.plugins:maven-surefire-plugin:2.22.3:test' with basic configurator -->
[DEBUG]   (s) argLine = @{argLine} -Xmx1g '-Da=b c'
[DEBUG]   (s) basedir = /p/till
[DEBUG]   (s) environmentVariables = {SHOP=x}
[DEBUG]   (s) systemPropertyVariables = {where=a, b, rate=3}
[DEBUG]   (s) workingDirectory = /p/till/work
[DEBUG] -- end configuration --
";

    #[test]
    fn the_log_names_the_class_path_and_the_options_of_the_test_vm() {
        let modules = modules_of(LOG);
        let [till] = modules.as_slice() else { panic!("{modules:?}") };
        let path = |text: &str| PathBuf::from(text);
        assert_eq!((&till.project, &till.folder), (&path("/p/till"), &path("/p/till/work")));
        let expected = ["/p/till/target/test-classes", "/p/core/target/classes", "/r/a, b.jar"];
        assert_eq!(till.class_path, expected.map(PathBuf::from));
        assert_eq!(till.test_classes, [path("/p/till/target/test-classes")]);
        assert_eq!(till.sources, [path("/p/till/src/test/java"), path("/p/core/src/main/java")]);
        let expected = ["-ea", "-Xmx1g", "-Da=b c", "-Dbasedir=/p/till", "-Dwhere=a, b", "-Drate=3"];
        assert_eq!(
            (till.options.clone(), &till.environment["SHOP"]),
            (expected.map(str::to_owned).to_vec(), &"x".to_owned())
        );
    }

    #[test]
    fn the_root_names_its_modules() {
        let folder = tempfile::tempdir().unwrap();
        let write = |inside: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(inside)).unwrap();
            std::fs::write(folder.path().join(inside).join("pom.xml"), text).unwrap();
        };
        write("", "<project><modules><module>a/b</module></modules></project>");
        write("a/b", "<project/>");
        write("samples", "<project/>");
        assert_eq!(root(&folder.path().join("a/b")), folder.path());
        assert_eq!(root(&folder.path().join("samples")), folder.path().join("samples"));
    }

    #[test]
    fn the_errors_of_the_log_are_its_complaint() {
        let log =
            "[INFO] x\n[ERROR] No plugin y\n[ERROR] \n[ERROR] To see the full stack trace of\n[ERROR] -e";
        assert_eq!(complaint(log), ["No plugin y", ""]);
    }
}
