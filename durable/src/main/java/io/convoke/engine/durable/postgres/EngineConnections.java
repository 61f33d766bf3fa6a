package io.convoke.engine.durable.postgres;

import io.convoke.engine.sql.ApplicationDataSource;
import io.convoke.engine.sql.ConnectionSource;
import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

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
  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("enable_seqscan", "off"),
          Map.entry("enable_bitmapscan", "off"),
          Map.entry("enable_hashjoin", "off"),
          Map.entry("enable_mergejoin", "off"),
          Map.entry("enable_sort", "on"),
          Map.entry("jit", "off"),
          Map.entry("plan_cache_mode", "force_generic_plan"),
          Map.entry("max_parallel_workers_per_gather", "0"),
          Map.entry("statement_timeout", "30s"),
          Map.entry("idle_in_transaction_session_timeout", "10s"));

  private EngineConnections() {}

  /**
   * Opens the pool.
   *
   * @param announces whether this node notifies others of what these sessions write; if not, the
   *     triggers do
   */
  static Database open(
      ConnectionSource source, int connections, SchemaNames schemaNames, boolean announces) {
    return open(source, connections, "convoke-durable", schemaNames, settings(announces));
  }

  /**
   * Opens a pool for claims, which do not wait for the disk: a claim that Postgres loses in a crash
   * is a lock that is not held when its holder commits, and the work runs again.
   */
  static Database forClaims(
      ConnectionSource source, int connections, SchemaNames schemaNames, boolean announces) {
    Map<String, String> settings = settings(announces);
    String _ = settings.put("synchronous_commit", "off");
    return open(source, connections, "convoke-durable-claims", schemaNames, settings);
  }

  private static Map<String, String> settings(boolean announces) {
    Map<String, String> settings = new HashMap<>(SETTINGS);
    String _ = settings.put("convoke.announces", announces ? "on" : "off");
    return settings;
  }

  private static Database open(
      ConnectionSource source,
      int connections,
      String name,
      SchemaNames schemaNames,
      Map<String, String> settings) {
    return switch (source) {
      case DatabaseUrl url when url.transactionPooled() -> {
        Map<String, String> all = new HashMap<>(settings);
        String _ = all.put("search_path", schemaNames.quoted());
        yield Database.openPooled(url, connections, name, all);
      }
      case DatabaseUrl url ->
          Database.open(tuned(url, settings), connections, name, List.of(schemaNames.schema()));
      case ApplicationDataSource application -> {
        Map<String, String> all = new HashMap<>(settings);
        String _ = all.put("search_path", schemaNames.quoted());
        // Written by inserts; a borrowed session must not keep it.
        String _ = all.put("convoke.visible", "");
        yield Database.open(application, connections, name, all);
      }
    };
  }

  /** A URL whose sessions begin with the settings. */
  private static DatabaseUrl tuned(DatabaseUrl url, Map<String, String> settings) {
    String all =
        settings.entrySet().stream()
            .map(setting -> "-c " + setting.getKey() + "=" + setting.getValue())
            .collect(Collectors.joining(" "));
    String options = URLEncoder.encode(all, StandardCharsets.UTF_8).replace("+", "%20");
    String separator = url.jdbc().contains("?") ? "&" : "?";
    String threshold = url.jdbc().contains("prepareThreshold=") ? "" : "prepareThreshold=1&";
    return new DatabaseUrl(
        url.jdbc() + separator + threshold + "options=" + options, url.user(), url.password());
  }
}
