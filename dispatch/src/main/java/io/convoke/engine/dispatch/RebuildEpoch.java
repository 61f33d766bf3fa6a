package io.convoke.engine.dispatch;

/**
 * A generation of a key space, from one comparison with the database to the next. Redis and the
 * database refuse what a process read in an earlier generation.
 *
 * @param keySpace the prefix of its keys
 * @param id random; empty in a Redis that was never compared
 */
record RebuildEpoch(String keySpace, String id) {}
