package io.convoke.e2e.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.convoke.e2e.build.BareDebian.Network;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  private static final long ARCHIVE_BYTES_MAX = 120_000_000;

  /** The ports of the page, which the Debian shares with this machine. */
  private static final List<Integer> PORTS = List.of(5432, 6379, 8080, 9100);

  /** What is put in the place of a Debian that systemd has booted, before the engine is used. */
  private static final String ENGINE =
      """
      dockerd --iptables=false --ip6tables=false --bridge=none >/hour/dockerd.log 2>&1 &
      curl -s --retry 60 --retry-delay 1 --retry-all-errors --unix-socket /run/docker.sock -o /dev/null http://docker/_ping
      docker import /hour/base.tar debian:13-slim >/dev/null
      """;

  @Test
  void eachCommandOfThePageDoesWhatThePageSays() throws Exception {
    Optional<String> obstacle = BareDebian.obstacle();
    skipUnless(obstacle.isEmpty(), obstacle.orElse(""));
    skipUnless(PORTS.stream().allMatch(FirstHourTest::free), "the ports " + PORTS);
    List<ShellBlock> page = ShellBlock.all(Files.readString(PAGE));
    assertThat(page).hasSizeGreaterThan(6);
    try (BareDebian debian = BareDebian.make()) {
      Path _ = ProjectCopy.in(Files.createDirectories(debian.root().resolve("root/convoke")));
      List<ShellBlock> blocks = new ArrayList<>();
      blocks.add(ShellBlock.of("apt-get update -q\n"));
      for (ShellBlock block : page) {
        if (block.commands().contains("docker build")) {
          blocks.add(ShellBlock.of(ENGINE));
        }
        blocks.add(block);
      }
      assertThat(debian.run("hour", blocks, Network.OF_THIS_MACHINE, MINUTES_MAX))
          .as(() -> "logs: " + logs(debian))
          .isEmpty();
      // Debian's JDK has debug symbols that a runtime must not bring along.
      assertThat(archive(debian.root().resolve("root/convoke/target/release")))
          .isLessThan(ARCHIVE_BYTES_MAX);
    }
  }

  /** The size of the server's archive. */
  private static long archive(Path released) throws IOException {
    try (var files = Files.newDirectoryStream(released, "convoke-server-*.tar.gz")) {
      return Files.size(files.iterator().next());
    }
  }

  /** The ends of what servers and programs logged. */
  private static String logs(BareDebian debian) {
    StringBuilder ends = new StringBuilder();
    for (String name : List.of("server.log", "sim.log", "npm.log", "pod.log")) {
      try {
        ends.append(name).append(":\n").append(debian.end("root/" + name));
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

  private static void skipUnless(boolean possible, String what) {
    if (!possible) {
      System.err.printf("%n*** SKIPPED: FirstHourTest needs %s ***%n%n", what);
    }
    assumeTrue(possible, what);
  }
}
