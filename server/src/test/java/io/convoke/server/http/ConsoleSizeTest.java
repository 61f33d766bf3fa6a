package io.convoke.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The console is small: all that a browser can be sent of it, as the server sends it. */
class ConsoleSizeTest {
  private static final int BYTES_MAX = 150 * 1024;
  private static final Path CONSOLE = Path.of("src", "main", "resources", "console");

  @Test
  void the_whole_console_is_less_than_150_KiB_on_the_wire() throws IOException {
    StaticFiles files = new StaticFiles(HttpServer.class, "/console");
    int total;
    try (Stream<Path> paths = Files.walk(CONSOLE)) {
      total =
          paths
              .filter(path -> path.toString().matches(".*\\.(html|js|css|svg)"))
              .map(path -> "/" + CONSOLE.relativize(path).toString().replace('\\', '/'))
              .map(files::file)
              .flatMap(Optional::stream)
              .mapToInt(asset -> asset.gzip().orElse(asset.bytes()).length)
              .sum();
    }
    System.out.println("the console is " + total / 1024 + " KiB compressed");
    assertThat(total).isBetween(10_000, BYTES_MAX);
  }
}
