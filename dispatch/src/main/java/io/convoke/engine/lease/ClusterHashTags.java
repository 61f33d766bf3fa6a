package io.convoke.engine.lease;

import io.lettuce.core.cluster.SlotHash;

/**
 * A hash tag for each slot of a cluster, for what a slot keeps beside the keys of its users. They
 * are numbers, the smallest of each slot, and the same in every process.
 */
final class ClusterHashTags {
  private static final int[] NUMBERS = numbers();

  private ClusterHashTags() {}

  /** A hash tag of this slot, with its braces. */
  static String tag(int slot) {
    return "{" + NUMBERS[slot] + "}";
  }

  private static int[] numbers() {
    int[] numbers = new int[SlotHash.SLOT_COUNT];
    int missing = numbers.length;
    for (int number = 1; missing > 0; number++) {
      int slot = SlotHash.getSlot(Integer.toString(number));
      if (numbers[slot] == 0) {
        numbers[slot] = number;
        missing--;
      }
    }
    return numbers;
  }
}
