//! Our own boot ROM: `bootrom/bootrom.s`, assembled into `bootrom/bootrom.bin`.

use crate::image::Boot;

/// What is in it.
pub const ROM: &[u8] = include_bytes!("bootrom/bootrom.bin");

/// Where programs find a pointer of 16 bits to the look-up of functions (DS 5.4.1; pico-sdk, `boot/bootrom_constants.h`).
pub const LOOK_UP_POINTER: u32 = 0x7dfa;

/// That pointer.
pub fn look_up() -> &'static [u8] {
    &ROM[0x14..0x16]
}

/// Scratch register 4 of the watchdog asks for a direct boot with this (DS 5.2.4).
const DIRECT_BOOT: u32 = 0xb007_c0d3;

/// What the loader puts into scratch registers 4 to 7 of the watchdog so that the ROM starts an image.
pub fn scratch(boot: Boot) -> [u32; 4] {
    match boot {
        Boot::Flash | Boot::Table(_) => [0; 4],
        Boot::Direct { entry, stack } => [DIRECT_BOOT, entry ^ DIRECT_BOOT.wrapping_neg(), stack, entry],
    }
}

/// Why a core that sleeps at `pc` in the ROM does so: it holds a few places where nothing goes on.
pub fn why_stopped(pc: u32) -> Option<&'static str> {
    match pc {
        0x04..0x0c => {
            Some("flash holds no image for RISC-V cores: there is no such image definition in its first 4 kB")
        }
        0x0c..0x14 => Some("a core returned from the entry point it was started with"),
        _ => None,
    }
}
