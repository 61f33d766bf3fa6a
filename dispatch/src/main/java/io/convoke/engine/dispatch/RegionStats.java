package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Optional;

/**
 * Statistics of a region; {@link KeySpace#GLOBAL} stands for tasks without a region.
 *
 * @param pending tasks that wait, in the region's queue or its overflow queue
 * @param processing tasks that the region's pods run, from any queue
 * @param oldest how long the oldest pending task has waited
 * @param pods live pods that take tasks
 */
public record RegionStats(
    String name,
    long pending,
    long processing,
    Optional<Duration> oldest,
    long pods,
    long slots,
    long free) {}
