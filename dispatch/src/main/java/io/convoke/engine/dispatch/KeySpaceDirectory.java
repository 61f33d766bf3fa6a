package io.convoke.engine.dispatch;

import static java.util.stream.Collectors.groupingBy;

import io.convoke.engine.redis.Redis;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where tasks are: one place, or on a cluster one for each region and one for the global queue. The
 * regions that have a place stand in a directory in the global one; a process asks for it when it
 * has to, and gives it back what it knows itself, should a failover have lost some of it.
 */
final class KeySpaceDirectory {
  /** Regions of a cluster at most: each costs those who tend two connections. */
  static final int REGIONS_MAX = 64;

  private final Redis redis;
  private final DispatchConfig config;
  private final boolean many;
  private final TaskScripts global;
  private final Map<KeySpace, TaskScripts> scripts = new ConcurrentHashMap<>();

  /** Regions that have a place, as far as this process has heard. */
  private final Set<String> regions = ConcurrentHashMap.newKeySet();

  /** Those of them that the directory has heard of since the last connect. */
  private final Set<String> registered = ConcurrentHashMap.newKeySet();

  KeySpaceDirectory(Redis redis, DispatchConfig config) {
    this.redis = redis;
    this.config = config;
    this.many = redis.clustered();
    this.global = at(many ? KeySpace.of(KeySpace.GLOBAL) : KeySpace.ONE);
    if (many) {
      redis.onConnect(registered::clear);
    }
  }

  /** Whether there is more than one place. */
  boolean many() {
    return many;
  }

  /** Where the global queue is. */
  TaskScripts global() {
    return global;
  }

  /** Where the tasks and pods of a region are, or of {@link KeySpace#GLOBAL}. */
  TaskScripts home(String region) {
    return many ? at(KeySpace.of(region)) : global;
  }

  /** Where a lane is: that of a region within the global queue is in the region's place. */
  TaskScripts ofLane(String lane) {
    return home(KeySpace.regionOf(lane));
  }

  /**
   * Notes that a region has a place; once for each connect. False when there are too many.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when the directory is out of reach
   */
  boolean register(String region) {
    if (!many || region.equals(KeySpace.GLOBAL) || registered.contains(region)) {
      return true;
    }
    Set<String> all = global.register(List.of(region)).on(redis);
    addRegions(all);
    return all.contains(region);
  }

  /** All places there are, by the directory as it is now. */
  List<TaskScripts> refresh() {
    if (many) {
      addRegions(global.register(List.copyOf(regions)).on(redis));
    }
    return known();
  }

  /** All places that this process has heard of, the global one first. */
  List<TaskScripts> known() {
    List<TaskScripts> all = new ArrayList<>();
    all.add(global);
    new TreeSet<>(regions).forEach(region -> all.add(home(region)));
    return all;
  }

  /** Tasks by the place that they belong to. */
  Map<TaskScripts, List<OpenTask>> byHome(List<OpenTask> tasks) {
    return tasks.stream().collect(groupingBy(task -> home(regionOf(task.region()))));
  }

  static String regionOf(Optional<String> region) {
    return region.orElse(KeySpace.GLOBAL);
  }

  private void addRegions(Set<String> all) {
    regions.addAll(all);
    registered.addAll(all);
  }

  private TaskScripts at(KeySpace keySpace) {
    return scripts.computeIfAbsent(keySpace, it -> new TaskScripts(it, config));
  }
}
