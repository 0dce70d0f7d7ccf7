//! A `java` command line read without running it: which `java`, which main class, which class and module
//! path.
//!
//! Follows the launcher of OpenJDK (The `java` Command): options with a separate value, `--name=value`,
//! `@argfiles`, `JDK_JAVA_OPTIONS`, `CLASSPATH`, and `-jar`, which replaces the class path.

use super::archive::Archive;
use super::argfile;
use std::path::{Path, PathBuf};

/// What a launch command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LaunchCommand {
    /// The program is the `java` launcher.
    Java(Box<JavaCommand>),
    /// Any other program, which starts a JVM somewhere below itself: a script, `mvn`, `gradle`.
    Wrapper {
        /// The file that will be executed.
        program: PathBuf,
    },
}

/// A `java` command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaCommand {
    /// The launcher as found, absolute or relative to the working directory.
    pub java: PathBuf,
    /// The Java home of the launcher, links resolved. `None` when there is no `lib/modules` beside it (a
    /// version manager's shim) and `JAVA_HOME` does not help.
    pub java_home: Option<PathBuf>,
    /// What is run.
    pub main: Main,
    /// Class path elements in order, as written; with `-jar`, the jar alone.
    pub class_path: Vec<PathBuf>,
    /// Module path elements, as written.
    pub module_path: Vec<PathBuf>,
    /// Folders and jars of `--patch-module`.
    pub patches: Vec<PathBuf>,
    /// Where in the command further VM options are inserted: right after the launcher, before every argument.
    pub options_at: usize,
    /// The options that change what the program's code does: assertions, system properties, access to
    /// modules.
    pub options: Vec<String>,
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
        /// Main class; without it the module's descriptor names one.
        class: Option<String>,
    },
    /// `java X.java`: compiled in memory, so there are no class files until somebody compiles it again.
    SourceFile(PathBuf),
}

impl Main {
    /// Binary name of the program's main class, as far as the command tells.
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
    /// There is no program.
    #[error(
        "the debuggee's command is empty; write the program and its arguments, as in `java -cp classes Main`"
    )]
    Empty,
    /// `java` itself is missing.
    #[error(
        "`{0}` was not found; install a JDK 17 or later (Debian, Ubuntu: `apt install openjdk-17-jdk`; elsewhere: \
         https://adoptium.net), or write the path of `java` in the command"
    )]
    NoJava(String),
    /// Another program is missing.
    #[error("`{0}` was not found or is not executable; install it, or write its path in the command")]
    NoProgram(String),
    /// An option lacks its value.
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
        /// What the system says.
        reason: String,
    },
    /// The jar of `-jar` cannot be read.
    #[error("cannot read the jar `{}` of `-jar`: {reason}; build it first, or correct its path (relative to `cwd`)", jar.display())]
    Jar {
        /// As written.
        jar: PathBuf,
        /// What the archive reader says.
        reason: String,
    },
    /// The jar of `-jar` is not executable.
    #[error("the jar `{}` has no `Main-Class` in its manifest; use `-cp JAR MAINCLASS` instead of `-jar`", .0.display())]
    JarWithoutMain(PathBuf),
    /// The command starts a JDWP agent of its own; a VM has room for one.
    #[error("the command already holds `{0}`; remove it: `qp` adds its own debug agent to the VM")]
    DebugAgent(String),
}

/// What the arguments of a `java` launcher say, without looking at any file but argument files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Scan {
    class_path: Option<String>,
    module_path: Vec<String>,
    patches: Vec<String>,
    boot_append: Vec<String>,
    debug_agent: Option<String>,
    source_mode: bool,
    jar: bool,
    module: Option<String>,
    target: Option<String>,
    options: Vec<String>,
}

/// Options, or their beginnings, that change what a program's code does.
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

/// The same, with a value.
const OPENS: [&str; 3] = ["--add-exports", "--add-opens", "--enable-native-access"];

/// Properties that are the VM's own: its class path, its ports.
const OF_THE_VM: [&str; 2] = ["-Djava.class.path=", "-Dcom.sun.management."];

/// Options whose value is the next argument (`IsWhiteSpaceOption` of the launcher), `-jar` and `-m` apart.
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
    /// Reads a command. `env` is the environment that the command will run with.
    ///
    /// # Errors
    /// When the program does not exist, or the `java` launcher would refuse the command.
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
    /// Reads the command line of a process that runs: `args` begins with the name of the launcher, `java` is
    /// its file. `None` when it is no `java`, or its command line is not one that we understand.
    pub fn of_process(
        java: PathBuf,
        args: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Option<JavaCommand> {
        let (name, args) = args.split_first()?;
        // It was started with our own agent, in its arguments or its environment.
        is_java(name).then(|| JavaCommand::read(java, args, cwd, env).ok())?.map(|(command, _)| command)
    }

    /// Also returns the debug agent that the command or its environment names.
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
                // Without a class path, a main class is looked for in the working directory; a main module is
                // not.
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
            patches: split(&scan.patches),
            options_at: 1,
            options: scan.options,
        };
        Ok((command, scan.debug_agent))
    }
}

impl Scan {
    fn of(
        args: &[String],
        cwd: &Path,
        env: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Scan, JavaCommandError> {
        let mut scan = Scan::default();
        let mut expanded = Vec::new();
        let mut literal = false;
        for token in argfile::split(&env("JDK_JAVA_OPTIONS").unwrap_or_default()) {
            expand(token, cwd, &mut literal, &mut expanded)?;
        }
        for token in args {
            expand(token.clone(), cwd, &mut literal, &mut expanded)?;
        }
        scan.debug_agent = env("JAVA_TOOL_OPTIONS")
            .and_then(|options| argfile::split(&options).into_iter().find(|o| is_debug_agent(o)));
        let mut args = expanded.into_iter();
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
            "--source" => self.source_mode = true,
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
        if self.source_mode || target.ends_with(".java") {
            return Ok(Main::SourceFile(PathBuf::from(target)));
        }
        Ok(Main::Class(target.replace('/', ".")))
    }
}

/// Appends an argument, or the arguments of its file. What follows the main class is the program's own, which
/// the scan stops before, so expanding it does no harm unless its file is missing: then it is kept as it is.
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

/// Whether the arguments so far already hold what is run.
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

fn is_debug_agent(option: &str) -> bool {
    option.starts_with("-agentlib:jdwp") || option.starts_with("-Xrunjdwp")
}

/// Splits at the platform's separator. An empty element is the working directory on a class path, nothing
/// elsewhere.
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

/// Where a program is: by its path when it has one (relative to `cwd`), else in the folders of `path`.
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
