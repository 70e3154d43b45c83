//! Interrupts of pins (RP2040 datasheet 2.19.3; RP2350's 9.5): levels and edges, for each core and to wake the chip from its
//! dormant mode.
//!
//! Edges of a pin are noticed from the first write to its bits of `INTR`, `INTE` or `INTF` on: what nobody asks for costs no
//! time. (On the chip, `INTR` has edges from before that; start-up code clears them first.)

use crate::core::time::{Cycle, NEVER};
use std::collections::VecDeque;

/// Cycles from a level at the pad to the interrupt: two flip-flops that bring it to `clk_sys`. Assumed, as the inputs of PIO
/// have them (3.5.6.3).
pub const SYNCHRONISER: Cycle = 2;
/// Words of registers at most: eight pins a word, four bits a pin.
const WORDS: usize = 6;
const PINS_A_WORD: usize = 8;
/// Who is interrupted: core 0, core 1, the dormant oscillators.
const DESTINATIONS: usize = 3;
const DORMANT: usize = 2;

/// The four bits of a pin in each register, by their place: level low, level high, falling edge, rising edge.
const LEVEL_LOW: u32 = 0;
const LEVEL_HIGH: u32 = 1;
const EDGE_LOW: u32 = 2;
const EDGE_HIGH: u32 = 3;

/// The interrupts of a bank.
#[derive(Clone, Debug, Default, Hash)]
pub struct PinInterrupts {
    enabled: [[u32; WORDS]; DESTINATIONS],
    forced: [[u32; WORDS]; DESTINATIONS],
    /// Pins whose edges are noticed.
    used: u64,
    /// Levels behind the synchronisers.
    levels: u64,
    fallen: u64,
    risen: u64,
    /// Levels that are in the synchronisers, and when they come out.
    coming: VecDeque<(Cycle, u64)>,
    /// Levels at the pads, as they are for an access.
    at_pads: u64,
}

/// A register of interrupts, by its place behind those of the pins.
#[derive(Clone, Copy, Debug)]
enum Register {
    Raw { word: usize },
    Enable { to: usize, word: usize },
    Force { to: usize, word: usize },
    Status { to: usize, word: usize },
}

/// The register that has a number, if there are so many words of each kind: the raw ones, then for each destination those
/// that enable, that force, and the status.
fn register(number: usize, words: usize) -> Option<Register> {
    let (kind, word) = (number / words, number % words);
    if kind == 0 {
        return Some(Register::Raw { word });
    }
    let to = (kind - 1) / 3;
    (to < DESTINATIONS).then_some(match (kind - 1) % 3 {
        0 => Register::Enable { to, word },
        1 => Register::Force { to, word },
        _ => Register::Status { to, word },
    })
}

/// Bits of all pins of a word, at a place within the four of each, from a bit a pin.
fn spread(pins: u64, word: usize, place: u32) -> u32 {
    let pins = pins >> (PINS_A_WORD * word);
    (0..PINS_A_WORD).fold(0, |bits, pin| bits | ((pins >> pin & 1) as u32) << (4 * pin as u32 + place))
}

/// A bit a pin, for those of which one of `places` (a mask of four bits) is set in a word.
fn gather(bits: u32, word: usize, places: u32) -> u64 {
    let pins = (0..PINS_A_WORD).filter(|pin| bits >> (4 * pin) & places != 0);
    pins.fold(0, |pins, pin| pins | 1 << (PINS_A_WORD * word + pin))
}

/// The bits of a word that belong to one of so many pins.
fn word_mask(word: usize, pins: usize) -> u32 {
    (0..4).fold(0, |mask, place| mask | spread((1 << pins) - 1, word, place))
}

impl PinInterrupts {
    /// Pins of which a change of level would matter.
    pub fn wanted(&self) -> u64 {
        if self.used == 0 {
            return 0;
        }
        let by_level = self.enabled.iter().flat_map(|words| words.iter().enumerate());
        let by_level =
            by_level.fold(0, |pins, (word, &bits)| pins | gather(bits, word, 1 << LEVEL_LOW | 1 << LEVEL_HIGH));
        self.used & (!self.fallen | !self.risen | by_level)
    }

