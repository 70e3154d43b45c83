//! What all Cortex-M processors have in common: `SysTick`, numbers and names of exceptions (ARMv6-M and ARMv7-M ARM, B1.5.2).

pub mod systick;

/// Number of the `HardFault` exception.
pub const HARD_FAULT: u8 = 3;
/// Number of the NMI exception.
pub const NMI: u8 = 2;
/// Number of the `SVCall` exception.
pub const SV_CALL: u8 = 11;
/// Number of the `PendSV` exception.
pub const PEND_SV: u8 = 14;
/// Number of the `SysTick` exception.
pub const SYS_TICK: u8 = 15;
/// Number of interrupt 0.
pub const IRQ0: u8 = 16;

/// Name of an exception that is no interrupt.
pub fn exception_name(number: u8) -> Option<&'static str> {
    Some(match number {
        NMI => "NMI",
        HARD_FAULT => "HardFault",
        4 => "MemManage",
        5 => "BusFault",
        6 => "UsageFault",
        SV_CALL => "SVCall",
        PEND_SV => "PendSV",
        SYS_TICK => "SysTick",
        _ => return None,
    })
}
