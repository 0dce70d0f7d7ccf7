//! How a call ended.

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The call had not ended when the recording ended.
    Open,
    /// The call returned.
    Returned,
    /// An exception left the call.
    Threw,
    /// The end was not recorded: near the end of the stack the probes have no room to record.
    Unrecorded,
}

impl Exit {
    /// The number stored in the call table.
    pub(super) fn number(self) -> u32 {
        match self {
            Exit::Open => 0,
            Exit::Returned => 1,
            Exit::Threw => 2,
            Exit::Unrecorded => 3,
        }
    }

    /// The end that this number stands for.
    pub(super) fn of(number: u32) -> Exit {
        match number {
            0 => Exit::Open,
            1 => Exit::Returned,
            2 => Exit::Threw,
            _ => Exit::Unrecorded,
        }
    }
}
