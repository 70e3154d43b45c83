//! Words that are loaded while a transfer that is to store them has not done so yet.

use crate::core::profile::Doer;
use crate::core::profile::quick_map::QuickMap;
use crate::core::profile::races::{By, Race, RaceKind};
use crate::core::time::Cycle;

/// The DMA's registers (DS 2.5.7): those of a channel, which has a register that starts it in each 16 bytes, and one for many.
const DMA: u32 = 0x5000_0000;
const CHANNEL: u32 = 0x40;
const CHANNELS: usize = 12;
const MULTI_CHAN_TRIGGER: u32 = 0x430;
/// Loads that are remembered.
const MOST: usize = 1 << 14;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Transfers {
    /// By channel, who has started it last.
    started: [Option<Doer>; CHANNELS],
    /// Addresses that were stored to since, with the channel.
    stored: QuickMap<u32, usize>,
    /// By address, the last load, and how many bytes.
    loads: QuickMap<u32, (By, u32)>,
    /// What was loaded too early, with the channel, unless the same instruction loads it again: then it waits for it.
    early: Vec<(usize, Race)>,
}

impl Transfers {
    /// A register is written to: maybe one that starts channels. What is certain now.
    pub fn started(&mut self, by: Doer, address: u32) -> Vec<Race> {
        let offset = address.wrapping_sub(DMA);
        let channels = match offset {
            MULTI_CHAN_TRIGGER => by.value,
            _ if offset < CHANNEL * CHANNELS as u32 && offset & 0xc == 0xc => 1 << (offset / CHANNEL),
            _ => return Vec::new(),
        };
        for (channel, started) in self.started.iter_mut().enumerate() {
            if channels >> channel & 1 != 0 {
                *started = Some(by);
                self.stored.retain(|_, by| *by != channel);
            }
        }
        let is_over = |&mut (channel, _): &mut (usize, Race)| channels >> channel & 1 != 0;
        self.early.extract_if(.., is_over).map(|(_, race)| race).collect()
    }

    /// A channel stores a value, of which each lane has a copy.
    pub fn store(&mut self, channel: usize, address: u32, bytes: u32, value: u32, now: Cycle) {
        let Some(start) = self.started.get(channel).copied().flatten() else { return };
        if self.stored.insert(address, channel) == Some(channel) {
            return; // it goes round in a ring
        }
        let mask = u32::MAX >> (32 - 8 * bytes.clamp(1, 4));
        for at in [address, address & !1, address & !3] {
            let Some(&(load, loaded)) = self.loads.get(&at) else { continue };
            let part = load.doer.value >> (8 * (address - at)) & mask;
            if at + loaded > address && load.doer.cycle > start.cycle && part != value & mask {
                let before = Some(Doer { cycle: now, value: value & mask, ..start });
                let (other, last) = (start, load.doer);
                let race =
                    Race { kind: RaceKind::Early, address, bytes, before, other, last, happened: true, times: 1 };
                self.early.push((channel, race));
                return;
            }
        }
    }

    /// Somebody loads a word, or a part of it.
    pub fn load(&mut self, by: By, address: u32, bytes: u32) {
        if self.started.iter().all(Option::is_none) {
            return; // what is stored later was started later
        }
        if self.loads.len() < MOST || self.loads.contains_key(&address) {
            self.loads.insert(address, (by, bytes));
        }
        self.early.retain(|(_, race)| race.last.pc != by.doer.pc || race.address & !3 != address & !3);
    }

    /// What is not certain yet.
    pub fn pending(&self) -> impl Iterator<Item = Race> {
        self.early.iter().map(|&(_, race)| race)
    }
}
