//! Parses a `java` command line without running it: the launcher, the main class, the class path and the
//! module path.
//!
//! Follows OpenJDK's launcher (The `java` Command): options with a separate value, `--name=value`,
//! `@argfiles`, `JDK_JAVA_OPTIONS`, `CLASSPATH`, and `-jar`, which replaces the class path.

use super::archive::Archive;
use super::argfile;
use std::path::{Path, PathBuf};

/// The kind of a launch command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchCommand {
    /// The program is the `java` launcher.
    Java(Box<JavaCommand>),
    /// Any other program that starts a JVM as a child or descendant: a script, `mvn`, `gradle`.
    Wrapper {
        /// The file that will be executed.
        program: PathBuf,
    },
}

/// A `java` command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCommand {
    /// The launcher's path, absolute or relative to the working directory.
    pub java: PathBuf,
    /// The launcher's Java home, with links resolved. `None` when neither it nor `JAVA_HOME` has
    /// `lib/modules`, as with a version manager's shim.
    pub java_home: Option<PathBuf>,
    /// What the command runs.
    pub main: Main,
    /// Class path elements, in order and as written; with `-jar`, the jar alone.
    pub class_path: Vec<PathBuf>,
    /// Module path elements, as written.
    pub module_path: Vec<PathBuf>,
    /// Folders and jars of `--patch-module`.
    pub patches: Vec<PathBuf>,
    /// The jars of `-javaagent`, as written.
    pub agents: Vec<PathBuf>,
    /// The index in the command where VM options are inserted: right after the launcher.
    pub options_at: usize,
    /// Options that change the program's behaviour: assertions, system properties, access to modules.
    pub options: Vec<String>,
    /// The version of Java in which a source file is written, if the command names it.
    pub source_version: Option<String>,
}

/// What a `java` command runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Main {
    /// `java pkg.Main`: a binary name.
    Class(String),
    /// `java -jar FILE`
    Jar {
        /// The jar as written.
        jar: PathBuf,
        /// `Main-Class` of its manifest.
        main_class: String,
        /// `Start-Class`: the program's own main class when `Main-Class` is Spring Boot's launcher.
        start_class: Option<String>,
    },
    /// `java -m MODULE[/CLASS]`
    Module {
        /// Name of the module.
        module: String,
        /// The main class; if absent, the module's descriptor names it.
        class: Option<String>,
    },
    /// `java X.java` or `java --source N X`: the launcher compiles in memory, so class files exist only after
    /// a second compilation.
    SourceFile(PathBuf),
}

impl Main {
    /// Binary name of the program's main class, if the command names it.
    pub fn class(&self) -> Option<&str> {
        match self {
            Main::Class(class) => Some(class),
            Main::Jar { main_class, start_class, .. } => Some(start_class.as_ref().unwrap_or(main_class)),
            Main::Module { class, .. } => class.as_deref(),
            Main::SourceFile(_) => None,
        }
    }
}

/// Why a launch command cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JavaCommandError {
    /// The command is empty.
    #[error(
        "the debuggee's command is empty; write the program and its arguments, as in `java -cp classes Main`"
    )]
    Empty,
    /// The `java` launcher was not found.
    #[error(
        "`{0}` was not found; install a JDK 17 or later (Debian, Ubuntu: `apt install openjdk-17-jdk`; elsewhere: \
         https://adoptium.net), or write the path of `java` in the command"
    )]
    NoJava(String),
    /// Another program was not found.
    #[error("`{0}` was not found or is not executable; install it, or write its path in the command")]
    NoProgram(String),
    /// An option has no value.
    #[error("`{0}` at the end of the `java` command has no value; add it, and the main class after it")]
    NoValue(String),
    /// No class, jar, module or source file to run.
    #[error(
        "the `java` command names no class to run; end it with a main class, `-jar FILE` or `-m MODULE/CLASS`"
    )]
    NoMain,
    /// An argument file cannot be read.
    #[error(
        "cannot read the argument file `@{file}` of the `java` command: {reason}; paths are relative to `cwd`"
    )]
    ArgumentFile {
        /// The name as written, without `@`.
        file: String,
        /// The reason from the operating system.
        reason: String,
    },
    /// The jar of `-jar` cannot be read.
    #[error("cannot read the jar `{}` of `-jar`: {reason}; build it first, or correct its path (relative to `cwd`)", jar.display())]
    Jar {
        /// The path as written.
        jar: PathBuf,
        /// The reason from the archive reader.
        reason: String,
    },
    /// The jar of `-jar` is not executable.
    #[error("the jar `{}` has no `Main-Class` in its manifest; use `-cp JAR MAINCLASS` instead of `-jar`", .0.display())]
    JarWithoutMain(PathBuf),
    /// The command already starts a JDWP agent; a VM can have only one.
    #[error("the command already holds `{0}`; remove it: `qp` adds its own debug agent to the VM")]
    DebugAgent(String),
}

