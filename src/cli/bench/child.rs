//! One run in a process of its own, under limits, measured.
//!
//! The process leads a group of its own, so that everything it starts can be ended with it and the terminal's
//! Ctrl-C does not reach it. The end is noticed without collecting the process (`waitid` with `NOWAIT`):
//! until `wait4` collects it together with its CPU time and peak memory, its number cannot come to mean
//! another process, and signals to the group are safe. The system counts the moment before the new program
//! starts as well, so that no run is shown with less memory than this process itself has.

use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use regrain::budget::Stop;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use wait4::Wait4;

/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(100);

/// How long a process may take to end after it was asked to.
const GRACE: Duration = Duration::from_secs(3);

/// How much of an output is kept: its end.
const KEPT: usize = 8 << 20;

/// What a run may use; for the whole group of processes.
#[derive(Clone, Copy, Debug)]
pub struct Allowance<'a> {
    /// Wall-clock time.
    pub time: Duration,
    /// Resident memory, in megabytes.
    pub memory: Option<u64>,
    /// Set when the user does not want to wait any longer.
    pub cancelled: &'a AtomicBool,
}

impl Allowance<'_> {
    /// Why a process that has run so long and uses so many bytes has to stop.
    fn exceeded(&self, elapsed: Duration, memory: u64) -> Option<Stop> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Some(Stop::Cancelled);
        }
        if elapsed >= self.time {
            return Some(Stop::Time(self.time));
        }
        self.memory.filter(|limit| memory >> 20 >= *limit).map(Stop::Memory)
    }
}

/// What a run was.
#[derive(Debug)]
pub struct Measured {
    /// How it ended.
    pub end: End,
    /// The limit that ended it, or the user's wish.
    pub stopped: Option<Stop>,
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of the process and those it waited for.
    pub cpu: Duration,
    /// The most memory that was resident at a time, in bytes.
    pub memory: u64,
    /// The end of what it wrote to stdout.
    pub stdout: String,
    /// The end of what it wrote to stderr.
    pub stderr: String,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Signal(i32),
}

/// Runs a command to its end.
///
/// # Errors
/// If the command cannot be started or waited for.
pub fn run(command: &mut Command, allowance: &Allowance<'_>) -> io::Result<Measured> {
    let start = Instant::now();
    let streams = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.process_group(0).spawn()?;
    let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let group = group.ok_or_else(|| io::Error::other("a process without a number"))?;
    let outputs = (tail(child.stdout.take()), tail(child.stderr.take()));
    let (stopped, sampled) = watch(group, start, allowance);
    let wall = start.elapsed();
    // The process has ended; whatever it left behind ends now.
    let _ = kill_process_group(group, Signal::KILL);
    let used = child.wait4()?;
    // Somebody who left the group may still hold the pipes open; that is no reason to wait for ever.
    let text = |output: Receiver<Vec<u8>>| {
        String::from_utf8_lossy(&output.recv_timeout(GRACE).unwrap_or_default()).into_owned()
    };
    Ok(Measured {
        end: match (used.status.code(), used.status.signal()) {
            (Some(code), _) => End::Code(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        },
        stopped,
        wall,
        cpu: used.rusage.utime + used.rusage.stime,
        memory: used.rusage.maxrss.max(sampled),
        stdout: text(outputs.0),
        stderr: text(outputs.1),
    })
}

/// Waits until the process ends, by itself or because a limit is reached: first it is asked to, then it is
/// made to. Returns the limit and the most memory that was seen.
fn watch(group: Pid, start: Instant, allowance: &Allowance<'_>) -> (Option<Stop>, u64) {
    let ended = end_of(group);
    let (mut stopped, mut peak) = (None, 0);
    loop {
        match ended.recv_timeout(TICK) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return (stopped.map(|(stop, _)| stop), peak),
            Err(RecvTimeoutError::Timeout) => {}
        }
        let memory = group_memory(group);
        peak = peak.max(memory);
        match stopped {
            None => {
                if let Some(stop) = allowance.exceeded(start.elapsed(), memory) {
                    stopped = Some((stop, Instant::now()));
                    let _ = kill_process_group(group, Signal::TERM);
                }
            }
            Some((_, since)) if since.elapsed() > GRACE => {
                let _ = kill_process_group(group, Signal::KILL);
            }
            Some(_) => {}
        }
    }
}

