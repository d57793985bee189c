//! What a run was measured to be: histograms, intervals, records, verdicts.
