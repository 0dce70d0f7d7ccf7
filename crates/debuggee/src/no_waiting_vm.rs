//! The error that no VM of a remote program waits at its start, with advice.

use super::group::Exit;
use super::output::Tail;

/// What the last connection attempt found at the port where a VM should wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PortState {
    /// No connection; the operating system's reason.
    Nothing(String),
    /// The connection was closed at once.
    Closed,
    /// The peer is not a debug agent.
    NoAgent,
    /// The peer accepted the connection but does not answer.
    Silent,
    /// The VM was already running.
    Running,
}

/// No VM waits to be attached to.
#[derive(Debug, thiserror::Error)]
#[error(
    "no VM waits at its start on {address}: {}; `relaunch` was `{command}` and {}{}",
    next(seen, *seconds),
    became(*exit),
    tail.in_error()
)]
pub struct NoWaitingVm {
    /// The address.
    pub address: String,
    /// What the last attempt found.
    pub seen: PortState,
    /// How long `qp` tried, in seconds.
    pub seconds: u64,
    /// The command `relaunch`.
    pub command: String,
    /// How `relaunch` ended, if it has.
    pub exit: Option<Exit>,
    /// Its last output.
    pub tail: Tail,
}

/// The option that makes a VM wait to be attached to.
const AGENT: &str = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,address=…";

fn next(seen: &PortState, seconds: u64) -> String {
    match seen {
        PortState::Nothing(reason) => format!(
            "no connection within {seconds} s ({reason}); check that the program was started with `{AGENT}` and its \
             port can be reached from here, or raise `timeout_s`"
        ),
        PortState::Closed => format!(
            "each connection was closed at once, for {seconds} s; check whether another debugger is attached, or whether \
             this is a tunnel to a port on which nothing listens"
        ),
        PortState::NoAgent => {
            format!(
                "the process that answers there is not a debug agent; `attach` must name the port of `{AGENT}`"
            )
        }
        PortState::Silent => format!(
            "the process that listens there did not answer within {seconds} s; check that it is a debug agent and is not stopped"
        ),
        PortState::Running => format!(
            "the VM there was already running, so its earlier events are lost; start it with `suspend=y` \
             (`{AGENT}`), and let `relaunch` end the old program before it starts the new one"
        ),
    }
}

fn became(exit: Option<Exit>) -> String {
    exit.map_or_else(|| "is still running".to_owned(), |exit| format!("ended with {exit}"))
}
