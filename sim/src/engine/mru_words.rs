//! Words of flash that the fast path has found to be most recently used, so that it need not look for them again.

/// Words of flash whose line is the most recently used one of its set in the cache: reading it again is a hit that changes
/// nothing. Each run on the fast path starts with none, because other readers of flash do not update this.
#[derive(Clone, Debug, Default)]
pub struct MruWords {
    /// By word of flash, the number of the last run that found it to be one.
    known_in: Vec<u32>,
    /// The number of the run.
    pub run: u32,
}

impl MruWords {
    /// Begins a run, in which none of so many words is known to be one.
    pub fn begin_run(&mut self, words: usize) {
        if self.run == u32::MAX {
            self.known_in.fill(0);
            self.run = 0;
        }
        self.run += 1;
        if self.known_in.len() < words {
            self.known_in.resize(words, 0);
        }
    }

    /// Whether the word at an offset is known to be one.
    #[inline(always)]
    pub fn has(&self, offset: u32) -> bool {
        self.known_in.get(index(offset)) == Some(&self.run)
    }

    /// Where the numbers are that native code compares with it.
    pub fn address(&mut self) -> usize {
        self.known_in.as_mut_ptr() as usize
    }

    /// The word at an offset is one from now on.
    pub fn insert(&mut self, offset: u32) {
        if let Some(known_in) = self.known_in.get_mut(index(offset)) {
            *known_in = self.run;
        }
    }

    /// Both words of the line at an offset are none any more.
    pub fn remove_line(&mut self, offset: u32) {
        let first = index(offset & !7);
        for known_in in self.known_in.iter_mut().skip(first).take(2) {
            *known_in = 0;
        }
    }
}

fn index(offset: u32) -> usize {
    (offset >> 2) as usize
}
