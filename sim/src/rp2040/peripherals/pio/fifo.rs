//! A FIFO between the system and a state machine (datasheet 3.5.4).

/// Words of a FIFO, and of one that has joined the other's storage.
pub const DEPTH: u8 = 4;
const MOST: usize = 2 * DEPTH as usize;

/// A FIFO of 4 words; of 8 or none if two are joined.
#[derive(Clone, Debug, Hash)]
pub struct Fifo {
    words: [u32; MOST],
    first: u8,
    len: u8,
    depth: u8,
}

impl Default for Fifo {
    fn default() -> Self {
        Self { words: [0; MOST], first: 0, len: 0, depth: DEPTH }
    }
}

impl Fifo {
    /// Words in it.
    pub fn len(&self) -> u8 {
        self.len
    }

    /// Free places.
    pub fn room(&self) -> u8 {
        self.depth - self.len
    }

    /// Also if it has no storage.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Also if it has no storage.
    pub fn is_full(&self) -> bool {
        self.len == self.depth
    }

    /// Drops what is in it, and gives it another depth.
    pub fn flush(&mut self, depth: u8) {
        (self.first, self.len, self.depth) = (0, 0, depth);
    }

    /// Puts a word in; nothing changes if there is no room.
    pub fn push(&mut self, word: u32) {
        if !self.is_full() {
            self.words[usize::from(self.first + self.len) % MOST] = word;
            self.len += 1;
        }
    }

    /// The oldest word; what was last there if there is none.
    pub fn front(&self) -> u32 {
        self.words[usize::from(self.first)]
    }

    /// Takes the oldest word; nothing changes if there is none.
    pub fn pop(&mut self) -> u32 {
        let word = self.front();
        if !self.is_empty() {
            self.first = (self.first + 1) % MOST as u8;
            self.len -= 1;
        }
        word
    }
}
