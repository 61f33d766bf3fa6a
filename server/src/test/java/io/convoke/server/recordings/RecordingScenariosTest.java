package io.convoke.server.recordings;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.convoke.engine.testhook.TestSignal.SignalObservation;
import io.convoke.server.recordings.RecordingsTestKit.Gear;
import io.convoke.server.recordings.RecordingsTestKit.Node;
import io.convoke.simulator.fault.FaultKind;
import io.convoke.simulator.fault.FaultSetting;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Scenarios 1 to 3 of recordings (recordings-1 to recordings-3). */
class RecordingScenariosTest {
  @TempDir private Path folder;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private RecordingsTestKit kit;

  @BeforeEach
  void open() {
    kit = new RecordingsTestKit(folder);
    log.start();
    logger().addAppender(log);
  }

  @AfterEach
  void close() {
    boolean _ = logger().detachAppender(log);
    kit.close();
  }

  /**
   * Scenario 1: webhook and listing find the recording; one processes it, the other is refused the
   * lock.
   */
  @Tag("nightly")
  @Test
  void webhookVersusPollingRace() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.waiting();
    Node byWebhook = kit.node(Gear.of(transcriber));
    Node byPolling = kit.node(Gear.of(transcriber));
    kit.start(byWebhook);
    kit.webhooksTo(byWebhook);
    long meeting = kit.meeting(kit.ann, "stand-up");
    try (SignalObservation<RecordingRow> moves = byWebhook.moves()) {
      String id = kit.record("stand-up");
      RecordingRow _ = kit.await(moves, id, RecordingStatus.READY);
      assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
      long left = kit.redis.call(commands -> commands.pttl("recording:" + id));
      assertThat(left).isBetween(540_000L, 600_000L);

      // The listing of the other node sees the row and skips it; a webhook there is refused the
      // lock.
      forget(id);
      kit.unlist();
      Optional<Integer> _ = byPolling.recordings().listing().list();
      assertThat(warnings(id)).hasSize(1);

      restore(id);
      transcriber.let();
      RecordingRow done = byDone(id);
      assertThat(done.steps().of(StepName.TRANSCRIBE).attempts()).isEqualTo(1);
    }
    assertThat(transcriber.calls).hasValue(1);
    assertThat(kit.words(meeting)).containsExactly("Good morning.", "Shall we begin?");
  }

  /** Scenario 2: the webhook is lost, the listing finds the recording. */
  @Test
  void lostWebhookPollBackup() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.willing();
    Node node = kit.node(Gear.of(transcriber));
    kit.webhooksTo(node);
    kit.sim.faults().set(FaultKind.WEBHOOK_DROP, FaultSetting.ALWAYS);
    long meeting = kit.meeting(kit.ann, "stand-up");
    String id = kit.record("stand-up");
    try (SignalObservation<RecordingRow> moves = node.moves()) {
      assertThat(node.recordings().listing().list()).contains(1);
      RecordingRow done = kit.await(moves, id, RecordingStatus.DONE);
      assertThat(done.foundBy()).isEqualTo("listing");
      assertThat(done.meetingId()).contains(meeting);
    }
    assertThat(kit.words(meeting)).containsExactly("Good morning.", "Shall we begin?");
    assertThat(node.meters().scrape())
        .contains("convoke_recordings_found_total{source=\"listing\",status=\"ready\"} 1.0");
  }

  /**
   * Scenario 3: the webhook arrives twice; the second is refused the lock, warns once, and ends.
   */
  @Test
  void duplicateWebhookDelivery() throws Exception {
    FakeTranscriber transcriber = FakeTranscriber.waiting();
    Node node = kit.node(Gear.of(transcriber));
    kit.start(node);
    kit.webhooksTo(node);
    kit.sim
        .faults()
        .set(
            FaultKind.WEBHOOK_REPEAT,
            FaultSetting.ALWAYS.on("recording.ready").lasting(Duration.ofSeconds(60)));
    long meeting = kit.meeting(kit.ann, "stand-up");
    try (SignalObservation<RecordingRow> moves = node.moves();
        SignalObservation<String> messages = node.recordings().streamConsumer().read().observe()) {
      String id = kit.record("stand-up");
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(transcriber.halfway.await(30, TimeUnit.SECONDS)).isTrue();
      kit.clock.advance(Duration.ofSeconds(61));
      assertThat(messages.await(RecordingsTestKit.SOON)).isEqualTo("kept");
      assertThat(warnings(id)).hasSize(1);

      transcriber.let();
      RecordingRow _ = kit.await(moves, id, RecordingStatus.DONE);

      // After the release the row shows no work to do.
      assertThat(
              kit.number(
                  "select count(*) as n from events where type = 'recording.status_changed'"))
          .isEqualTo(4);
      assertThat(kit.row(id).run()).isEqualTo(1);
    }
    assertThat(transcriber.calls).hasValue(1);
    assertThat(kit.words(meeting)).hasSize(2);
    long messages = kit.redis.call(commands -> commands.xlen(RecordingStream.STREAM));
    assertThat(messages).isZero();
  }

  /** A row as if the other node had read it before the first had written. */
  private void forget(String id) {
    change(id, "update recordings set status = 'in_progress' where recording_id = ?");
  }

  private void restore(String id) {
    change(id, "update recordings set status = 'processing' where recording_id = ?");
  }

  private void change(String id, String sql) {
    int _ = kit.database.read(tx -> tx.sql(sql).with(id).update());
  }

  private RecordingRow byDone(String id) {
    long deadline = System.nanoTime() + RecordingsTestKit.SOON.toNanos();
    while (kit.row(id).status() != RecordingStatus.DONE && System.nanoTime() < deadline) {
      LockSupport.parkNanos(10_000_000);
    }
    return kit.row(id);
  }

  private List<String> warnings(String id) {
    return log.list.stream()
        .filter(event -> event.getLevel() == ch.qos.logback.classic.Level.WARN)
        .map(ILoggingEvent::getFormattedMessage)
        .filter(message -> message.contains(id))
        .toList();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(RecordingLock.class);
  }
}
