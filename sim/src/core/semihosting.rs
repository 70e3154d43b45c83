//! Arm semihosting: what a `BKPT 0xAB` asks of the host (Arm, "Semihosting for `AArch32` and `AArch64`").

/// What the machine does for a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// `SYS_EXIT`, `SYS_EXIT_EXTENDED`.
    Exit(i32),
    /// `SYS_WRITEC`, `SYS_WRITE0`, `SYS_WRITE` to any handle.
    Write(Vec<u8>),
    /// Anything else.
    Nothing,
}

/// `ADP_Stopped_ApplicationExit`: the only reason of an exit that is a success.
const APPLICATION_EXIT: u32 = 0x20026;
/// A string without an end is cut here.
const MAX_STRING: u32 = 1 << 16;

/// Serves a call; the second value goes to R0.
pub(crate) fn serve(operation: u32, argument: u32, byte: impl Fn(u32) -> Option<u8>) -> (Call, u32) {
    let word = |index: u32| {
        let at = argument.wrapping_add(4 * index);
        (0..4).rev().fold(0, |all, i| all << 8 | u32::from(byte(at.wrapping_add(i)).unwrap_or(0)))
    };
    match operation {
        0x01 => (Call::Nothing, 1),
        0x03 => (Call::Write(byte(argument).into_iter().collect()), operation),
        0x04 => {
            let text = (0..MAX_STRING).map_while(|i| byte(argument.wrapping_add(i)).filter(|&byte| byte != 0));
            (Call::Write(text.collect()), operation)
        }
        0x05 => {
            let (from, count) = (word(1), word(2).min(MAX_STRING));
            (Call::Write((0..count).map_while(|i| byte(from.wrapping_add(i))).collect()), 0)
        }
        0x18 => (Call::Exit(i32::from(argument != APPLICATION_EXIT)), operation),
        0x20 => {
            let code = if word(0) == APPLICATION_EXIT { i32::from_ne_bytes(word(1).to_ne_bytes()) } else { 1 };
            (Call::Exit(code), operation)
        }
        _ => (Call::Nothing, u32::MAX),
    }
}
