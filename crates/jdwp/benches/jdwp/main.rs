//! Compares this crate with JDI (`JdiClient.java`): both watch a field that a Java loop writes, alternately
//! in the same run. Prints the medians. Run `cargo bench -p jdwp`; needs `java` and `javac`.
//!
//! Mode "count" reads the value that each event carries, without suspending threads. Mode "locals" suspends
//! the thread at each write and reads all visible local variables of its top frame before resuming it.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use jdwp::commands::{event_request, method, reference_type, stack_frame, thread_reference, virtual_machine};
use jdwp::{
    Connection, Error, Event, EventKind, Events, Location, Modifier, Options, Pending, SuspendPolicy, Tag,
    ThreadId, TopFrames, Value,
};
use tokio::net::TcpListener;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const ROUNDS: usize = 5;
/// The value that `qp` uses.
const LINGER: Duration = Duration::from_micros(300);
/// Mode, number of writes, and the required ratio of our rate to JDI's.
const MODES: [(&str, usize, f64); 2] = [("count", 100_000, 1.0), ("locals", 5_000, 1.3)];

fn main() -> Outcome<()> {
    let dir = tempfile::tempdir()?;
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/jdwp");
    let compiled = Command::new("javac")
        .arg("-g")
        .arg("-d")
        .arg(dir.path())
        .args([here.join("Watched.java"), here.join("JdiClient.java")])
        .status()?;
    if !compiled.success() {
        return Err("javac failed".into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("| watch | jdwp, events/s | JDI, events/s | ratio | wanted |");
    println!("| --- | --- | --- | --- | --- |");
    for (mode, count, wanted) in MODES {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for round in 0..ROUNDS {
            // The client that goes first alternates between rounds.
            for turn in 0..2 {
                if (round + turn) % 2 == 0 {
                    ours.push(runtime.block_on(through_jdwp(mode == "locals", count, dir.path()))?);
                } else {
                    theirs.push(through_jdi(mode, count, dir.path())?);
                }
            }
        }
        let (ours, theirs) = (median(ours), median(theirs));
        println!("| {mode} | {ours:.0} | {theirs:.0} | {:.2} | {wanted:.1} |", ours / theirs);
    }
    Ok(())
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or(f64::NAN)
}

fn through_jdi(mode: &str, count: usize, classes: &Path) -> Outcome<f64> {
    let output = Command::new("java")
        .arg("-cp")
        .arg(classes)
        .args(["JdiClient", mode, &count.to_string()])
        .arg(classes)
        .arg("java")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        return Err("the JDI client failed".into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

async fn through_jdwp(locals: bool, count: usize, classes: &Path) -> Outcome<f64> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let agent = format!("-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:{port}");
    let mut child = tokio::process::Command::new("java")
        .arg(agent)
        .arg("-cp")
        .arg(classes)
        .args(["Watched", &count.to_string()])
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .spawn()?;
    let (stream, _) = listener.accept().await?;
    let options = Options { linger: LINGER, ..Options::default() };
    let (connection, mut events) = Connection::handshake(stream, options).await?;
    watch(&connection, &mut events, locals).await?;

    let mut locals = if locals { Some(Locals::default()) } else { None };
    let (mut seen, mut sum, mut start) = (0, 0, Instant::now());
    let mut rate = 0.0;
    while let Some(set) = events.next().await? {
        for event in set.events {
            match event {
                Event::FieldModification { thread, location, value, .. } => {
                    sum += match &mut locals {
                        Some(locals) => locals.read(&connection, thread, location).await?,
                        None => match value {
                            Value::Int(value) => 2 * i64::from(value),
                            _ => return Err("not an int".into()),
                        },
                    };
                    seen += 1;
                    if seen == count / 5 {
                        start = Instant::now();
                    } else if seen == count {
                        rate = (count - count / 5) as f64 / start.elapsed().as_secs_f64();
                    }
                }
                Event::VmDeath { .. } => connection.close(),
                _ => {}
            }
        }
    }
    child.wait().await?;
    let total = i64::try_from(count)?;
    if seen != count || sum != total * (total - 1) {
        return Err(format!("saw {seen} events with the sum {sum}").into());
    }
    Ok(rate)
}

/// Runs the program until the class is prepared, watches the field and resumes.
async fn watch(connection: &Connection, events: &mut Events, suspend: bool) -> Outcome<()> {
    let prepare = event_request::Set {
        event_kind: EventKind::ClassPrepare,
        suspend_policy: SuspendPolicy::All,
        modifiers: vec![Modifier::ClassMatch("Watched".to_owned())],
    };
    connection.send(prepare).await?;
    connection.send(virtual_machine::Resume {}).await?;
    while let Some(set) = events.next().await? {
        for event in set.events {
            if let Event::ClassPrepare { type_id, .. } = event {
                let fields = connection.send(reference_type::Fields { ref_type: type_id }).await?;
                let field = fields.first().ok_or("no field")?.field_id;
                let request = event_request::Set {
                    event_kind: EventKind::FieldModification,
                    suspend_policy: if suspend { SuspendPolicy::EventThread } else { SuspendPolicy::None },
                    modifiers: vec![Modifier::FieldOnly { declaring: type_id, field }],
                };
                connection.send(request).await?;
                connection.send(virtual_machine::Resume {}).await?;
                return Ok(());
            }
        }
    }
    Err("the class was never prepared".into())
}

/// Reads local variables. Like JDI, it requests the variable table of the method once.
#[derive(Default)]
struct Locals {
    table: Option<method::VariableTableReply>,
    frames: TopFrames,
    resumed: Option<Pending<()>>,
}

impl Locals {
    /// The sum of the `long` variables in the top frame. Resumes the thread.
    async fn read(&mut self, connection: &Connection, thread: ThreadId, at: Location) -> Result<i64, Error> {
        let table = match &mut self.table {
            Some(table) => table,
            table => {
                let ask = method::VariableTable { ref_type: at.class, method: at.method };
                table.insert(connection.send(ask).await?)
            }
        };
        let visible = |slot: &&method::SlotInfo| {
            (slot.code_index..slot.code_index + u64::from(slot.length)).contains(&at.index)
        };
        let slots = table.slots.iter().filter(visible).filter_map(|slot| {
            Some(stack_frame::Slot { slot: slot.slot, sigbyte: Tag::of_signature(&slot.signature)? })
        });
        let (_, values) = self.frames.values(connection, thread, slots.collect()).await?;
        if let Some(resumed) = self.resumed.take() {
            resumed.await?;
        }
        // Nothing awaits this reply: the next event shows that the thread was resumed.
        self.resumed = Some(connection.send(thread_reference::Resume { thread }));
        let long = |value| if let Value::Long(value) = value { value } else { 0 };
        Ok(values.into_iter().map(long).sum())
    }
}
