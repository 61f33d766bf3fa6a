package io.convoke.chaos.webhooks;

import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.HistoryLines;
import io.convoke.chaos.LastingConnection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.chaos.webhooks.WebhookHistory.JournaledEvent;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tools.jackson.databind.json.JsonMapper;

/** Checks that each event of a user reaches their endpoint when servers, stores and it fail. */
public final class WebhookChaos implements ChaosScenario {
  private static final Duration BETWEEN = Duration.ofMillis(120);

  /** Two retries of a delivery, the lock of a dead workflow node, a slow machine. */
  private static final Duration DELIVERED_MAX = Duration.ofSeconds(90);

  private static final int USERS = 2;

  /** One meeting in this many gets further events. */
  private static final int BUSY_EACH = 3;

  /** Meetings after all else, of whose events at least one fails. */
  private static final int LAST = 12;

  /** Calls go on this long after the last fault, so that some messages meet none. */
  private static final Duration CALM = Duration.ofSeconds(4);

  /** Requests that an endpoint does not answer: more than one may have at a time. */
  private static final int AWAY = 20;

  /** Meetings, each with three events that wait for an endpoint. */
  private static final int WAITING = 36;

  /** How long a transaction with an event stays open. */
  private static final Duration OPEN = Duration.ofMillis(1500);

  private static final Duration HANGS = Duration.ofSeconds(3);

  private static final List<String> STATUSES = List.of("in_progress", "failure", "success");

  @Override
  public String name() {
    return "webhooks";
  }

  @Override
  public String summary() {
    return "servers, stores and the user's endpoint fail: every event is delivered, in order";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    List<Fault> faults = settings.faults(seed, faults(seed, settings));
    output.accept(
        "seed %d: a meeting every %d ms; the endpoint of one user answers 410 once"
            .formatted(seed, BETWEEN.toMillis()));
    faults.forEach(fault -> output.accept("  " + fault));
    Path folder = environment.folder("webhooks-" + seed);
    environment.stores().redis().flush();
    String token = ServerCluster.randomKey();
    try (WebhookReceiver receiver = new WebhookReceiver();
        ServerCluster servers = new ServerCluster(environment, folder, settings.servers());
        LastingConnection database =
            new LastingConnection(environment.stores().postgres(), servers.database())) {
      servers.start(
          "api,durable,sync",
          Map.of("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true", "CONVOKE_INTERNAL_TOKEN", token));
      WebhookUsers endpoints = new WebhookUsers(servers.admin(), receiver);
      FaultTimeline timeline = new FaultTimeline();
      RunClock clock = new RunClock();
      CompletableFuture<?> broken =
          new FaultInjection(environment, servers, timeline).carryOut(faults, clock);
      CompletableFuture<Instant> gone =
          CompletableFuture.supplyAsync(
              () -> {
                clock.await(settings.faultPhase().multipliedBy(4).dividedBy(10));
                receiver.goneOnce(WebhookUsers.PAUSED);
                return Instant.now();
              },
              Thread.ofPlatform()::start);
      WebhookCalls calls =
          new WebhookCalls(
              servers, ApiClient.internal(servers.urls().getFirst(), token), endpoints);
      int made = 0;
      // A slow restart delays later faults: calls go on until the last is over.
      while (BETWEEN.multipliedBy(made).compareTo(settings.faultPhase()) < 0 || !broken.isDone()) {
        clock.await(BETWEEN.multipliedBy(made));
        calls.track(made % USERS, "hook-" + seed + "-" + made, made++);
      }
      var _ = broken.join();
      endpoints.resume(WebhookUsers.PAUSED, gone.join());
      receiver.away(WebhookUsers.FIRST, AWAY);
      receiver.hold(WebhookUsers.HELD);
      receiver.slow(WebhookUsers.REMOVED);
      receiver.slow(WebhookUsers.ADMINS);
      RunClock calm = new RunClock();
      for (int i = 0; BETWEEN.multipliedBy(i).compareTo(CALM) < 0; i++) {
        calm.await(BETWEEN.multipliedBy(i));
        calls.track(made % USERS, "hook-" + seed + "-" + made, made++);
      }
      long quiet = System.nanoTime();
      Supplier<WebhookHistory> history =
          () ->
              new WebhookHistory(
                  Map.copyOf(calls.accepted),
                  endpoints.endpoints(),
                  journal(database),
                  receiver.deliveries(),
                  endpoints.pauses(),
                  endpoints.shown(),
                  new AvailabilityRule.Calls(
                      calls.replies, timeline.windows(), Set.of(FaultTimeline.POSTGRES), false));
      awaitDelivery(history);
      // These retries are due alone: no scan for other due deliveries finds them too.
      receiver.failOnce();
      endpoints.change();
      Instant paused = Instant.now();
      receiver.goneOnce(WebhookUsers.NAMED);
      calls.track(1, "gone-" + seed, 0);
      endpoints.awaitPause(WebhookUsers.NAMED);
      // More than a router reads at a time, for when the endpoint is resumed.
      receiver.spare(WebhookUsers.NAMED);
      receiver.spare(WebhookUsers.PAUSED);
      for (int i = 0; i < WAITING; i++) {
        calls.track(1, "paused-" + seed + "-" + i, 0);
      }
      try (Connection other = environment.stores().postgres().connect(servers.database())) {
        // Events of others that are committed meanwhile have later numbers.
        other.setAutoCommit(false);
        write(other, endpoints.id(0));
        for (int i = 0; i < LAST; i++) {
          calls.track(0, "last-" + seed + "-" + i, 1);
        }
        LockSupport.parkNanos(OPEN.toNanos());
        other.commit();
      }
      calls.track(0, "end-" + seed, 0);
      endpoints.resume(WebhookUsers.NAMED, paused);
      awaitDelivery(history);
      endpoints.look();
      return report(seed, history.get(), folder, faults.size(), timeline.count(), quiet);
    }
  }

