//! `qp trace history VARIABLE`: shows every write to a field or an element in a recorded run.

use super::reading::Reading;
use crate::{Command, CommandError, Outcome};
use past::History as Writes;
use session::Context;

/// Shows every write to a field or an element, with the writing call
#[derive(clap::Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  qp trace history Rec@7.bar              # a field of the object shown as Rec@7\n  qp trace history 'int[]@9[3]' shop.trace\n  qp trace history com.acme.Shop.open     # a static field"
)]
pub struct History {
    /// A field `Rec@7.bar` (the class may be left out), an element `int[]@9[3]`, a static field
    /// `com.acme.Shop.open`, or the contents of a collection `ArrayList@5`
    #[arg(value_name = "VARIABLE")]
    pub variable: String,
    #[allow(missing_docs)]
    #[command(flatten)]
    pub reading: Reading,
    /// Maximum number of writes; the last ones are shown
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
}

impl Outcome for Writes {
    fn exit_code(&self) -> u8 {
        u8::from(self.writes.is_empty())
    }
}

impl Command for History {
    type Output = Writes;

    /// # Errors
    /// The folder holds no recorded run, the run was recorded without writes, or the text names no variable.
    async fn execute(&self, context: &Context) -> Result<Writes, CommandError> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let mut trace = self.reading.open(context).await?;
        Ok(recorded::history(&mut trace, &self.variable, limit, context).await?)
    }
}
