//! `qp bisect CHAIN`: tells `git bisect run` whether the bug of a chain is present.

use super::replay::LimitArgs;
use super::trust::{self, TrustArgs};
use super::{Command, CommandError, Outcome};
use replay::verdict::Verdict;
use session::{Context, SessionError};
use std::path::PathBuf;

/// The exit code that makes `git bisect run` skip a commit.
pub const CANNOT_TELL: u8 = 125;

/// Tells `git bisect run` whether the bug of a chain is present
///
/// Exit codes: 0 the bug is absent · 1 it is present · 125 unknown, or the program cannot be built · 130
/// interrupted. There are no others.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "Examples:\n  git bisect start BAD GOOD\n  git bisect run qp bisect /tmp/cart.ron")]
pub struct Bisect {
    /// The chain file; keep it untracked, or outside the checked-out folder
    #[arg(value_name = "CHAIN")]
    pub chain: PathBuf,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub trust: TrustArgs,
}

/// The verdict for `git bisect run`, with its reason.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BisectVerdict {
    /// `absent`, `present`, `unknown` or `interrupted`.
    pub verdict: &'static str,
    /// The reason, in a sentence.
    pub reason: String,
    /// The exit code.
    pub exit_code: u8,
}

impl BisectVerdict {
    fn new(verdict: &'static str, exit_code: u8, reason: impl Into<String>) -> BisectVerdict {
        BisectVerdict { verdict, reason: reason.into(), exit_code }
    }
}

impl Outcome for BisectVerdict {
    fn exit_code(&self) -> u8 {
        self.exit_code
    }

    /// `git bisect run` reads the exit code alone.
    fn exit_code_unwritten(&self) -> u8 {
        self.exit_code
    }
}

impl Command for Bisect {
    type Output = BisectVerdict;
    /// `git bisect run` reads most exit codes as "bad".
    const CANNOT_BEGIN: Option<u8> = Some(CANNOT_TELL);

    fn trusts(&self) -> bool {
        self.trust.trust
    }

    /// Every failure skips the commit.
    async fn execute(&self, context: &Context) -> Result<BisectVerdict, CommandError> {
        Ok(match self.judge(context).await {
            Ok(verdict) => verdict,
            Err(CommandError::Session(SessionError::Interrupted)) => {
                BisectVerdict::new("interrupted", 130, "interrupted")
            }
            Err(CommandError::Session(SessionError::Chain(error))) => {
                BisectVerdict::new("unknown", CANNOT_TELL, error.render(false))
            }
            Err(error) => BisectVerdict::new("unknown", CANNOT_TELL, error.to_string()),
        })
    }
}

impl Bisect {
    async fn judge(&self, context: &Context) -> Result<BisectVerdict, CommandError> {
        let chain = trust::load(&self.chain, context)?;
        let name = self.chain.display().to_string();
        let judged = full_replay::judge(&name, &chain, &self.limits.options(), context).await?;
        let Some(root) = chain.points.first().map(|point| point.id.as_str()) else {
            return Ok(of_queries(judged.verdict));
        };
        Ok(match judged.verdict {
            Verdict::Present => {
                BisectVerdict::new("present", 1, format!("{root} is reached, by the recorded cause"))
            }
            Verdict::Absent => BisectVerdict::new("absent", 0, format!("{root} is not reached")),
            Verdict::OtherCause(points) => BisectVerdict::new(
                "unknown",
                CANNOT_TELL,
                format!("{root} is reached, by another cause than the recorded one: {}", points.join(", ")),
            ),
            Verdict::Unsure(why) => BisectVerdict::new("unknown", CANNOT_TELL, why),
            Verdict::Interrupted => BisectVerdict::new("interrupted", 130, "interrupted"),
        })
    }
}

/// The verdict of a chain without points.
fn of_queries(verdict: Verdict) -> BisectVerdict {
    match verdict {
        Verdict::Present => BisectVerdict::new("present", 1, "the queries answer as recorded"),
        Verdict::Absent | Verdict::OtherCause(_) => {
            BisectVerdict::new("absent", 0, "a query answers otherwise than recorded")
        }
        Verdict::Unsure(why) => BisectVerdict::new("unknown", CANNOT_TELL, why),
        Verdict::Interrupted => BisectVerdict::new("interrupted", 130, "interrupted"),
    }
}
