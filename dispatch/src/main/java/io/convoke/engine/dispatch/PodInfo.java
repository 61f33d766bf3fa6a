package io.convoke.engine.dispatch;

import java.util.List;

/**
 * A live pod as of its last report.
 *
 * @param slots tasks that it may run at the same time; 0 once it drains
 * @param free slots without a task
 * @param held tasks that it has leases on
 * @param draining whether it takes no more tasks
 */
public record PodInfo(
    String name, String region, long slots, long free, long held, boolean draining) {

  /** Reads a row of {@code stats.lua}. */
  static PodInfo of(Object row) {
    List<?> fields = (List<?>) row;
    return new PodInfo(
        (String) fields.get(4),
        (String) fields.get(0),
        (Long) fields.get(1),
        (Long) fields.get(2),
        (Long) fields.get(3),
        fields.get(5).equals(1L));
  }
}
