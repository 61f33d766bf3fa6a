package io.convoke.server.http;

import io.convoke.engine.crypto.SecretBox;
import io.convoke.server.http.auth.Authenticator;
import io.convoke.server.http.auth.BearerScheme;
import io.convoke.server.http.auth.BrowserSessions;
import io.convoke.server.http.idempotency.IdempotencyKeys;
import io.convoke.server.http.listener.HttpServer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.api.OpenTelemetry;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
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
  private final HealthChecks healthChecks;

  private TestServer(HttpServer server, HealthChecks healthChecks) {
    this.server = server;
    this.healthChecks = healthChecks;
  }

  /** Serves these endpoints; idempotency keys live in memory. */
  public static TestServer of(Endpoint... endpoints) {
    return of(List.of(endpoints), HttpConfig.at("127.0.0.1", 0), new InMemoryKeys(), List.of());
  }

  /** Serves the documentation in a folder, and no endpoint. */
  public static TestServer ofSite(Path site) {
    return of(
        List.of(),
        HttpConfig.at("127.0.0.1", 0),
        new InMemoryKeys(),
        List.of(),
        new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system()),
        new DocumentParts(Map.of(), List.of(), Optional.of(site)));
  }

  /** Serves these endpoints to people with these tokens and sessions. */
  public static TestServer of(
      List<Endpoint> endpoints, List<BearerScheme> schemes, BrowserSessions browserSessions) {
    HttpConfig terms = HttpConfig.at("127.0.0.1", 0);
    return of(endpoints, terms, new InMemoryKeys(), schemes, browserSessions);
  }

  public static TestServer of(
      List<Endpoint> endpoints,
      HttpConfig terms,
      IdempotencyKeys keys,
      List<BearerScheme> schemes) {
    BrowserSessions browserSessions =
        new BrowserSessions(SecretBox.of(SecretBox.newKey()), InstantSource.system());
    return of(endpoints, terms, keys, schemes, browserSessions);
  }

  private static TestServer of(
      List<Endpoint> endpoints,
      HttpConfig terms,
      IdempotencyKeys keys,
      List<BearerScheme> schemes,
      BrowserSessions browserSessions) {
    return of(endpoints, terms, keys, schemes, browserSessions, DocumentParts.NONE);
  }

  private static TestServer of(
      List<Endpoint> endpoints,
      HttpConfig terms,
      IdempotencyKeys keys,
      List<BearerScheme> schemes,
      BrowserSessions browserSessions,
      DocumentParts parts) {
    HealthChecks healthChecks = new HealthChecks();
    List<BearerScheme> all = new java.util.ArrayList<>(List.of(TestServer::bot));
    all.addAll(schemes);
    Authenticator authenticator =
        new Authenticator(Optional.of(ADMIN), Optional.of(INTERNAL), TestServer::user, all);
    HttpServer server =
        HttpServer.start(
            terms,
            endpoints,
            parts,
            authenticator,
            browserSessions,
            keys,
            RequestPolicies.NONE,
            healthChecks,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            OpenTelemetry.noop());
    return new TestServer(server, healthChecks);
  }

  public HttpServer server() {
    return server;
  }

  public HealthChecks health() {
    return healthChecks;
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
        ? Optional.of(new Caller.UserCaller(Long.parseLong(key.substring(5))))
        : Optional.empty();
  }

  private static Optional<Caller> bot(String token) {
    return token.startsWith("bot-")
        ? Optional.of(new Caller.BotCaller(Long.parseLong(token.substring(4)), "connection", 1))
        : Optional.empty();
  }

  /** Keys of one process, for tests that are about something else. */
  private static final class InMemoryKeys implements IdempotencyKeys {
    private final ConcurrentHashMap<IdempotencyKey, Optional<StoredResponse>> stored =
        new ConcurrentHashMap<>();

    @Override
    public IdempotencyClaim claim(IdempotencyKey idempotencyKey, byte[] fingerprint) {
      Optional<StoredResponse> before = stored.putIfAbsent(idempotencyKey, Optional.empty());
      if (before == null) {
        return new IdempotencyClaim.FreshIdempotencyKey("token");
      }
      return before
          .<IdempotencyClaim>map(IdempotencyClaim.IdempotentReplay::new)
          .orElseGet(IdempotencyClaim.IdempotencyKeyInFlight::new);
    }

    @Override
    public void complete(IdempotencyKey idempotencyKey, String token, StoredResponse answer) {
      stored.put(idempotencyKey, Optional.of(answer));
    }

    @Override
    public void release(IdempotencyKey idempotencyKey, String token) {
      stored.remove(idempotencyKey);
    }

    @Override
    public void abandon(IdempotencyKey idempotencyKey, String token) {
      release(idempotencyKey, token);
    }
  }
}
