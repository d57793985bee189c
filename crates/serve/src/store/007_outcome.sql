-- What came of a run, as its record names it; empty for a search, and for a run that was kept by an older version.
ALTER TABLE run ADD COLUMN outcome TEXT NOT NULL DEFAULT '';
UPDATE run SET outcome = coalesce(json_extract(summary, '$.outcome'), '');
