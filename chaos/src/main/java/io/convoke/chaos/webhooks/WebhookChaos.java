package io.convoke.chaos.webhooks;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.convoke.chaos.ChaosEnvironment;
import io.convoke.chaos.ChaosScenario;
import io.convoke.chaos.ChaosSettings;
import io.convoke.chaos.Fault;
import io.convoke.chaos.FaultInjection;
import io.convoke.chaos.RunReport;
import io.convoke.chaos.ServerCluster;
import io.convoke.chaos.kernel.AvailabilityRule;
import io.convoke.chaos.kernel.Coverage;
import io.convoke.chaos.kernel.FaultTimeline;
import io.convoke.chaos.kernel.Rule;
import io.convoke.chaos.kernel.RuleViolation;
import io.convoke.chaos.kernel.RuleViolation.ViolationKind;
import io.convoke.chaos.kernel.RunClock;
import io.convoke.chaos.kernel.TimedReply;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Checks that each event of a user reaches their endpoint when servers, stores and it fail. */
public final class WebhookChaos implements ChaosScenario {
  private static final Duration BETWEEN = Duration.ofMillis(120);
  private static final int FAILS_EACH = 4;
  private static final int FAILURES_EACH = 2;

  /** Two retries of a delivery, the lock of a dead workflow node, a slow machine. */
  private static final Duration DELIVERED_MAX = Duration.ofSeconds(90);

  private static final int USERS = 2;

  /** What a user's endpoint took; {@code signed} by the secret of that endpoint. */
  private record Delivery(int user, long seq, long meeting, String messageId, boolean signed) {}

  /** The meetings of each user that were accepted, all deliveries, and the users' calls. */
  private record Observed(
      Map<Long, Integer> accepted, List<Delivery> deliveries, AvailabilityRule.Calls calls) {
    private List<RuleViolation> lost() {
      return missing().stream()
          .map(meeting -> ViolationKind.LOST.found("no delivery of " + meeting))
          .toList();
    }

    private List<Long> missing() {
      Set<Long> delivered = deliveries.stream().map(Delivery::meeting).collect(Collectors.toSet());
      return accepted.keySet().stream().filter(it -> !delivered.contains(it)).toList();
    }

    private List<RuleViolation> wrong() {
      Map<Long, Set<String>> ids = new TreeMap<>();
      deliveries.forEach(
          it -> ids.computeIfAbsent(it.seq(), _ -> new TreeSet<>()).add(it.messageId()));
      return deliveries.stream()
          .filter(
              it ->
                  it.meeting() == 0
                      || accepted.getOrDefault(it.meeting(), it.user()) != it.user()
                      || !it.signed()
                      || ids.getOrDefault(it.seq(), Set.of()).size() > 1)
          .map(it -> ViolationKind.INVENTED.found("another's, unsigned or renamed: " + it))
          .toList();
    }
  }

  private static final List<Rule<Observed>> RULES =
      List.of(
          Rule.named("DeliveryRule", Observed::lost),
          Rule.named("DeliveryRule", Observed::wrong),
          Rule.shared(new AvailabilityRule(), observed -> observed.calls()));

  @Override
  public String name() {
    return "webhooks";
  }

  @Override
  public String summary() {
    return "servers, stores and the user's endpoint fail: every event is delivered";
  }

