package io.convoke.engine.durable.postgres;

import io.convoke.engine.durable.provider.LockStatus;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The lock status of each element of a batch, in the batch's order. A lock that occurs twice is
 * held once: the second occurrence is lost.
 */
record AckResults(List<LockStatus> answers) {
  static <R> AckResults of(List<R> asked, Collection<R> held) {
    Set<R> left = new HashSet<>(held);
    List<LockStatus> answers = new ArrayList<>(asked.size());
    for (R each : asked) {
      answers.add(left.remove(each) ? LockStatus.HELD : LockStatus.LOST);
    }
    return new AckResults(answers);
  }

  /** The elements of a list, in the batch's order, whose locks were held. */
  <T> List<T> those(List<T> batch) {
    List<T> granted = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (answers.get(i) == LockStatus.HELD) {
        granted.add(batch.get(i));
      }
    }
    return granted;
  }
}
