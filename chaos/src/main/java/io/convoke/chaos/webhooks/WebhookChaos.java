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
import io.convoke.chaos.webhooks.WebhookHistory.PausedEndpoint;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

/** Checks that each event of a user reaches their endpoint when servers, stores and it fail. */
public final class WebhookChaos implements ChaosScenario {
  private static final Duration BETWEEN = Duration.ofMillis(120);

  /** Two retries of a delivery, the lock of a dead workflow node, a slow machine. */
  private static final Duration DELIVERED_MAX = Duration.ofSeconds(90);

  private static final int USERS = 2;

  /** The user whose endpoint answers 410 once and is paused until the end of the fault phase. */
  private static final int PAUSED = 1;

  /** One meeting in this many gets further events. */
  private static final int BUSY_EACH = 3;

  /** Meetings after all else, of whose events at least one fails. */
  private static final int LAST = 4;

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
    List<Fault> faults = settings.faults(seed, faults(new SplittableRandom(seed), settings));
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
      HookedUsers endpoints = endpoints(servers.admin(), receiver);
      FaultTimeline timeline = new FaultTimeline();
      RunClock clock = new RunClock();
      CompletableFuture<?> broken =
          new FaultInjection(environment, servers, timeline).carryOut(faults, clock);
      CompletableFuture<Instant> gone =
          CompletableFuture.supplyAsync(
              () -> {
                clock.await(settings.faultPhase().multipliedBy(4).dividedBy(10));
                receiver.goneOnce(PAUSED);
                return Instant.now();
              },
              Thread.ofPlatform()::start);
      WebhookCalls calls =
          new WebhookCalls(servers, ApiClient.internal(servers.urls().getFirst(), token));
      // A slow restart delays later faults: calls go on until the last is over.
      for (int i = 0;
          BETWEEN.multipliedBy(i).compareTo(settings.faultPhase()) < 0 || !broken.isDone();
          i++) {
        clock.await(BETWEEN.multipliedBy(i));
        calls.track(endpoints.users().get(i % USERS), "hook-" + seed + "-" + i, i);
      }
      var _ = broken.join();
      endpoints.resume(PAUSED);
      List<PausedEndpoint> pauses = List.of(new PausedEndpoint(PAUSED, gone.join(), Instant.now()));
      long quiet = System.nanoTime();
      Supplier<WebhookHistory> history =
          () ->
              new WebhookHistory(
                  Set.copyOf(calls.accepted),
                  journal(database, endpoints.ids()),
                  receiver.deliveries(),
                  pauses,
                  new AvailabilityRule.Calls(
                      calls.replies, timeline.windows(), Set.of(FaultTimeline.POSTGRES), false));
      awaitDelivery(history);
      // These retries are due alone: no scan for other due deliveries finds them too.
      receiver.failOnce();
      for (int i = 0; i < LAST; i++) {
        calls.track(endpoints.users().getFirst(), "last-" + seed + "-" + i, 1);
      }
      awaitDelivery(history);
      return report(seed, history.get(), folder, faults.size(), timeline.count(), quiet);
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
    long failed = history.deliveries().stream().filter(it -> it.status() == 500).count();
    long gone = history.deliveries().stream().filter(it -> it.status() == 410).count();
    return new RunReport(
        seed,
        replies.size() + history.deliveries().size(),
        Optional.of(Duration.ofNanos(System.nanoTime() - quiet)),
        findings,
        List.of(
            history.accepted().size() + " meetings", history.deliveries().size() + " deliveries"),
        List.of(
            "%d events, %d tries answered 500, %d answered 410; calls by their answers, 0 for none: %s"
                .formatted(history.journal().size(), failed, gone, answers(replies))),
        folder,
        Coverage.NONE
            .with("injected faults", injected, planned)
            .with("accepted meetings", history.accepted().size(), 10)
            .with("events", history.journal().size(), 20)
            .with("failed tries", failed, 5)
            .with("paused endpoints", gone, 1));
  }

  /** The users, their ids, and the addresses of their endpoints. */
  private record HookedUsers(List<ApiClient> users, List<Long> ids, List<String> paths) {
    /**
     * Resumes an endpoint; one that was not paused, since no server stored that, stays as it is.
     */
    private void resume(int user) {
      ApiReply reply = users.get(user).post(paths.get(user) + "/resume", Map.of());
      while (!reply.ok() && reply.status() != 409) {
        LockSupport.parkNanos(BETWEEN.toNanos());
        reply = users.get(user).post(paths.get(user) + "/resume", Map.of());
      }
    }
  }

  private static HookedUsers endpoints(ApiClient admin, WebhookReceiver receiver) {
    HookedUsers endpoints =
        new HookedUsers(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < USERS; i++) {
      ApiClient.CreatedUser user = admin.newUser("hooked-" + i + "@example.com", 1);
      ApiReply made =
          user.api().post("/webhook-endpoints", Map.of("url", receiver.url(i).toString()));
      receiver.secret(i, made.body().path("secret").asString());
      endpoints.users().add(user.api());
      endpoints.ids().add(user.id());
      endpoints.paths().add("/webhook-endpoints/" + made.body().path("id").asLong());
    }
    return endpoints;
  }

  /** The calls of users, and of the system that reports what became of their meetings. */
  private static final class WebhookCalls {
    private final ServerCluster servers;
    private final ApiClient internal;
    private final List<TimedReply> replies = new ArrayList<>();
    private final List<Long> accepted = new ArrayList<>();

    private WebhookCalls(ServerCluster servers, ApiClient internal) {
      this.servers = servers;
      this.internal = internal;
    }

    private void track(ApiClient user, String room, int number) {
      int server = number / USERS % servers.urls().size();
      ApiReply reply =
          post(user, server, "/meetings", Map.of("platform", "daily", "native_meeting_id", room));
      if (reply.ok()) {
        String id = reply.body().path("id").asString("");
        accepted.add(Long.valueOf(id));
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

  private static List<JournaledEvent> journal(LastingConnection database, List<Long> users) {
    try {
      return database.list(
          "select seq, user_id, substr(subject, 9) from convoke.events where user_id is not null"
              + " and subject like 'meeting:%' order by seq",
          row -> new JournaledEvent(row.getLong(1), users.indexOf(row.getLong(2)), row.getLong(3)));
    } catch (SQLException away) {
      throw new IllegalStateException("the journal cannot be read", away);
    }
  }

  private static Map<Integer, Long> answers(List<TimedReply> replies) {
    return replies.stream()
        .collect(Collectors.groupingBy(TimedReply::status, TreeMap::new, Collectors.counting()));
  }

  private static List<Fault> faults(SplittableRandom random, ChaosSettings settings) {
    Duration phase = settings.faultPhase();
    List<Integer> all = IntStream.range(0, settings.servers()).boxed().toList();
    Duration span = Duration.ofMillis(random.nextInt(300, 2000));
    Fault.StoreFailure how =
        random.nextBoolean() ? Fault.StoreFailure.IS_KILLED : Fault.StoreFailure.HANGS;
    Duration late = phase.multipliedBy(6).dividedBy(10);
    return List.of(
        new Fault.KillServers(phase.multipliedBy(2).dividedBy(10), all, span),
        random.nextBoolean()
            ? new Fault.RedisAway(late, how, span)
            : new Fault.PostgresAway(late, how, span));
  }
}
