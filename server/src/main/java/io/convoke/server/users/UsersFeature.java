package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.engine.wake.PostgresListener.NotificationReceiver;
import io.convoke.server.http.Endpoint;
import io.convoke.server.http.auth.ApiKeyVerifier;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Wires users and tokens: their endpoints, and the resolution of API keys and JWT subjects to
 * users.
 */
public final class UsersFeature implements AutoCloseable {
  /** The channel of {@link #receiver}. */
  public static final String ACCESS_CHANNEL = AccessChanges.CHANNEL;

  private static final Duration KNOWN_FOR = Duration.ofSeconds(3);
  private static final int MAX_KNOWN = 10_000;

  private final UserStore store;
  private final ApiTokenService tokens;
  private final KeyUseRecorder uses;
  private final InstantSource clock;
  private final TtlCache<Set<Long>> known = new TtlCache<>(KNOWN_FOR, MAX_KNOWN, System::nanoTime);
  private final FederatedUserStore federated;
  private final Optional<String> issuer;
  private final TtlCache<Long> people = new TtlCache<>(KNOWN_FOR, MAX_KNOWN, System::nanoTime);
  private volatile Consumer<Optional<Long>> accessChanged = _ -> {};

  /** Users in this database, without an identity provider. */
  public UsersFeature(Database database, InstantSource clock) {
    this(database, Optional.empty(), clock);
  }

  /**
   * Users in this database.
   *
   * @param issuer the identity provider that names people
   */
  public UsersFeature(Database database, Optional<String> issuer, InstantSource clock) {
    this.clock = clock;
    this.issuer = issuer;
    this.federated = new FederatedUserStore(database);
    this.store = new UserStore(database);
    ApiTokenStore tokenStore = new ApiTokenStore(database);
    this.uses = new KeyUseRecorder(clock, tokenStore::used);
    this.tokens = new ApiTokenService(tokenStore, uses, clock, System::nanoTime);
  }

  /** Starts to write when keys were last used. */
  public void start() {
    uses.start();
  }

  /** The owner of an {@code X-API-Key}. */
  public ApiKeyVerifier apiKeys() {
    return tokens;
  }

  /**
   * The other members of a user's teams, for the subject of a JWT; empty without such a user, or if
   * it is disabled.
   */
  public Optional<Set<Long>> teamMates(long userId) {
    return known.get(String.valueOf(userId), () -> store.teamMates(userId));
  }

  /** The number of the enabled user who is this person, linked or created on first use. */
  public Optional<Long> userOf(FederatedIdentity identity) {
    return people.get(
        personKey(identity.issuer(), identity.subject()), () -> federated.enabledUserOf(identity));
  }

  /** The number of the enabled user to whom a person of the provider is linked. */
  public Optional<Long> userLinkedTo(String provider, String subject) {
    return people.get(
        personKey(provider, subject), () -> federated.enabledUserLinkedTo(provider, subject));
  }

  private static String personKey(String provider, String subject) {
    return provider + " " + subject;
  }

  /**
   * Calls this when a user, or any if it is empty, may have lost or regained access; it must not
   * block.
   */
  public void onAccessChanged(Consumer<Optional<Long>> listener) {
    this.accessChanged = listener;
  }

  /** Calls this in the transaction that enables a disabled user. */
  public void onEnabled(BiConsumer<Tx, Long> listener) {
    store.onEnabled(listener);
  }

  /**
   * Tells all nodes that users may see more or less than before, in the transaction that changes
   * it.
   */
  public static void notify(Tx tx, List<Long> users) {
    AccessChanges.notify(tx, users);
  }

  /** Receives what another node, or this one, changed about access. */
  public NotificationReceiver receiver() {
    return new AccessChanges(this::forget);
  }

  /** The operator's endpoints for users and tokens. */
  public List<Endpoint> endpoints() {
    return new UsersEndpoints(store, tokens, this::forget, issuer, clock).endpoints();
  }

  @Override
  public void close() {
    uses.close();
  }

  private void forget(Optional<Long> user) {
    tokens.forget();
    known.clear();
    people.clear();
    accessChanged.accept(user);
  }
}
