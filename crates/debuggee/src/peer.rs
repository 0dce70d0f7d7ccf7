//! Identifies the process at the other end of a local connection, and whether it belongs to the debuggee.
//!
//! Works on Linux only, through `/proc` (proc(5)). On other systems the peer is unknown, and every connection
//! counts as the debuggee's.

use super::processes::{Stat, carries_mark, processes, stat};
use classes::{ClassPaths, JavaCommand, Main};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
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
        class.is_some_and(|class| BUILD_TOOLS.contains(&class))
    }

    /// Whether this is the VM that `jvm` selects. See [`JvmPattern`].
    pub(super) fn matches(&self, pattern: &JvmPattern) -> bool {
        match &self.main {
            Some(main) => pattern.is_of(main, &self.command_line),
            None => pattern.is_in(&self.command_line),
        }
    }
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
    if !Path::new("/proc/self/net/tcp").exists() {
        return Identity::Unknown;
    }
    let Some(Socket { user, inode }) = socket(remote, local) else {
        return Identity::Foreign(ForeignProcess::Gone);
    };
    // A process that the debuggee started as another user cannot be inspected either, unless `qp` runs as
    // root.
    let own = rustix::process::geteuid();
    if user != own.as_raw() && !own.is_root() {
        return Identity::Foreign(ForeignProcess::User(user));
    }
    let link = format!("socket:[{inode}]");
    // The peer is nearly always the leader, else a process of its group.
    let near =
        std::iter::once(leader).chain(processes().filter(|p| *p != leader && is_ours(*p, leader, mark)));
    for pid in near {
        if holds(pid, &link) {
            return Identity::Ours(Box::new(read(pid)));
        }
    }
    Identity::Foreign(match processes().find(|pid| holds(*pid, &link)) {
        Some(pid) => ForeignProcess::Process { pid, name: program(pid) },
        None => ForeignProcess::User(user),
    })
}

/// The name of a process's executable, without control characters and backquotes.
fn program(pid: u32) -> String {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default();
    name.trim_end().chars().map(|c| if c.is_control() || c == '`' { '?' } else { c }).collect()
}

/// Whether a process belongs to the command: it is in its group, carries its mark, or descends from its
/// leader.
fn is_ours(pid: u32, leader: u32, mark: &str) -> bool {
    let mut at = pid;
    for _ in 0..64 {
        let Some(Stat { parent, group, .. }) = stat(at) else { break };
        if group == leader || parent == leader {
            return true;
        }
        if parent <= 1 {
            break;
        }
        at = parent;
    }
    carries_mark(pid, mark)
}

/// One end of a connection, from the system's table.
struct Socket {
    /// The user id of its owner.
    user: u32,
    inode: u64,
}

/// Finds the socket bound to `own` and connected to `other`, in either address family.
fn socket(own: SocketAddr, other: SocketAddr) -> Option<Socket> {
    let wanted = (canonical(own), canonical(other));
    ["/proc/self/net/tcp", "/proc/self/net/tcp6"].iter().find_map(|table| {
        let text = std::fs::read_to_string(table).ok()?;
        text.lines().skip(1).find_map(|line| row(line, wanted))
    })
}

/// Parses a row of `/proc/net/tcp` or `tcp6`; `None` if it has other ends.
fn row(line: &str, wanted: ((IpAddr, u16), (IpAddr, u16))) -> Option<Socket> {
    let mut fields = line.split_whitespace().skip(1);
    let ends = (end(fields.next()?)?, end(fields.next()?)?);
    if ends != wanted {
        return None;
    }
    // After the two addresses: state, queues, timers, retransmissions, user, timeouts, inode.
    let (user, inode) = (fields.nth(4)?.parse().ok()?, fields.nth(1)?.parse().ok()?);
    (inode != 0).then_some(Socket { user, inode })
}

/// Parses an end such as `0100007F:1F90`: 32-bit words in memory order, then the port.
fn end(text: &str) -> Option<(IpAddr, u16)> {
    let (address, port) = text.rsplit_once(':')?;
    let word = |at: usize| Some(u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let ip = match address.len() {
        8 => IpAddr::V4(Ipv4Addr::from(word(0)?)),
        32 => {
            let mut bytes = [0; 16];
            for (at, four) in bytes.chunks_exact_mut(4).enumerate() {
                four.copy_from_slice(&word(at * 8)?);
            }
            IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
        }
        _ => return None,
    };
    Some((ip, u16::from_str_radix(port, 16).ok()?))
}

fn canonical(address: SocketAddr) -> (IpAddr, u16) {
    (address.ip().to_canonical(), address.port())
}

fn holds(pid: u32, link: &str) -> bool {
    let Ok(files) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    files.flatten().any(|f| std::fs::read_link(f.path()).is_ok_and(|target| target.as_os_str() == link))
}

fn read(pid: u32) -> Peer {
    let bytes = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let command_line: Vec<String> = text.trim_end_matches('\0').split('\0').map(str::to_owned).collect();
    let link = |name: &str| std::fs::read_link(format!("/proc/{pid}/{name}")).unwrap_or_default();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let environment = String::from_utf8_lossy(&environment);
    let variable = |name: &str| {
        let value = environment.split('\0').find_map(|v| v.strip_prefix(name)?.strip_prefix('='));
        value.map(str::to_owned)
    };
    peer(pid, command_line, &link("cwd"), link("exe"), &variable)
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
    fn both_ends_of_a_connection_must_match() {
        let row_of = |line: &str, own: &str| {
            row(line, (canonical(own.parse().unwrap()), end("0100007F:1F90").unwrap()))
        };
        let line = "  1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1000        0 77 1 0";
        let found = row_of(line, "127.0.0.1:50000").unwrap();
        assert_eq!((found.user, found.inode), (1000, 77));
        // The same port of another address belongs to another process.
        let other = line.replace("0100007F:C350", "0200007F:C350");
        assert!(row_of(&other, "127.0.0.1:50000").is_none());
        let mapped = line.replace("0100007F", "0000000000000000FFFF00000100007F");
        assert_eq!(row_of(&mapped, "127.0.0.1:50000").unwrap().inode, 77);
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
