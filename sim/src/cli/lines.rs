//! Text of several serial ports as one: in whole lines, where several send at a time.

/// Calls of [`Lines::add`] in which the port that is within a line sends nothing, until others may go on: with slices of
/// 0.8 ms, 20 ms.
const PATIENCE: usize = 25;

/// Who is within a line, and what others have sent meanwhile.
#[derive(Debug, Default)]
pub struct Lines {
    port: usize,
    within: bool,
    silent: usize,
    held: Vec<(usize, u8)>,
}

impl Lines {
    /// Adds what ports have sent, in the order of time; yields what is to be shown now.
    pub fn add(&mut self, said: impl IntoIterator<Item = (usize, u8)>) -> Vec<u8> {
        let mut shown = Vec::new();
        let mut pending = std::mem::take(&mut self.held);
        let waiting = pending.len();
        pending.extend(said);
        let goes_on = pending[waiting..].iter().any(|&(port, _)| port == self.port);
        self.silent = if waiting == 0 || goes_on { 0 } else { self.silent + 1 };
        self.within &= self.silent < PATIENCE;
        while !pending.is_empty() {
            let before = shown.len();
            let mut held = Vec::new();
            let mut rest = pending.into_iter();
            for (port, byte) in rest.by_ref() {
                if self.within && port != self.port {
                    held.push((port, byte));
                    continue;
                }
                (self.port, self.within) = (port, byte != b'\n');
                shown.push(byte);
                if !self.within && !held.is_empty() {
                    break;
                }
            }
            held.extend(rest);
            pending = held;
            if shown.len() == before {
                break;
            }
        }
        self.held = pending;
        shown
    }

    /// What is left when nothing more will come.
    pub fn finish(&mut self) -> Vec<u8> {
        let mut shown = Vec::new();
        while !self.held.is_empty() {
            self.within = false;
            shown.extend(self.add([]));
        }
        shown
    }
}
