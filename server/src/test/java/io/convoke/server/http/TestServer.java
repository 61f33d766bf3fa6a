package io.convoke.server.http;

import io.convoke.engine.seal.SecretBox;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A real server on a free port for some endpoints. {@code X-API-Key: user-7} is user 7, the admin
 * key is {@value #ADMIN}, the internal token {@value #INTERNAL}, the bearer {@code bot-42} a bot of
 * meeting 42.
 */
public final class TestServer implements AutoCloseable {
  public static final String ADMIN = "the-admin-key";
  public static final String INTERNAL = "the-internal-token";

  private final HttpServer server;
  private final Health health;

  private TestServer(HttpServer server, Health health) {
    this.server = server;
    this.health = health;
  }

  /** Serves these endpoints; idempotency keys live in memory. */
  public static TestServer of(Endpoint... endpoints) {
    return of(List.of(endpoints), HttpTerms.at("127.0.0.1", 0), new InMemoryKeys(), List.of());
  }

  /** Serves these endpoints to people with these tokens and sessions. */
  static TestServer of(List<Endpoint> endpoints, List<BearerScheme> schemes, Sessions sessions) {
    HttpTerms terms = HttpTerms.at("127.0.0.1", 0);
    return of(endpoints, terms, new InMemoryKeys(), schemes, sessions);
  }

  static TestServer of(
      List<Endpoint> endpoints, HttpTerms terms, IdempotencyKeys keys, List<BearerScheme> schemes) {
    Sessions sessions = new Sessions(SecretBox.of(SecretBox.newKey()), InstantSource.system());
    return of(endpoints, terms, keys, schemes, sessions);
  }

  private static TestServer of(
      List<Endpoint> endpoints,
      HttpTerms terms,
      IdempotencyKeys keys,
      List<BearerScheme> schemes,
      Sessions sessions) {
    Health health = new Health();
    List<BearerScheme> all = new java.util.ArrayList<>(List.of(TestServer::bot));
    all.addAll(schemes);
    Authenticator authenticator =
        new Authenticator(Optional.of(ADMIN), Optional.of(INTERNAL), TestServer::user, all);
    HttpServer server =
        HttpServer.start(
            terms,
            endpoints,
            authenticator,
            sessions,
            keys,
            health,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            OpenTelemetry.noop());
    return new TestServer(server, health);
  }

  HttpServer server() {
    return server;
  }

  Health health() {
    return health;
  }

  public String url() {
    return server.url();
  }

  public ContractClient anonymous() {
    return ContractClient.of(url());
  }

  public ContractClient admin() {
    return anonymous().with("X-Admin-API-Key", ADMIN);
  }

  public ContractClient internal() {
    return anonymous().with("Authorization", "Bearer " + INTERNAL);
  }

  public ContractClient user(long id) {
    return anonymous().with("X-API-Key", "user-" + id);
  }

  @Override
  public void close() {
    server.close();
  }

  private static Optional<Caller> user(String key) {
    return key.startsWith("user-")
        ? Optional.of(new Caller.User(Long.parseLong(key.substring(5))))
        : Optional.empty();
  }

  private static Optional<Caller> bot(String token) {
    return token.startsWith("bot-")
        ? Optional.of(new Caller.Bot(Long.parseLong(token.substring(4)), "connection", 1))
        : Optional.empty();
  }

  /** Keys of one process, for tests that are about something else. */
  private static final class InMemoryKeys implements IdempotencyKeys {
    private final ConcurrentHashMap<Key, Optional<Stored>> stored = new ConcurrentHashMap<>();

    @Override
    public Claim claim(Key key, byte[] fingerprint) {
      Optional<Stored> before = stored.putIfAbsent(key, Optional.empty());
      if (before == null) {
        return new Claim.Fresh("token");
      }
      return before.<Claim>map(Claim.Replay::new).orElseGet(Claim.InFlight::new);
    }

    @Override
    public void complete(Key key, String token, Stored answer) {
      stored.put(key, Optional.of(answer));
    }

    @Override
    public void release(Key key, String token) {
      stored.remove(key);
    }
  }
}
