package io.convoke.agent;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends participant reports in order, in the background, with retries. A full list is sent once
 * more a while later, because the control plane closes no session on one absence. Beyond {@link
 * #WAITING_MAX} waiting reports the newest is dropped, with a warning.
 */
final class ParticipantReporter implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ParticipantReporter.class);
  private static final int WAITING_MAX = 5000;
  private static final int GROUP_MAX = 500;

  /** Interval of the check for shutdown while idle. */
  private static final Duration LOOK = Duration.ofMillis(300);

  private final CallbackClient callbackClient;
  private final ParticipantRoster participantRoster;
  private final Duration confirmAfter;
  private final LinkedBlockingQueue<ParticipantEvent> waiting =
      new LinkedBlockingQueue<>(WAITING_MAX);

  /** Reports that wait, or whose call has no answer yet. */
  private final AtomicInteger unanswered = new AtomicInteger();

  private final CountDownLatch finishing = new CountDownLatch(1);
  private final Thread sender;
  private boolean confirms;
  private long confirmAtNanos;

  /** {@code confirmAfter} is the delay after which a full list is repeated. */
  ParticipantReporter(CallbackClient callbackClient, String connectionId, Duration confirmAfter) {
    this.callbackClient = callbackClient;
    this.participantRoster = new ParticipantRoster(connectionId);
    this.confirmAfter = confirmAfter;
    this.sender = Thread.ofVirtual().name("attendance").unstarted(this::run);
  }

  void start() {
    sender.start();
  }

  void add(ParticipantEvent participantEvent) {
    if (!waiting.offer(reportable(participantEvent))) {
      log.warn("participant report dropped: the send queue is full");
    } else {
      int _ = unanswered.incrementAndGet();
    }
  }

  private static ParticipantEvent reportable(ParticipantEvent participantEvent) {
    return switch (participantEvent) {
      case ParticipantEvent.ParticipantJoined(Attendee who) ->
          new ParticipantEvent.ParticipantJoined(who.reportable());
      case ParticipantEvent.ParticipantLeft(String sessionId, Instant at) ->
          new ParticipantEvent.ParticipantLeft(Attendee.line(sessionId), at);
      case ParticipantEvent.ParticipantSnapshot(List<Attendee> people, Instant at) ->
          new ParticipantEvent.ParticipantSnapshot(
              people.stream().map(Attendee::reportable).toList(), at);
    };
  }

  /** Sends what waits, at most as long as given. */
  void finish(Duration atMost) throws InterruptedException {
    finishing.countDown();
    if (sender.isAlive()) {
      boolean _ = sender.join(atMost);
    }
    int left = unanswered.get();
    if (left > 0) {
      log.warn("{} participant reports were not sent", left);
    }
    close();
  }

  /** Sends nothing more. */
  @Override
  public void close() {
    sender.interrupt();
  }

  private void run() {
    try {
      boolean wanted = true;
      while (wanted && (finishing.getCount() > 0 || !waiting.isEmpty())) {
        ParticipantEvent first = waiting.poll(LOOK.toMillis(), TimeUnit.MILLISECONDS);
        if (first != null) {
          List<ParticipantEvent> group = group(first);
          wanted = send(participantRoster.report(group));
          int _ = unanswered.addAndGet(-group.size());
        } else if (confirms && System.nanoTime() - confirmAtNanos >= 0) {
          confirms = false;
          wanted = send(participantRoster.again(Instant.now()));
        }
      }
    } catch (InterruptedException e) {
      log.trace("nothing more is reported");
    }
  }

  /** The waiting reports up to the next full list, which ends a report. */
  private List<ParticipantEvent> group(ParticipantEvent first) {
    List<ParticipantEvent> group = new ArrayList<>();
    ParticipantEvent next = first;
    while (next != null) {
      group.add(next);
      if (next instanceof ParticipantEvent.ParticipantSnapshot) {
        confirms = true;
        confirmAtNanos = System.nanoTime() + confirmAfter.toNanos();
        return group;
      }
      next = group.size() < GROUP_MAX ? waiting.poll() : null;
    }
    return group;
  }

  /** False when the control plane refused the report. */
  private boolean send(ParticipantRoster.ParticipantReport participantReport)
      throws InterruptedException {
    while (true) {
      switch (callbackClient.participants(
          participantReport.events(), participantReport.fullList())) {
        case CallbackReply.CallbackAccepted _, CallbackReply.CallbackRefused _ -> {
          return true;
        }
        case CallbackReply.LaunchOver _ -> {
          return false;
        }
        case CallbackReply.NoReply _ -> {}
      }
    }
  }
}
