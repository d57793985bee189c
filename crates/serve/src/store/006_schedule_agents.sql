-- How many agents of the site's cluster share the runs of a schedule; null if this machine makes the load.
ALTER TABLE schedule ADD COLUMN agents INTEGER;
