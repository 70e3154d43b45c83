//! The interpolators of SIO, two per core (datasheet 2.3.1.6).

/// `CTRL_LANEx` fields (2.3.1.7): what a write can change in lane 0, and in lane 1.
const LANE0_WRITABLE: u32 = 0x007f_ffff;
const LANE1_WRITABLE: u32 = 0x001f_ffff;
const SIGNED: u32 = 1 << 15;
const CROSS_INPUT: u32 = 1 << 16;
const CROSS_RESULT: u32 = 1 << 17;
const ADD_RAW: u32 = 1 << 18;
/// Only in lane 0 of `INTERP0`.
const BLEND: u32 = 1 << 21;
/// Only in lane 0 of `INTERP1`.
const CLAMP: u32 = 1 << 22;
const OVERF0: u32 = 1 << 23;
const OVERF1: u32 = 1 << 24;
const OVERF: u32 = 1 << 25;

/// Offsets within one interpolator (2.3.1.7).
const BASE0: u32 = 0x08;
const BASE2: u32 = 0x10;
const POP_LANE0: u32 = 0x14;
const POP_FULL: u32 = 0x1c;
const PEEK_LANE0: u32 = 0x20;
const PEEK_FULL: u32 = 0x28;
const CTRL_LANE0: u32 = 0x2c;
const CTRL_LANE1: u32 = 0x30;
const ACCUM0_ADD: u32 = 0x34;
const ACCUM1_ADD: u32 = 0x38;
const BASE_1AND0: u32 = 0x3c;

/// Which special mode an interpolator has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variant {
    /// `INTERP0`: linear interpolation between the bases.
    Blends,
    /// `INTERP1`: a result kept between the bases.
    Clamps,
}

/// One interpolator. Results are computed when they are read.
#[derive(Clone, Debug, Hash)]
pub struct Interpolator {
    variant: Variant,
    accum: [u32; 2],
    base: [u32; 3],
    ctrl: [u32; 2],
}

/// What both lanes yield.
struct Results {
    shifted: [u32; 2],
    lane: [u32; 2],
    full: u32,
    overflow: u32,
}

impl Interpolator {
    /// An interpolator with all registers 0.
    pub fn new(variant: Variant) -> Self {
        Self { variant, accum: [0; 2], base: [0; 3], ctrl: [0; 2] }
    }

    /// Reads the register at an offset within this interpolator; reading a `POP` register advances it.
    pub fn read(&mut self, offset: u32) -> u32 {
        let value = self.peek(offset);
        if (POP_LANE0..=POP_FULL).contains(&offset) {
            let lane = self.results().lane;
            for (index, accum) in self.accum.iter_mut().enumerate() {
                let crossed = self.ctrl[index] & CROSS_RESULT != 0;
                *accum = lane[index ^ usize::from(crossed)];
            }
        }
        value
    }

    /// Reads the register at an offset within this interpolator without advancing it.
    pub fn peek(&self, offset: u32) -> u32 {
        match offset {
            0x00 | 0x04 => self.accum[(offset / 4) as usize],
            BASE0..=BASE2 => self.base[((offset - BASE0) / 4) as usize],
            POP_LANE0..=POP_FULL => self.result((offset - POP_LANE0) / 4),
            PEEK_LANE0..=PEEK_FULL => self.result((offset - PEEK_LANE0) / 4),
            CTRL_LANE0 => self.ctrl[0] | self.results().overflow,
            CTRL_LANE1 => self.ctrl[1],
            ACCUM0_ADD => self.results().shifted[0],
            ACCUM1_ADD => self.results().shifted[1],
            _ => 0,
        }
    }

    /// Writes the register at an offset within this interpolator.
    pub fn write(&mut self, offset: u32, value: u32) {
        match offset {
            0x00 | 0x04 => self.accum[(offset / 4) as usize] = value,
            BASE0..=BASE2 => self.base[((offset - BASE0) / 4) as usize] = value,
            CTRL_LANE0 => {
                let other_mode = if self.variant == Variant::Blends { CLAMP } else { BLEND };
                self.ctrl[0] = value & LANE0_WRITABLE & !other_mode;
            }
            CTRL_LANE1 => self.ctrl[1] = value & LANE1_WRITABLE,
            ACCUM0_ADD => self.accum[0] = self.accum[0].wrapping_add(value),
            ACCUM1_ADD => self.accum[1] = self.accum[1].wrapping_add(value),
            BASE_1AND0 => self.write_bases(value),
            _ => {}
        }
    }

