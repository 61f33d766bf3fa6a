package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Opens the engine's pools with their session settings. Queue tables swing between empty and
 * millions of rows, faster than statistics follow, so plans must not depend on statistics: every
 * statement here is meant to go through an index, row by row, and is planned once.
 *
 * <p>That is also why rows are joined by {@code = any (array[...])}: for an equality Postgres may
 * read the whole index in its order instead, which looks cheap when the statistics count a few live
 * rows but not the million dead ones that an open transaction keeps.
 *
 * <p>Nor does a statement get parallel workers: with a generic plan a scan is estimated to read a
 * third of a million timers, and Postgres would start two workers for it a few times a second.
 *
 * <p>A transaction of a stalled node times out well before the leases of that node expire: nodes
 * that take its work over do not wait for its row locks.
 */
final class EngineConnections {
  private static final String OPTIONS =
      """
      -c enable_seqscan=off -c enable_bitmapscan=off \
      -c enable_hashjoin=off -c enable_mergejoin=off -c enable_sort=on -c jit=off \
      -c plan_cache_mode=force_generic_plan -c max_parallel_workers_per_gather=0 \
      -c statement_timeout=30s \
      -c idle_in_transaction_session_timeout=10s\
      """;

  private EngineConnections() {}

  /**
   * Opens the pool.
   *
   * @param announces whether this node notifies others of what these sessions write; if not, the
   *     triggers do
   */
  static Database open(DatabaseUrl url, int connections, String schema, boolean announces) {
    return open(url, connections, "convoke-durable", schema, announcing(announces));
  }

  /**
   * Opens a pool for claims, which do not wait for the disk: a claim that Postgres loses in a crash
   * is a lock that is not held when its holder commits, and the work runs again.
   */
  static Database forClaims(DatabaseUrl url, int connections, String schema, boolean announces) {
    String options = announcing(announces) + " -c synchronous_commit=off";
    return open(url, connections, "convoke-durable-claims", schema, options);
  }

  private static String announcing(boolean announces) {
    return " -c convoke.announces=" + (announces ? "on" : "off");
  }

  private static Database open(
      DatabaseUrl url, int connections, String name, String schema, String more) {
    String all = OPTIONS + more;
    String options = URLEncoder.encode(all, StandardCharsets.UTF_8).replace("+", "%20");
    String separator = url.jdbc().contains("?") ? "&" : "?";
    DatabaseUrl tuned =
        new DatabaseUrl(
            url.jdbc() + separator + "prepareThreshold=1&options=" + options,
            url.user(),
            url.password());
    return Database.open(tuned, connections, name, List.of(schema));
  }
}
