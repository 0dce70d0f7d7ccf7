//! The command line: parses it with the table of commands, runs the command and writes its result.

use super::options::{Cli, Format};
use super::out::{complain, error_text, print};
use super::table::{self, Call, Prepared, Runs, Shown};
use super::{interrupt, progress};
use command::CommandError;
use run::Interrupt;
use session::Context;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::rc::Rc;

/// The exit code when the system refuses a resource that the command needs to begin.
const CANNOT_START: u8 = 4;

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let call = match table::parse(std::env::args_os()) {
        Ok(call) => call,
        Err(error) => return ExitCode::from(refuse(&error)),
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let code = match runtime {
        Ok(runtime) => {
            {
                let _inside = runtime.enter();
                interrupt::survive_full_files();
            }
            let code = runtime.block_on(tokio::task::LocalSet::new().run_until(run(&call)));
            // Do not wait for a thread that still reads standard input, or for work that was interrupted.
            runtime.shutdown_background();
            files::remove_own();
            code
        }
        Err(error) => {
            complain(format_args!("error: cannot start: {error}"));
            call.row.cannot_begin.unwrap_or(CANNOT_START)
        }
    };
    ExitCode::from(code)
}

/// Prints the error of a command line, or the requested help. Returns the exit code.
fn refuse(error: &clap::Error) -> u8 {
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    match error.use_stderr().then(|| without_dashes(&words)).flatten() {
        Some(written) => {
            complain(format_args!(
                "error: `--` is missing before the program's command; write\n  qp {written}"
            ));
        }
        // Help and version are not errors; clap chooses the stream.
        None => drop(error.print()),
    }
    match u8::try_from(error.exit_code()).unwrap_or(2) {
        0 => 0,
        code => table::cannot_begin(&words).unwrap_or(code),
    }
}

/// Commands that start a VM.
const STARTERS: [&str; 6] = ["java", "java.exe", "mvn", "mvnw", "gradle", "gradlew"];

/// Inserts a missing `--` before the program's command.
fn without_dashes(words: &[String]) -> Option<String> {
    if words.iter().any(|word| word == "--") {
        return None;
    }
    let is_starter = |word: &String| word.rsplit('/').next().is_some_and(|name| STARTERS.contains(&name));
    // The first word is the command of `qp`. A later one may be an option's value: this is only a suggestion.
    let at = words.iter().position(is_starter).filter(|at| *at > 0)?;
    let (own, program) = words.split_at(at);
    let quoted = |word: &String| match word.contains(' ') {
        true => format!("'{word}'"),
        false => word.clone(),
    };
    let [own, program] = [own, program].map(|part| part.iter().map(quoted).collect::<Vec<_>>().join(" "));
    Some(format!("{own} -- {program}"))
}

async fn run(call: &Call) -> u8 {
    let Call { cli, row, matches } = call;
    let runs = match row.dialogue.filter(|dialogue| (dialogue.is_meant)(matches)) {
        Some(dialogue) => &Runs::Dialogue(dialogue.lead),
        None => &row.runs,
    };
    match runs {
        Runs::Describes(describe) => match describe(matches, table::line()) {
            Ok(text) => print(&text),
            Err(error) => fail(cli, &error),
        },
        // A dialogue outlives interrupts, and handles them itself.
        Runs::Dialogue(lead) => {
            files::remove_abandoned();
            lead(matches, cli).await.unwrap_or_else(|error| refuse(&error))
        }
        Runs::ToResult(prepare) => match interrupt::on_signals() {
            Ok(interrupt) => {
                files::remove_abandoned();
                match prepare(matches) {
                    Ok(command) => to_result(call, &*command, interrupt).await,
                    Err(error) => refuse(&error),
                }
            }
            Err(error) => {
                complain(format_args!("error: cannot watch for signals: {error}"));
                row.cannot_begin.unwrap_or(CANNOT_START)
            }
        },
    }
}

/// Runs a command and writes its result. Returns the exit code.
async fn to_result(call: &Call, command: &dyn Prepared, interrupt: Interrupt) -> u8 {
    let progress = progress::Bar::new(std::io::stderr().is_terminal()).trusting(command.trusts());
    let progress = progress.printing(matches!(call.cli.format, Format::Text));
    let context = Context::new(Rc::new(progress), interrupt);
    match command.run(&context).await {
        Ok(result) => write(&call.cli, &*result),
        Err(error) => fail(&call.cli, &error),
    }
}

/// Writes a result to standard output, and to its additional file. Returns the exit code.
fn write(cli: &Cli, result: &dyn Shown) -> u8 {
    let text = match cli.format {
        Format::Json => result.json(),
        Format::Text => result.text(cli.colors(std::io::stdout().is_terminal())),
    };
    let mut is_written = print(&text) == 0;
    if let Some((file, content)) = result.beside()
        && let Err(error) = content.and_then(|content| files::write_whole(file, &content))
    {
        complain(format_args!("error: cannot write {}: {error}", file.display()));
        is_written = false;
    }
    result.exit_code(is_written)
}

/// Prints an error. Returns the exit code.
fn fail(cli: &Cli, error: &CommandError) -> u8 {
    let color = cli.colors(std::io::stderr().is_terminal());
    complain(format_args!("{}", error_text(error, color)));
    error.exit_code()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_before_the_command_of_the_program() {
        let line = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            without_dashes(&line("why foo --at Shop:3 /usr/bin/java -cp x Shop")).as_deref(),
            Some("why foo --at Shop:3 -- /usr/bin/java -cp x Shop")
        );
        assert_eq!(without_dashes(&line("why foo -- java Shop")), None);
        assert_eq!(without_dashes(&line("replay chain.ron")), None);
    }
}
