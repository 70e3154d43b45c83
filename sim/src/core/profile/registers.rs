//! Registers that both cores, or a core and a handler, change by loading and storing them, where a peripheral lets one set and
//! clear single bits instead.

use crate::core::profile::order::Order;
use crate::core::profile::quick_map::QuickMap;
use crate::core::profile::races::{By, Race, RaceKind};
use crate::core::time::Cycle;

/// Cycles from the load to the store of a change.
const CHANGE: Cycle = 100;
/// Registers of which changes are remembered.
const MOST: usize = 1 << 12;
/// Of the addresses of a peripheral, those of the aliases that set and clear bits (DS 2.1.2).
const ALIASES: u32 = 0x3000;
/// `GPIO_OUT` and `GPIO_OE`, which have others (DS 2.3.1.7).
const PINS: [u32; 2] = [0xd000_0010, 0xd000_0020];

/// A load of a register.
#[derive(Clone, Copy, Debug)]
struct Load {
    by: By,
    value: u32,
}

/// A change of one.
#[derive(Clone, Copy, Debug)]
struct Change {
    by: By,
    epoch: u32,
    loaded: u32,
    stored: u32,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Registers {
    /// By core.
    loads: [QuickMap<u32, Load>; 2],
    changes: QuickMap<u32, Change>,
}

impl Registers {
    /// Whether anything is made of accesses to an address.
    pub fn is_looked_at(address: u32) -> bool {
        matches!(address >> 28, 4 | 5) && address & ALIASES == 0 || PINS.contains(&address)
    }

    /// Somebody accesses a register.
    pub fn access(&mut self, by: By, address: u32, write: bool, order: &Order) -> Option<Race> {
        if !Self::is_looked_at(address) || self.changes.len() >= MOST {
            return None;
        }
        let core = usize::from(by.doer.core & 1);
        let (now, stored) = (by.doer.cycle, by.doer.value);
        if !write {
            if self.loads[core].len() < MOST {
                self.loads[core].insert(address, Load { by, value: stored });
            }
            return None;
        }
        let load = self.loads[core].remove(&address).filter(|load| {
            load.by.who == by.who && load.by.function == by.function && now - load.by.doer.cycle <= CHANGE
        })?;
        if load.value == stored {
            return None; // it acknowledges what it has read
        }
        let change = Change { by, epoch: order.epoch(core), loaded: load.value, stored };
        let previous = self.changes.insert(address, change).filter(|previous| previous.by.who != by.who)?;
        let other = usize::from(previous.by.doer.core & 1);
        let unordered = !order.knows(core, other, previous.epoch);
        let lost = load.by.doer.cycle < previous.by.doer.cycle && load.value == previous.loaded;
        // What it has loaded is what was stored: so it is no register that does something else with it.
        let seen = load.by.doer.cycle > previous.by.doer.cycle && load.value == previous.stored;
        let kind = if lost { RaceKind::LostUpdate } else { RaceKind::Unordered };
        (lost && (unordered || core == other) || seen && unordered).then_some(Race {
            kind,
            address,
            bytes: 4,
            before: lost.then_some(load.by.doer),
            other: previous.by.doer,
            last: by.doer,
            happened: lost,
            times: 1,
        })
    }
}
