//! [`EngineTime`]: the time of a run of any protocol.
//!
//! A run is handed to its protocol as one value, without a type for its time. So this is an enum of the times that
//! there are: in a program that is not a test only one, and an enum of one costs nothing.

use crate::machine::SimulatedMachine;
use crate::run_clock::RunClock;
use crate::timer::{MachineTime, MachineTimer, Time, Timer};
#[cfg(feature = "virtual-time")]
use crate::virtual_time::{VirtualTime, VirtualTimer};
use brunt_exchange::{Clock, Moment, Monotonic, Wait};
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::runtime::Builder;

/// The time of a run.
#[derive(Clone, Debug)]
pub enum EngineTime {
    /// The machine's.
    Machine(MachineTime),
    /// One that passes as soon as nothing has anything to do.
    #[cfg(feature = "virtual-time")]
    Virtual(VirtualTime),
}

/// Its clock.
#[derive(Clone, Debug)]
pub enum EngineClock {
    /// The machine's.
    Machine(Monotonic),
    /// That of virtual time.
    #[cfg(feature = "virtual-time")]
    Virtual(VirtualTime),
}

/// The timer of one of its workers.
#[derive(Debug)]
pub enum EngineTimer {
    /// The machine's.
    Machine(MachineTimer),
    /// One of virtual time.
    #[cfg(feature = "virtual-time")]
    Virtual(VirtualTimer),
}

impl From<MachineTime> for EngineTime {
    fn from(time: MachineTime) -> Self {
        Self::Machine(time)
    }
}

#[cfg(feature = "virtual-time")]
impl From<VirtualTime> for EngineTime {
    fn from(time: VirtualTime) -> Self {
        Self::Virtual(time)
    }
}

impl Clock for EngineClock {
    #[inline]
    fn now(&self) -> Moment {
        match self {
            Self::Machine(clock) => clock.now(),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(clock) => clock.now(),
        }
    }

    fn wait(&self, at: Moment) -> Option<Wait> {
        match self {
            Self::Machine(clock) => clock.wait(at),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(clock) => clock.wait(at),
        }
    }
}

impl Time for EngineTime {
    type Clock = EngineClock;
    type Timer = EngineTimer;

    fn clock(&self) -> EngineClock {
        match self {
            Self::Machine(time) => EngineClock::Machine(time.clock()),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(time) => EngineClock::Virtual(time.clone()),
        }
    }

    fn machine(&self) -> Option<Monotonic> {
        match self {
            Self::Machine(time) => time.machine(),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(_) => None,
        }
    }

    fn simulated(&self) -> Option<Arc<dyn SimulatedMachine>> {
        match self {
            Self::Machine(_) => None,
            #[cfg(feature = "virtual-time")]
            Self::Virtual(time) => time.simulated(),
        }
    }

    fn prepare(&self, runtime: &mut Builder) {
        match self {
            Self::Machine(time) => time.prepare(runtime),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(time) => time.prepare(runtime),
        }
    }

    fn today(&self) -> RunClock {
        match self {
            Self::Machine(time) => time.today(),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(time) => time.today(),
        }
    }

    fn timer(&self) -> io::Result<EngineTimer> {
        match self {
            Self::Machine(time) => time.timer().map(EngineTimer::Machine),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(time) => time.timer().map(EngineTimer::Virtual),
        }
    }
}

impl Timer for EngineTimer {
    #[inline]
    fn set(&self, at: Moment) {
        match self {
            Self::Machine(timer) => timer.set(at),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(timer) => timer.set(at),
        }
    }

    #[inline]
    fn poll_ring(&self, cx: &mut Context<'_>) -> Poll<()> {
        match self {
            Self::Machine(timer) => timer.poll_ring(cx),
            #[cfg(feature = "virtual-time")]
            Self::Virtual(timer) => timer.poll_ring(cx),
        }
    }
}
