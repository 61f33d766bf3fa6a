package io.convoke.e2e.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a newcomer does: the commands of {@code docs/tutorials/first-hour.md}, as written and in
 * order, in one shell on a Debian that has nothing else, made by debootstrap. Each block must
 * succeed and print what the page says. It takes about half an hour and prints how long each block
 * took.
 */
@Tag("nightly")
@Tag("heavy")
@Timeout(5400)
final class FirstHourTest {
  private static final Path PAGE = SourcesTest.home().resolve("docs/tutorials/first-hour.md");
  private static final long MINUTES_MAX = 80;

  /** The ports of the page, which the Debian shares with this machine. */
  private static final List<Integer> PORTS = List.of(5432, 6379, 8080, 9100);

  /** A block of commands, and the block right after it, if that is of texts. */
  private static final Pattern BLOCKS =
      Pattern.compile("(?ms)^```sh\\n(.*?)^```\\n(?:\\n```text\\n(.*?)^```\\n)?");

  /** What is put in the place of a Debian that systemd has booted, before the engine is used. */
  private static final String ENGINE =
      """
      dockerd --iptables=false --ip6tables=false --bridge=none --storage-driver=vfs >/hour/dockerd.log 2>&1 &
      curl -s --retry 60 --retry-delay 1 --retry-all-errors --unix-socket /run/docker.sock -o /dev/null http://docker/_ping
      docker import /hour/base.tar debian:13-slim >/dev/null
      """;

  /** Mounts live in a namespace of their own, and everything that was started ends with it. */
  private static final String ENTER =
      """
      set -e
      # The engine remounts its root, so that must be a mount.
      mount --rbind "$1" "$1"
      cd "$1"
      mount -t proc proc "$1/proc"
      for folder in /sys /dev; do mount --rbind "$folder" "$1$folder"; done
      for folder in /opt/pypi /opt/pypi-more; do
        if [ -d "$folder" ]; then mkdir -p "$1$folder" && mount --bind "$folder" "$1$folder"; fi
      done
      exec chroot "$1" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash /hour/hour.sh
      """;

  /** Commands, and a pattern for all that they print; empty if the page does not say. */
  private record Block(String commands, Optional<Pattern> printed) {
    static Block of(MatchResult match) {
      return new Block(match.group(1), Optional.ofNullable(match.group(2)).map(Block::pattern));
    }

    /** In the page three dots stand for anything, on a line of their own for any lines. */
    private static Pattern pattern(String text) {
      return Pattern.compile(
          Stream.of(text.strip().split("\\.\\.\\.", -1))
              .map(String::strip)
              .map(Pattern::quote)
              .collect(Collectors.joining("(?s:.*?)")));
    }
  }

  @Test
  void eachCommandOfThePageDoesWhatThePageSays() throws Exception {
    skipUnless("root".equals(System.getProperty("user.name")), "root, for a Debian of its own");
    skipUnless(
        DebianPackages.ensure(
            () -> DebianPackages.onPath("debootstrap").findAny().isPresent(), "debootstrap"),
        "debootstrap");
    skipUnless(PORTS.stream().allMatch(FirstHourTest::free), "the ports " + PORTS);
    List<Block> blocks = BLOCKS.matcher(Files.readString(PAGE)).results().map(Block::of).toList();
    assertThat(blocks).hasSizeGreaterThan(6);
    Path folder = Files.createTempDirectory("convoke-hour");
    try {
      Path root = debian(folder);
      run(root, blocks);
    } finally {
      // Nothing of this machine may be mounted in what is deleted.
      assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(folder + "/");
      delete(folder);
    }
  }