/// The parsed arguments of a `java` launcher. Of all files, only argument files are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Scan {
    class_path: Option<String>,
    module_path: Vec<String>,
    patches: Vec<String>,
    boot_append: Vec<String>,
    agents: Vec<PathBuf>,
    debug_agent: Option<String>,
    source_version: Option<String>,
    jar: bool,
    module: Option<String>,
    target: Option<String>,
    options: Vec<String>,
}

/// Options, or prefixes of options, that change the program's behaviour.
const CHANGES_CODE: [&str; 12] = [
    "-ea",
    "-da",
    "-enableassertions",
    "-disableassertions",
    "-esa",
    "-dsa",
    "-enablesystemassertions",
    "-disablesystemassertions",
    "-D",
    "-Xss",
    "--enable-preview",
    "--illegal-access",
];

/// Such options that take a value.
const OPENS: [&str; 3] = ["--add-exports", "--add-opens", "--enable-native-access"];

/// Properties that concern the VM only: its class path and its ports.
const OF_THE_VM: [&str; 2] = ["-Djava.class.path=", "-Dcom.sun.management."];

/// Options whose value is the next argument (the launcher's `IsWhiteSpaceOption`), except `-jar` and `-m`.
const WITH_VALUE: [&str; 15] = [
    "-cp",
    "-classpath",
    "--class-path",
    "-p",
    "--module-path",
    "--upgrade-module-path",
    "--add-modules",
    "--limit-modules",
    "--enable-native-access",
    "--add-exports",
    "--add-opens",
    "--add-reads",
    "--patch-module",
    "--source",
    "--describe-module",
];