    /// Whether any pin is used.
    pub fn is_used(&self) -> bool {
        self.used != 0
    }

    /// The levels at the pads from cycle `from` on.
    pub fn set_levels(&mut self, levels: u64, from: Cycle) {
        let at = from.saturating_add(SYNCHRONISER);
        if let Some(last) = self.coming.back_mut().filter(|last| last.0 == at) {
            last.1 = levels;
        } else if self.coming.back().map_or(self.levels, |last| last.1) != levels {
            if self.coming.is_empty() && (self.levels ^ levels) & self.wanted() == 0 {
                self.levels = levels;
            } else {
                self.coming.push_back((at, levels));
            }
        }
    }

    /// When a level next comes out of a synchroniser.
    pub fn next_event(&self) -> Cycle {
        self.coming.front().map_or(NEVER, |&(at, _)| at)
    }

    /// Lets come out of the synchronisers what is due.
    pub fn advance(&mut self, now: Cycle) {
        while let Some(&(_, levels)) = self.coming.front().filter(|&&(at, _)| at <= now) {
            self.risen |= levels & !self.levels & self.used;
            self.fallen |= !levels & self.levels & self.used;
            self.levels = levels;
            self.coming.pop_front();
        }
    }

    fn raw(&self, levels: u64, word: usize) -> u32 {
        spread(!levels, word, LEVEL_LOW)
            | spread(levels, word, LEVEL_HIGH)
            | spread(self.fallen, word, EDGE_LOW)
            | spread(self.risen, word, EDGE_HIGH)
    }

    /// Tells the levels at the pads, for the access that comes next.
    pub fn note_pads(&mut self, levels: u64) {
        self.at_pads = levels;
    }

    /// A register, by its number behind those of the pins, of a bank of so many pins; `levels` are those at the pads, for pins
    /// that are not used.
    pub fn peek(&self, number: usize, pins: usize, levels: u64) -> Option<u32> {
        let levels = levels & !self.used | self.levels & self.used;
        let raw = |word| self.raw(levels, word) & word_mask(word, pins);
        Some(match register(number, pins.div_ceil(PINS_A_WORD))? {
            Register::Raw { word } => raw(word),
            Register::Enable { to, word } => self.enabled[to][word],
            Register::Force { to, word } => self.forced[to][word],
            Register::Status { to, word } => raw(word) & self.enabled[to][word] | self.forced[to][word],
        })
    }

    /// Writes a register, by its number behind those of the pins. False if there is none.
    pub fn write(&mut self, number: usize, pins: usize, value: u32) -> bool {
        let Some(register) = register(number, pins.div_ceil(PINS_A_WORD)) else { return false };
        let before = self.wanted();
        let word = match register {
            Register::Raw { word } => {
                self.fallen &= !gather(value, word, 1 << EDGE_LOW);
                self.risen &= !gather(value, word, 1 << EDGE_HIGH);
                word
            }
            Register::Enable { to, word } => {
                self.enabled[to][word] = value & word_mask(word, pins);
                word
            }
            Register::Force { to, word } => {
                self.forced[to][word] = value & word_mask(word, pins);
                word
            }
            Register::Status { .. } => return true,
        };
        self.used |= gather(value & word_mask(word, pins), word, 0xf);
        self.catch_up(self.wanted() & !before);
        true
    }

    /// Pins are wanted that were not followed: they have had their level for long.
    fn catch_up(&mut self, pins: u64) {
        let levels = self.at_pads;
        for known in self.coming.iter_mut().map(|(_, known)| known).chain([&mut self.levels]) {
            *known = *known & !pins | levels & pins;
        }
    }

    /// Whether a destination is interrupted.
    fn interrupts(&self, to: usize) -> bool {
        let mut words = self.enabled[to].iter().zip(&self.forced[to]).enumerate();
        words.any(|(word, (&enabled, &forced))| {
            enabled != 0 && self.raw(self.levels, word) & enabled != 0 || forced != 0
        })
    }

    /// The lines to the cores.
    pub fn lines(&self) -> [bool; 2] {
        [0, 1].map(|core| self.interrupts(core))
    }

    /// Whether dormant oscillators are woken.
    pub fn wakes(&self) -> bool {
        self.interrupts(DORMANT)
    }
}
