package io.convoke.engine.durable;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Many activities of one key, of which {@value #AT_MOST} may run at the same time, and a table in
 * the database that knows how many did. A node of its own when it is started as a process.
 */
final class ConcurrencyLimitProcess {
  static final int AT_MOST = 3;
  private static final Duration WORK = Duration.ofMillis(25);
  private static final ActivityOptions THREE = ActivityOptions.ONCE.atMost(AT_MOST, "the bridge");

  private ConcurrencyLimitProcess() {}

  static void install(Database database) {
    int _ =
        database.transaction(
            tx ->
                tx.sql(
                        """
                        create table crossing (person integer primary key, node text not null);
                        create table ready ();
                        create table crossed (person integer not null, most integer not null)
                        """)
                    .update());
  }

  /** An engine whose workflow {@code march} sends as many over the bridge as it is told. */
  static Durable start(String url, Database database, String node) {
    return Durable.on(url)
        .activity(
            "cross",
            Integer.class,
            (context, person) -> {
              int most = enter(database, person, node);
              LockSupport.parkNanos(WORK.toNanos());
              leave(database, person, most);
              return person;
            })
        .workflow(
            "march",
            Integer.class,
            (context, people) -> {
              List<Promise<Integer>> all =
                  IntStream.range(0, people)
                      .mapToObj(person -> context.order("cross", person, Integer.class, THREE))
                      .toList();
              return context.all(all).size();
            })
        .start();
  }

  /**
   * Who was on the bridge when the node died is still on it, until the same person is sent again.
   */
  private static int enter(Database database, int person, String node) {
    return database.transaction(
        tx -> {
          tx.run(
              List.of(
                  tx.sql("lock table crossing in exclusive mode"),
                  tx.sql(
                          """
                          insert into crossing values (?, ?)
                          on conflict (person) do update set node = excluded.node
                          """)
                      .with(person, node)));
          return tx.sql("select count(*) as n from crossing")
              .one(resultRow -> resultRow.intAt("n"));
        });
  }

  private static void leave(Database database, int person, int most) {
    database.run(
        tx ->
            tx.run(
                List.of(
                    tx.sql("delete from crossing where person = ?").with(person),
                    tx.sql("insert into crossed values (?, ?)").with(person, most))));
  }

  static Process process(String url) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ConcurrencyLimitProcess.class.getName());
    String _ = builder.environment().put("CROWD_URL", url);
    return builder
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  public static void main(String[] arguments) {
    String url = Optional.ofNullable(System.getenv("CROWD_URL")).orElseThrow();
    Database database = Database.open(DatabaseUrl.parse(url), 4, "crowd", List.of("public"));
    Durable engine = start(url, database, "process");
    database.run(tx -> tx.run(List.of(tx.sql("insert into ready default values"))));
    while (true) {
      LockSupport.park(engine);
    }
  }
}
