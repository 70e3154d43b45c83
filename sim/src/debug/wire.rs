//! The TCP connection to GDB.

use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
use std::time::Duration;

use gdbstub::conn::Connection;

/// A GDB that takes nothing for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection, read by a thread of its own so that a running machine need not wait for it.
pub struct Wire {
    stream: TcpStream,
    arriving: Receiver<io::Result<Vec<u8>>>,
    arrived: std::vec::IntoIter<u8>,
    to_send: Vec<u8>,
}

impl Wire {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let mut from = stream.try_clone()?;
        // A sender that is never waited for may not fill the memory.
        let (sender, arriving) = sync_channel(16);
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                let read = match from.read(&mut bytes) {
                    Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                    Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
                    Ok(count) => Ok(bytes[..count].to_vec()),
                    Err(why) => Err(why),
                };
                let over = read.is_err();
                if sender.send(read).is_err() || over {
                    return;
                }
            }
        });
        Ok(Self { stream, arriving, arrived: Vec::new().into_iter(), to_send: Vec::new() })
    }

    /// The next byte, once it is there.
    pub fn wait(&mut self) -> io::Result<u8> {
        loop {
            if let Some(byte) = self.arrived.next() {
                return Ok(byte);
            }
            let bytes = self.arriving.recv().map_err(|_| io::ErrorKind::UnexpectedEof)?;
            self.arrived = bytes?.into_iter();
        }
    }

    /// The next byte, if it is there.
    pub fn poll(&mut self) -> io::Result<Option<u8>> {
        if let Some(byte) = self.arrived.next() {
            return Ok(Some(byte));
        }
        match self.arriving.try_recv() {
            Ok(bytes) => {
                self.arrived = bytes?.into_iter();
                Ok(self.arrived.next())
            }
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Puts a text before the next reply, for GDB to show.
    pub fn say(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let mut body = "O".to_owned();
        for byte in text.bytes() {
            // Writing to a String does not fail.
            let _ = write!(body, "{byte:02x}");
        }
        self.put_packet(&body);
    }

    /// Answers a `vKill`, which `gdbstub` does not; whoever sent `k` is gone and does not mind.
    pub fn confirm_kill(&mut self) {
        self.put_packet("OK");
        // The run ends in any case.
        let _ = self.flush();
    }

    fn put_packet(&mut self, body: &str) {
        let sum = body.bytes().fold(0, u8::wrapping_add);
        self.to_send.extend(format!("${body}#{sum:02x}").bytes());
    }
}

impl Connection for Wire {
    type Error = io::Error;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.to_send.push(byte);
        Ok(())
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.to_send.extend(bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Write::write_all(&mut self.stream, &self.to_send)?;
        self.to_send.clear();
        Ok(())
    }
}

impl Drop for Wire {
    /// Ends the thread.
    fn drop(&mut self) {
        // It fails if the connection is closed already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
