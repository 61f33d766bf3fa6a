package io.convoke.e2e.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** What {@code ./convoke release} makes. */
final class ReleaseFiles {
  private static final String EPOCH = "1700000000";

  private ReleaseFiles() {}

  /** Makes them in a copy of the sources, which is put into a new folder; returns theirs. */
  static Path make(Path sources) throws IOException, InterruptedException {
    Path copy = ProjectCopy.in(sources);
    Path to = sources.resolveSibling(sources.getFileName() + "-released");
    String _ =
        ProjectCopy.run(
            copy, Map.of("SOURCE_DATE_EPOCH", EPOCH), "./convoke", "release", to.toString());
    return to;
  }
}
