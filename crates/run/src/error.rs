//! Errors of watching a run.

use debuggee::{DebuggeeError, Tail};

/// Why watching a run ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The program could not be built, launched or driven.
    #[error(transparent)]
    Debuggee(#[from] DebuggeeError),
    /// The connection to the VM failed, or the VM refused a required request.
    #[error("the debuggee's VM: {0}")]
    Vm(#[from] jdwp::Error),
    /// `qp` could not listen for the VM.
    #[error("cannot listen on 127.0.0.1 for the debuggee: {0}; check that the loopback interface is up")]
    Listen(#[source] std::io::Error),
    /// The lines of a log point cannot be read.
    #[error("cannot read the lines that the VM has logged: {0}")]
    Lines(#[source] std::io::Error),
    /// The peer that connected is not a VM, or it disconnected during the handshake.
    #[error(transparent)]
    BrokeOff(Box<BrokeOff>),
    /// A VM connected but does not answer.
    #[error(
        "the debuggee's VM connected and then did not answer within {seconds} s; if it is stopped (SIGSTOP, a debugger), \
         resume it; if the machine is busy, raise `timeout_s`"
    )]
    Silent {
        /// The limit.
        seconds: u64,
    },
    /// A method called in an expression did not return.
    #[error(
        "`{expr}`: a method called in it did not return within {seconds} s; other threads may hold a lock that it \
         needs. Ask for a field instead of calling a method"
    )]
    CallHangs {
        /// The expression.
        expr: String,
        /// How long we waited.
        seconds: u64,
    },
    /// The observer aborted the run.
    #[error("{0}")]
    Observer(Box<dyn std::error::Error + Send + Sync>),
}

/// A connection that ended before the first request.
#[derive(Debug, thiserror::Error)]
#[error(
    "the debuggee's VM broke off while it connected: {error}; `{command}` {ended}; run it by hand in `cwd` to see why{}",
    output(tail)
)]
pub struct BrokeOff {
    /// The error of the connection.
    pub error: jdwp::Error,
    /// The command as written.
    pub command: String,
    /// How the command ended.
    pub ended: String,
    /// Its last output.
    pub tail: Tail,
}

fn output(tail: &Tail) -> String {
    let text = tail.last(20);
    if text.is_empty() { "; it printed nothing".to_owned() } else { format!("\nIts last output:\n{text}") }
}

impl RunError {
    /// Whether the error means only that the VM has ended, which can happen at any time.
    pub fn is_end_of_vm(&self) -> bool {
        match self {
            RunError::Vm(e) => matches!(
                e,
                jdwp::Error::VmDead
                    | jdwp::Error::Closed(_)
                    | jdwp::Error::Truncated { .. }
                    | jdwp::Error::Io(_)
            ),
            _ => false,
        }
    }
}
