package io.convoke.server.webhooks;

import io.convoke.engine.journal.Journal;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Problem;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The SQL of endpoints and of the log of their deliveries. */
final class WebhookEndpointStore {
  private final Database database;
  private final Journal journal;

  WebhookEndpointStore(Database database, Journal journal) {
    this.database = database;
    this.journal = journal;
  }

  /**
   * Adds an endpoint.
   *
   * @param added called with it before the commit
   * @throws Problem 404 if there is no such user
   */
  WebhookEndpoint add(
      Optional<Long> userId,
      String url,
      List<String> types,
      String sealed,
      long routedSeq,
      Consumer<WebhookEndpoint> added) {
    return database.transaction(
        tx -> {
          WebhookEndpoint made =
              tx.sql(
                      """
                      insert into webhook_endpoints (user_id, url, types, secret, routed_seq)
                      select u.id, ?, ?, ?, ?
                      from (values (?::bigint)) as wanted (id) left join users u using (id)
                      where wanted.id is null or u.id is not null returning\s"""
                          + WebhookEndpoint.COLUMNS)
                  .with(url, types.toArray(String[]::new), sealed, routedSeq, userId)
                  .first(WebhookEndpoint::of)
                  .orElseThrow(() -> Problem.notFound("user"));
          journal.append(tx, List.of(made.event("created")));
          added.accept(made);
          return made;
        });
  }

  Optional<WebhookEndpoint> find(long id) {
    return database.read(tx -> find(tx, id));
  }

  static Optional<WebhookEndpoint> find(Tx tx, long id) {
    return tx.sql("select " + WebhookEndpoint.COLUMNS + " from webhook_endpoints where id = ?")
        .with(id)
        .first(WebhookEndpoint::of);
  }

  List<WebhookEndpoint> list(Optional<Long> userId, long after, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + WebhookEndpoint.COLUMNS
                        + """
                         from webhook_endpoints where id > ? and (? or user_id = ?)
                        order by id limit ?
                        """)
                .with(after, userId.isEmpty(), userId.orElse(0L), limit)
                .list(WebhookEndpoint::of));
  }

  /** Number of a user's endpoints. */
  long count(Optional<Long> userId) {
    return database.read(
        tx ->
            tx.sql(
                    "select count(*) as n from webhook_endpoints where user_id is not distinct from"
                        + " ?::bigint")
                .with(userId)
                .one(resultRow -> resultRow.longAt("n")));
  }

  /**
   * Deletes an endpoint, to which nothing is sent from then on; a request in progress is not
   * cancelled. Its lanes stay until {@link DeliveryStore#prune} has deleted its deliveries, which
   * may be too many for one statement. Streams of an old release have no lane's row, so one is
   * added; routers lock the endpoint first, too.
   */
  void remove(WebhookEndpoint endpoint) {
    long id = endpoint.id();
    database.run(
        tx -> {
          tx.run(
              List.of(
                  tx.sql("delete from webhook_endpoints where id = ?").with(id),
                  tx.sql(
                          """
                          insert into webhook_lanes (endpoint_id, lane) values (?, 0)
                          on conflict do nothing
                          """)
                      .with(id),
                  tx.sql("update webhook_lanes set wakes_at = null where endpoint_id = ?")
                      .with(id)));
          journal.append(tx, List.of(endpoint.event("removed")));
        });
  }

  List<WebhookDelivery> deliveries(
      long endpointId, Optional<String> state, long before, int limit) {
    return database.read(
        tx ->
            tx.sql(
                    "select "
                        + WebhookDelivery.COLUMNS
                        + """
                         from webhook_deliveries
                        where endpoint_id = ? and id < ? and (? or state = ?)
                        order by id desc limit ?
                        """)
                .with(endpointId, before, state.isEmpty(), state.orElse(""), limit)
                .list(WebhookDelivery::of));
  }
}
