package io.convoke.engine.durable.examples;

import io.convoke.engine.durable.Durable;
import java.time.Duration;

/** Custom status: shows progress. */
final class Import {
  static String run(String url) throws Exception {
    try (Durable engine =
        Durable.on(url)
            .activity("copy", Integer.class, (context, file) -> file)
            .workflow(
                "import",
                Integer.class,
                (context, files) -> {
                  for (int file = 1; file <= files; file++) {
                    int copied = context.activity("copy", file, Integer.class);
                    context.status(copied + " of " + files + " copied");
                  }
                  return files;
                })
            .start()) {
      engine.start("import", "import-1", 3);
      int _ = engine.await("import-1", Integer.class, Duration.ofSeconds(30));
      return engine.instance("import-1").flatMap(it -> it.customStatus()).orElse("");
    }
  }
}
