package io.convoke.engine.dispatch;

import java.util.List;

/**
 * A pod that lives, by its last word.
 *
 * @param slots tasks that it may run side by side; 0 once it has heard that it is to take none
 * @param free slots without a task
 * @param held tasks that it has leases of
 * @param draining whether it takes no task any more and only ends those that it has
 */
public record PodInfo(
    String name, String region, long slots, long free, long held, boolean draining) {

  /** Reads a row of {@code survey.lua}. */
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
