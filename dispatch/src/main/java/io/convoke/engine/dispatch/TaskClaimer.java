package io.convoke.engine.dispatch;

import io.convoke.engine.redis.Redis;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Runs the claim rounds of a pod. On a single Redis a round is one call. On a cluster the pod
 * claims at home first, then requests turns from the global key space and claims where those lanes
 * are, until its slots are full or a round returns nothing. An unused turn is lost; the lane gets
 * its next one.
 */
final class TaskClaimer {
  /** On a cluster one of so many tasks may have no region; as in claim.lua. */
  private static final int SHARE = 4;

  /** Extra turns for a pod with named types: turns are allotted whatever types wait. */
  private static final int LINES_IN_VAIN = 16;

  private final Redis redis;
  private final KeySpaceDirectory keySpaceDirectory;
  private final PodId name;
  private final SlotPool slotPool;
  private final ClaimedTaskHandler claimedTaskHandler;
  private final ClaimFailureListener claimFailureListener;
  private final LostClaimRecovery lostClaimRecovery;

  /** On a cluster: tasks of its own region since it last claimed one without a region. */
  private int sinceShared;

  /** Starts claimed tasks. */
  @FunctionalInterface
  interface ClaimedTaskHandler {
    void begin(TaskScripts at, List<Task> tasks, long sentNanos);
  }

  /** Receives the failure of a claim in one key space; the others go on. */
  @FunctionalInterface
  interface ClaimFailureListener {
    void failed(Throwable error);
  }

  /** Results of a round: the number of tasks, and which lanes have more. */
  private static final class ClaimRound {
    private final Map<String, Boolean> lanes = new HashMap<>();
    private int given;

    private void served(String lane, ClaimResult claimResult) {
      given += claimResult.tasks().size();
      lanes.put(lane, claimResult.more());
    }
  }

  TaskClaimer(
      Redis redis,
      KeySpaceDirectory keySpaceDirectory,
      PodId name,
      SlotPool slotPool,
      ClaimedTaskHandler claimedTaskHandler,
      ClaimFailureListener claimFailureListener) {
    this.redis = redis;
    this.keySpaceDirectory = keySpaceDirectory;
    this.name = name;
    this.slotPool = slotPool;
    this.claimedTaskHandler = claimedTaskHandler;
    this.claimFailureListener = claimFailureListener;
    this.lostClaimRecovery = new LostClaimRecovery(redis, name, slotPool);
  }

  /** The result of a claim round. */
  enum ClaimRoundResult {
    /** No slot was free. */
    NO_SLOT,
    /** Nothing was claimed, and a task was left because it costs more than the pod has free. */
    TOO_COSTLY,
    /** Tasks were claimed, or none waits for this pod. */
    DONE
  }

  /** Claims for the free slots. One round at a time. */
  CompletionStage<ClaimRoundResult> claimRound() {
    return lostClaimRecovery.returnClaims().thenCompose(tried -> claim());
  }

  private CompletionStage<ClaimRoundResult> claim() {
    SlotPool.FreeCapacity freeCapacity = slotPool.room();
    if (freeCapacity.free().isEmpty()) {
      return CompletableFuture.completedStage(ClaimRoundResult.NO_SLOT);
    }
    if (!keySpaceDirectory.many()) {
      return claim(
              keySpaceDirectory.global(),
              freeCapacity,
              freeCapacity.free(),
              name.region(),
              KeySpace.GLOBAL)
          .thenApply(
              claimResult ->
                  claimResult.tasks().isEmpty() && claimResult.refused()
                      ? ClaimRoundResult.TOO_COSTLY
                      : ClaimRoundResult.DONE);
    }
    return claimShare()
        .thenCompose(shared -> claimAtHome())
        .thenCompose(asked -> claimElsewhere())
        .thenApply(done -> ClaimRoundResult.DONE);
  }

  /** Claims one task without a region when it is time for one. */
  private CompletionStage<Boolean> claimShare() {
    if (sinceShared < SHARE - 1) {
      return nothing();
    }
    sinceShared = 0;
    SlotPool.FreeCapacity freeCapacity = slotPool.room();
    return claim(
            keySpaceDirectory.global(),
            freeCapacity,
            freeCapacity.free().subList(0, 1),
            KeySpace.GLOBAL,
            "")
        .handle((claimResult, error) -> reportFailure(error));
  }

