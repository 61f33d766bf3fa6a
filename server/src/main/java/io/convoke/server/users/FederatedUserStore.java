package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users of people whom the identity provider names. A person is known by issuer and subject. On
 * the first request the person is linked to the user with the same e-mail address, if the provider
 * has verified it and the user is not linked yet; else an operator gets a new user, and other
 * people none.
 */
final class FederatedUserStore {
  private static final Logger log = LoggerFactory.getLogger(FederatedUserStore.class);

  /** The user of a person. */
  record FederatedUser(long id, boolean disabled) {
    private static FederatedUser of(ResultRow row) {
      return new FederatedUser(row.longAt("id"), row.booleanAt("disabled"));
    }
  }

  private final Database database;

  FederatedUserStore(Database database) {
    this.database = database;
  }

  /** The number of the person's user, if there is one who is not disabled. */
  Optional<Long> enabledUserOf(FederatedIdentity identity) {
    return database
        .read(tx -> find(tx, identity.issuer(), identity.subject()))
        .or(() -> database.transaction(tx -> linkOrCreate(tx, identity)))
        .filter(user -> !user.disabled())
        .map(FederatedUser::id);
  }

  /** The same for a person who must be linked already. */
  Optional<Long> enabledUserLinkedTo(String issuer, String subject) {
    return database
        .read(tx -> find(tx, issuer, subject))
        .filter(user -> !user.disabled())
        .map(FederatedUser::id);
  }

  private static Optional<FederatedUser> find(Tx tx, String issuer, String subject) {
    return tx.sql(
            """
            select id, disabled_at is not null as disabled from users
            where oidc_issuer = ? and oidc_subject = ?
            """)
        .with(issuer, subject)
        .first(FederatedUser::of);
  }

  private static Optional<FederatedUser> linkOrCreate(Tx tx, FederatedIdentity identity) {
    Optional<FederatedUser> linked =
        identity.verifiedEmail().flatMap(email -> link(tx, identity, email));
    linked.ifPresent(
        user -> log.info("User {} is {} of the identity provider", user.id(), identity.subject()));
    Optional<FederatedUser> own =
        linked.isEmpty() && identity.operates() ? create(tx, identity) : linked;
    // Without a row another request has just linked or created it, or the person has none.
    return own.or(() -> find(tx, identity.issuer(), identity.subject()));
  }

  private static Optional<FederatedUser> link(Tx tx, FederatedIdentity identity, String email) {
    return tx.sql(
            """
            update users set oidc_issuer = ?, oidc_subject = ?
            where lower(email) = lower(?) and oidc_subject is null
            returning id, disabled_at is not null as disabled
            """)
        .with(identity.issuer(), identity.subject(), email)
        .first(FederatedUser::of);
  }

  private static Optional<FederatedUser> create(Tx tx, FederatedIdentity identity) {
    Optional<FederatedUser> created =
        tx.sql(
                """
                insert into users (email, name, oidc_issuer, oidc_subject)
                values (?, ?, ?, ?)
                on conflict do nothing
                returning id, false as disabled
                """)
            .with(identity.verifiedEmail(), identity.name(), identity.issuer(), identity.subject())
            .first(FederatedUser::of);
    created.ifPresent(
        user ->
            log.info(
                "User {} was created for {} of the identity provider",
                user.id(),
                identity.subject()));
    return created;
  }
}
