//! What the simulator does for our boot ROM: functions that would be much code of a kind that others wrote well. The ROM asks
//! by a `BKPT 0xAB`, as for semihosting, that has two halfwords before it (`service` in `bootrom.s`). A copy in SRAM works too.

use crate::rp2040::bootrom::float;

/// The first halfword; the second is the number of the service.
const MARK: u32 = 0x1c0d;
const LOOKUP_FAILED: u32 = 64;
const USB_BOOT: u32 = 65;

/// A service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rp2040) enum Service {
    /// A function of the floating-point library.
    Float(u8),
    /// `table_lookup` has not found the code in R1.
    LookupFailed,
    /// The chip is to restart into its USB boot loader.
    UsbBoot,
}

/// What the ROM asks for by a breakpoint at `pc`; none if it is no breakpoint of the ROM.
pub(in crate::rp2040) fn at(pc: u32, word: impl Fn(u32) -> Option<u32>) -> Option<Service> {
    let half = |at: u32| Some(word(at & !3)? >> ((at & 2) * 8) & 0xffff);
    if half(pc.wrapping_sub(4))? != MARK {
        return None;
    }
    match half(pc.wrapping_sub(2))? {
        LOOKUP_FAILED => Some(Service::LookupFailed),
        USB_BOOT => Some(Service::UsbBoot),
        number if number < 2 * u32::from(float::FUNCTIONS) => Some(Service::Float(number as u8)),
        _ => None,
    }
}

/// Cycles of a floating-point function beside its turns of waiting, and of a turn.
const BESIDE: u32 = 13;
const TURN: u32 = 3;

/// Computes a function of the floating-point library on R0 to R3. Returns the turns that the ROM then waits.
pub(in crate::rp2040) fn compute(number: u8, registers: &mut [u32; 4]) -> u32 {
    let cycles = float::call(number, registers);
    (cycles.saturating_sub(BESIDE) + TURN / 2).div_euclid(TURN).max(1)
}
