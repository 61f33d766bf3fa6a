package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** The table {@code users}. */
final class UserStore {
  private static final String COLUMNS =
      "id, email, name, image_url, max_concurrent_bots, data, created_at,"
          + " oidc_issuer, oidc_subject, disabled_at is not null as disabled";

  /** The other members of the teams of the user {@code u}, as an array. */
  static final String TEAM_MATES =
      """
      array(
        select distinct other.user_id from team_members own
        join team_members other on other.team_id = own.team_id and other.user_id <> own.user_id
        where own.user_id = u.id)
      """;

  /** A user, and whether this call created it. */
  record EnsuredUser(User user, boolean created) {}

  private final Database database;
  private volatile BiConsumer<Tx, Long> enabled = (tx, user) -> {};

  UserStore(Database database) {
    this.database = database;
  }

  void onEnabled(BiConsumer<Tx, Long> listener) {
    this.enabled = listener;
  }

  /**
   * Creates the user, or returns the unchanged one that has the email already.
   *
   * @param ensured called with the result before the commit
   */
  EnsuredUser ensure(User.NewUser newUser, Consumer<EnsuredUser> ensured) {
    return database.transaction(
        tx -> {
          EnsuredUser user =
              insert(tx, newUser)
                  .map(created -> new EnsuredUser(created, true))
                  .orElseGet(() -> new EnsuredUser(byEmail(tx, newUser.email()), false));
          ensured.accept(user);
          return user;
        });
  }

  Optional<User> find(long id) {
    return database.read(tx -> find(tx, id, ""));
  }

  /** The other members of a user's teams; empty without such a user, or if it is disabled. */
  Optional<Set<Long>> teamMates(long id) {
    return database.read(
        tx ->
            tx.sql(
                    "select TEAM_MATES as team_mates from users u where id = ? and disabled_at is null"
                        .replace("TEAM_MATES", TEAM_MATES))
                .with(id)
                .first(resultRow -> Set.copyOf(resultRow.longs("team_mates"))));
  }

  /** Users after an id, oldest first. */
  List<User> list(long afterId, int limit) {
    return database.read(
        tx ->
            tx.sql("select " + COLUMNS + " from users where id > ? order by id limit ?")
                .with(afterId, limit)
                .list(UserStore::user));
  }

  /**
   * Changes a user under its row lock, before the commit; the change may be computed again.
   *
   * @throws Problem 404 if there is no such user
   */
  User change(long id, UnaryOperator<User> change) {
    return database.transaction(
        tx -> {
          User user = find(tx, id, " for update").orElseThrow(() -> Problem.notFound("user"));
          return change(tx, user, change.apply(user));
        });
  }

  private User change(Tx tx, User before, User changed) {
    if (before.disabled() != changed.disabled() || !before.sameIdentity(changed)) {
      AccessChanges.notify(tx, List.of(changed.id()));
    }
    User user = update(tx, changed);
    if (before.disabled() && !changed.disabled()) {
      enabled.accept(tx, user.id());
    }
    return user;
  }

  private static Optional<User> insert(Tx tx, User.NewUser newUser) {
    return tx.sql(
            """
            insert into users (email, name, image_url, max_concurrent_bots, data)
            values (?, ?, ?, ?, ?)
            on conflict (lower(email)) do nothing
            returning\s"""
                + COLUMNS)
        .with(
            newUser.email(),
            newUser.name(),
            newUser.imageUrl(),
            newUser.maxConcurrentBots(),
            newUser.data())
        .first(UserStore::user);
  }

  private static User byEmail(Tx tx, String email) {
    return tx.sql("select " + COLUMNS + " from users where lower(email) = lower(?)")
        .with(email)
        .one(UserStore::user);
  }

  private static Optional<User> find(Tx tx, long id, String lock) {
    return tx.sql("select " + COLUMNS + " from users where id = ?" + lock)
        .with(id)
        .first(UserStore::user);
  }

  private static User update(Tx tx, User user) {
    return tx.sql(
            """
            update users set email = ?, name = ?, image_url = ?, max_concurrent_bots = ?, data = ?,
              oidc_issuer = ?, oidc_subject = ?,
              disabled_at = case when ? then coalesce(disabled_at, now()) end
            where id = ?
            returning\s"""
                + COLUMNS)
        .with(
            user.email(),
            user.name(),
            user.imageUrl(),
            user.maxConcurrentBots(),
            user.data(),
            user.oidcIssuer(),
            user.oidcSubject(),
            user.disabled(),
            user.id())
        .one(UserStore::user);
  }

  private static User user(ResultRow resultRow) {
    return new User(
        resultRow.longAt("id"),
        resultRow.maybeText("email"),
        resultRow.maybeText("name"),
        resultRow.maybeText("image_url"),
        resultRow.maybeInt("max_concurrent_bots"),
        (ObjectNode) resultRow.json("data"),
        resultRow.instant("created_at"),
        resultRow.maybeText("oidc_issuer"),
        resultRow.maybeText("oidc_subject"),
        resultRow.booleanAt("disabled"));
  }
}
