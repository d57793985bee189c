//! Lookups of users and groups: through the system's name service, and at each layer below it.
