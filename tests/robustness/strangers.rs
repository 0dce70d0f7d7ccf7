//! Foreign connections to the port for the program's VMs: they receive no byte, and delay nobody.

#![allow(clippy::expect_used, reason = "a test's helpers fail as the test does")]

use crate::support::case::Case;
use crate::support::processes_with;
use std::process::Stdio;
use std::time::{Duration, Instant};

#[test]
fn connections_of_others_hold_up_no_vm_of_a_wrapper() {
    let case = Case::new("waits-for-go");
    let points = format!(r#"(id: "A", at: Line("WaitsForGo", {}))"#, case.line("WaitsForGo.java", "// <- A"));
    // The selected VM waits while the wrapper starts two more, one after the other.
    let wrapper = r#"echo "$JAVA_TOOL_OPTIONS" >"$MARKS/new" && mv "$MARKS/new" "$MARKS/options";
        while [ ! -e "$MARKS/early" ]; do sleep 0.05; done;
        java -version; java -cp classes WaitsForGo & vm=$!;
        while [ ! -e "$MARKS/late" ]; do sleep 0.05; done;
        java -version; java -version; : >"$MARKS/go"; wait $vm"#;
    let debuggee = format!(r##"command: ["sh", "-c", r#"{wrapper}"#], jvm: "WaitsForGo", timeout_s: 60"##);
    let chain = case.chain(&debuggee, &points);
    let child = case
        .qp()
        .args(["replay", "--format=json"])
        .arg(chain)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("qp starts");
    let started = Instant::now();
    case.wait_until("the options", || case.mark("options").exists());
    let options = std::fs::read_to_string(case.mark("options")).expect("read");
    let port = options.rsplit("address=127.0.0.1:").next().and_then(|rest| rest.split_whitespace().next());
    let port: u16 = port.and_then(|port| port.parse().ok()).expect("a port");
    let connect = || -> Vec<std::net::TcpStream> {
        (0..4).map(|_| std::net::TcpStream::connect(("127.0.0.1", port)).expect("qp listens")).collect()
    };
    // They send nothing, and stay open.
    let early = connect();
    std::fs::write(case.mark("early"), "").expect("written");
    case.wait_until("the VM", || case.mark("started").exists());
    let late = connect();
    std::fs::write(case.mark("late"), "").expect("written");
    let output = crate::support::wait(child);
    let said = crate::support::said(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    // `qp` would wait ten seconds for each of them.
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
    assert!(
        said.contains("while the program ran, qp closed 4 connections that were not the debuggee's"),
        "{said}"
    );
    assert!(said.contains(&format!("process {} (`", std::process::id())), "{said}");
    // They received no byte.
    for mut stream in early.into_iter().chain(late) {
        let mut bytes = Vec::new();
        let read = std::io::Read::read_to_end(&mut stream, &mut bytes);
        assert!(read.is_ok() || read.is_err_and(|e| e.kind() == std::io::ErrorKind::ConnectionReset));
        assert!(bytes.is_empty(), "{bytes:?}");
    }
    case.wait_until("the end", || processes_with(&case.name()).is_empty());
}
