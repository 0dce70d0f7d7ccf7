//! Why a run could not be watched.

use crate::debuggee::DebuggeeError;

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
