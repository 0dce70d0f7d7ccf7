//! Identifies the process at the other end of a local connection, and whether it belongs to the debuggee.
//!
//! Where the system does not report its connections, the peer is unknown, and every connection counts as the
//! debuggee's.

use super::group::carries_mark;
use classes::{ClassPaths, JavaCommand, Main};
use platform::{processes, sockets};
use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

/// A process that connected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Its process id.
    pub pid: u32,
    /// Its command line.
    pub command_line: Vec<String>,
    /// The main class or jar, if the process is `java`.
    pub main: Option<Main>,
    /// The class and module paths, if the process is `java`; the only source for a VM that a wrapper starts.
    pub class_paths: Option<ClassPaths>,
}

/// The identity of a connection's peer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// A process of the debuggee.
    Ours(Box<Peer>),
    /// A process that the debuggee did not start, or that `qp` may not inspect.
    Foreign(ForeignProcess),
    /// The system does not report it.
    Unknown,
}

/// The peer of a connection that is not the debuggee's, as far as the system reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ForeignProcess {
    /// The connection was closed before it could be identified.
    Gone,
    /// A process of this user id, which `qp` may not inspect.
    User(u32),
    /// A process that `qp` may inspect.
    Process {
        /// Its process id.
        pid: u32,
        /// The name of its executable.
        name: String,
    },
}

impl fmt::Display for ForeignProcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ForeignProcess::Gone => f.write_str("a process that hung up at once"),
            ForeignProcess::User(user) => write!(f, "user {user}"),
            ForeignProcess::Process { pid, name } => write!(f, "process {pid} (`{name}`)"),
        }
    }
}

impl Peer {
    /// Whether this is the VM of a build tool, which starts that of the program.
    pub(super) fn is_build_tool(&self) -> bool {
        let class = self.main.as_ref().and_then(Main::class);
        class.is_some_and(is_build_tool)
    }

    /// Its main class, or else its command line.
    pub fn name(&self) -> String {
        let class = self.main.as_ref().and_then(Main::class);
        class.map_or_else(|| self.command_line.join(" "), str::to_owned)
    }

    /// Whether this is the VM that `jvm` selects. See [`JvmPattern`].
    pub(super) fn matches(&self, pattern: &JvmPattern) -> bool {
        match &self.main {
            Some(main) => pattern.is_of(main, &self.command_line),
            None => pattern.is_in(&self.command_line),
        }
    }
}

/// Whether this is the main class of a build tool.
pub(super) fn is_build_tool(class: &str) -> bool {
    BUILD_TOOLS.contains(&class)
}

/// Main classes of build tools, whose VMs start those of the program.
const BUILD_TOOLS: [&str; 7] = [
    "org.codehaus.plexus.classworlds.launcher.Launcher",
    "org.codehaus.classworlds.Launcher",
    "org.apache.maven.wrapper.MavenWrapperMain",
    "org.apache.tools.ant.launch.Launcher",
    "org.apache.tools.ant.Main",
    "org.gradle.wrapper.GradleWrapperMain",
    "org.gradle.launcher.GradleMain",
];

/// The meaning of a chain's `jvm`: a text that can be a class name is the main class (binary or simple name);
/// any other text is a regular expression on the whole command line.
#[derive(Clone, Debug)]
pub(super) enum JvmPattern {
    Class(String),
    CommandLine(regex::Regex),
}

impl JvmPattern {
    pub fn parse(text: &str) -> Result<JvmPattern, String> {
        let is_class = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$');
        if !text.is_empty() && !text.starts_with('.') && text.chars().all(is_class) {
            return Ok(JvmPattern::Class(text.to_owned()));
        }
        regex::Regex::new(text).map(JvmPattern::CommandLine).map_err(|e| e.to_string())
    }

    /// Whether the pattern selects a `java` process with this main class and command line.
    pub fn is_of(&self, main: &Main, command_line: &[String]) -> bool {
        let JvmPattern::Class(wanted) = self else { return self.is_in(command_line) };
        let classes = match main {
            Main::Jar { main_class, start_class, .. } => [Some(main_class), start_class.as_ref()],
            Main::Class(class) => [Some(class), None],
            Main::Module { class, .. } => [class.as_ref(), None],
            _ => [None, None],
        };
        let is_wanted = |class: &String| {
            class == wanted || class.strip_suffix(wanted.as_str()).is_some_and(|rest| rest.ends_with('.'))
        };
        classes.into_iter().flatten().any(is_wanted)
    }

