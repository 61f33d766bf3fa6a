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
 * One look of a pod for work. On one Redis it is one call. On a cluster the pod claims at home
 * first, then asks the global place whose turn it is and claims where those lanes are, until its
 * slots are full or a round brings nothing. A turn that cannot be used is lost, no more: the lane
 * has its next one.
 */
final class Search {
  /** Of so many tasks that a pod takes on a cluster one may be of no region; as in claim.lua. */
  private static final int SHARE = 4;

  /** Lines that a pod with named types may try in vain: a turn is given whatever types wait. */
  private static final int LINES_IN_VAIN = 16;

  private final Redis redis;
  private final Places places;
  private final PodName name;
  private final Slots slots;
  private final Taken taken;
  private final Trouble trouble;
  private final Unheard unheard;

  /** On a cluster: how many tasks of its own region it took since it asked for one of no region. */
  private int sinceShared;

  /** Who begins what was claimed. */
  @FunctionalInterface
  interface Taken {
    void begin(Functions at, List<Task> tasks, long sentNanos);
  }

  /** Who hears that a place could not be asked; the others are. */
  @FunctionalInterface
  interface Trouble {
    void failed(Throwable error);
  }

  /** What a round has brought so far, and which lanes hold more. */
  private static final class Round {
    private final Map<String, Boolean> lanes = new HashMap<>();
    private int given;

    private void served(String lane, Claimed claimed) {
      given += claimed.tasks().size();
      lanes.put(lane, claimed.more());
    }
  }

  Search(Redis redis, Places places, PodName name, Slots slots, Taken taken, Trouble trouble) {
    this.redis = redis;
    this.places = places;
    this.name = name;
    this.slots = slots;
    this.taken = taken;
    this.trouble = trouble;
    this.unheard = new Unheard(redis, name, slots);
  }

  /** What a look came to. */
  enum Found {
    /** No slot was free. */
    NO_SLOT,
    /** Nothing was taken, and something was left because it costs more than the pod has free. */
    TOO_COSTLY,
    /** All else: it took something, or nothing waits for it. */
    DONE
  }

  /** Claims for the slots that are free. One look at a time. */
  CompletionStage<Found> look() {
    return unheard.giveBack().thenCompose(tried -> claim());
  }

  private CompletionStage<Found> claim() {
    Slots.Room room = slots.room();
    if (room.free().isEmpty()) {
      return CompletableFuture.completedStage(Found.NO_SLOT);
    }
    if (!places.many()) {
      return claim(places.global(), room, room.free(), name.region(), Place.GLOBAL)
          .thenApply(
              claimed ->
                  claimed.tasks().isEmpty() && claimed.refused() ? Found.TOO_COSTLY : Found.DONE);
    }
    return takeShare()
        .thenCompose(shared -> takeAtHome())
        .thenCompose(asked -> lookElsewhere())
        .thenApply(done -> Found.DONE);
  }

  /** One task of no region, when it is time for one. */
  private CompletionStage<Boolean> takeShare() {
    if (sinceShared < SHARE - 1) {
      return nothing();
    }
    sinceShared = 0;
    Slots.Room room = slots.room();
    return claim(places.global(), room, room.free().subList(0, 1), Place.GLOBAL, "")
        .handle((claimed, error) -> tellIfFailed(error));
  }

  private CompletionStage<Boolean> takeAtHome() {
    Slots.Room room = slots.room();
    if (room.free().isEmpty()) {
      return nothing();
    }
    return claim(places.home(name.region()), room, room.free(), name.region(), "")
        .handle(
            (claimed, error) -> {
              if (error == null) {
                sinceShared += claimed.tasks().size();
              }
              return tellIfFailed(error);
            });
  }

  private CompletionStage<Boolean> lookElsewhere() {
    int free = slots.room().free().size();
    if (free == 0) {
      return CompletableFuture.completedStage(true);
    }
    boolean picky = slots.capacity().onlyTypes().isPresent();
    return places
        .global()
        .turn(picky ? free + LINES_IN_VAIN : free)
        .begin(redis)
        .thenCompose(turns -> turns.isEmpty() ? nothing() : serve(turns));
  }

  private static CompletionStage<Boolean> nothing() {
    return CompletableFuture.completedStage(false);
  }

  /** One lane after the other, since each leaves less capacity for the next. */
  private CompletionStage<Boolean> serve(List<Turn> turns) {
    Round round = new Round();
    CompletionStage<Boolean> all = nothing();
    for (Turn turn : turns) {
      all = all.thenCompose(before -> serve(turn, round));
    }
    return all.thenCompose(
        done -> {
          boolean more = round.given > 0 && round.lanes.containsValue(true);
          if (more || round.lanes.containsValue(false)) {
            tell(more, round.lanes);
          }
          return round.given > 0 ? lookElsewhere() : nothing();
        });
  }

  private CompletionStage<Boolean> serve(Turn turn, Round round) {
    Slots.Room room = slots.room();
    List<Integer> free = room.free().subList(0, Math.min(turn.count(), room.free().size()));
    if (free.isEmpty()) {
      return nothing();
    }
    return claim(places.ofLane(turn.lane()), room, free, turn.lane(), "")
        .handle(
            (claimed, error) -> {
              if (error == null) {
                round.served(turn.lane(), claimed);
              }
              return tellIfFailed(error);
            });
  }

  /** Lanes that are empty lose their turn; if others hold more, somebody else is to look. */
  private void tell(boolean more, Map<String, Boolean> lanes) {
    var _ =
        places
            .global()
            .hint(more, slots.capacity().onlyTypes().orElse(Set.of()), lanes)
            .begin(redis)
            .whenComplete((count, error) -> tellIfFailed(error));
  }

  private CompletionStage<Claimed> claim(
      Functions at, Slots.Room room, List<Integer> free, String lane, String others) {
    long sent = System.nanoTime();
    return at.claim(name, slots.count(), free, room.capacity(), room.left(), lane, others)
        .begin(redis)
        .whenComplete(
            (claimed, error) -> {
              if (error != null) {
                unheard.claimed(at);
              }
            })
        .thenApply(
            claimed -> {
              taken.begin(at, claimed.tasks(), sent);
              return claimed;
            });
  }

  private boolean tellIfFailed(@Nullable Throwable error) {
    if (error != null) {
      trouble.failed(error);
    }
    return error == null;
  }
}
