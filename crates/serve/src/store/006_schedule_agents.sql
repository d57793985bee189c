-- How many agents of the site's cluster share the runs of a schedule; null for this machine alone.
ALTER TABLE schedule ADD COLUMN agents INTEGER;
