//! The far end of the console's UART: standard input and output, a pseudo-terminal, or a TCP connection.

use std::fs::File;
use std::io::{self, Read, Write};
use std::net::TcpListener;
use std::os::fd::AsFd;
use std::str::FromStr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::time::Duration;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{OptionalActions, isatty, tcgetattr, tcsetattr};

use crate::cli::interrupt::Interrupt;
use crate::cli::print_message;

/// Where the console's UART is connected to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputSink {
    Stdio,
    Pty,
    /// Address to listen on.
    Tcp(String),
}

impl FromStr for OutputSink {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "stdio" => Ok(Self::Stdio),
            None if text == "pty" => Ok(Self::Pty),
            Some(("tcp", address)) if address.contains(':') => Ok(Self::Tcp(address.to_owned())),
            _ => Err("expected stdio, pty or tcp:ADDRESS:PORT".to_owned()),
        }
    }
}

/// Bytes that are read at once, and how many times as many wait to be taken.
const CHUNK: usize = 4096;
const CHUNKS: usize = 16;

enum Input {
    /// Read as it is needed, so that runs with the same file are the same to the cycle.
    File(File),
    Arriving(Receiver<Vec<u8>>),
}

/// A connection, read by a thread of its own so that the simulation never waits for it unless it wants to.
pub struct Console {
    input: Input,
    output: Box<dyn Write>,
    ended: bool,
    /// The terminal's end of a pseudo-terminal, so that ours does not break when a terminal program leaves.
    _terminal: Option<File>,
}

impl Console {
    /// Connects; for TCP this waits for the first client, so that nothing the firmware says is lost.
    pub fn open(place: &OutputSink, uart: &str) -> io::Result<Self> {
        match place {
            OutputSink::Stdio => Self::stdio(),
            OutputSink::Pty => Self::pty(uart),
            OutputSink::Tcp(address) => {
                let listener = TcpListener::bind(address)?;
                print_message(&format!("{uart}: waiting for a connection at tcp:{}", listener.local_addr()?));
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Ok(Self::new(stream.try_clone()?, stream))
            }
        }
    }

    fn stdio() -> io::Result<Self> {
        let stdin = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if stdin.metadata()?.is_file() {
            return Ok(Self {
                input: Input::File(stdin),
                output: Box::new(io::stdout()),
                ended: false,
                _terminal: None,
            });
        }
        Ok(Self::new(stdin, io::stdout()))
    }

    fn pty(uart: &str) -> io::Result<Self> {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
        grantpt(&ours)?;
        unlockpt(&ours)?;
        let name = ptsname(&ours, Vec::new())?.to_string_lossy().into_owned();
        let theirs = File::options().read(true).write(true).open(&name)?;
        if isatty(&theirs) {
            let mut settings = tcgetattr(&theirs)?;
            settings.make_raw();
            tcsetattr(&theirs, OptionalActions::Now, &settings)?;
        }
        print_message(&format!("{uart} is {name}"));
        let ours = File::from(ours);
        Ok(Self { _terminal: Some(theirs), ..Self::new(ours.try_clone()?, ours) })
    }

    fn new(mut from: impl Read + Send + 'static, to: impl Write + 'static) -> Self {
        let (sender, input) = sync_channel(CHUNKS);
        std::thread::spawn(move || {
            let mut bytes = [0; CHUNK];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self { input: Input::Arriving(input), output: Box::new(to), ended: false, _terminal: None }
    }

    /// What has come in, no more than so many bytes and a chunk; never waits.
    pub fn read(&mut self, most: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while !self.ended && bytes.len() < most {
            let input = match &mut self.input {
                Input::File(file) => {
                    self.ended = !matches!(file.take(most as u64).read_to_end(&mut bytes), Ok(1..));
                    break;
                }
                Input::Arriving(input) => input,
            };
            match input.try_recv() {
                Ok(more) => bytes.extend(more),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => self.ended = true,
            }
        }
        bytes
    }

    /// Waits for input. `None` if none will ever come, or the run is to end.
    pub fn wait(&mut self, interrupt: &Interrupt) -> Option<Vec<u8>> {
        const LOOK: Duration = Duration::from_millis(50);
        let input = match &mut self.input {
            Input::File(_) => return Some(self.read(CHUNK)).filter(|bytes| !bytes.is_empty()),
            Input::Arriving(input) => input,
        };
        while !self.ended && !interrupt.asked() {
            match input.recv_timeout(LOOK) {
                Ok(bytes) => return Some(bytes),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => self.ended = true,
            }
        }
        None
    }

    /// Whether no input will ever come.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Sends what the firmware has said.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)?;
        self.output.flush()
    }
}
