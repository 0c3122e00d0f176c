-- Where devices are reached when nobody looks at them. Owner: parley_owner.
--
-- Beside the log: an address is nobody's history. It is sealed under its person's key, so that it goes with the person.
SET LOCAL ROLE parley_owner;

CREATE TABLE parley.devices (
    created_at timestamptz NOT NULL DEFAULT now(),
    -- When the app last said that this is its address: older than 30 days, and it is forgotten.
    renewed_at timestamptz NOT NULL DEFAULT now(),
    -- When the person was last seen to do something, on any device, to some seconds.
    active_at timestamptz,
    -- When the device was last told that something was read elsewhere: some services take such words seldom.
    cleared_at timestamptz,
    -- The service wants to hear nothing more for this device until then.
    silent_until timestamptz,
    -- When the service first said that it knows no such address; null since it took something.
    refused_at timestamptz,
    person_id uuid NOT NULL,
    -- Made by the app, unique for its person.
    device_id uuid NOT NULL,
    session_id uuid NOT NULL,
    key_id uuid NOT NULL,
    platform text NOT NULL,
    -- What fails together: the platform, or, of Web Push, the host of the push service.
    origin text NOT NULL,
    app text NOT NULL DEFAULT '',
    preview text NOT NULL DEFAULT 'full',
    locale text,
    is_sandbox boolean NOT NULL DEFAULT false,
    -- The address as JSON.
    sealed bytea NOT NULL,
    -- Tells equal addresses, and nothing else of them.
    address_hmac bytea NOT NULL,
    CONSTRAINT devices_pkey PRIMARY KEY (person_id, device_id),
    -- A session is on one device; it ends, and so does what is sent there.
    CONSTRAINT devices_session_key UNIQUE (session_id),
    CONSTRAINT devices_session_fkey FOREIGN KEY (session_id) REFERENCES parley.sessions ON DELETE CASCADE,
    -- A device that changes hands says nothing more to whom it was.
    CONSTRAINT devices_address_key UNIQUE (platform, app, address_hmac),
    CONSTRAINT devices_platform_known CHECK (platform IN ('fcm', 'apns', 'webpush')),
    CONSTRAINT devices_preview_known CHECK (preview IN ('full', 'sender', 'none'))
);

-- Which of them are to be forgotten.
CREATE INDEX devices_renewed_idx ON parley.devices (renewed_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.devices TO parley_server;

-- When a person wants to be left alone, in minutes of the person's day. No event: it is nobody's history either.
CREATE TABLE parley.quiet_hours (
    person_id uuid NOT NULL,
    from_minute smallint NOT NULL,
    to_minute smallint NOT NULL,
    time_zone text NOT NULL,
    CONSTRAINT quiet_hours_pkey PRIMARY KEY (person_id),
    CONSTRAINT quiet_hours_minutes CHECK (
        from_minute BETWEEN 0 AND 1439 AND to_minute BETWEEN 0 AND 1439 AND from_minute <> to_minute)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON parley.quiet_hours TO parley_server;

RESET ROLE;
