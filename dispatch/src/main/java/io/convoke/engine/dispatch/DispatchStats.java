package io.convoke.engine.dispatch;

import java.util.List;

/**
 * How all of dispatch stands.
 *
 * @param pods those that live, in no order
 * @param outboxLength moves that wait in the outbox for the ledger
 */
public record DispatchStats(List<RegionStats> regions, List<PodInfo> pods, long outboxLength) {}