  private static Path debian(Path folder) throws IOException, InterruptedException {
    Path root = DebianBase.newest(folder.resolve("root"));
    Path hour = Files.createDirectory(root.resolve("hour"));
    String _ =
        ProjectCopy.run(
            folder,
            Map.of(),
            "tar",
            "-C",
            root.toString(),
            "--exclude=./hour",
            "-cf",
            hour.resolve("base.tar").toString(),
            ".");
    // What a machine behind a proxy or with mirrors of its own has.
    for (String file : List.of("etc/resolv.conf", "etc/hosts", "etc/pip.conf")) {
      Path mine = Path.of("/", file);
      if (Files.exists(mine)) {
        Path _ = Files.writeString(root.resolve(file), Files.readString(mine));
      }
    }
    Path authorities = Path.of("/usr/local/share/ca-certificates");
    ProjectCopy.copy(
        authorities,
        Files.createDirectories(root.resolve("usr/local/share/ca-certificates")),
        it -> it.toString().endsWith(".crt"));
    // No init is there: services start when the page starts them.
    Path policy = root.resolve("usr/sbin/policy-rc.d");
    Path _ = Files.writeString(policy, "#!/bin/sh\nexit 101\n");
    assertThat(policy.toFile().setExecutable(true, false)).isTrue();
    Path _ = ProjectCopy.in(Files.createDirectories(root.resolve("root/convoke")));
    return root;
  }

  private static void run(Path root, List<Block> blocks) throws IOException, InterruptedException {
    Path hour = root.resolve("hour");
    StringBuilder script =
        new StringBuilder("set -e\napt-get update -q >/hour/update.log 2>&1\ncd\n");
    for (int i = 0; i < blocks.size(); i++) {
      if (blocks.get(i).commands().contains("docker build")) {
        script.append(ENGINE);
      }
      script.append("{\n%s} >/hour/%d.out 2>&1\n".formatted(blocks.get(i).commands(), i));
      script.append("date +%s >/hour/").append(i).append(".done\n");
    }
    Path _ = Files.writeString(hour.resolve("hour.sh"), script);
    Path enter = Files.writeString(hour.resolve("enter.sh"), ENTER);
    long begun = System.currentTimeMillis() / 1000;
    Process process =
        new ProcessBuilder(
                "unshare",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "sh",
                enter.toString(),
                root.toString())
            .redirectErrorStream(true)
            .redirectOutput(hour.resolve("hour.out").toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
    } finally {
      var _ = process.destroyForcibly();
      int _ = process.waitFor();
    }
    List<String> faults = new ArrayList<>();
    for (int i = 0; i < blocks.size(); i++) {
      Path done = hour.resolve(i + ".done");
      Path out = hour.resolve(i + ".out");
      if (!Files.exists(done)) {
        faults.add("failed or did not end:\n" + blocks.get(i).commands() + "\n" + text(out));
        break;
      }
      long at = Long.parseLong(Files.readString(done).strip());
      System.out.printf("hour: block %d took %d s%n", i + 1, at - begun);
      begun = at;
      String printed = text(out).strip();
      if (blocks.get(i).printed().filter(it -> !it.matcher(printed).matches()).isPresent()) {
        faults.add("printed something else:\n" + blocks.get(i).commands() + "\n" + printed);
      }
    }
    assertThat(ended).as("all blocks end").isTrue();
    assertThat(faults).as(() -> "logs: " + logs(root)).isEmpty();
  }

  private static String text(Path file) throws IOException {
    return Files.exists(file) ? new String(Files.readAllBytes(file), UTF_8) : "";
  }

  /** The ends of what servers and programs logged. */
  private static String logs(Path root) {
    StringBuilder ends = new StringBuilder();
    for (String name : List.of("server.log", "sim.log", "npm.log", "pod.log")) {
      try {
        String all = text(root.resolve("root").resolve(name));
        ends.append(name).append(":\n").append(all, Math.max(0, all.length() - 2000), all.length());
      } catch (IOException e) {
        ends.append(e);
      }
    }
    return ends.toString();
  }

  private static boolean free(int port) {
    try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** The mounts of its namespace are gone with it, so nothing of this machine is in the folder. */
  private static void delete(Path folder) throws IOException {
    Path _ =
        Files.walkFileTree(
            folder,
            new SimpleFileVisitor<>() {
              @Override
              public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                  throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
              }

              @Override
              public FileVisitResult postVisitDirectory(Path path, IOException failure)
                  throws IOException {
                Files.delete(path);
                return FileVisitResult.CONTINUE;
              }
            });
  }

  private static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: FirstHourTest needs %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }
}
