package io.convoke.engine.dispatch;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The model's state of the pods of a key space. */
final class ModelPods {
  static final List<String> PODS = List.of("eu-1", "eu-2", "us-1");

  /** Time until which each pod counts as alive; an absent pod left no keys. */
  private final Map<String, Long> alive = new HashMap<>();

  /** The slots that each pod last reported. */
  private final Map<String, Integer> slots = new HashMap<>();

  /** The drain setting of each pod, if any. */
  private final Map<String, RenewResult.DrainSetting> drained = new HashMap<>();

  /** What each pod was told last, which it keeps when Redis forgets. */
  private final Map<String, RenewResult.DrainSetting> told = new HashMap<>();

  /** One of them takes snapshot tasks only. */
  static PodCapacity capacity(String pod) {
    return pod.equals("eu-2")
        ? new PodCapacity(1, Map.of("snapshot", 0.0), OptionalDouble.empty())
        : PodCapacity.COUNT_ONLY;
  }

  static boolean takesType(String pod, String type) {
    return capacity(pod).onlyTypes().map(types -> types.contains(type)).orElse(true);
  }

  /** A pod reported. */
  void said(String pod, int offered, long until) {
    alive.put(pod, until);
    slots.put(pod, offered);
  }

  /** The setting that a pod repeats. */
  RenewResult.DrainSetting told(String pod) {
    return told.getOrDefault(pod, RenewResult.DrainSetting.NONE);
  }

  /** A pod repeats this setting; returns the one that it is to be told. */
  RenewResult.DrainSetting repeats(String pod, RenewResult.DrainSetting setting) {
    if (setting.number() > setting(pod).number()) {
      drained.put(pod, setting);
    }
    told.put(pod, setting(pod));
    return setting(pod);
  }

  /** Sets the drain flag; returns the expected result. */
  TransitionResult drain(String pod, boolean drain, long now) {
    boolean fresh = drains(pod) != drain;
    if (alive.containsKey(pod)) {
      long number = Math.max(now, setting(pod).number() + 1);
      drained.put(pod, new RenewResult.DrainSetting(drain, number));
    }
    return !lives(pod, now)
        ? TransitionResult.UNKNOWN
        : fresh ? TransitionResult.APPLIED : TransitionResult.REPEATED;
  }

  /** Redis lost all pods. */
  void forget() {
    alive.clear();
    slots.clear();
    drained.clear();
  }

  /** Dead pods without leases are removed. */
  void bury(long now) {
    boolean _ = alive.values().removeIf(until -> until < now);
    boolean _ = slots.keySet().retainAll(alive.keySet());
    boolean _ = drained.keySet().retainAll(alive.keySet());
  }

  boolean lives(String pod, long now) {
    return alive.getOrDefault(pod, 0L) >= now;
  }

  boolean drains(String pod) {
    return setting(pod).drain();
  }

  private RenewResult.DrainSetting setting(String pod) {
    return drained.getOrDefault(pod, RenewResult.DrainSetting.NONE);
  }

  /** Whether a live pod of a region takes tasks. */
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
