//! GDB debugs both cores: the real `gdb-multiarch` on the examples, and packets on a bare socket.

#[path = "../compiler/mod.rs"]
mod compiler;
mod debugging;
#[path = "../machine_code/mod.rs"]
mod machine_code;
mod packets;
mod process;
