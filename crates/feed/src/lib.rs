//! Generators and templates as pure functions of (seed, exchange number).
