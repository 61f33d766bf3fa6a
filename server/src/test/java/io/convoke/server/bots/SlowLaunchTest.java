package io.convoke.server.bots;

import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.agent.BotConfig;
import io.convoke.engine.crypto.SecretBox;
import io.convoke.engine.testhook.TestSignal;
import io.convoke.server.MigratedDatabase;
import io.convoke.server.launch.Await;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.meetings.Meeting;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.simulator.stores.LocalStores;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Two servers, each with an engine of its own that does not know the other's bots, and a launch
 * that takes longer than its lease.
 */
class SlowLaunchTest {
  private final FakeLauncher slow = new FakeLauncher("fake-slow:");
  private final FakeLauncher quick = new FakeLauncher("fake-quick:");
  private final String database = MigratedDatabase.url();
  private final SecretBox secrets = SecretBox.of(SecretBox.newKey());
  private final BotsTestServer here = node(slow);
  private final BotsTestServer there = node(quick);
  private final TestSignal.SignalObservation<Long> handledHere =
      here.bots.launching().handled().observe();
  private final CountDownLatch pulling = new CountDownLatch(1);
  private final CountDownLatch pulled = new CountDownLatch(1);
  private long meeting;
  private String name = "";

  @BeforeEach
  void beginALaunch() {
    slow.beforeLaunch =
        () -> {
          pulling.countDown();
          await(pulled);
        };
    long user = here.user(Optional.of(1));
    meeting = here.start(user, "standup").expect(201).json().path("id").asLong();
    name = here.row(meeting).containerName();
    here.bots.launching().wake(meeting);
    await(pulling);
  }

  @AfterEach
  void close() {
    pulled.countDown();
    there.close();
    here.close();
  }

  @Test
  void aLaunchThatTakesLongerThanItsLeaseKeepsIt() {
    endLease();
    Await.until("the renewal of the lease", this::isLeased);
    TestSignal.SignalObservation<Long> handledThere = there.bots.launching().handled().observe();
    there.bots.launching().wake(meeting);
    assertThat(handledThere.await(BotsTestServer.SOON)).isEqualTo(meeting);
    endPull();
    assertThat(quick.launches).isEmpty();
    assertThat(slow.alive).containsOnlyKeys(name);
    assertThat(here.row(meeting).handle()).contains("fake-slow:" + name);
  }

  @Test
  void oneBotIsLeftWhenTwoServersMadeALaunch() {
    takeOver();
    endPull();
    assertThat(slow.launches).containsExactly(name);
    assertThat(slow.alive).isEmpty();
    assertThat(quick.alive).containsOnlyKeys(name);
    assertThat(here.row(meeting).handle()).contains("fake-quick:" + name);
    assertThat(here.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void theExitOfASecondBotDoesNotMoveTheRow() {
    takeOver();
    endPull();
    TestSignal.SignalObservation<Meeting> movesThere = there.moves();
    begin(here);
    begin(there);
    BotConfig bot = there.configOf(meeting);

    slow.exit(name, 137);
    there.started(bot).expect(200);
    there.callback(bot, "joined", Map.of()).expect(200);
    assertThat(there.status(meeting)).isEqualTo(MeetingStatus.ACTIVE);

    quick.exit(name, 3);
    Meeting _ =
        movesThere.await(moved -> moved.status() == MeetingStatus.FAILED, BotsTestServer.SOON);
    assertThat(there.outcome(meeting).path("exit_code").asInt()).isEqualTo(3);
  }

  @Test
  void theNextSweepKillsASecondBotWhoseServerDiedBeforeItNotedIt() throws Exception {
    takeOver();
    slow.beforeLaunch = () -> {};
    String _ = slow.launch(new LaunchSpec(meeting, 1, "connection", name, "{}"));
    assertThat(here.bots.sweeper().sweep().orphans()).isEqualTo(1);
    assertThat(slow.alive).isEmpty();
    assertThat(there.bots.sweeper().sweep().orphans()).isZero();
    assertThat(quick.alive).containsOnlyKeys(name);
    assertThat(here.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
  }

  @Test
  void aLaunchThatFailsAfterItsLeaseDoesNotEndTheOtherServersBot() {
    takeOver();
    slow.failing = true;
    endPull();
    assertThat(here.status(meeting)).isEqualTo(MeetingStatus.RESERVED);
    assertThat(quick.alive).containsOnlyKeys(name);
  }

  private BotsTestServer node(FakeLauncher launcher) {
    return BotsTestServer.node(
        database,
        LocalStores.forTests().redis().url(),
        secrets,
        BotsTestServer.freePort(),
        launcher,
        terms -> terms);
  }

  /** Starts the work of a server, and waits until it has settled what it found. */
  private static void begin(BotsTestServer server) {
    TestSignal.SignalObservation<BotSweeper.BotSweepResult> swept =
        server.bots.sweeper().swept().observe();
    server.bots.start();
    BotSweeper.BotSweepResult _ = swept.await(BotsTestServer.SOON);
  }

  /** The other server makes the launch, as after a lease that was not renewed. */
  private void takeOver() {
    Await.until(
        "the launch of the other server",
        () -> {
          endLease();
          there.bots.launching().wake(meeting);
          return there.row(meeting).handle().isPresent();
        });
  }

  private void endLease() {
    int _ =
        here.database.read(
            tx ->
                tx.sql(
                        "update bot_launches set lease_until = now() - interval '1 s' where"
                            + " meeting_id = ?")
                    .with(meeting)
                    .update());
  }

  private boolean isLeased() {
    return here.database.read(
        tx ->
            tx.sql("select lease_until > now() as leased from bot_launches where meeting_id = ?")
                .with(meeting)
                .one(resultRow -> resultRow.booleanAt("leased")));
  }

  /** Lets the slow launch go on, and waits for its end. */
  private void endPull() {
    pulled.countDown();
    assertThat(handledHere.await(BotsTestServer.SOON)).isEqualTo(meeting);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(BotsTestServer.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }
}
