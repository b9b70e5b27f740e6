CREATE TABLE account (
    id      TEXT PRIMARY KEY,
    name    TEXT    NOT NULL,
    created INTEGER NOT NULL
) STRICT;

CREATE TABLE vault (
    id      TEXT PRIMARY KEY,
    account TEXT    NOT NULL REFERENCES account (id),
    name    TEXT    NOT NULL,
    created INTEGER NOT NULL
) STRICT;
CREATE INDEX vault_account ON vault (account);

CREATE TABLE key (
    id        TEXT PRIMARY KEY,
    vault     TEXT    NOT NULL REFERENCES vault (id),
    name      TEXT    NOT NULL,
    prefix    TEXT    NOT NULL,
    hash      BLOB    NOT NULL UNIQUE,
    scopes    TEXT    NOT NULL,
    created   INTEGER NOT NULL,
    expires   INTEGER,
    revoked   INTEGER,
    last_used INTEGER,
    -- The key that it was made with: it never outlives that one.
    parent    TEXT REFERENCES key (id)
) STRICT;
CREATE INDEX key_vault ON key (vault);
CREATE INDEX key_parent ON key (parent);

-- What an account's vaults inherit.
CREATE TABLE account_setting (
    account TEXT    NOT NULL REFERENCES account (id),
    name    TEXT    NOT NULL,
    value   INTEGER NOT NULL,
    PRIMARY KEY (account, name)
) STRICT, WITHOUT ROWID;

-- Who signs in with a password.
CREATE TABLE person (
    id       TEXT PRIMARY KEY,
    account  TEXT    NOT NULL REFERENCES account (id),
    name     TEXT    NOT NULL,
    login    TEXT    NOT NULL UNIQUE,
    password TEXT    NOT NULL,
    created  INTEGER NOT NULL
) STRICT;

CREATE TABLE session (
    hash    BLOB PRIMARY KEY,
    person  TEXT    NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    created INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX session_person ON session (person);
CREATE INDEX session_expires ON session (expires);

-- Programs that registered themselves. The addresses have a space between them, which none holds.
CREATE TABLE client (
    id            TEXT PRIMARY KEY,
    name          TEXT    NOT NULL,
    redirect_uris TEXT    NOT NULL,
    created       INTEGER NOT NULL,
    -- When a person first allowed it something.
    used          INTEGER
) STRICT;
CREATE INDEX client_unused ON client (created) WHERE used IS NULL;

-- What a person allows a client, with the code that it is fetched by.
CREATE TABLE connection (
    id           TEXT PRIMARY KEY,
    client       TEXT    NOT NULL REFERENCES client (id),
    person       TEXT    NOT NULL REFERENCES person (id) ON DELETE CASCADE,
    vault        TEXT    NOT NULL REFERENCES vault (id),
    scopes       TEXT    NOT NULL,
    resource     TEXT    NOT NULL,
    created      INTEGER NOT NULL,
    code         BLOB    NOT NULL UNIQUE,
    redirect_uri TEXT    NOT NULL,
    challenge    TEXT    NOT NULL,
    code_expires INTEGER NOT NULL,
    redeemed     INTEGER,
    last_used    INTEGER
) STRICT;
CREATE INDEX connection_client ON connection (client);
CREATE INDEX connection_person ON connection (person);
CREATE INDEX connection_vault ON connection (vault);

CREATE TABLE token (
    hash       BLOB PRIMARY KEY,
    connection TEXT    NOT NULL REFERENCES connection (id) ON DELETE CASCADE,
    kind       TEXT    NOT NULL,
    scopes     TEXT    NOT NULL,
    created    INTEGER NOT NULL,
    expires    INTEGER NOT NULL,
    -- When a refresh token was exchanged for its successor.
    replaced   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX token_connection ON token (connection, kind);
CREATE INDEX token_expires ON token (expires);
