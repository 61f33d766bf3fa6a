package io.convoke.engine.dispatch;

import static java.util.stream.Collectors.groupingBy;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Statistics of one key space. A pod's slots are counted in its home key space, its running tasks
 * where the tasks are.
 *
 * @param outboxLength entries of the outbox
 */
record KeySpaceStats(
    KeySpace keySpace, List<LaneStats> lanes, List<PodInfo> pods, long outboxLength) {

  static KeySpaceStats of(KeySpace keySpace, List<?> answer) {
    return new KeySpaceStats(
        keySpace,
        ((List<?>) answer.get(0)).stream().map(LaneStats::of).toList(),
        ((List<?>) answer.get(1)).stream().map(PodInfo::of).toList(),
        (Long) answer.get(2));
  }

  /** Sums up all key spaces. Users choose the names of regions, of which there may be many. */
  static DispatchStats total(List<KeySpaceStats> all) {
    Map<String, List<LaneStats>> lanes =
        all.stream()
            .flatMap(keySpaceStats -> keySpaceStats.lanes.stream())
            .collect(groupingBy(LaneStats::region));
    Map<String, PodInfo> pods = new LinkedHashMap<>();
    for (KeySpaceStats keySpaceStats : all) {
      keySpaceStats.pods.forEach(
          pod -> pods.merge(pod.name(), keySpaceStats.atHome(pod), KeySpaceStats::together));
    }
    List<PodInfo> living = List.copyOf(pods.values());
    Map<String, List<PodInfo>> livingByRegion =
        living.stream().collect(groupingBy(PodInfo::region));
    Set<String> names = new TreeSet<>(lanes.keySet());
    names.addAll(livingByRegion.keySet());
    return new DispatchStats(
        names.stream()
            .map(
                name ->
                    region(
                        name,
                        lanes.getOrDefault(name, List.of()),
                        livingByRegion.getOrDefault(name, List.of())))
            .toList(),
        living,
        all.stream().mapToLong(KeySpaceStats::outboxLength).sum());
  }

  /** The slots that a pod reports count in its home key space only, which it updates last. */
  private PodInfo atHome(PodInfo pod) {
    return keySpace.isHomeOf(pod.region())
        ? pod
        : new PodInfo(pod.name(), pod.region(), 0, 0, pod.held(), false);
  }

  private static PodInfo together(PodInfo one, PodInfo other) {
    return new PodInfo(
        one.name(),
        one.region(),
        one.slots() + other.slots(),
        one.free() + other.free(),
        one.held() + other.held(),
        one.draining() || other.draining());
  }

  private static RegionStats region(String name, List<LaneStats> waiting, List<PodInfo> living) {
    List<PodInfo> taking =
        living.stream().filter(pod -> pod.slots() > 0 && !pod.draining()).toList();
    return new RegionStats(
        name,
        waiting.stream().mapToLong(LaneStats::waiting).sum(),
        living.stream().mapToLong(PodInfo::held).sum(),
        waiting.stream()
            .filter(lane -> lane.oldest() >= 0)
            .map(lane -> Duration.ofMillis(lane.oldest()))
            .max(Duration::compareTo),
        taking.size(),
        taking.stream().mapToLong(PodInfo::slots).sum(),
        taking.stream().mapToLong(PodInfo::free).sum());
  }

  private record LaneStats(String name, long waiting, long oldest) {
    static LaneStats of(Object row) {
      List<?> fields = (List<?>) row;
      return new LaneStats((String) fields.get(0), (Long) fields.get(1), (Long) fields.get(2));
    }

    String region() {
      return KeySpace.regionOf(name);
    }
  }
}
