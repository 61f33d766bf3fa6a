package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How one place stands. A pod is counted where it is at home; what it runs, where the tasks are.
 *
 * @param untold moves that wait in the outbox
 */
record Look(Place place, List<LaneRow> lanes, List<LivePod> pods, long untold) {

  static Look of(Place place, List<?> answer) {
    return new Look(
        place,
        ((List<?>) answer.get(0)).stream().map(LaneRow::of).toList(),
        ((List<?>) answer.get(1)).stream().map(LivePod::of).toList(),
        (Long) answer.get(2));
  }

  /** All places together. */
  static Survey survey(List<Look> looks) {
    List<LaneRow> lanes = looks.stream().flatMap(look -> look.lanes.stream()).toList();
    Map<String, LivePod> pods = new LinkedHashMap<>();
    for (Look look : looks) {
      look.pods.forEach(pod -> pods.merge(pod.name(), look.atHome(pod), Look::together));
    }
    List<LivePod> living = List.copyOf(pods.values());
    Set<String> names = new TreeSet<>();
    lanes.forEach(lane -> names.add(lane.region()));
    living.forEach(pod -> names.add(pod.region()));
    return new Survey(
        names.stream().map(name -> region(name, lanes, living)).toList(),
        living,
        looks.stream().mapToLong(Look::untold).sum());
  }

  /** What it says of its slots counts at home only, where it says it last. */
  private LivePod atHome(LivePod pod) {
    return place.isHomeOf(pod.region())
        ? pod
        : new LivePod(pod.name(), pod.region(), 0, 0, pod.held(), false);
  }

  private static LivePod together(LivePod one, LivePod other) {
    return new LivePod(
        one.name(),
        one.region(),
        one.slots() + other.slots(),
        one.free() + other.free(),
        one.held() + other.held(),
        one.draining() || other.draining());
  }

  private static Region region(String name, List<LaneRow> lanes, List<LivePod> pods) {
    List<LaneRow> waiting = lanes.stream().filter(lane -> lane.region().equals(name)).toList();
    List<LivePod> living = pods.stream().filter(pod -> pod.region().equals(name)).toList();
    List<LivePod> taking =
        living.stream().filter(pod -> pod.slots() > 0 && !pod.draining()).toList();
    return new Region(
        name,
        waiting.stream().mapToLong(LaneRow::waiting).sum(),
        living.stream().mapToLong(LivePod::held).sum(),
        waiting.stream()
            .filter(lane -> lane.oldest() >= 0)
            .map(lane -> Duration.ofMillis(lane.oldest()))
            .max(Duration::compareTo),
        taking.size(),
        taking.stream().mapToLong(LivePod::slots).sum(),
        taking.stream().mapToLong(LivePod::free).sum());
  }

  private record LaneRow(String name, long waiting, long oldest) {
    static LaneRow of(Object row) {
      List<?> fields = (List<?>) row;
      return new LaneRow((String) fields.get(0), (Long) fields.get(1), (Long) fields.get(2));
    }

    String region() {
      return Place.regionOf(name);
    }
  }
}