  private CompletionStage<Boolean> claimAtHome() {
    SlotPool.FreeCapacity freeCapacity = slotPool.room();
    if (freeCapacity.free().isEmpty()) {
      return nothing();
    }
    return claim(
            keySpaceDirectory.home(name.region()),
            freeCapacity,
            freeCapacity.free(),
            name.region(),
            "")
        .handle(
            (claimResult, error) -> {
              if (error == null) {
                sinceShared += claimResult.tasks().size();
              }
              return reportFailure(error);
            });
  }

  private CompletionStage<Boolean> claimElsewhere() {
    int free = slotPool.room().free().size();
    if (free == 0) {
      return CompletableFuture.completedStage(true);
    }
    boolean namedTypesOnly = slotPool.capacity().onlyTypes().isPresent();
    return keySpaceDirectory
        .global()
        .allot(namedTypesOnly ? free + LINES_IN_VAIN : free)
        .begin(redis)
        .thenCompose(allotments -> allotments.isEmpty() ? nothing() : serve(allotments));
  }

  private static CompletionStage<Boolean> nothing() {
    return CompletableFuture.completedStage(false);
  }

  /** One lane after the other, since each reduces the free capacity for the next. */
  private CompletionStage<Boolean> serve(List<LaneAllotment> allotments) {
    ClaimRound claimRound = new ClaimRound();
    CompletionStage<Boolean> all = nothing();
    for (LaneAllotment laneAllotment : allotments) {
      all = all.thenCompose(before -> serve(laneAllotment, claimRound));
    }
    return all.thenCompose(
        done -> {
          boolean more = claimRound.given > 0 && claimRound.lanes.containsValue(true);
          if (more || claimRound.lanes.containsValue(false)) {
            updateHints(more, claimRound.lanes);
          }
          return claimRound.given > 0 ? claimElsewhere() : nothing();
        });
  }

  private CompletionStage<Boolean> serve(LaneAllotment laneAllotment, ClaimRound claimRound) {
    SlotPool.FreeCapacity freeCapacity = slotPool.room();
    List<Integer> free =
        freeCapacity.free().subList(0, Math.min(laneAllotment.count(), freeCapacity.free().size()));
    if (free.isEmpty()) {
      return nothing();
    }
    return claim(
            keySpaceDirectory.ofLane(laneAllotment.lane()),
            freeCapacity,
            free,
            laneAllotment.lane(),
            "")
        .handle(
            (claimResult, error) -> {
              if (error == null) {
                claimRound.served(laneAllotment.lane(), claimResult);
              }
              return reportFailure(error);
            });
  }

  /** Removes empty lanes from the rotation; if others have more tasks, wakes another pod. */
  private void updateHints(boolean more, Map<String, Boolean> lanes) {
    var _ =
        keySpaceDirectory
            .global()
            .wakeup(more, slotPool.capacity().onlyTypes().orElse(Set.of()), lanes)
            .begin(redis)
            .whenComplete((count, error) -> reportFailure(error));
  }

  private CompletionStage<ClaimResult> claim(
      TaskScripts at,
      SlotPool.FreeCapacity freeCapacity,
      List<Integer> free,
      String lane,
      String others) {
    long sent = System.nanoTime();
    return at.claim(
            name,
            slotPool.count(),
            free,
            freeCapacity.capacity(),
            freeCapacity.left(),
            lane,
            others)
        .begin(redis)
        .whenComplete(
            (claimResult, error) -> {
              if (error != null) {
                lostClaimRecovery.replyLost(at);
              }
            })
        .thenApply(
            claimResult -> {
              claimedTaskHandler.begin(at, claimResult.tasks(), sent);
              return claimResult;
            });
  }

  private boolean reportFailure(@Nullable Throwable error) {
    if (error != null) {
      claimFailureListener.failed(error);
    }
    return error == null;
  }
}
