package io.convoke.engine.dispatch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What the model knows of the pods of a place. */
final class ModelPods {
  static final List<String> PODS = List.of("eu-1", "eu-2", "us-1");

  /** Until when each counts as alive; one that is not here left nothing behind. */
  private final Map<String, Long> alive = new HashMap<>();

  /** What each said last of its slots. */
  private final Map<String, Integer> slots = new HashMap<>();

  /** What each was told last, if anything, of whether it is to take tasks. */
  private final Map<String, Boolean> drained = new HashMap<>();

  /** One of them takes snapshots only. */
  static PodCapacity capacity(String pod) {
    return pod.equals("eu-2")
        ? new PodCapacity(1, Map.of("snapshot", 0.0), OptionalDouble.empty())
        : PodCapacity.COUNT_ONLY;
  }

  static boolean takesType(String pod, String type) {
    return capacity(pod).onlyTypes().map(types -> types.contains(type)).orElse(true);
  }

  /** A pod was heard. */
  void said(String pod, int offered, long until) {
    alive.put(pod, until);
    slots.put(pod, offered);
  }

  /** A renewal without slots: the pod knows that it is to take nothing, if nobody else does. */
  void offersNothing(String pod) {
    Boolean _ = drained.putIfAbsent(pod, true);
  }

  /** What it is told, and the answer to who told it. */
  TransitionResult drain(String pod, boolean drain, long now) {
    boolean fresh = drains(pod) != drain;
    if (alive.containsKey(pod)) {
      drained.put(pod, drain);
    }
    return !lives(pod, now)
        ? TransitionResult.UNKNOWN
        : fresh ? TransitionResult.APPLIED : TransitionResult.REPEATED;
  }

  /** The store forgot all of them. */
  void forget() {
    alive.clear();
    slots.clear();
    drained.clear();
  }

  /** Nothing is left of the dead, once what they held was taken from them. */
  void bury(long now) {
    boolean _ = alive.values().removeIf(until -> until < now);
    boolean _ = slots.keySet().retainAll(alive.keySet());
    boolean _ = drained.keySet().retainAll(alive.keySet());
  }

  boolean lives(String pod, long now) {
    return alive.getOrDefault(pod, 0L) >= now;
  }

  boolean drains(String pod) {
    return drained.getOrDefault(pod, false);
  }

  /** Whether somebody of a region takes what waits there. */
  boolean takes(String region, long now) {
    return PODS.stream()
        .anyMatch(
            pod ->
                pod.startsWith(region)
                    && lives(pod, now)
                    && slots.getOrDefault(pod, 0) > 0
                    && !drains(pod));
  }
}