  /** Writes an event of a user in a transaction that stays open. */
  private static void write(Connection other, long user) throws SQLException {
    try (PreparedStatement insert =
        other.prepareStatement(
            "insert into convoke.events (type, subject, user_id, data)"
                + " values ('meeting.noted', 'meeting:0', ?, '{\"text\": \"late\"}')")) {
      insert.setLong(1, user);
      int _ = insert.executeUpdate();
    }
  }

  private static void awaitDelivery(Supplier<WebhookHistory> history) {
    long deadline = System.nanoTime() + DELIVERED_MAX.toNanos();
    while (!history.get().missing().isEmpty() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(BETWEEN.toNanos());
    }
  }

  private static RunReport report(
      long seed, WebhookHistory history, Path folder, int planned, int injected, long quiet)
      throws IOException {
    List<RuleViolation> findings = history.check();
    if (!findings.isEmpty()) {
      HistoryLines.write(history, folder);
    }
    List<TimedReply> replies = history.calls().replies();
    long gone = history.gone().size();
    long failed = history.deliveries().stream().filter(it -> !it.taken()).count() - gone;
    return new RunReport(
        seed,
        replies.size() + history.deliveries().size(),
        Optional.of(Duration.ofNanos(System.nanoTime() - quiet)),
        findings,
        List.of(
            history.accepted().size() + " meetings", history.deliveries().size() + " deliveries"),
        List.of(
            "%d events, %d tries failed, %d were answered 410; calls by their answers, 0 for none: %s"
                .formatted(history.journal().size(), failed, gone, answers(replies))),
        folder,
        Coverage.NONE
            .with("injected faults", injected, planned)
            .with("accepted meetings", history.accepted().size(), 10)
            .with("events", history.journal().size(), 40)
            .with("failed tries", failed, 5)
            .with("paused endpoints", gone, 2));
  }

  /** The calls of users, and of the system that reports what became of their meetings. */
  private static final class WebhookCalls {
    private final ServerCluster servers;
    private final ApiClient internal;
    private final WebhookUsers users;
    private final List<TimedReply> replies = new ArrayList<>();
    private final Map<Long, Long> accepted = new HashMap<>();

    private WebhookCalls(ServerCluster servers, ApiClient internal, WebhookUsers users) {
      this.servers = servers;
      this.users = users;
      this.internal = internal;
    }

    private void track(int user, String room, int number) {
      int server = number / USERS % servers.urls().size();
      ApiReply reply =
          post(
              users.user(user),
              server,
              "/meetings",
              Map.of("platform", "daily", "native_meeting_id", room));
      if (reply.ok()) {
        String id = reply.body().path("id").asString("");
        var _ = accepted.put(Long.valueOf(id), users.id(user));
        if (number % BUSY_EACH == 0) {
          STATUSES.forEach(
              status ->
                  post(
                      internal,
                      server,
                      "/sync-status",
                      Map.of("meeting_id", id, "status", status, "step", "push")));
        }
      }
    }

    private ApiReply post(ApiClient caller, int server, String path, Map<String, ?> body) {
      Instant sent = Instant.now();
      ApiReply reply = caller.at(servers.urls().get(server)).post(path, body);
      replies.add(
          new TimedReply(path, FaultTimeline.server(server), reply.status(), sent, Instant.now()));
      return reply;
    }
  }

  private static List<JournaledEvent> journal(LastingConnection database) {
    try {
      return database.list(
          "select seq, coalesce(user_id, 0), type, subject, at, data::text from convoke.events"
              + " order by seq",
          row ->
              new JournaledEvent(
                  row.getLong(1),
                  row.getLong(2),
                  row.getString(3),
                  row.getString(4),
                  row.getObject(5, OffsetDateTime.class).toInstant(),
                  JsonMapper.shared().readTree(row.getString(6))));
    } catch (SQLException away) {
      throw new IllegalStateException("the journal cannot be read", away);
    }
  }

  private static Map<Integer, Long> answers(List<TimedReply> replies) {
    return replies.stream()
        .collect(Collectors.groupingBy(TimedReply::status, TreeMap::new, Collectors.counting()));
  }

  private static List<Fault> faults(long seed, ChaosSettings settings) {
    SplittableRandom random = new SplittableRandom(seed);
    Duration phase = settings.faultPhase();
    List<Integer> all = IntStream.range(0, settings.servers()).boxed().toList();
    Duration span = Duration.ofMillis(random.nextInt(300, 2000));
    Fault.StoreFailure how =
        random.nextBoolean() ? Fault.StoreFailure.IS_KILLED : Fault.StoreFailure.HANGS;
    Duration late = phase.multipliedBy(6).dividedBy(10);
    Duration last = phase.multipliedBy(9).dividedBy(10);
    return List.of(
        new Fault.KillServers(phase.multipliedBy(2).dividedBy(10), all, span),
        random.nextBoolean()
            ? new Fault.RedisAway(late, how, span)
            : new Fault.PostgresAway(late, how, span),
        switch (Math.floorMod(seed, 3)) {
          case 0 -> new Fault.HangServer(last, settings.servers() - 1, HANGS);
          case 1 -> Fault.PostgresAway.untilCallsAreRefused(last);
          default -> new Fault.RollServers(last);
        });
  }
}