impl LaunchCommand {
    /// Parses a command. `env` is the environment in which the command will run.
    ///
    /// # Errors
    /// The program does not exist, or the `java` launcher would refuse the command.
    pub fn parse(
        command: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<LaunchCommand, JavaCommandError> {
        let (name, args) = command.split_first().ok_or(JavaCommandError::Empty)?;
        let is_java = is_java(name);
        let found = find_program(name, cwd, env("PATH").as_deref());
        let program = found.ok_or_else(|| {
            if is_java {
                JavaCommandError::NoJava(name.clone())
            } else {
                JavaCommandError::NoProgram(name.clone())
            }
        })?;
        if !is_java {
            return Ok(LaunchCommand::Wrapper { program });
        }
        let (command, agent) = JavaCommand::read(program, args, cwd, env)?;
        match agent {
            Some(agent) => Err(JavaCommandError::DebugAgent(agent)),
            None => Ok(LaunchCommand::Java(Box::new(command))),
        }
    }
}

impl JavaCommand {
    /// Parses the command line of a running process. `args` begins with the launcher's name; `java` is its
    /// file. `None` when it is not `java` or cannot be parsed.
    pub fn of_process(
        java: PathBuf,
        args: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Option<JavaCommand> {
        let (name, args) = args.split_first()?;
        // The arguments or the environment hold our own debug agent, which is fine here.
        is_java(name).then(|| JavaCommand::read(java, args, cwd, env).ok())?.map(|(command, _)| command)
    }

    /// Also returns the debug agent that the command or its environment starts.
    fn read(
        java: PathBuf,
        args: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<(JavaCommand, Option<String>), JavaCommandError> {
        let scan = Scan::of(args, cwd, env)?;
        let main = scan.main(cwd)?;
        let class_path = match &main {
            Main::Jar { jar, .. } => vec![jar.clone()],
            _ => {
                let written = scan.class_path.or_else(|| env("CLASSPATH").filter(|c| !c.is_empty()));
                // Without a class path, the launcher looks for a main class in the working directory, but not
                // for a main module.
                let default = if scan.module.is_some() { "" } else { "." };
                split_path(written.as_deref().unwrap_or(default), scan.module.is_none())
            }
        };
        let split = |paths: &[String]| paths.iter().flat_map(|p| split_path(p, false)).collect::<Vec<_>>();
        let class_path = split(&scan.boot_append).into_iter().chain(class_path).collect();
        let command = JavaCommand {
            java_home: java_home(&java, env),
            java,
            main,
            class_path,
            module_path: split(&scan.module_path),
            agents: scan.agents,
            patches: split(&scan.patches),
            options_at: 1,
            options: scan.options,
            source_version: scan.source_version,
        };
        Ok((command, scan.debug_agent))
    }
}

/// The arguments of a launcher: those of the environment first, and those of files in place of their names.
fn expanded(
    args: &[String],
    cwd: &Path,
    env: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<String>, JavaCommandError> {
    let mut expanded = Vec::new();
    let mut literal = false;
    for token in argfile::split(&env("JDK_JAVA_OPTIONS").unwrap_or_default()) {
        expand(token, cwd, &mut literal, &mut expanded)?;
    }
    for token in args {
        expand(token.clone(), cwd, &mut literal, &mut expanded)?;
    }
    Ok(expanded)
}

impl Scan {
    fn of(
        args: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Scan, JavaCommandError> {
        let mut scan = Scan::default();
        let mut args = expanded(args, cwd, env)?.into_iter();
        let tool_options = argfile::split(&env("JAVA_TOOL_OPTIONS").unwrap_or_default());
        scan.agents.extend(tool_options.iter().filter_map(|option| java_agent(option)));
        scan.debug_agent = tool_options.into_iter().find(|o| is_debug_agent(o));
        while let Some(arg) = args.next() {
            if !arg.starts_with('-') {
                scan.target = Some(arg);
                break;
            }
            let mut value = || args.next().ok_or_else(|| JavaCommandError::NoValue(arg.clone()));
            match arg.as_str() {
                "-jar" => scan.jar = true,
                "-m" | "--module" => {
                    scan.module = Some(value()?);
                    break;
                }
                option if WITH_VALUE.contains(&option) => {
                    let value = value()?;
                    if OPENS.contains(&option) {
                        scan.options.push(format!("{option}={value}"));
                    }
                    scan.option(option, value);
                }
                option => {
                    let name = option.split('=').next().unwrap_or(option);
                    let changes =
                        OPENS.contains(&name) || CHANGES_CODE.iter().any(|of| option.starts_with(of));
                    if changes && !OF_THE_VM.iter().any(|own| option.starts_with(own)) {
                        scan.options.push(option.to_owned());
                    }
                    if let Some((name, value)) = option.split_once('=').filter(|(n, _)| n.starts_with("--")) {
                        if name == "--module" {
                            scan.module = Some(value.to_owned());
                            break;
                        }
                        scan.option(name, value.to_owned());
                    } else if let Some(path) = option.strip_prefix("-Xbootclasspath/a:") {
                        scan.boot_append.push(path.to_owned());
                    } else if let Some(jar) = java_agent(option) {
                        scan.agents.push(jar);
                    } else if is_debug_agent(option) {
                        scan.debug_agent = Some(option.to_owned());
                    }
                }
            }
        }
        Ok(scan)
    }

    fn option(&mut self, name: &str, value: String) {
        match name {
            "-cp" | "-classpath" | "--class-path" => self.class_path = Some(value),
            "-p" | "--module-path" => self.module_path.push(value),
            "--upgrade-module-path" => self.module_path.insert(0, value),
            "--patch-module" => self.patches.extend(value.split_once('=').map(|(_, path)| path.to_owned())),
            "--source" => self.source_version = Some(value),
            _ => {}
        }
    }

    fn main(&self, cwd: &Path) -> Result<Main, JavaCommandError> {
        if let Some(module) = &self.module {
            let (module, class) = match module.split_once('/') {
                Some((module, class)) => (module, Some(class.to_owned())),
                None => (module.as_str(), None),
            };
            return Ok(Main::Module { module: module.to_owned(), class });
        }
        let target = self.target.as_ref().ok_or(JavaCommandError::NoMain)?;
        if self.jar {
            let jar = PathBuf::from(target);
            let archive = Archive::open(&cwd.join(&jar))
                .map_err(|reason| JavaCommandError::Jar { jar: jar.clone(), reason })?;
            let Some(main_class) = archive.manifest.main_class.clone() else {
                return Err(JavaCommandError::JarWithoutMain(jar));
            };
            return Ok(Main::Jar { jar, main_class, start_class: archive.manifest.start_class.clone() });
        }
        if self.source_version.is_some() || target.ends_with(".java") {
            return Ok(Main::SourceFile(PathBuf::from(target)));
        }
        Ok(Main::Class(target.replace('/', ".")))
    }
}

/// Appends an argument, or the arguments of its file. Arguments after the main class belong to the program
/// and are kept as they are.
fn expand(
    arg: String,
    cwd: &Path,
    literal: &mut bool,
    out: &mut Vec<String>,
) -> Result<(), JavaCommandError> {
    if arg == "--disable-@files" {
        *literal = true;
    }
    match arg.strip_prefix('@') {
        Some(file) if !*literal && !file.starts_with('@') && !target_seen(out) => {
            let text = std::fs::read_to_string(cwd.join(file)).map_err(|e| {
                JavaCommandError::ArgumentFile { file: file.to_owned(), reason: e.to_string() }
            })?;
            out.extend(argfile::split(&text));
        }
        Some(escaped) if !*literal && escaped.starts_with('@') => out.push(escaped.to_owned()),
        _ => out.push(arg),
    }
    Ok(())
}

/// Whether the arguments already name what to run.
fn target_seen(args: &[String]) -> bool {
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "-m" || arg == "--module" || !arg.starts_with('-') {
            return true;
        }
        if WITH_VALUE.contains(&arg.as_str()) {
            args.next();
        }
    }
    false
}

fn is_java(program: &str) -> bool {
    Path::new(program).file_stem().is_some_and(|n| n == "java" || n == "javaw")
}

/// The jar of a `-javaagent` option.
pub fn java_agent(option: &str) -> Option<PathBuf> {
    let jar = option.strip_prefix("-javaagent:")?;
    Some(jar.split_once('=').map_or(jar, |(jar, _)| jar).into())
}

fn is_debug_agent(option: &str) -> bool {
    option.starts_with("-agentlib:jdwp") || option.starts_with("-Xrunjdwp")
}

/// Splits a path list at the platform's separator. An empty element means the working directory on a class
/// path, and nothing elsewhere.
fn split_path(path: &str, class_path: bool) -> Vec<PathBuf> {
    let elements = std::env::split_paths(path);
    let dot = |p: PathBuf| if p.as_os_str().is_empty() { PathBuf::from(".") } else { p };
    elements.filter(|p| class_path || !p.as_os_str().is_empty()).map(dot).collect()
}

fn java_home(java: &Path, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let has_image = |home: &Path| home.join("lib").join("modules").is_file();
    let of_launcher = || Some(java.canonicalize().ok()?.parent()?.parent()?.to_owned());
    let of_variable = || PathBuf::from(env("JAVA_HOME")?).canonicalize().ok();
    of_launcher().filter(|h| has_image(h)).or_else(|| of_variable().filter(|h| has_image(h)))
}

/// Finds a program: a name with a separator is a path relative to `cwd`; other names are looked up in `path`.
pub fn find_program(program: &str, cwd: &Path, path: Option<&str>) -> Option<PathBuf> {
    if program.is_empty() {
        return None;
    }
    if program.contains(std::path::is_separator) {
        return Some(cwd.join(program)).filter(|p| is_executable(p));
    }
    let folders = path.unwrap_or("/usr/local/bin:/usr/bin:/bin");
    std::env::split_paths(folders).map(|dir| cwd.join(dir).join(program)).find(|p| is_executable(p))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
