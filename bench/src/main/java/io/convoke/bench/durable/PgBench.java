package io.convoke.bench.durable;

import io.convoke.engine.sql.DatabaseUrl;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Bare inserts by {@code pgbench}, 16 clients, one row and one commit each: what a disk allows. */
final class PgBench implements QueueCandidate {
  static final String NAME = "pgbench";

  private static final Pattern REPORT =
      Pattern.compile(
          "(?s)transactions actually processed: ([0-9]+).*"
              + "tps = ([0-9.]+) \\(without initial connection time\\)");

  private final String program;
  private final DatabaseUrl url;
  private final String rawUrl;
  private final Path script;

  private PgBench(String program, String rawUrl, Path folder) throws IOException, SQLException {
    this.program = program;
    this.rawUrl = rawUrl;
    this.url = DatabaseUrl.parse(rawUrl);
    this.script =
        Files.writeString(
            folder.resolve("insert.sql"),
            "insert into queue (instance_id, work_item) values ('instance', '"
                + ConvokeQueue.PAYLOAD
                + "');\n");
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean _ =
          statement.execute(
              """
              create table queue (id bigserial primary key, instance_id text, work_item text,
                visible_at timestamptz not null default now())
              """);
    }
  }

  /** Empty where the program is not installed. */
  static Optional<QueueCandidate> find(String url, Path folder) throws IOException, SQLException {
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    Optional<Path> program =
        Stream.of(path.split(":"))
            .map(entry -> Path.of(entry, "pgbench"))
            .filter(Files::isExecutable)
            .findFirst();
    return program.isEmpty()
        ? Optional.empty()
        : Optional.of(new PgBench(program.get().toString(), url, folder));
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public QueuedItems enqueue(int callers, Duration span) throws Exception {
    URI uri = URI.create(rawUrl);
    ProcessBuilder builder =
        new ProcessBuilder(
            program,
            "-n",
            "-c",
            "16",
            "-j",
            "2",
            "-M",
            "prepared",
            "-f",
            script.toString(),
            "-T",
            Long.toString(Math.max(1, span.toSeconds())),
            "-h",
            uri.getHost(),
            "-p",
            Integer.toString(uri.getPort()),
            "-U",
            url.user(),
            uri.getPath().substring(1));
    builder.environment().putAll(Map.of("PGPASSWORD", url.password(), "LC_ALL", "C"));
    Process process = builder.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("pgbench failed: " + output);
    }
    return queued(output);
  }

  /** By its own clock, which runs once its clients are connected, as those of all others are. */
  static QueuedItems queued(String output) throws IOException {
    Matcher said = REPORT.matcher(output);
    if (!said.find()) {
      throw new IOException("pgbench tells no rate: " + output);
    }
    long items = Long.parseLong(said.group(1));
    double seconds = items / Double.parseDouble(said.group(2));
    return new QueuedItems(items, Duration.ofNanos(Math.round(seconds * 1e9)));
  }

  @Override
  public QueueTurn work(Duration atMost) {
    return new QueueTurn(0, 0, Duration.ZERO);
  }

  @Override
  public void clear() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      boolean _ = statement.execute("truncate queue");
    }
  }

  @Override
  public long queued() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select count(*) from queue")) {
      boolean _ = row.next();
      return row.getLong(1);
    }
  }

  @Override
  public void close() {}

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(url.jdbc(), url.user(), url.password());
  }
}
