package io.convoke.engine.dispatch;

/**
 * What a place holds from one comparison with the ledger to the next. What somebody read in an
 * earlier one is old, however long they slept over it: neither the ledger nor Redis takes it.
 *
 * @param keySpace the prefix of its keys
 * @param id made up for each comparison; empty in a Redis that has not been compared
 */
record RebuildEpoch(String keySpace, String id) {}
