package io.convoke.lab.chaos.sync.verdict;

import java.util.List;

/** All that was asked and answered about one meeting, and its journal in the order of versions. */
public record MeetingHistory(String meeting, List<Op> ops, List<Entry> journal) {}
