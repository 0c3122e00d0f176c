-- What becomes of reports. Owner: parley_owner.
SET LOCAL ROLE parley_owner;

ALTER TABLE parley.reports ADD COLUMN closed_at timestamptz;

-- The queue has what nobody has handled yet.
DROP INDEX parley.reports_queue_idx;
CREATE INDEX reports_queue_idx ON parley.reports (created_at, report_id) WHERE closed_at IS NULL;
CREATE INDEX reports_closed_idx ON parley.reports (closed_at DESC, report_id) WHERE closed_at IS NOT NULL;

-- Which operator did what with a report, and when: it goes with the report.
CREATE TABLE parley.report_actions (
    report_id uuid NOT NULL REFERENCES parley.reports ON DELETE CASCADE,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    operator text NOT NULL,
    -- `opened`: the evidence was read.
    action text NOT NULL,
    note text,
    CONSTRAINT report_actions_pkey PRIMARY KEY (report_id, at, operator, action),
    CONSTRAINT report_actions_known CHECK (action IN ('opened', 'closed'))
);

GRANT SELECT, INSERT ON parley.report_actions TO parley_server;

RESET ROLE;
