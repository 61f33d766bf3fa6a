package io.convoke.lab.chaos.sync.verdict;

import java.util.List;

/**
 * All that was asked and answered about one meeting, and its journal in the order of versions.
 *
 * @param ops in any order
 */
public record MeetingHistory(String meeting, Iterable<Op> ops, List<Entry> journal) {}
