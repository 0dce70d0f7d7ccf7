//! The point at which the program is halted, for commands that ask from there.

use crate::CommandError;
use replay::explore::Explorer;
use session::SessionError;

/// The id of the point at which the program is halted.
///
/// # Errors
/// The program is not halted, or stands at no point.
pub(super) async fn point_here(explorer: &mut Explorer) -> Result<String, CommandError> {
    if explorer.is_running() {
        return Err(SessionError::RunIsOn.into());
    }
    if let Some(place) = explorer.place_without_point().await? {
        return Err(SessionError::AtNoPoint { place }.into());
    }
    let here = explorer.point().map(str::to_owned).ok_or_else(|| {
        let reason = explorer.ended().map(|ended| format!("the program has ended ({ended})"));
        SessionError::NotHalted(reason.unwrap_or_else(|| "the program does not run".to_owned()))
    })?;
    Ok(here)
}
