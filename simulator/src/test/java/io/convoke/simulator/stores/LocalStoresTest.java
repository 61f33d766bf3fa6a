package io.convoke.simulator.stores;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("nightly")
class LocalStoresTest {
  @Test
  void dataStaysBetweenRuns(@TempDir Path folder) throws SQLException {
    try (LocalStores localStores = LocalStores.open(folder)) {
      execute(localStores, "create table kept (n int)");
      execute(localStores, "insert into kept values (42)");
    }
    try (LocalStores localStores = LocalStores.open(folder)) {
      assertThat(number(localStores, "select n from kept")).isEqualTo(42);
    }
  }

  @Test
  void dataSurvivesACrashOfBothServers(@TempDir Path folder) throws SQLException {
    try (LocalStores localStores = LocalStores.open(folder)) {
      execute(localStores, "create table kept (n int)");
      localStores.postgres().kill();
      localStores.redis().kill();
      localStores.postgres().restart();
      localStores.redis().restart();
      assertThat(number(localStores, "select count(*) from kept")).isZero();
      localStores.redis().flush();
    }
  }

  @Test
  void aStandbyTakesOverWithAllThatWasCommitted(@TempDir Path folder) throws SQLException {
    try (LocalStores localStores = LocalStores.open(folder)) {
      execute(localStores, "create table kept (n int)");
      localStores.postgres().addStandby();
      execute(localStores, "insert into kept select generate_series(1, 1000)");
      localStores.postgres().failOver();
      assertThat(number(localStores, "select count(*) from kept")).isEqualTo(1000);
      assertThat(number(localStores, "select timeline_id from pg_control_checkpoint()"))
          .isEqualTo(2);
    }
  }

  @Test
  void isPostgres18() throws SQLException {
    assertThat(number(LocalStores.forTests(), "show server_version_num"))
        .isBetween(180_000, 189_999);
  }

  /** A process that opens stores, prints their pids and waits to be killed. */
  static final class Holder {
    public static void main(String[] args) throws IOException {
      LocalStores _ = LocalStores.open(Path.of(args[0]));
      ProcessHandle.current().descendants().forEach(child -> System.out.println(child.pid()));
      System.out.println("open");
      int _ = System.in.read();
    }
  }

  @Test
  void nothingIsLeftBehindWhenTheParentIsKilled(@TempDir Path folder) throws Exception {
    Process parent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Holder.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<ProcessHandle> children =
        parent
            .inputReader()
            .lines()
            .takeWhile(line -> !line.equals("open"))
            .map(Long::parseLong)
            .flatMap(pid -> ProcessHandle.of(pid).stream())
            .toList();
    assertThat(children).hasSizeGreaterThan(2);

    parent.destroyForcibly().waitFor();

    for (ProcessHandle child : children) {
      assertThat(child.onExit().get(15, TimeUnit.SECONDS).isAlive()).isFalse();
    }
    assertThat(folder.resolve("postgres/data/postmaster.pid")).doesNotExist();
    assertThat(Files.exists(folder.resolve("postgres/data/PG_VERSION"))).isTrue();
  }

  private static void execute(LocalStores localStores, String sql) throws SQLException {
    try (Connection connection = localStores.postgres().connect("convoke");
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static int number(LocalStores localStores, String sql) throws SQLException {
    String database = sql.startsWith("show") ? "postgres" : "convoke";
    try (Connection connection = localStores.postgres().connect(database);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getInt(1);
    }
  }
}
