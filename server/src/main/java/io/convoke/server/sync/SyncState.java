package io.convoke.server.sync;

/** What the reducer knows of a meeting: its record, and what of its past must not count again. */
record SyncState(SyncRecord record, Marks marks) {}
