//! GDB debugs both cores: the real `gdb-multiarch` on the examples, and packets on a bare socket.

mod debugging;
mod packets;
mod process;