    /// Whether a regular expression matches the command line.
    fn is_in(&self, command_line: &[String]) -> bool {
        matches!(self, JvmPattern::CommandLine(regex) if regex.is_match(&command_line.join(" ")))
    }
}

/// Identifies the process at the other end of a local connection. `leader` and `mark` are those of the
/// debuggee's group.
pub(super) fn identify(local: SocketAddr, remote: SocketAddr, leader: u32, mark: &str) -> Identity {
    if !sockets::are_known() {
        return Identity::Unknown;
    }
    let Some(socket) = sockets::find(remote, local) else {
        return Identity::Foreign(ForeignProcess::Gone);
    };
    let user = socket.user;
    // A process that the debuggee started as another user cannot be inspected either, unless `qp` runs as
    // root.
    let own = rustix::process::geteuid();
    if user != own.as_raw() && !own.is_root() {
        return Identity::Foreign(ForeignProcess::User(user));
    }
    // The peer is nearly always the leader, else a process of its group.
    let near =
        std::iter::once(leader).chain(processes::all().filter(|p| *p != leader && is_ours(*p, leader, mark)));
    for pid in near {
        if sockets::holds(pid, socket) {
            return Identity::Ours(Box::new(read(pid)));
        }
    }
    Identity::Foreign(match processes::all().find(|pid| sockets::holds(*pid, socket)) {
        Some(pid) => ForeignProcess::Process { pid, name: program(pid) },
        None => ForeignProcess::User(user),
    })
}

/// The name of a process's executable, without control characters and backquotes.
fn program(pid: u32) -> String {
    processes::name(pid).chars().map(|c| if c.is_control() || c == '`' { '?' } else { c }).collect()
}

/// Whether a process belongs to the command: it is in its group, carries its mark, or descends from its
/// leader.
fn is_ours(pid: u32, leader: u32, mark: &str) -> bool {
    let mut at = pid;
    for _ in 0..64 {
        let Some(processes::Stat { parent, group, .. }) = processes::stat(at) else { break };
        if group == leader || parent == leader {
            return true;
        }
        if parent <= 1 {
            break;
        }
        at = parent;
    }
    carries_mark(&processes::environment(pid), mark)
}

fn read(pid: u32) -> Peer {
    let environment = processes::environment(pid);
    let (folder, program) = (processes::folder(pid), processes::executable(pid));
    peer(
        pid,
        processes::command_line(pid),
        &folder.unwrap_or_default(),
        program.unwrap_or_default(),
        &|name| environment.value(name),
    )
}

fn peer(
    pid: u32,
    command_line: Vec<String>,
    cwd: &Path,
    program: PathBuf,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Peer {
    let java = JavaCommand::of_process(program, &command_line, cwd, variable);
    let class_paths = java.as_ref().map(|java| ClassPaths::of(java, cwd));
    Peer { pid, command_line, main: java.map(|java| java.main), class_paths }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Peer {
        peer(1, line.split(' ').map(str::to_owned).collect(), Path::new("."), "java".into(), &|_| None)
    }

    #[test]
    fn jvm_is_a_main_class_or_a_pattern() {
        let matches = |line: &str, jvm: &str| of(line).matches(&JvmPattern::parse(jvm).unwrap());
        assert!(matches("/usr/bin/java -ea -cp c pkg.Intro x", "Intro"));
        assert!(matches("java -agentlib:jdwp=x pkg.Intro", "pkg.Intro"));
        assert!(!matches("java -cp c Other Intro", "Intro"));
        assert!(!matches("java -cp c MyIntro", "Intro"));
        assert!(matches("java -p m -m app/pkg.Intro", "Intro"));
        assert!(matches("java -cp c Other --port=7", "Other .*--port=7"));
        assert!(!matches("java -cp c Other --port=8", "Other .*--port=7"));
        assert!(JvmPattern::parse("(").is_err());
    }
}
