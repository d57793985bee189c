//! Tables, CSV and text made from a record or its intervals.