/// Hears when a process has ended, while it can still be collected.
fn end_of(process: Pid) -> Receiver<()> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while waitid(WaitId::Pid(process), options).is_err_and(|error| error == rustix::io::Errno::INTR) {}
        let _ = sender.send(());
    });
    receiver
}

/// Reads an output to its end and hands over the last part.
fn tail(output: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut kept = Vec::new();
        let mut piece = vec![0; 1 << 16];
        if let Some(mut output) = output {
            while let Ok(length @ 1..) = output.read(&mut piece) {
                kept.extend_from_slice(&piece[..length]);
                if kept.len() > 2 * KEPT {
                    kept.drain(..kept.len() - KEPT);
                }
            }
        }
        let _ = sender.send(kept);
    });
    receiver
}

/// Resident memory of all processes of a group, in bytes.
fn group_memory(group: Pid) -> u64 {
    let group = group.as_raw_nonzero().get();
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_number));
    let states = processes.filter_map(|entry| std::fs::read_to_string(entry.path().join("stat")).ok());
    let pages = states.filter_map(|state| pages_if_in(group, &state)).sum::<u64>();
    pages * rustix::param::page_size() as u64
}

fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// The resident pages in a line of `/proc/PID/stat`, if it is of a process of this group. The name of the
/// program, in parentheses, may contain anything; after it come the state, the parent, the group, and as the
/// 22nd the pages.
fn pages_if_in(group: i32, state: &str) -> Option<u64> {
    let (_, after_name) = state.rsplit_once(')')?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let own: i32 = fields.get(2)?.parse().ok()?;
    if own != group {
        return None;
    }
    fields.get(21)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    static NEVER: AtomicBool = AtomicBool::new(false);

    fn within(milliseconds: u64) -> Allowance<'static> {
        Allowance { time: Duration::from_millis(milliseconds), memory: None, cancelled: &NEVER }
    }

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn an_ordinary_end_is_measured() {
        let script = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo out; echo err >&2; exit 7";
        let ran = run(&mut shell(script), &within(60_000)).expect("sh is there");
        assert_eq!((ran.end, ran.stopped), (End::Code(7), None));
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("out\n", "err\n"));
        assert!(ran.cpu > Duration::ZERO && ran.wall >= ran.cpu / 4, "{ran:?}");
        assert!(ran.memory > 100_000, "{ran:?}");
    }

    #[test]
    fn a_time_limit_ends_the_whole_group() {
        let ran = run(&mut shell("sleep 100 & sleep 100; echo late"), &within(200)).expect("sh is there");
        assert!(matches!(ran.stopped, Some(Stop::Time(_))), "{ran:?}");
        assert!(ran.wall < Duration::from_secs(50) && ran.stdout.is_empty(), "{ran:?}");
    }

    #[test]
    fn who_does_not_listen_is_killed() {
        let ran = run(&mut shell("trap '' TERM; while :; do :; done"), &within(100)).expect("sh is there");
        assert_eq!(ran.end, End::Signal(9));
        assert!(matches!(ran.stopped, Some(Stop::Time(_))), "{ran:?}");
    }

    #[test]
    fn a_memory_limit_counts_the_children_too() {
        // A shell that keeps a string of 64 MB, in a child of the child.
        let grow = "sh -c 'x=$(head -c 67108864 /dev/zero | tr \"\\0\" x); sleep 100'; true";
        let ran =
            run(&mut shell(grow), &Allowance { memory: Some(48), ..within(60_000) }).expect("sh is there");
        assert_eq!(ran.stopped, Some(Stop::Memory(48)), "{ran:?}");
        assert!(ran.memory >= 48 << 20, "{ran:?}");
    }

    #[test]
    fn the_user_s_wish_ends_a_run() {
        let cancelled = AtomicBool::new(true);
        let ran = run(&mut shell("sleep 100"), &Allowance { cancelled: &cancelled, ..within(60_000) });
        assert_eq!(ran.expect("sh is there").stopped, Some(Stop::Cancelled));
    }

    #[test]
    fn a_missing_command_is_an_error() {
        assert!(run(&mut Command::new("/no/such/command"), &within(60_000)).is_err());
    }

    #[test]
    fn the_state_of_a_process_is_read_behind_its_name() {
        let state = "12 (a) b) S 1 7 7 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 100 2000 345 0";
        assert_eq!(pages_if_in(7, state), Some(345));
        assert_eq!(pages_if_in(8, state), None);
    }
}
