package io.convoke.engine.dispatch;

/** A task in the hands of a pod: what it shows with every word about it. */
record TaskLeaseRef(String id, String fence) {}
