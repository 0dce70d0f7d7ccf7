//! Starts a Java program under the debugger and prints every class outside the JDK that it prepares.
//!
//! Usage: `classes JAVA_ARGUMENTS…`, for example `classes -cp target/classes com.example.Main`.

use jdwp::commands::{event_request, thread_reference, virtual_machine};
use jdwp::{Connection, Event, EventKind, Modifier, Options, SuspendPolicy};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}");
    let mut program = tokio::process::Command::new("java")
        .arg(agent)
        .args(std::env::args().skip(1))
        .kill_on_drop(true)
        .spawn()?;
    // A program that fails to start never connects.
    let stream = tokio::select! {
        accepted = listener.accept() => accepted?.0,
        status = program.wait() => return Err(format!("java ended early: {}", status?).into()),
    };
    let (vm, mut events) = Connection::handshake(stream, Options::default()).await?;

    let outside = ["java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"];
    let prepare = event_request::Set {
        event_kind: EventKind::ClassPrepare,
        suspend_policy: SuspendPolicy::EventThread,
        modifiers: outside.map(|pattern| Modifier::ClassExclude(pattern.to_owned())).into(),
    };
    vm.send(prepare).await?;
    vm.send(virtual_machine::Resume {}).await?;
    while let Some(set) = events.next().await? {
        for event in set.events {
            match event {
                Event::ClassPrepare { signature, thread: Some(thread), .. } => {
                    println!("{signature}");
                    vm.send(thread_reference::Resume { thread }).await?;
                }
                // Closing now saves the virtual machine a wait at its exit.
                Event::VmDeath { .. } => vm.close(),
                _ => {}
            }
        }
    }
    println!("ended with {}", program.wait().await?);
    Ok(())
}
