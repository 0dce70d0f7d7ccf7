//! Ctrl-C and SIGTERM end the run, not the process: the debuggee must end first. But if the thread that runs
//! the command computes and does not look up in time, the process ends.

use run::Interrupt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch::Sender;

/// How long after a signal the thread that runs the command may compute without awaiting anything.
const DEAF: Duration = Duration::from_millis(800);
/// Interval between two checks whether that thread still awaits something.
const CHECKED: Duration = Duration::from_millis(50);
/// The exit code after a signal.
const INTERRUPTED: u8 = 130;

/// Returns an interrupt that SIGINT, SIGTERM and SIGHUP set. A second signal ends the process at once. No
/// signal is missed after the return. Call it inside a local set.
///
/// A separate thread listens, so that a signal works even while the session computes.
///
/// # Errors
/// The system starts no thread or delivers no signals.
pub fn on_signals() -> std::io::Result<Interrupt> {
    let (sender, interrupt) = Interrupt::new();
    let mut is_set = false;
    listen(move |_| {
        if is_set {
            end_process();
        }
        is_set = true;
        set(&sender);
        Watched::UntilTheEnd
    })?;
    Ok(interrupt)
}

/// Turns SIGXFSZ into a write error: a file that exceeds the limit (`ulimit -f`) does not end the process.
/// Call it inside a runtime.
pub fn survive_full_files() {
    let kind = tokio::signal::unix::SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw());
    // If the system refuses, nothing changes. Once set, the handler stays, and child processes do not inherit
    // it.
    drop(tokio::signal::unix::signal(kind));
}

/// The request that a signal makes to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalRequest {
    /// Ctrl-C: end the run.
    EndRun,
    /// End the process.
    EndAll,
}

/// A stream of signals, for a session that outlives them. Create it inside a local set.
pub struct Hearing {
    requests: UnboundedReceiver<SignalRequest>,
    /// Stops the work that a signal interrupts.
    stop: Arc<Mutex<Option<Sender<bool>>>>,
    /// Whether the process shall end. The work that was interrupted by it heard of that first.
    ends_all: bool,
}

impl Hearing {
    /// Starts to listen. From here on a signal ends the process only if the session does not hear it.
    ///
    /// # Errors
    /// The system starts no thread or delivers no signals.
    pub fn new() -> std::io::Result<Hearing> {
        let (sender, requests) = unbounded_channel();
        let stop: Arc<Mutex<Option<Sender<bool>>>> = Arc::default();
        let working = stop.clone();
        listen(move |request| {
            // Work that computes cannot hear of the request, but looks at its interrupt.
            let working = working.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(stop) = &*working {
                set(stop);
            }
            if working.is_none() || request == SignalRequest::EndAll {
                let _ = sender.send(request);
            }
            match request {
                SignalRequest::EndRun => Watched::Once,
                SignalRequest::EndAll => Watched::UntilTheEnd,
            }
        })?;
        Ok(Hearing { requests, stop, ends_all: false })
    }

    /// The next signal. Cancel-safe.
    pub async fn next(&mut self) -> SignalRequest {
        if std::mem::take(&mut self.ends_all) {
            return SignalRequest::EndAll;
        }
        match self.requests.recv().await {
            Some(request) => request,
            // The listening thread lives as long as the process.
            None => std::future::pending().await,
        }
    }

    fn stops(&self, stop: Option<Sender<bool>>) {
        *self.stop.lock().unwrap_or_else(PoisonError::into_inner) = stop;
    }
}

/// Runs some work to its end. Each signal asks it to stop, also one that came before and that nobody has
/// heard.
pub async fn stopped_by<T>(hearing: &mut Hearing, stop: &Sender<bool>, work: impl Future<Output = T>) -> T {
    let mut work = Box::pin(work);
    let mut ends_all = false;
    hearing.stops(Some(stop.clone()));
    // Work that computes without awaiting would hear of it only at its end.
    while let Ok(request) = hearing.requests.try_recv() {
        ends_all |= request == SignalRequest::EndAll;
        set(stop);
    }
    let done = loop {
        tokio::select! {
            // Work that is done at once takes no signal from whoever listens next.
            biased;
            done = &mut work => break done,
            request = hearing.next() => {
                ends_all |= request == SignalRequest::EndAll;
                set(stop);
            }
        }
    };
    hearing.stops(None);
    hearing.ends_all |= ends_all;
    done
}

fn set(sender: &Sender<bool>) {
    // Sending fails when nobody listens any more: the command already has its result.
    let _ = sender.send(true);
}

/// How long the thread that runs the command is watched after a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Watched {
    /// Until it awaits something.
    Once,
    UntilTheEnd,
}

/// Starts a thread that calls `take` with each signal. It ends the process if the thread that called this
/// function computes for too long after a signal.
fn listen(mut take: impl FnMut(SignalRequest) -> Watched + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let mut signals = {
        let _inside = runtime.enter();
        Signals::new()?
    };
    let mut pulse = Pulse::of_this_thread();
    let work = async move {
        let mut watched = None;
        loop {
            tokio::select! {
                request = signals.next() => watched = Some(take(request)),
                () = pulse.beat(), if watched.is_some() => {
                    watched = watched.filter(|watched| *watched == Watched::UntilTheEnd);
                    tokio::select! {
                        request = signals.next() => watched = Some(take(request)),
                        () = tokio::time::sleep(CHECKED), if watched.is_some() => {}
                    }
                }
            }
        }
    };
    let work = move || runtime.block_on(work);
    std::thread::Builder::new().name("signals".to_owned()).spawn(work).map(drop)
}

/// Tells whether a thread awaits something, so that it can hear of signals.
struct Pulse {
    asks: UnboundedSender<()>,
    answers: UnboundedReceiver<()>,
    /// When it was asked for the answer that is due.
    asked: Option<tokio::time::Instant>,
}

impl Pulse {
    /// For this thread, which runs a local set.
    fn of_this_thread() -> Pulse {
        let (asks, mut asked) = unbounded_channel();
        let (answer, answers) = unbounded_channel();
        tokio::task::spawn_local(async move {
            while asked.recv().await.is_some() {
                let _ = answer.send(());
            }
        });
        Pulse { asks, answers, asked: None }
    }

    /// Waits until the thread awaits something. Ends the process if it takes too long. Cancel-safe.
    async fn beat(&mut self) {
        let asked = *self.asked.get_or_insert_with(|| {
            let _ = self.asks.send(());
            tokio::time::Instant::now()
        });
        if tokio::time::timeout_at(asked + DEAF, self.answers.recv()).await.is_err() {
            end_process();
        }
        self.asked = None;
    }
}

/// Ends the process whatever its threads do. The debuggee ends with it, by its guardian.
fn end_process() -> ! {
    files::remove_own();
    std::process::exit(INTERRUPTED.into());
}

#[cfg(unix)]
struct Signals([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let wanted = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hang_up] = wanted.map(signal);
        Ok(Signals([interrupt?, terminate?, hang_up?]))
    }

    async fn next(&mut self) -> SignalRequest {
        let Signals([interrupt, terminate, hang_up]) = self;
        tokio::select! {
            _ = interrupt.recv() => SignalRequest::EndRun,
            _ = terminate.recv() => SignalRequest::EndAll,
            _ = hang_up.recv() => SignalRequest::EndAll,
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Signals> {
        Ok(Signals(tokio::signal::windows::ctrl_c()?))
    }

    async fn next(&mut self) -> SignalRequest {
        self.0.recv().await;
        SignalRequest::EndRun
    }
}
