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
