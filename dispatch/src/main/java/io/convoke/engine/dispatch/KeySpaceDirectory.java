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
 * The key spaces of dispatch: one, or on a cluster one for each region and one for the global
 * queue. Regions register in a set in the global key space. A process refreshes its copy when it
 * needs to and writes its own entries back, in case a failover lost them.
 */
final class KeySpaceDirectory {
  /**
   * Most regions of a cluster that tasks may add; each costs a maintainer two connections. Pods add
   * theirs beyond it: users choose the regions of tasks, and must not keep those of pods out.
   */
  static final int REGIONS_MAX = 64;

  private final Redis redis;
  private final DispatchConfig config;
  private final boolean many;
  private final TaskScripts global;
  private final Map<KeySpace, TaskScripts> scripts = new ConcurrentHashMap<>();

  /** Regions that this process knows. */
  private final Set<String> regions = ConcurrentHashMap.newKeySet();

  /** Regions that were registered since the last connect. */
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

  /** Whether Redis is a cluster, with many key spaces. */
  boolean many() {
    return many;
  }

  /** The key space of the global queue. */
  TaskScripts global() {
    return global;
  }

  /** The key space of a region, or of {@link KeySpace#GLOBAL}. */
  TaskScripts home(String region) {
    return many ? at(KeySpace.of(region)) : global;
  }

  /** The key space of a lane; the overflow queue of a region is in the region's key space. */
  TaskScripts ofLane(String lane) {
    return home(KeySpace.regionOf(lane));
  }

  /**
   * Registers the region of a task, once for each connect. False if there are too many regions.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when the global key space is unreachable
   */
  boolean register(String region) {
    return register(region, REGIONS_MAX);
  }

  /**
   * Registers the region of a pod or of an accepted task, however many regions there are.
   *
   * @throws io.convoke.engine.redis.RedisUnavailable when the global key space is unreachable
   */
  void registerAlways(String region) {
    boolean _ = register(region, Integer.MAX_VALUE);
  }

  private boolean register(String region, int most) {
    if (!many || region.equals(KeySpace.GLOBAL) || registered.contains(region)) {
      return true;
    }
    Set<String> all = global.register(List.of(region), most).on(redis);
    addRegions(all);
    return all.contains(region);
  }

  /** All registered key spaces, read from Redis. */
  List<TaskScripts> refresh() {
    if (many) {
      // All were registered before, those of pods too.
      addRegions(global.register(List.copyOf(regions), Integer.MAX_VALUE).on(redis));
    }
    return known();
  }

  /** All key spaces that this process knows, the global one first. */
  List<TaskScripts> known() {
    List<TaskScripts> all = new ArrayList<>();
    all.add(global);
    new TreeSet<>(regions).forEach(region -> all.add(home(region)));
    return all;
  }

  /** Groups tasks by their key space. */
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
