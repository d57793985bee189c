//! Replies that a fault script holds back: until a time, or until another reply has been sent.

use std::collections::BTreeMap;
use std::time::Duration;

/// The replies that are held back.
#[derive(Debug)]
pub struct DelayQueue<T> {
    /// By the time they are due, then in the order in which they were pushed.
    due: BTreeMap<(Duration, u64), T>,
    /// Those to be sent after the next reply.
    behind: Vec<T>,
    pushed: u64,
}

impl<T> Default for DelayQueue<T> {
    fn default() -> Self {
        Self { due: BTreeMap::new(), behind: Vec::new(), pushed: 0 }
    }
}

impl<T> DelayQueue<T> {
    /// Holds a reply back until `due`.
    pub fn push(&mut self, due: Duration, reply: T) {
        self.pushed += 1;
        self.due.insert((due, self.pushed), reply);
    }

    /// Holds a reply back until another has been sent.
    pub fn push_behind(&mut self, reply: T) {
        self.behind.push(reply);
    }

    /// How many replies are held back.
    pub fn held(&self) -> usize {
        self.due.len() + self.behind.len()
    }

    /// When the first is due.
    pub fn due(&self) -> Option<Duration> {
        self.due.first_key_value().map(|((due, _), _)| *due)
    }

    /// The first, if it is due.
    pub fn pop(&mut self, now: Duration) -> Option<T> {
        let first = self.due.first_entry()?;
        (first.key().0 <= now).then(|| first.remove())
    }

    /// Those to be sent now that another reply has been.
    pub fn take_behind(&mut self) -> Vec<T> {
        std::mem::take(&mut self.behind)
    }

    /// Removes and returns the first reply that `is` accepts.
    pub fn withdraw(&mut self, is: impl Fn(&T) -> bool) -> Option<T> {
        if let Some(index) = self.behind.iter().position(&is) {
            return Some(self.behind.remove(index));
        }
        let key = self.due.iter().find(|(_, reply)| is(reply)).map(|(key, _)| *key)?;
        self.due.remove(&key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_queue_releases_replies_when_due_in_order() {
        let mut queue = DelayQueue::default();
        let millis = Duration::from_millis;
        for (due, reply) in [(5, 'b'), (9, 'd'), (5, 'c'), (1, 'a')] {
            queue.push(millis(due), reply);
        }
        queue.push_behind('x');
        queue.push_behind('y');
        assert_eq!((queue.held(), queue.due(), queue.pop(millis(0))), (6, Some(millis(1)), None));
        let due: Vec<char> = std::iter::from_fn(|| queue.pop(millis(5))).collect();
        assert_eq!(due, ['a', 'b', 'c']);
        assert_eq!(
            (queue.withdraw(|reply| *reply == 'y'), queue.withdraw(|_| false)),
            (Some('y'), None)
        );
        assert_eq!((queue.take_behind(), queue.take_behind()), (vec!['x'], vec![]));
        assert_eq!((queue.withdraw(|reply| *reply == 'd'), queue.held()), (Some('d'), 0));
    }
}
