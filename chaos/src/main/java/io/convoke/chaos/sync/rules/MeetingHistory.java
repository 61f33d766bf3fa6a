package io.convoke.chaos.sync.rules;

import java.util.List;

/**
 * All that was asked and answered about one meeting, and its journal in the order of versions.
 *
 * @param ops in any order
 */
public record MeetingHistory(String meeting, Iterable<SyncCall> ops, List<AppliedUpdate> journal) {}
