package io.convoke.engine.durable;

import io.convoke.engine.durable.provider.ConcurrencyLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The options of one job. A job with a limit runs in the order of its key, so it has neither a
 * priority nor a time; and a job with a time has no priority.
 *
 * @param runAt when it may run, by the database's clock; empty is at once
 * @param unique while a job of this name with this key waits or runs, no other one is enqueued
 * @param priority 0 to 9; 0 is ordinary
 * @param limit how many jobs of a key may run at the same time, on all nodes together
 * @param tags by which it is found again, at most 20 of at most 200 characters
 */
public record EnqueueOptions(
    Optional<Instant> runAt,
    Optional<String> unique,
    int priority,
    Optional<ConcurrencyLimit> limit,
    List<String> tags) {
  /** Runs at once. */
  public static final EnqueueOptions NONE =
      new EnqueueOptions(Optional.empty(), Optional.empty(), 0, Optional.empty(), List.of());

  private static final int PRIORITY_MAX = 9;
  private static final int TEXT_MAX = 200;
  private static final int TAGS_MAX = 20;

  public EnqueueOptions {
    tags = List.copyOf(tags);
    require(priority >= 0 && priority <= PRIORITY_MAX, "a priority is 0 to 9: " + priority);
    require(
        runAt.isEmpty() || priority == 0, "a job that runs at an instant cannot have a priority");
    require(
        limit.isEmpty() || (runAt.isEmpty() && priority == 0),
        "a job with a limit runs in the order of its key, without instant and priority");
    require(tags.size() <= TAGS_MAX, "a job has at most " + TAGS_MAX + " tags");
    tags.forEach(tag -> checkText("a tag", tag));
    unique.ifPresent(key -> checkText("a unique key", key));
  }

  /** Runs it no earlier than an instant. */
  public EnqueueOptions at(Instant instant) {
    return new EnqueueOptions(Optional.of(instant), unique, priority, limit, tags);
  }

  /** Runs it no earlier than a time from now, by the clock of this machine. */
  public EnqueueOptions in(Duration delay) {
    return at(Instant.now().plus(delay));
  }

  /**
   * Enqueues it only if no job of the same name with this key waits or runs. A {@link DeadJob} has
   * given its key back.
   */
  public EnqueueOptions unique(String key) {
    return new EnqueueOptions(runAt, Optional.of(key), priority, limit, tags);
  }

  /**
   * Runs it before waiting jobs of the same name with a lower priority. A level is a head start of
   * an hour: a job of level 2 runs before those of level 0 that were enqueued less than two hours
   * before it. So no job waits for ever behind more important ones. An attempt after a failure has
   * no head start.
   *
   * @param level 0, the ordinary one, to 9
   */
  public EnqueueOptions priority(int level) {
    return new EnqueueOptions(runAt, unique, level, limit, tags);
  }

  /**
   * Limits how many jobs and activities of a key run at the same time, over all names and nodes;
   * see {@link ActivityOptions#atMost}.
   */
  public EnqueueOptions atMost(int many, String key) {
    return new EnqueueOptions(
        runAt, unique, priority, Optional.of(new ConcurrencyLimit(key, many)), tags);
  }

  /** Adds tags, by which {@link Durable#jobs} finds it. */
  public EnqueueOptions tagged(String... more) {
    return new EnqueueOptions(
        runAt, unique, priority, limit, Stream.concat(tags.stream(), Stream.of(more)).toList());
  }

  private static void checkText(String what, String text) {
    require(
        !text.isBlank() && text.length() <= TEXT_MAX && text.indexOf('\0') < 0,
        what + " has 1 to " + TEXT_MAX + " characters: " + text);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }
}
