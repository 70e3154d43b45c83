//! The TCP connection to GDB.

use std::fmt::Write as _;
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use gdbstub::conn::Connection;

/// A GDB that takes nothing for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection whose replies are sent as whole packets.
pub struct GdbConnection {
    stream: TcpStream,
    received: std::vec::IntoIter<u8>,
    to_send: Vec<u8>,
}

impl GdbConnection {
    pub fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(WRITE_TIMEOUT))?;
        Ok(Self { stream, received: Vec::new().into_iter(), to_send: Vec::new() })
    }

    /// The next byte, once it is there.
    pub fn wait(&mut self) -> io::Result<u8> {
        loop {
            if let Some(byte) = self.received.next() {
                return Ok(byte);
            }
            let mut bytes = vec![0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => bytes.truncate(count),
                Err(why) if why.kind() == ErrorKind::Interrupted => continue,
                Err(why) => return Err(why),
            }
            self.received = bytes.into_iter();
        }
    }

    /// The next byte, if it is there.
    pub fn poll(&mut self) -> io::Result<Option<u8>> {
        self.stream.set_nonblocking(true)?;
        let byte = self.wait();
        self.stream.set_nonblocking(false)?;
        match byte {
            Err(why) if why.kind() == ErrorKind::WouldBlock => Ok(None),
            byte => byte.map(Some),
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

impl Connection for GdbConnection {
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
