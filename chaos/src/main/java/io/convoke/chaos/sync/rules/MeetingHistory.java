package io.convoke.chaos.sync.rules;

import java.util.List;

/**
 * All calls about one meeting, and its journal in version order.
 *
 * @param ops in any order
 */
public record MeetingHistory(String meeting, Iterable<SyncCall> ops, List<AppliedUpdate> journal) {}
