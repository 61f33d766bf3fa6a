package io.convoke.server.users;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.ResultRow;
import io.convoke.engine.sql.Tx;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/** The table {@code users}. */
final class UserStore {
  private static final String COLUMNS =
      "id, email, name, image_url, max_concurrent_bots, data, created_at";

  /** A user, and whether this call created it. */
  record EnsuredUser(User user, boolean created) {}

  private final Database database;

  UserStore(Database database) {
    this.database = database;
  }

  /** Creates the user, or returns the unchanged one that has the email already. */
  EnsuredUser ensure(User.NewUser newUser) {
    return database.transaction(
        tx ->
            insert(tx, newUser)
                .map(user -> new EnsuredUser(user, true))
                .orElseGet(() -> new EnsuredUser(byEmail(tx, newUser.email()), false)));
  }

  Optional<User> find(long id) {
    return database.read(tx -> find(tx, id, ""));
  }

  boolean exists(long id) {
    return database.read(
        tx ->
            tx.sql("select id from users where id = ?")
                .with(id)
                .first(resultRow -> resultRow.longAt("id"))
                .isPresent());
  }

  /** Users after an id, oldest first. */
  List<User> list(long afterId, int limit) {
    return database.read(
        tx ->
            tx.sql("select " + COLUMNS + " from users where id > ? order by id limit ?")
                .with(afterId, limit)
                .list(UserStore::user));
  }

  /** Changes a user under its row lock; the change must have no outside effects. */
  Optional<User> change(long id, UnaryOperator<User> change) {
    return database.transaction(
        tx -> find(tx, id, " for update").map(change).map(changed -> update(tx, changed)));
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
            update users set email = ?, name = ?, image_url = ?, max_concurrent_bots = ?, data = ?
            where id = ?
            returning\s"""
                + COLUMNS)
        .with(
            user.email(),
            user.name(),
            user.imageUrl(),
            user.maxConcurrentBots(),
            user.data(),
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
        resultRow.instant("created_at"));
  }
}
