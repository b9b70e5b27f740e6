CREATE TABLE vault (
    one        INTEGER PRIMARY KEY CHECK (one = 1),
    vault_id   TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    embedder   TEXT    NOT NULL,
    dims       INTEGER NOT NULL,
    epoch      INTEGER NOT NULL DEFAULT 0,
    change     INTEGER NOT NULL DEFAULT 0,
    pending    INTEGER NOT NULL DEFAULT 0,
    -- The change that last deleted something, and the one up to which the files were cleared.
    deleted    INTEGER NOT NULL DEFAULT 0,
    erased     INTEGER NOT NULL DEFAULT 0,
    -- How many rows of `body` are emptied; 1 from when they are taken out until the file is built
    -- anew.
    emptied    INTEGER NOT NULL DEFAULT 0,
    moved      INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE session (
    number INTEGER PRIMARY KEY,
    id     TEXT NOT NULL UNIQUE
) STRICT;

-- One row a memory, narrow: its text is in `body`, so that a change of lease, level or access
-- never rewrites it. `date` is when it was said, `created` when it arrived, in epoch milliseconds.
CREATE TABLE memory (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    kind        INTEGER NOT NULL CHECK (kind IN (1, 2, 3)),
    tier        INTEGER NOT NULL CHECK (tier IN (1, 2, 3)),
    level       INTEGER NOT NULL CHECK (level IN (0, 1, 2, 3)),
    source      TEXT    NOT NULL,
    role        TEXT    NOT NULL,
    session     INTEGER REFERENCES session (number),
    date        INTEGER NOT NULL,
    created     INTEGER NOT NULL,
    accessed    INTEGER NOT NULL,
    accesses    INTEGER NOT NULL DEFAULT 0,
    covers_from INTEGER,
    covers_to   INTEGER,
    importance  INTEGER CHECK (importance BETWEEN 1 AND 10),
    tokens      INTEGER NOT NULL,
    digest      BLOB    NOT NULL,
    dated       INTEGER NOT NULL,
    speaker     INTEGER NOT NULL,
    pooled      INTEGER NOT NULL CHECK (pooled IN (0, 1)),
    batch       INTEGER REFERENCES batch (seq),
    changed     INTEGER NOT NULL,
    -- The row of `wording` that holds its text as it is now; NULL: `body` does.
    wording     INTEGER,
    -- The row of `prose` that holds the gist that someone gave it.
    gist        INTEGER
) STRICT;
CREATE INDEX memory_changed ON memory (changed);
CREATE INDEX memory_date ON memory (tier, date, seq);
CREATE INDEX memory_pool ON memory (tier, date, seq) WHERE pooled = 1;
CREATE INDEX memory_digest ON memory (digest, session, date);
CREATE INDEX memory_session ON memory (session, seq) WHERE session IS NOT NULL;
CREATE INDEX memory_batch ON memory (batch) WHERE batch IS NOT NULL;
CREATE INDEX memory_covers ON memory (covers_to, covers_from) WHERE covers_to IS NOT NULL;
CREATE INDEX memory_created ON memory (created DESC, id);
CREATE INDEX memory_level ON memory (level, accessed DESC, seq DESC) WHERE level < 2;

-- `content` is TEXT, or a BLOB of UTF-8 with lone surrogates when the text holds such.
-- Rows are only ever added at the end and emptied in place: deleting one, or making one longer,
-- lets SQLite move its neighbours to other pages, and `secure_delete` does not clear the bytes
-- that they leave behind. The emptied rows go when the file is built anew.
CREATE TABLE body (
    memory  INTEGER PRIMARY KEY,
    content ANY NOT NULL
) STRICT;

-- What else a statement was said to be, for good as `body` is: by a message, or (NULL) outright.
CREATE TABLE wording (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    memory  INTEGER NOT NULL,
    message INTEGER,
    at      INTEGER NOT NULL,
    content ANY     NOT NULL
) STRICT;
CREATE INDEX wording_memory ON wording (memory);

-- Text that is no memory's, kept as in `body`; other tables hold its row numbers.
CREATE TABLE prose (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    content ANY NOT NULL
) STRICT;

CREATE TABLE passage (
    memory INTEGER NOT NULL REFERENCES memory (seq),
    number INTEGER NOT NULL,
    start  INTEGER NOT NULL,
    end    INTEGER NOT NULL,
    terms  BLOB    NOT NULL,
    vector BLOB,
    PRIMARY KEY (memory, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX passage_pending ON passage (memory, number) WHERE vector IS NULL;

-- `score` and `samples` are the self-model's.
CREATE TABLE domain (
    number  INTEGER PRIMARY KEY,
    name    TEXT    NOT NULL UNIQUE,
    score   REAL,
    samples INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE memory_domain (
    memory INTEGER NOT NULL REFERENCES memory (seq),
    domain INTEGER NOT NULL REFERENCES domain (number),
    PRIMARY KEY (memory, domain)
) STRICT, WITHOUT ROWID;
CREATE INDEX memory_domain_domain ON memory_domain (domain, memory);

-- Hashes that a memory is looked up by: its identifiers, tokens and subjects, never their text.
CREATE TABLE mark (
    hash   INTEGER NOT NULL,
    memory INTEGER NOT NULL REFERENCES memory (seq),
    PRIMARY KEY (hash, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_memory ON mark (memory);

-- A captured statement and the messages it was captured from. `wording` is the row that holds what
-- the message said; 0: `body` does.
CREATE TABLE origin (
    statement INTEGER NOT NULL REFERENCES memory (seq),
    message   INTEGER NOT NULL REFERENCES memory (seq),
    wording   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (statement, message)
) STRICT, WITHOUT ROWID;
CREATE INDEX origin_message ON origin (message, statement);

CREATE TABLE batch (
    seq          INTEGER PRIMARY KEY AUTOINCREMENT,
    id           TEXT    NOT NULL UNIQUE,
    tier         INTEGER NOT NULL,
    state        TEXT    NOT NULL,
    leased       INTEGER NOT NULL,
    expires      INTEGER NOT NULL,
    covers_from  INTEGER NOT NULL,
    covers_to    INTEGER NOT NULL,
    size         INTEGER NOT NULL,
    created      TEXT    NOT NULL DEFAULT '[]',
    consolidated INTEGER NOT NULL DEFAULT 0,
    committed    INTEGER
) STRICT;

-- Lineage: the members of a batch stay listed when a memory is deleted, by number alone.
CREATE TABLE member (
    batch  INTEGER NOT NULL REFERENCES batch (seq),
    memory INTEGER NOT NULL,
    PRIMARY KEY (batch, memory)
) STRICT, WITHOUT ROWID;
CREATE INDEX member_memory ON member (memory, batch);

-- At most one lease a memory; one that has expired is taken over.
CREATE TABLE lease (
    memory  INTEGER PRIMARY KEY REFERENCES memory (seq),
    batch   INTEGER NOT NULL REFERENCES batch (seq),
    expires INTEGER NOT NULL
) STRICT;
CREATE INDEX lease_batch ON lease (batch);

CREATE TABLE support (
    reflection INTEGER NOT NULL REFERENCES memory (seq),
    source     INTEGER NOT NULL REFERENCES memory (seq),
    weight     REAL    NOT NULL,
    PRIMARY KEY (reflection, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX support_source ON support (source);

CREATE TABLE tombstone (
    changed INTEGER NOT NULL,
    memory  INTEGER NOT NULL,
    PRIMARY KEY (changed, memory)
) STRICT, WITHOUT ROWID;

CREATE TABLE request (
    digest BLOB PRIMARY KEY,
    body   BLOB    NOT NULL,
    at     INTEGER NOT NULL,
    ids    TEXT    NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX request_at ON request (at);

CREATE TABLE usage (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    at       INTEGER NOT NULL,
    endpoint TEXT    NOT NULL,
    tokens   INTEGER NOT NULL,
    key_id   TEXT,
    session  TEXT
) STRICT;
CREATE INDEX usage_at ON usage (at);

-- Two statements that cannot both hold. A claim is a memory, or text in `prose`.
CREATE TABLE tension (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    status      TEXT    NOT NULL CHECK (status IN ('active', 'latent', 'resolved')),
    impact      TEXT    NOT NULL CHECK (impact IN ('low', 'medium', 'critical')),
    a_memory    INTEGER REFERENCES memory (seq),
    a_prose     INTEGER,
    b_memory    INTEGER REFERENCES memory (seq),
    b_prose     INTEGER,
    question    INTEGER,
    created     INTEGER NOT NULL,
    resolved_by INTEGER,
    pattern     INTEGER REFERENCES memory (seq)
) STRICT;
CREATE UNIQUE INDEX tension_pair ON tension (a_memory, b_memory) WHERE a_memory IS NOT NULL;
CREATE INDEX tension_b ON tension (b_memory) WHERE b_memory IS NOT NULL;
CREATE INDEX tension_pattern ON tension (pattern) WHERE pattern IS NOT NULL;
CREATE INDEX tension_status ON tension (status, seq);

-- Every outcome that the self-model was told of.
CREATE TABLE outcome (
    seq      INTEGER PRIMARY KEY AUTOINCREMENT,
    domain   INTEGER NOT NULL REFERENCES domain (number),
    at       INTEGER NOT NULL,
    success  INTEGER NOT NULL,
    pattern  INTEGER,
    strategy INTEGER
) STRICT;
CREATE INDEX outcome_domain ON outcome (domain, seq) WHERE pattern IS NOT NULL OR strategy IS NOT NULL;

-- Every block that was sent. `parts` is the row of `prose` that holds it, entry by entry.
CREATE TABLE build (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    id        BLOB    NOT NULL UNIQUE CHECK (length(id) = 16),
    at        INTEGER NOT NULL,
    endpoint  TEXT    NOT NULL,
    key_id    TEXT,
    session   TEXT,
    budget    INTEGER NOT NULL,
    tokens    INTEGER NOT NULL,
    truncated INTEGER NOT NULL,
    parts     INTEGER
) STRICT;
CREATE INDEX build_at ON build (at);

CREATE TABLE build_spend (
    build   INTEGER NOT NULL REFERENCES build (seq),
    reason  TEXT    NOT NULL,
    entries INTEGER NOT NULL,
    tokens  INTEGER NOT NULL,
    PRIMARY KEY (build, reason)
) STRICT, WITHOUT ROWID;

-- Which memories, and (negated) which tensions, a block quotes.
CREATE TABLE build_quote (
    quoted INTEGER NOT NULL,
    build  INTEGER NOT NULL REFERENCES build (seq),
    PRIMARY KEY (quoted, build)
) STRICT, WITHOUT ROWID;
CREATE INDEX build_quote_build ON build_quote (build);

CREATE TABLE setting (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT;

-- Sums that debt and statistics read in O(1). Triggers keep them, so that no write can forget to.
CREATE TABLE tally (
    kind       INTEGER NOT NULL,
    tier       INTEGER NOT NULL,
    level      INTEGER NOT NULL,
    pooled     INTEGER NOT NULL,
    count      INTEGER NOT NULL,
    tokens     INTEGER NOT NULL,
    importance INTEGER NOT NULL,
    PRIMARY KEY (kind, tier, level, pooled)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tally_insert AFTER INSERT ON memory BEGIN
    INSERT INTO tally VALUES
        (new.kind, new.tier, new.level, new.pooled, 1, new.tokens, ifnull(new.importance, 0))
    ON CONFLICT DO UPDATE SET count = count + 1, tokens = tokens + excluded.tokens,
        importance = importance + excluded.importance;
END;
CREATE TRIGGER tally_delete AFTER DELETE ON memory BEGIN
    UPDATE tally SET count = count - 1, tokens = tokens - old.tokens,
        importance = importance - ifnull(old.importance, 0)
    WHERE kind = old.kind AND tier = old.tier AND level = old.level AND pooled = old.pooled;
END;
CREATE TRIGGER tally_update AFTER UPDATE OF kind, tier, level, pooled, tokens, importance ON memory
BEGIN
    UPDATE tally SET count = count - 1, tokens = tokens - old.tokens,
        importance = importance - ifnull(old.importance, 0)
    WHERE kind = old.kind AND tier = old.tier AND level = old.level AND pooled = old.pooled;
    INSERT INTO tally VALUES
        (new.kind, new.tier, new.level, new.pooled, 1, new.tokens, ifnull(new.importance, 0))
    ON CONFLICT DO UPDATE SET count = count + 1, tokens = tokens + excluded.tokens,
        importance = importance + excluded.importance;
END;

CREATE TRIGGER pending_insert AFTER INSERT ON passage WHEN new.vector IS NULL BEGIN
    UPDATE vault SET pending = pending + 1;
END;
CREATE TRIGGER pending_delete AFTER DELETE ON passage WHEN old.vector IS NULL BEGIN
    UPDATE vault SET pending = pending - 1;
END;
CREATE TRIGGER pending_update AFTER UPDATE OF vector ON passage
WHEN (old.vector IS NULL) <> (new.vector IS NULL) BEGIN
    UPDATE vault SET pending = pending + (new.vector IS NULL) - (old.vector IS NULL);
END;