  @Override
  public RunReport run(
      long seed, ChaosSettings settings, ChaosEnvironment environment, Consumer<String> output)
      throws Exception {
    List<Fault> faults = settings.faults(seed, faults(new SplittableRandom(seed), settings));
    output.accept("seed %d: a meeting every %d ms".formatted(seed, BETWEEN.toMillis()));
    faults.forEach(fault -> output.accept("  " + fault));
    Path folder = environment.folder("webhooks-" + seed);
    environment.stores().redis().flush();
    List<Delivery> delivered = new CopyOnWriteArrayList<>();
    Map<Integer, String> secrets = new ConcurrentHashMap<>();
    Map<String, Integer> failures = new ConcurrentHashMap<>();
    HttpServer receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 50);
    receiver.createContext("/", exchange -> take(exchange, secrets, delivered, failures));
    receiver.start();
    try (ServerCluster servers = new ServerCluster(environment, folder, settings.servers())) {
      servers.start("api,durable", Map.of("CONVOKE_WEBHOOKS_ALLOW_PRIVATE", "true"));
      List<ApiClient> users = new ArrayList<>();
      for (int i = 0; i < USERS; i++) {
        ApiClient user = servers.admin().newUser("hooked-" + i + "@example.com");
        String url = "http://127.0.0.1:%d/%d".formatted(receiver.getAddress().getPort(), i);
        ApiReply made = user.post("/webhook-endpoints", Map.of("url", url));
        secrets.put(i, made.body().path("secret").asString());
        users.add(user);
      }
      FaultTimeline timeline = new FaultTimeline();
      RunClock clock = new RunClock();
      CompletableFuture<?> broken =
          new FaultInjection(environment, servers, timeline).carryOut(faults, clock);
      List<TimedReply> replies = new ArrayList<>();
      Map<Long, Integer> accepted = new TreeMap<>();
      // A slow restart delays later faults: calls go on until the last is over.
      for (int i = 0;
          BETWEEN.multipliedBy(i).compareTo(settings.faultPhase()) < 0 || !broken.isDone();
          i++) {
        clock.await(BETWEEN.multipliedBy(i));
        int owner = i % USERS;
        track(users.get(owner), "hook-" + seed + "-" + i, servers, i / USERS, replies)
            .ifPresent(meeting -> accepted.put(meeting, owner));
      }
      var _ = broken.join();
      long quiet = System.nanoTime();
      Observed observed =
          new Observed(
              accepted,
              delivered,
              new AvailabilityRule.Calls(
                  replies, timeline.windows(), Set.of(FaultTimeline.POSTGRES), false));
      while (!observed.missing().isEmpty() && System.nanoTime() - quiet < DELIVERED_MAX.toNanos()) {
        LockSupport.parkNanos(BETWEEN.toNanos());
      }
      return new RunReport(
          seed,
          replies.size() + delivered.size(),
          Optional.of(Duration.ofNanos(System.nanoTime() - quiet)),
          Rule.check(RULES, observed),
          List.of(accepted.size() + " meetings", delivered.size() + " deliveries"),
          List.of("calls by their answers, 0 for none: " + answers(replies)),
          folder,
          Coverage.NONE
              .with("injected faults", timeline.count(), faults.size())
              .with("accepted meetings", accepted.size(), 10));
    } finally {
      receiver.stop(0);
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

  private static Optional<Long> track(
      ApiClient user, String room, ServerCluster servers, int number, List<TimedReply> replies) {
    int server = number % servers.urls().size();
    Instant sent = Instant.now();
    ApiReply reply =
        user.at(servers.urls().get(server))
            .post("/meetings", Map.of("platform", "daily", "native_meeting_id", room));
    replies.add(
        new TimedReply(room, FaultTimeline.server(server), reply.status(), sent, Instant.now()));
    return reply.ok() ? Optional.of(reply.body().path("id").asLong()) : Optional.empty();
  }

  /** Keeps a delivery and answers 200, or fails as the first tries of each so many do. */
  private static void take(
      HttpExchange exchange,
      Map<Integer, String> secrets,
      List<Delivery> delivered,
      Map<String, Integer> failures)
      throws IOException {
    try (exchange) {
      byte[] bytes = exchange.getRequestBody().readAllBytes();
      JsonNode body = JsonMapper.shared().readTree(bytes);
      int user = Integer.parseInt(exchange.getRequestURI().getPath().substring(1));
      String id = String.valueOf(exchange.getRequestHeaders().getFirst("webhook-id"));
      long seq = body.path("seq").asLong();
      boolean fails = seq % FAILS_EACH == 0 && failures.merge(id, 1, Integer::sum) <= FAILURES_EACH;
      if (!fails) {
        String text = id + "." + exchange.getRequestHeaders().getFirst("webhook-timestamp") + ".";
        boolean signed =
            signature(secrets.getOrDefault(user, ""), text, bytes)
                .equals(exchange.getRequestHeaders().getFirst("webhook-signature"));
        delivered.add(
            new Delivery(user, seq, body.path("data").path("meeting_id").asLong(), id, signed));
      }
      exchange.sendResponseHeaders(fails ? 500 : 200, -1);
    }
  }

  /** By the Standard Webhooks specification, github.com/standard-webhooks/standard-webhooks. */
  private static String signature(String secret, String start, byte[] body) {
    try {
      Mac mac = Mac.getInstance("HmacSHA256");
      byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
      mac.update(start.getBytes(StandardCharsets.UTF_8));
      return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }
}
