package io.convoke.chaos.sync;

import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.sync.rules.ShownRecords;
import io.convoke.chaos.sync.rules.ShownRecords.ShownRecord;
import io.convoke.chaos.sync.rules.SyncCall;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
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

  /** Between the reads of a caller that only reads. */
  private static final Duration LOOK_EVERY = Duration.ofMillis(10);

  private static final Duration REFUSED = Duration.ofMillis(20);

  private final RawHttpConnection connection;

  /** The others would all wait for an update while Postgres is away. */
  private final boolean writes;

  private final List<String> meetings;
  private final SplittableRandom random;
  private final AtomicLong ids;
  private final BooleanSupplier goesOn;
  private final IntSupplier node;
  private final List<List<SyncCall>> logs;
  private final List<KnownRecord> known;
  private final ShownRecords shown;
  private final List<String> surprises = new ArrayList<>();
  private final List<TimedReply> replies = new ArrayList<>();
  private final RunClock clock;

  SyncCaller(
      URI server,
      String token,
      boolean writes,
      List<String> meetings,
      List<List<SyncCall>> logs,
      SplittableRandom random,
      AtomicLong ids,
      IntSupplier node,
      RunClock clock,
      ShownRecords shown,
      BooleanSupplier goesOn) {
    this.connection = new RawHttpConnection(server, token);
    this.writes = writes;
    this.meetings = meetings;
    this.logs = logs;
    this.random = random;
    this.ids = ids;
    this.node = node;
    this.clock = clock;
    this.goesOn = goesOn;
    this.shown = shown;
    this.known = new ArrayList<>(Collections.nCopies(meetings.size(), KnownRecord.NONE));
  }

  /** The last record that a caller has read, and its entity tag. */
  private record KnownRecord(ParsedSyncRecord record, String tag) {
    private static final KnownRecord NONE = new KnownRecord(ParsedSyncRecord.NONE, "");
  }

  @Override
  public void run() {
    try (connection) {
      while (goesOn.getAsBoolean()) {
        int meeting = random.nextInt(meetings.size());
        if (!writes) {
          read(meeting);
          LockSupport.parkNanos(LOOK_EVERY.toNanos());
        } else if (random.nextInt(WRITES) == 0) {
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

  /** All calls with their answers. */
  List<TimedReply> replies() {
    return replies;
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
    String step = STEPS[random.nextInt(3)];
    String body =
        "{\"meeting_id\":\"%s\",\"status\":\"%s\",\"step\":\"%s\",\"synced_by\":\"w%d\"}"
            .formatted(meetings.get(meeting), STATUSES[status], step, id);
    int process = node.getAsInt();
    long start = System.nanoTime();
    Optional<RawHttpConnection.RawHttpResponse> answer = connection.write(body);
    long end = System.nanoTime();
    char letter = STATUSES[status].charAt(0);
    reply("POST", process, answer, start, end);
    SyncCall.SyncDetail sent = new SyncCall.SyncDetail(step, "");
    if (answer.isPresent() && answer.get().status() == 200) {
      Optional<ParsedSyncRecord> parsed = parsed(answer.get().body());
      if (parsed.isEmpty()) {
        return;
      }
      ParsedSyncRecord parsedSyncRecord = parsed.get();
      boolean own = parsedSyncRecord.by() == id;
      note(
          meeting,
          new SyncCall(
              SyncCall.SyncCallKind.WRITE,
              process,
              id,
              own ? parsedSyncRecord.version() : -1,
              letter,
              sent,
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
                parsedSyncRecord.detail(),
                start,
                end));
      }
      return;
    }
    // It may have been applied nevertheless.
    note(
        meeting,
        new SyncCall(
            SyncCall.SyncCallKind.WRITE, process, id, -1, letter, sent, start, Long.MAX_VALUE));
    notServed(answer, "POST");
  }

  private void read(int meeting) {
    KnownRecord condition = random.nextInt(4) == 0 ? known.get(meeting) : KnownRecord.NONE;
    int process = node.getAsInt();
    long start = System.nanoTime();
    Optional<RawHttpConnection.RawHttpResponse> answer =
        connection.read(meetings.get(meeting), condition.tag());
    long end = System.nanoTime();
    reply("GET", process, answer, start, end);
    int status = answer.map(RawHttpConnection.RawHttpResponse::status).orElse(0);
    if (status == 304) {
      see(meeting, condition, condition.record(), answer.orElseThrow(), start, end);
      note(
          meeting,
          new SyncCall(
              kind(condition.record()),
              process,
              -1,
              condition.record().version(),
              '?',
              start,
              end));
    } else if (status == 200) {
      Optional<ParsedSyncRecord> parsed = parsed(answer.orElseThrow().body());
      if (parsed.isEmpty()) {
        return;
      }
      ParsedSyncRecord parsedSyncRecord = parsed.get();
      see(meeting, condition, parsedSyncRecord, answer.get(), start, end);
      var _ = known.set(meeting, new KnownRecord(parsedSyncRecord, answer.get().tag()));
      note(
          meeting,
          new SyncCall(
              kind(parsedSyncRecord),
              process,
              parsedSyncRecord.by(),
              parsedSyncRecord.version(),
              parsedSyncRecord.status(),
              parsedSyncRecord.detail(),
              start,
              end));
    } else if (status == 404) {
      // A meeting is unknown before its first update.
      note(meeting, new SyncCall(SyncCall.SyncCallKind.READ, process, 0, 0, 'n', start, end));
    } else {
      notServed(answer, "GET");
    }
  }

  private static SyncCall.SyncCallKind kind(ParsedSyncRecord record) {
    return record.stale() ? SyncCall.SyncCallKind.STALE_READ : SyncCall.SyncCallKind.READ;
  }

  private void see(
      int meeting,
      KnownRecord condition,
      ParsedSyncRecord record,
      RawHttpConnection.RawHttpResponse answer,
      long start,
      long end) {
    shown.add(
        new ShownRecord(
            meetings.get(meeting),
            answer.status(),
            condition.tag(),
            answer.tag(),
            answer.cache(),
            answer.body(),
            record.status(),
            record.stalled(),
            record.stale(),
            record.detail().updatedAt(),
            clock.instant(start),
            clock.instant(end)));
  }

  private void notServed(Optional<RawHttpConnection.RawHttpResponse> answer, String what) {
    if (answer.isPresent() && answer.get().status() != 503) {
      surprises.add(what + " was answered " + answer.get());
    }
    LockSupport.parkNanos(REFUSED.toNanos());
  }

  /** Empty for a body that is no record, which is a surprise. */
  private Optional<ParsedSyncRecord> parsed(String body) {
    Optional<ParsedSyncRecord> parsed = ParsedSyncRecord.parse(body);
    if (parsed.isEmpty()) {
      surprises.add("the body of a 200 is malformed: " + body);
    }
    return parsed;
  }

  private void reply(
      String what,
      int process,
      Optional<RawHttpConnection.RawHttpResponse> answer,
      long start,
      long end) {
    replies.add(
        new TimedReply(
            what,
            FaultTimeline.server(ServerCluster.serverOf(process)),
            answer.map(RawHttpConnection.RawHttpResponse::status).orElse(0),
            clock.instant(start),
            clock.instant(end)));
  }

  private void note(int meeting, SyncCall call) {
    List<SyncCall> log = logs.get(meeting);
    synchronized (log) {
      log.add(call);
    }
  }
}