    /// A half to each base, sign-extended if its lane is signed; when blending, lane 1 decides for both.
    fn write_bases(&mut self, value: u32) {
        let blending = self.ctrl[0] & BLEND != 0;
        for (index, half) in [value as u16, (value >> 16) as u16].into_iter().enumerate() {
            let signed = self.ctrl[if blending { 1 } else { index }] & SIGNED != 0;
            self.base[index] = if signed { sign_extended(half) } else { u32::from(half) };
        }
    }

    /// A result as the processor sees it: `FORCE_MSB` is put into bits 29:28 of the lanes', not of the full one.
    fn result(&self, index: u32) -> u32 {
        let results = self.results();
        match index {
            0 | 1 => results.lane[index as usize] | (self.ctrl[index as usize] >> 19 & 3) << 28,
            _ => results.full,
        }
    }

    fn results(&self) -> Results {
        let mut shifted = [0; 2];
        let mut lane = [0; 2];
        let mut overflow = 0;
        for index in 0..2 {
            let ctrl = self.ctrl[index];
            let input = self.accum[index ^ usize::from(ctrl & CROSS_INPUT != 0)];
            let (value, overflows) = shift_and_mask(input, ctrl);
            shifted[index] = value;
            let addend = if ctrl & ADD_RAW != 0 { input } else { value };
            lane[index] = self.base[index].wrapping_add(addend);
            if overflows {
                overflow |= OVERF | if index == 0 { OVERF0 } else { OVERF1 };
            }
        }
        let mut full = self.base[2].wrapping_add(shifted[0]).wrapping_add(shifted[1]);
        if self.ctrl[0] & BLEND != 0 {
            let alpha = shifted[1] & 0xff;
            lane = [alpha, self.blend(alpha)];
            full = self.base[2].wrapping_add(shifted[0]);
        } else if self.ctrl[0] & CLAMP != 0 {
            lane[0] = self.clamp(shifted[0]);
        }
        Results { shifted, lane, full, overflow }
    }

    /// `BASE0` + alpha / 256 of the way to `BASE1` (2.3.1.6.2); signed as lane 1 is.
    fn blend(&self, alpha: u32) -> u32 {
        let signed = self.ctrl[1] & SIGNED != 0;
        let wide = |value: u32| if signed { i64::from(as_signed(value)) } else { i64::from(value) };
        let (from, to) = (wide(self.base[0]), wide(self.base[1]));
        let result = from + ((i64::from(alpha) * (to - from)) >> 8);
        (result & i64::from(u32::MAX)).unsigned_abs() as u32
    }

    /// Kept at or above `BASE0`, at or below `BASE1` (2.3.1.6.3); signed as lane 0 is.
    fn clamp(&self, value: u32) -> u32 {
        let signed = self.ctrl[0] & SIGNED != 0;
        let below = |a: u32, b: u32| if signed { as_signed(a) < as_signed(b) } else { a < b };
        if below(value, self.base[0]) {
            self.base[0]
        } else if below(self.base[1], value) {
            self.base[1]
        } else {
            value
        }
    }
}

/// A lane's shift, mask and sign extension, and whether bits above the mask were lost (2.3.1.6.1).
fn shift_and_mask(input: u32, ctrl: u32) -> (u32, bool) {
    let (shift, lsb, msb) = (ctrl & 31, ctrl >> 5 & 31, ctrl >> 10 & 31);
    let below_top = u32::MAX >> (31 - msb);
    let shifted = input >> shift;
    let mut value = shifted & below_top & (u32::MAX << lsb);
    if ctrl & SIGNED != 0 && value >> msb & 1 == 1 {
        value |= !below_top;
    }
    (value, shifted & !below_top != 0)
}

fn as_signed(value: u32) -> i32 {
    i32::from_ne_bytes(value.to_ne_bytes())
}

fn sign_extended(half: u16) -> u32 {
    let sign = if half >> 15 == 1 { 0xffff_0000 } else { 0 };
    sign | u32::from(half)
}
