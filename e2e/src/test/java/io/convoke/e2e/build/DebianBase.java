package io.convoke.e2e.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/**
 * The files of a base image where no registry can be reached: Debian's own, less the pages and
 * translations that its slim images lack too.
 */
public final class DebianBase {
  private DebianBase() {}

  /**
   * Makes the smallest Debian 13 there is in a new folder, and returns the folder. What is mounted
   * in it meanwhile is in a namespace of its own and ends with that.
   */
  public static Path newest(Path folder) throws IOException, InterruptedException {
    Path here = folder.resolveSibling(".").normalize();
    String _ =
        ProjectCopy.run(
            here,
            Map.of(),
            "unshare",
            "--mount",
            "debootstrap",
            "--variant=minbase",
            "trixie",
            folder.toString());
    return folder;
  }

  /** Makes it in a new folder; returns it as a tar. */
  static Path make(Path folder, Path tar) throws IOException, InterruptedException {
    Path _ = newest(folder);
    String _ =
        ProjectCopy.run(
            folder,
            Map.of(),
            "sh",
            "-c",
            "rm -rf usr/share/doc usr/share/man usr/share/locale usr/share/info usr/share/i18n"
                + " var/cache/apt/* var/lib/apt/lists/*");
    String _ =
        ProjectCopy.run(folder, Map.of(), "tar", "-cf", tar.toString(), "--one-file-system", ".");
    return tar;
  }
}
