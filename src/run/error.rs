//! Why a run could not be watched.

use crate::debuggee::{DebuggeeError, Tail};

/// What ended the watching of a run before its time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The program could not be built, launched or driven.
    #[error(transparent)]
    Debuggee(#[from] DebuggeeError),
    /// The connection to the VM failed, or the VM refused what it must grant.
    #[error("the debuggee's VM: {0}")]
    Vm(#[from] jdwp::Error),
    /// `qp` could not listen for the VM.
    #[error("cannot listen on 127.0.0.1 for the debuggee: {0}; check that the loopback interface is up")]
    Listen(#[source] std::io::Error),
    /// What connected is no VM, or ended as it connected.
    #[error(transparent)]
    BrokeOff(Box<BrokeOff>),
    /// A VM connected and says nothing.
    #[error(
        "the debuggee's VM connected and then did not answer within {seconds} s; if it is stopped (SIGSTOP, a debugger), \
         let it go on; if the machine is busy, raise `timeout_s`"
    )]
    Silent {
        /// The limit.
        seconds: u64,
    },
    /// A method called in an expression did not come back.
    #[error(
        "`{expr}`: a method called in it did not return within {seconds} s; other threads may hold a lock that it \
         needs. Ask for a field instead of calling a method"
    )]
    CallHangs {
        /// The expression.
        expr: String,
        /// How long it was waited for.
        seconds: u64,
    },
    /// The observer refused to go on.
    #[error("{0}")]
    Observer(Box<dyn std::error::Error + Send + Sync>),
}

/// A connection that ended before anything could be asked.
#[derive(Debug, thiserror::Error)]
#[error(
    "the debuggee's VM broke off while it connected: {error}; `{command}` {ended}; run it by hand in `cwd` to see why{}",
    output(tail)
)]
pub struct BrokeOff {
    /// What went wrong on the connection.
    pub error: jdwp::Error,
    /// The command as written.
    pub command: String,
    /// What became of it.
    pub ended: String,
    /// Its last output.
    pub tail: Tail,
}

fn output(tail: &Tail) -> String {
    let text = tail.last(20);
    if text.is_empty() { "; it printed nothing".to_owned() } else { format!("\nIts last output:\n{text}") }
}

impl RunError {
    /// Whether this only says that the VM has ended, which a run can do at any time.
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
