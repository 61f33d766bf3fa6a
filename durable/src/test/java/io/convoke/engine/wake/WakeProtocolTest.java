package io.convoke.engine.wake;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.engine.wake.Interleavings.Actor;
import io.convoke.engine.wake.Interleavings.Outcome;
import io.convoke.engine.wake.Interleavings.Run;
import io.convoke.engine.wake.Interleavings.Story;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The wake protocol under every interleaving of writers, listener, timer owner, dispatchers and
 * time: the real {@link WakeChain}, {@link WakeChannel} and {@link TimerQueue} around a model of
 * the store. No item may be visible while all dispatchers wait.
 */
class WakeProtocolTest {
  private static final Duration FOR_EVER = Duration.ofDays(1);

  @Tag("nightly")
  @Test
  void whatIsThereAtOnceIsFoundAtOnce() {
    assertThat(explored(new Ours(2, true, 0, 0))).isEmpty();
  }

  @Test
  void aTimerSurvivesWorkThatComesBeforeIt() {
    assertThat(explored(new Ours(1, true, 0, 1))).isEmpty();
  }

  @Test
  void everyTimerFiresAndNotOnlyTheEarliest() {
    assertThat(explored(new Ours(1, true, 2, 1))).isEmpty();
    assertThat(explored(new Ours(1, true, 1, 1, 2))).isEmpty();
  }

  @Test
  void manyDispatchersOnOneTimerLoseNothing() {
    assertThat(explored(new Ours(2, true, 1, 1))).isEmpty();
  }

  @Test
  void listeningBeforeTheFirstLookMissesNothingAndAfterItDoes() {
    assertThat(explored(new Ours(1, false, 0))).isEmpty();
    assertThat(explored(new Ours(1, false, 1))).isEmpty();
    assertThat(explored(new LooksAndThenListens())).isPresent();
  }

  /** Our protocol; {@code hears} is false when the listener has yet to connect. */
  private static class Ours {
    private final int dispatchers;
    private final boolean hears;
    private final int[] visibleAt;

    Ours(int dispatchers, boolean hears, int... visibleAt) {
      this.dispatchers = dispatchers;
      this.hears = hears;
      this.visibleAt = visibleAt;
    }

    Node tell(Run run) {
      Node node = new Node(run, hears, visibleAt);
      for (int i = 0; i < dispatchers; i++) {
        node.dispatcher();
      }
      node.connects(true);
      return node;
    }
  }

  private static final class LooksAndThenListens extends Ours {
    LooksAndThenListens() {
      super(1, false, 0);
    }

    @Override
    Node tell(Run run) {
      Node node = new Node(run, false, 0);
      node.dispatcher();
      node.connects(false);
      return node;
    }
  }

  private static final class Node implements Story, WakeTokens {
    private final Run run;
    private final WakeModel wakeModel;
    private final WakeChannel channel = new WakeChannel(1);
    private final WakeChain chain = new WakeChain(this, nanos -> {});
    private final TimerQueue<String> timers = new TimerQueue<>(8);
    private final Map<Actor, Long> known = new LinkedHashMap<>();
    private boolean hears;

    private Node(Run run, boolean hears, int... visibleAt) {
      this.run = run;
      this.hears = hears;
      this.wakeModel = new WakeModel(visibleAt);
      for (int i = 0; i < visibleAt.length; i++) {
        writer(i);
      }
      timerOwner();
      var _ = wakeModel.clockOf(run);
    }

    private void writer(int item) {
      var _ =
          run.actor(
              "writer " + item,
              me ->
                  () -> {
                    var _ = me.step("commit", () -> wakeModel.commit(item));
                    int wait = me.step("notify", () -> hears ? wakeModel.untilVisible(item) : -1);
                    if (wait > 0) {
                      int due = wakeModel.visibleAt(item);
                      boolean _ = me.step("timer", () -> timers.add("queue", due));
                    } else if (wait == 0) {
                      boolean _ = send();
                    }
                  });
    }

    private void timerOwner() {
      var _ =
          run.actor(
              "timers",
              me ->
                  () -> {
                    while (true) {
                      me.forget();
                      List<String> _ =
                          me.when(this::due, "due", () -> timers.takeDue(wakeModel.clock()));
                      boolean _ = send();
                      survey(me);
                    }
                  });
    }

    private void dispatcher() {
      var _ =
          run.actor(
              "dispatcher",
              me ->
                  () -> {
                    while (true) {
                      me.forget();
                      Optional<Integer> _ = fetch(me);
                    }
                  });
    }

    private Optional<Integer> fetch(Actor me) {
      try {
        return chain.fetch(() -> look(me), FOR_EVER);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    /** Two steps, as in the store: what could be taken, and whether it still can. */
    private PollResult<Integer> look(Actor me) {
      int candidate = me.step("look", wakeModel::candidate);
      if (candidate < 0) {
        return PollResult.empty();
      }
      boolean mine = me.step("take", () -> wakeModel.take(candidate));
      return mine ? PollResult.found(candidate) : PollResult.contended();
    }

    private void connects(boolean listensFirst) {
      if (hears) {
        return;
      }
      var _ =
          run.actor(
              "listener",
              me ->
                  () -> {
                    if (listensFirst) {
                      listens(me);
                    }
                    boolean _ = send();
                    survey(me);
                    if (!listensFirst) {
                      listens(me);
                    }
                  });
    }

    private void listens(Actor me) {
      hears = me.step("LISTEN", () -> true);
    }

    private boolean empty() {
      return chain.emptyAt() == channel.sent();
    }

    private void survey(Actor me) {
      var next = me.step("survey", wakeModel::next);
      if (next.isPresent()) {
        boolean _ = me.step("timer", () -> timers.add("queue", next.getAsInt()));
      }
    }

    private boolean due() {
      return timers.earliest().isPresent() && timers.earliest().getAsLong() <= wakeModel.clock();
    }

    @Override
    public boolean send() {
      return run.current().step("send", channel::send);
    }

    @Override
    public boolean await(Duration atMost) {
      Actor me = run.current();
      me.forget();
      return me.when(() -> channel.pending() > 0, "token", channel::tryTake);
    }

    @Override
    public long sent() {
      long sent = channel.sent();
      var _ = known.put(run.current(), sent);
      return sent;
    }

    @Override
    public String state() {
      long sent = channel.sent();
      return wakeModel
          + " "
          + channel.pending()
          + timers.earliest()
          + timers.size()
          + hears
          + empty()
          + known.values().stream().map(before -> sent - before).toList();
    }

    @Override
    public Optional<String> verdict() {
      return wakeModel.lost();
    }
  }

  private static Optional<String> explored(Ours protocol) {
    Outcome outcome = Interleavings.explore(protocol::tell);
    assertThat(outcome.stories()).isPositive();
    return outcome.counterexample();
  }
}
