package io.convoke.chaos.sync;

import io.convoke.chaos.sync.rules.SyncCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/** Updates and reads meetings on one server, one call at a time, and records every call. */
final class SyncCaller implements Runnable {
  /** One call in this many is an update. */
  private static final int WRITES = 5;

  /** In the rarely changed half, one update in this many. */
  private static final int QUIET = 50;

  private static final String[] STATUSES = {"in_progress", "success", "failure"};
  private static final String[] STEPS = {"JobA", "JobB", "JobC"};
  private static final Duration REFUSED = Duration.ofMillis(20);

  private final RawHttpConnection rawHttpConnection;
  private final List<String> meetings;
  private final SplittableRandom random;
  private final AtomicLong ids;
  private final BooleanSupplier goesOn;
  private final IntSupplier node;
  private final List<List<SyncCall>> logs;
  private final long[] known;
  private final List<String> surprises = new ArrayList<>();
  private long unanswered;
  private long refused;

  SyncCaller(
      URI server,
      String token,
      List<String> meetings,
      List<List<SyncCall>> logs,
      SplittableRandom random,
      AtomicLong ids,
      IntSupplier node,
      BooleanSupplier goesOn) {
    this.rawHttpConnection = new RawHttpConnection(server, token);
    this.meetings = meetings;
    this.logs = logs;
    this.random = random;
    this.ids = ids;
    this.node = node;
    this.goesOn = goesOn;
    this.known = new long[meetings.size()];
  }

  @Override
  public void run() {
    try (rawHttpConnection) {
      while (goesOn.getAsBoolean()) {
        int meeting = random.nextInt(meetings.size());
        if (random.nextInt(WRITES) == 0) {
          write(written(meeting));
        } else {
          read(meeting);
        }
      }
    }
  }

  /** Responses that are never valid. */
  List<String> surprises() {
    return surprises;
  }

  /** Calls without a response. */
  long unanswered() {
    return unanswered;
  }

  /** Calls answered 503. */
  long refused() {
    return refused;
  }

  /**
   * Half of the meetings change rarely, so that a stale cache entry shows: for the others the next
   * update hides it.
   */
  private int written(int meeting) {
    int busy = meetings.size() / 2;
    return meeting >= busy && random.nextInt(QUIET) > 0 ? meeting - busy : meeting;
  }

  private void write(int meeting) {
    long id = ids.incrementAndGet();
    int status = random.nextInt(STATUSES.length);
    String body =
        "{\"meeting_id\":\"%s\",\"status\":\"%s\",\"step\":\"%s\",\"synced_by\":\"w%d\"}"
            .formatted(meetings.get(meeting), STATUSES[status], STEPS[random.nextInt(3)], id);
    int process = node.getAsInt();
    long start = System.nanoTime();
    Optional<RawHttpConnection.RawHttpResponse> answer = rawHttpConnection.write(body);
    long end = System.nanoTime();
    char letter = STATUSES[status].charAt(0);
    if (answer.isPresent() && answer.get().status() == 200) {
      ParsedSyncRecord parsedSyncRecord = ParsedSyncRecord.of(answer.get().body());
      boolean own = parsedSyncRecord.by() == id;
      note(
          meeting,
          new SyncCall(
              SyncCall.SyncCallKind.WRITE,
              process,
              id,
              own ? parsedSyncRecord.version() : -1,
              letter,
              start,
              end));
      if (!own) {
        note(
            meeting,
            new SyncCall(
                SyncCall.SyncCallKind.READ,
                process,
                parsedSyncRecord.by(),
                parsedSyncRecord.version(),
                parsedSyncRecord.status(),
                start,
                end));
      }
      return;
    }
    // It may have been applied nevertheless.
    note(
        meeting,
        new SyncCall(SyncCall.SyncCallKind.WRITE, process, id, -1, letter, start, Long.MAX_VALUE));
    notServed(answer, "POST");
  }

  private void read(int meeting) {
    long condition = random.nextInt(4) == 0 ? known[meeting] : 0;
    int process = node.getAsInt();
    long start = System.nanoTime();
    Optional<RawHttpConnection.RawHttpResponse> answer =
        rawHttpConnection.read(meetings.get(meeting), condition);
    long end = System.nanoTime();
    int status = answer.map(RawHttpConnection.RawHttpResponse::status).orElse(0);
    if (status == 304) {
      note(
          meeting,
          new SyncCall(SyncCall.SyncCallKind.READ, process, -1, condition, '?', start, end));
    } else if (status == 200) {
      ParsedSyncRecord parsedSyncRecord = ParsedSyncRecord.of(answer.orElseThrow().body());
      known[meeting] = parsedSyncRecord.version();
      note(
          meeting,
          new SyncCall(
              parsedSyncRecord.stale()
                  ? SyncCall.SyncCallKind.STALE_READ
                  : SyncCall.SyncCallKind.READ,
              process,
              parsedSyncRecord.by(),
              parsedSyncRecord.version(),
              parsedSyncRecord.status(),
              start,
              end));
    } else if (status == 404) {
      // A meeting is unknown before its first update.
      note(meeting, new SyncCall(SyncCall.SyncCallKind.READ, process, 0, 0, 'n', start, end));
    } else {
      notServed(answer, "GET");
    }
  }

  private void notServed(Optional<RawHttpConnection.RawHttpResponse> answer, String what) {
    if (answer.isEmpty()) {
      unanswered++;
    } else if (answer.get().status() == 503) {
      refused++;
    } else {
      surprises.add(what + " was answered " + answer.get());
    }
    LockSupport.parkNanos(REFUSED.toNanos());
  }

  private void note(int meeting, SyncCall syncCall) {
    List<SyncCall> log = logs.get(meeting);
    synchronized (log) {
      log.add(syncCall);
    }
  }
}
