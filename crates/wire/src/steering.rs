//! Steering: in a run, one conditional jump goes another way than the program says, at one of its executions
//! or at several.

use serde::{Deserialize, Serialize};

/// A conditional jump that goes another way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steering {
    /// The class, with dots. It cannot be one of those on which the recorder depends, such as those of
    /// `java.lang`.
    pub class: String,
    /// The method.
    pub method: String,
    /// The method's descriptor.
    pub descriptor: String,
    /// The code index of the jump in the original class file: of an `if…` or a switch.
    pub pc: u32,
    /// The code index at which execution is to continue: the target of an `if…` or the next instruction, or
    /// an arm of a switch.
    pub to: u32,
    /// The executions of the jump that are steered.
    pub which: Occurrence,
}

/// The steered executions of a jump. Executions are counted from 0 in all threads of one name. The name of a
/// recorded thread is the one in the recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Occurrence {
    /// The n-th execution in threads of this name.
    Nth {
        /// The name of the threads.
        thread: String,
        /// The number of earlier executions.
        n: u64,
    },
    /// Two executions in threads of this name.
    Two {
        /// The name of the threads.
        thread: String,
        /// The number of earlier executions, of the first.
        n: u64,
        /// The same of the second.
        later: u64,
    },
    /// All executions, in all threads.
    All,
    /// All executions, in all threads: each goes the way that the program would not have gone. The jump is an
    /// `if…`.
    Inverted,
    /// The n-th execution in threads of this name, and all later ones in any thread whose operands are equal
    /// to its own: equal numbers, or the same objects.
    EqualOperands {
        /// The name of the threads.
        thread: String,
        /// The number of earlier executions.
        n: u64,
    },
    /// From the n-th execution in threads of this name on, in any thread: each time the loop would end whose
    /// condition the jump is, it has one more turn. The loop goes on at [`Steering::to`].
    OncePerLoop {
        /// The name of the threads.
        thread: String,
        /// The number of earlier executions.
        n: u64,
    },
}

impl Occurrence {
    /// The name of the threads and the number of the first execution; `None` for all.
    pub fn nth(&self) -> Option<(&str, u64)> {
        match self {
            Occurrence::Nth { thread, n }
            | Occurrence::Two { thread, n, .. }
            | Occurrence::EqualOperands { thread, n }
            | Occurrence::OncePerLoop { thread, n } => Some((thread, *n)),
            Occurrence::All | Occurrence::Inverted => None,
        }
    }

    /// The number of the second execution, where there are two.
    pub fn later(&self) -> Option<u64> {
        match self {
            Occurrence::Two { later, .. } => Some(*later),
            _ => None,
        }
    }
}

impl std::fmt::Display for Steering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Steering { class, method, descriptor, pc, to, which } = self;
        if *which == Occurrence::Inverted {
            return write!(
                f,
                "the jump {pc} of {class}.{method}{descriptor} went the other way at all executions"
            );
        }
        write!(f, "the jump {pc} of {class}.{method}{descriptor} went to {to}, ")?;
        match which {
            Occurrence::Nth { thread, n } => write!(f, "at execution {n} in threads named {thread}"),
            Occurrence::Two { thread, n, later } => {
                write!(f, "at executions {n} and {later} in threads named {thread}")
            }
            Occurrence::All | Occurrence::Inverted => f.write_str("at all executions"),
            Occurrence::EqualOperands { thread, n } => {
                write!(f, "at execution {n} in threads named {thread}, and later ones with equal operands")
            }
            Occurrence::OncePerLoop { thread, n } => {
                write!(f, "at execution {n} in threads named {thread}, and later once per loop")
            }
        }
    }
}

/// What became of the steering of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Steered {
    /// How often the jump was executed in the threads whose executions are counted.
    pub executed: u64,
    /// How often it was steered. If 0, the run is that of the unchanged program.
    pub steered: u64,
}

/// Word of the board that counts [`Steered::executed`]. [`STEERED`] is the word behind it.
pub const EXECUTED: u64 = 16;
/// Word of the board that counts [`Steered::steered`].
pub const STEERED: u64 = 24;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steering_is_told_in_words() {
        let thread = "main".to_owned();
        let told = |which| {
            let (class, method, descriptor) = ("a.Shop".into(), "open".into(), "()V".into());
            Steering { class, method, descriptor, pc: 4, to: 9, which }.to_string()
        };
        let jump = "the jump 4 of a.Shop.open()V went to 9, at ";
        assert_eq!(told(Occurrence::All), format!("{jump}all executions"));
        let inverted = "the jump 4 of a.Shop.open()V went the other way at all executions";
        assert_eq!(told(Occurrence::Inverted), inverted);
        let nth = Occurrence::Nth { thread: thread.clone(), n: 2 };
        assert_eq!(nth.nth(), Some(("main", 2)));
        assert_eq!(told(nth), format!("{jump}execution 2 in threads named main"));
        let two = Occurrence::Two { thread: thread.clone(), n: 1, later: 3 };
        assert_eq!((two.nth(), two.later()), (Some(("main", 1)), Some(3)));
        assert_eq!(told(two), format!("{jump}executions 1 and 3 in threads named main"));
        assert_eq!(
            told(Occurrence::EqualOperands { thread, n: 0 }),
            format!("{jump}execution 0 in threads named main, and later ones with equal operands")
        );
        assert_eq!(
            told(Occurrence::OncePerLoop { thread: "main".to_owned(), n: 1 }),
            format!("{jump}execution 1 in threads named main, and later once per loop")
        );
    }
}
