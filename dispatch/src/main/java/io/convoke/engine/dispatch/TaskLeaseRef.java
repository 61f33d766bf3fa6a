package io.convoke.engine.dispatch;

/** A task and the fence that its holder sends with each report. */
record TaskLeaseRef(String id, String fence) {}
