package io.convoke.engine.dispatch;

import java.util.List;

/**
 * Statistics of dispatch.
 *
 * @param pods live pods, unordered
 * @param outboxLength outbox entries that wait for the database
 */
public record DispatchStats(List<RegionStats> regions, List<PodInfo> pods, long outboxLength) {}
