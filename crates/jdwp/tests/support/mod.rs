//! A real virtual machine for tests. Fixtures are compiled once; the virtual machine connects to a free port
//! and is killed when its handle is dropped.

// Each test file uses only some of these items.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::future::Future;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;
use std::time::Duration;

use jdwp::commands::{event_request, method, reference_type, virtual_machine};
use jdwp::{
    Command, Connection, ErrorCode, Event, EventKind, EventSet, Events, Location, MethodId, Modifier,
    Options, ReferenceTypeId, RequestId, SuspendPolicy, TypeTag,
};
use tokio::net::TcpListener;

const LIMIT: Duration = Duration::from_secs(60);

/// Runs a test on a single-threaded runtime; no test may hang.
pub fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { within(test).await });
}

pub async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LIMIT, future).await.expect("took more than a minute")
}

/// The `java` commands to test: the one on the path and, if installed, a Java 25.
pub fn javas() -> Vec<PathBuf> {
    let mut javas = vec![PathBuf::from("java")];
    for entry in std::fs::read_dir("/usr/lib/jvm").into_iter().flatten().flatten() {
        let java = entry.path().join("bin/java");
        if entry.file_name().to_string_lossy().contains("25") && java.exists() {
            javas.push(java);
        }
    }
    javas
}

fn source_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/fixture")
}

fn javac(sources: &[PathBuf], out: &Path) {
    let status = std::process::Command::new("javac")
        .args(["-g", "--release", "17", "-d"])
        .arg(out)
        .args(sources)
        .stdin(Stdio::null())
        .status()
        .expect("javac of JDK 17 or later must be on the path");
    assert!(status.success(), "javac failed");
}

/// The directory of the compiled fixtures.
pub fn classes() -> &'static Path {
    static CLASSES: OnceLock<tempfile::TempDir> = OnceLock::new();
    CLASSES
        .get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            let sources =
                ["Debuggee.java", "Swap.java", "Happenings.java"].map(|file| source_dir().join(file));
            javac(&sources, dir.path());
            dir
        })
        .path()
}

/// The class file of the version of `Swap` that returns 2.
pub fn swapped() -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let source = std::fs::read_to_string(source_dir().join("Swap.java")).unwrap();
    let file = dir.path().join("Swap.java");
    std::fs::write(&file, source.replace("return 1;", "return 2;")).unwrap();
    javac(&[file], dir.path());
    std::fs::read(dir.path().join("fixture/Swap.class")).unwrap()
}

/// The number of the line that ends with this mark.
pub fn line(file: &str, mark: &str) -> i32 {
    let source = std::fs::read_to_string(source_dir().join(file)).unwrap();
    let mark = format!("// MARK {mark}");
    let index = source.lines().position(|line| line.ends_with(&mark)).expect("no such mark");
    i32::try_from(index).unwrap() + 1
}

/// A virtual machine and the connection to it.
pub struct Vm {
    pub child: tokio::process::Child,
    pub connection: Connection,
    pub events: Events,
    /// The commands used so far.
    pub used: BTreeSet<&'static str>,
}

impl Vm {
    /// Starts a fixture and takes its VM start event; no code has run.
    pub async fn start(java: &Path, class: &str) -> Self {
        Self::start_with(java, class, "", Options::default()).await
    }

    pub async fn start_with(java: &Path, class: &str, agent_options: &str, options: Options) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let agent = "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y";
        let child = tokio::process::Command::new(java)
            .arg(format!("{agent},address=127.0.0.1:{port}{agent_options}"))
            .args(["-XX:+UseSerialGC", "-Xshare:auto", "-cp"])
            .arg(classes())
            .arg(class)
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (stream, _) = within(listener.accept()).await.unwrap();
        let (connection, events) = within(Connection::handshake(stream, options)).await.unwrap();
        let mut vm = Self { child, connection, events, used: BTreeSet::new() };
        let start = vm.next().await;
        assert_eq!(start.policy, SuspendPolicy::All);
        assert!(matches!(start.events[..], [Event::VmStart { request: RequestId(0), .. }]), "{start:?}");
        vm
    }

    /// Sends a command and returns its reply.
    pub async fn call<C: Command>(&mut self, command: C) -> C::Reply {
        self.used.insert(C::NAME);
        within(self.connection.send(command)).await.unwrap()
    }

    /// Sends a command that must be refused and returns the error code.
    pub async fn refused<C: Command>(&mut self, command: C) -> ErrorCode {
        self.used.insert(C::NAME);
        match within(self.connection.send(command)).await {
            Ok(_) => panic!("{} should have been refused", C::NAME),
            Err(error) => error.code().unwrap_or_else(|| panic!("{error}")),
        }
    }

    pub async fn next(&mut self) -> EventSet {
        within(self.events.next()).await.unwrap().expect("the connection ended")
    }

    pub async fn request(
        &mut self,
        event_kind: EventKind,
        suspend_policy: SuspendPolicy,
        modifiers: Vec<Modifier>,
    ) -> RequestId {
        self.call(event_request::Set { event_kind, suspend_policy, modifiers }).await
    }

    pub async fn resume(&mut self) {
        self.call(virtual_machine::Resume {}).await;
    }

    /// Resumes until a class is prepared.
    pub async fn prepared(&mut self, name: &str) -> ReferenceTypeId {
        let only = vec![Modifier::ClassMatch(name.to_owned()), Modifier::Count(1)];
        let asked = self.request(EventKind::ClassPrepare, SuspendPolicy::All, only).await;
        self.resume().await;
        let set = self.next().await;
        match &set.events[..] {
            [Event::ClassPrepare { request, type_id, signature, type_tag: TypeTag::Class, .. }] => {
                assert_eq!(*request, asked);
                assert_eq!(*signature, format!("L{};", name.replace('.', "/")));
                *type_id
            }
            other => panic!("{other:?}"),
        }
    }

    pub async fn method(&mut self, class: ReferenceTypeId, name: &str) -> MethodId {
        let methods = self.call(reference_type::Methods { ref_type: class }).await;
        methods.iter().find(|method| method.name == name).expect("no such method").method_id
    }

    /// The location where a marked line of a method begins.
    pub async fn place(&mut self, class: ReferenceTypeId, name: &str, line: i32) -> Location {
        let method = self.method(class, name).await;
        let table = self.call(method::LineTable { ref_type: class, method }).await;
        let index = table.lines.iter().find(|info| info.line_number == line).expect("no such line");
        Location { type_tag: TypeTag::Class, class, method, index: index.line_code_index }
    }

    /// Sets a breakpoint that suspends all threads.
    pub async fn breakpoint(&mut self, location: Location) -> RequestId {
        self.request(EventKind::Breakpoint, SuspendPolicy::All, vec![Modifier::LocationOnly(location)]).await
    }

    /// The loaded type with this signature.
    pub async fn class(&mut self, signature: &str) -> ReferenceTypeId {
        let found = self.call(virtual_machine::ClassesBySignature { signature: signature.to_owned() }).await;
        found.first().expect("no such class").type_id
    }
}
