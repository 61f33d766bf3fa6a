package io.convoke.bench.durable;

import io.convoke.bench.BenchSettings;
import io.convoke.bench.process.WatchedProcess;
import io.convoke.bench.report.CountTable;
import io.convoke.simulator.stores.LocalStores;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * The statements of an idle node, with few and with many workers, by Postgres' statistics. All
 * nodes are idle at the same time, each on its own database.
 */
final class IdleNodeCost {
  private static final Duration SETTLE = Duration.ofSeconds(5);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int FEW = 4;
  private static final List<Integer> WORKERS = List.of(FEW, 256);

  private IdleNodeCost() {}

  private record IdleNode(String name, int workers, String database) {}

  static CountTable measure(
      LocalStores localStores, List<NodeQueueCandidate.NodeQueueKind> peers, BenchSettings settings)
      throws Exception {
    boolean quick = settings.rounds() < 3;
    Duration watched = quick ? settings.span() : LONG;
    List<WatchedProcess> running = new ArrayList<>();
    List<IdleNode> nodes = new ArrayList<>();
    try (Connection outside = localStores.postgres().connect("postgres")) {
      execute(outside, "create extension if not exists pg_stat_statements");
      for (int workers : WORKERS) {
        for (String name : JavaQueueLibraries.of(settings)) {
          if (name.equals(ConvokeQueue.POLLING) && workers > FEW) {
            // Ten thousand statements a second would load the whole machine.
            continue;
          }
          IdleNode idleNode = node(name, workers);
          String url = DurableBenchmark.fresh(localStores, idleNode.database);
          nodes.add(idleNode);
          running.add(
              new WatchedProcess(
                  LibraryWorkerProcess.start(
                      LibraryWorkerProcess.class, url, name, Integer.toString(workers))));
        }
        for (NodeQueueCandidate.NodeQueueKind nodeQueueKind : peers) {
          IdleNode idleNode = node(nodeQueueKind.shown(), workers);
          String url = DurableBenchmark.fresh(localStores, idleNode.database);
          nodes.add(idleNode);
          running.add(nodeQueueKind.watch(url, Integer.toString(workers)));
        }
      }
      LockSupport.parkNanos(quick ? watched.toNanos() : SETTLE.toNanos());
      Map<String, Long> before = calls(outside);
      LockSupport.parkNanos(watched.toNanos());
      Map<String, Long> after = calls(outside);
      running.forEach(WatchedProcess::requireRunning);
      return new CountTable(
          "idle for " + watched.toSeconds() + " s",
          List.of("statements/s"),
          nodes.stream()
              .map(idleNode -> row(idleNode, before, after, watched.toNanos() / 1e9))
              .toList());
    } finally {
      for (WatchedProcess node : running) {
        node.close();
      }
    }
  }

  private static IdleNode node(String name, int workers) {
    String plain = name.toLowerCase(Locale.ROOT).replace('-', '_');
    return new IdleNode(name, workers, "idle_" + workers + "_" + plain);
  }

  private static CountTable.CountRow row(
      IdleNode idleNode, Map<String, Long> before, Map<String, Long> after, double seconds) {
    String database = "bench_" + idleNode.database;
    long calls = after.getOrDefault(database, 0L) - before.getOrDefault(database, 0L);
    return CountTable.CountRow.of(
        idleNode.name + ", " + idleNode.workers + " workers", calls / seconds);
  }

  /** By database, counted from another one. */
  private static Map<String, Long> calls(Connection outside) throws SQLException {
    Map<String, Long> calls = new HashMap<>();
    try (Statement statement = outside.createStatement();
        ResultSet rows =
            statement.executeQuery(
                """
                select d.datname, sum(s.calls)::bigint
                from pg_stat_statements(false) s join pg_database d on d.oid = s.dbid
                group by d.datname
                """)) {
      while (rows.next()) {
        Long _ = calls.put(rows.getString(1), rows.getLong(2));
      }
    }
    return calls;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      boolean _ = statement.execute(sql);
    }
  }
}
