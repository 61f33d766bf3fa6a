package io.convoke.engine.dispatch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * How one place stands. A pod is counted where it is at home; what it runs, where the tasks are.
 *
 * @param untold moves that wait in the outbox
 */
record Look(Place place, List<LaneRow> lanes, List<PodRow> pods, long untold) {

  static Look of(Place place, List<?> answer) {
    return new Look(
        place,
        ((List<?>) answer.get(0)).stream().map(LaneRow::of).toList(),
        ((List<?>) answer.get(1)).stream().map(row -> PodRow.of(place, row)).toList(),
        (Long) answer.get(2));
  }

  /** All places together. */
  static Survey survey(List<Look> looks) {
    List<LaneRow> lanes = looks.stream().flatMap(look -> look.lanes.stream()).toList();
    List<PodRow> pods = looks.stream().flatMap(look -> look.pods.stream()).toList();
    Set<String> names = new TreeSet<>();
    lanes.forEach(lane -> names.add(lane.region()));
    pods.forEach(pod -> names.add(pod.region()));
    return new Survey(
        names.stream().map(name -> region(name, lanes, pods)).toList(),
        looks.stream().mapToLong(Look::untold).sum());
  }

  private static Region region(String name, List<LaneRow> lanes, List<PodRow> pods) {
    List<LaneRow> waiting = lanes.stream().filter(lane -> lane.region().equals(name)).toList();
    List<PodRow> living = pods.stream().filter(pod -> pod.region().equals(name)).toList();
    List<PodRow> taking = living.stream().filter(pod -> pod.atHome() && pod.slots() > 0).toList();
    return new Region(
        name,
        waiting.stream().mapToLong(LaneRow::waiting).sum(),
        living.stream().mapToLong(PodRow::held).sum(),
        waiting.stream()
            .filter(lane -> lane.oldest() >= 0)
            .map(lane -> Duration.ofMillis(lane.oldest()))
            .max(Duration::compareTo),
        taking.size(),
        taking.stream().mapToLong(PodRow::slots).sum(),
        taking.stream().mapToLong(PodRow::free).sum());
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

  private record PodRow(String region, boolean atHome, long slots, long free, long held) {
    static PodRow of(Place place, Object row) {
      List<?> fields = (List<?>) row;
      String region = (String) fields.get(0);
      return new PodRow(
          region,
          place.isHomeOf(region),
          (Long) fields.get(1),
          (Long) fields.get(2),
          (Long) fields.get(3));
    }
  }
}
