package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.Optional;

/**
 * How a region stands; the name {@link KeySpace#GLOBAL} stands for tasks of no region.
 *
 * @param pending tasks of the region that wait, in its own queue or in the global one
 * @param processing tasks that its pods run, wherever they came from
 * @param oldest how long its oldest waiting task has waited
 * @param pods pods that live and take tasks
 */
public record RegionStats(
    String name,
    long pending,
    long processing,
    Optional<Duration> oldest,
    long pods,
    long slots,
    long free) {}
