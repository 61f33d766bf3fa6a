package io.convoke.e2e.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.convoke.simulator.process.DebianPackages;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Debian 13 that has nothing else, made by debootstrap in a new folder. Its commands see that
 * folder as their root, and all that they start and mount ends with them.
 */
final class BareDebian implements AutoCloseable {
  /** Which network its commands have. */
  enum Network {
    OF_THIS_MACHINE,
    /** One with nothing in it, where an engine may make bridges and rules. */
    ITS_OWN
  }

  /** Mounts live in a namespace of their own, and everything that was started ends with it. */
  private static final String ENTER =
      """
      set -e
      root=$1
      script=$2
      shift 2
      mount --rbind "$root" "$root"
      cd "$root"
      mount -t proc proc proc
      for folder in /sys /dev; do mount --rbind "$folder" ".$folder"; done
      for folder; do
        mkdir -p ".$folder"
        mount --bind -o ro "$folder" ".$folder"
      done
      # Not chroot alone: what enters a container of its engine would then see the root of this machine.
      mkdir -p hour/machine
      pivot_root . hour/machine
      exec chroot . env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive bash -c "umount -l /hour/machine && exec bash $script"
      """;

  /** Of the settings of pip, those that say where packages are. */
  private static final Pattern PIP_INDEX =
      Pattern.compile("(?m)^global\\.((?:extra-)?index-url)='(.*)'$");

  /** An index on this machine's disk, whose packages are in a folder beside it. */
  private static final Pattern LOCAL_INDEX = Pattern.compile("file://(/\\S+)/[^/\\s]+");

  private final Path folder;
  private final Path root;
  private final Collection<String> shown;

  private BareDebian(Path folder, Path root, Collection<String> shown) {
    this.folder = folder;
    this.root = root;
    this.shown = shown;
  }

  /** What this machine lacks to make one; empty if nothing. May install it first. */
  static Optional<String> obstacle() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("root, for a Debian of its own");
    }
    return DebianPackages.ensure(
            () -> DebianPackages.onPath("debootstrap").findAny().isPresent(), "debootstrap")
        ? Optional.empty()
        : Optional.of("debootstrap");
  }

  /** Makes one. A tar of it is there as {@code /hour/base.tar}, for images. */
  static BareDebian make() throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("convoke-debian");
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
    for (String file : List.of("etc/resolv.conf", "etc/hosts")) {
      Path mine = Path.of("/", file);
      if (Files.exists(mine)) {
        Path _ = Files.writeString(root.resolve(file), Files.readString(mine));
      }
    }
    Path authorities = Path.of("/usr/local/share/ca-certificates");
    if (Files.isDirectory(authorities)) {
      ProjectCopy.copy(
          authorities,
          Files.createDirectories(root.resolve("usr/local/share/ca-certificates")),
          it -> it.toString().endsWith(".crt"));
    }
    // No init is there: services start when the commands start them.
    Path policy = root.resolve("usr/sbin/policy-rc.d");
    Path _ = Files.writeString(policy, "#!/bin/sh\nexit 101\n");
    assertThat(policy.toFile().setExecutable(true, false)).isTrue();
    return new BareDebian(folder, root, pip(folder, root));
  }

  /**
   * Gives it the indexes of this machine's pip; returns the folders of this machine that those are
   * in.
   */
  private static Collection<String> pip(Path folder, Path root)
      throws IOException, InterruptedException {
    Collection<String> folders = new TreeSet<>();
    if (DebianPackages.onPath("pip").findAny().isPresent()) {
      StringBuilder settings = new StringBuilder("[global]\n");
      Matcher matcher =
          PIP_INDEX.matcher(ProjectCopy.run(folder, Map.of(), "pip", "config", "list"));
      while (matcher.find()) {
        settings.append(matcher.group(1)).append(" = ").append(matcher.group(2)).append('\n');
        LOCAL_INDEX.matcher(matcher.group(2)).results().forEach(it -> folders.add(it.group(1)));
      }
      Path _ = Files.writeString(root.resolve("etc/pip.conf"), settings);
    }
    return folders;
  }

  /** Where its files are. */
  Path root() {
    return root;
  }

  /**
   * Runs blocks in one shell, in order, until one fails, and prints how long each took; returns
   * what was not as it should be.
   */
  List<String> run(String what, List<ShellBlock> blocks, Network network, long minutes)
      throws IOException, InterruptedException {
    Path hour = root.resolve("hour");
    StringBuilder script = new StringBuilder("set -e\ncd\n");
    for (int i = 0; i < blocks.size(); i++) {
      boolean _ = Files.deleteIfExists(hour.resolve(i + ".done"));
      script.append("{\n%s} >/hour/%d.out 2>&1\n".formatted(blocks.get(i).commands(), i));
      script.append("date +%s >/hour/").append(i).append(".done\n");
    }
    Path _ = Files.writeString(hour.resolve("hour.sh"), script);
    Path enter = Files.writeString(hour.resolve("enter.sh"), ENTER);
    List<String> command =
        new ArrayList<>(List.of("unshare", "--mount", "--pid", "--fork", "--kill-child"));
    if (network == Network.ITS_OWN) {
      command.add("--net");
    }
    command.addAll(List.of("sh", enter.toString(), root.toString(), "/hour/hour.sh"));
    command.addAll(shown);
    long begun = System.currentTimeMillis() / 1000;
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(hour.resolve("hour.out").toFile())
            .start();
    boolean ended;
    try {
      ended = process.waitFor(minutes, TimeUnit.MINUTES);
    } finally {
      var _ = process.destroyForcibly();
      int _ = process.waitFor();
    }
    List<String> faults = new ArrayList<>();
    if (!ended) {
      faults.add("not all ended within " + minutes + " minutes");
    }
    for (int i = 0; i < blocks.size(); i++) {
      ShellBlock block = blocks.get(i);
      Path done = hour.resolve(i + ".done");
      String printed = text(hour.resolve(i + ".out")).strip();
      if (!Files.exists(done)) {
        faults.add(
            "failed or did not end:\n"
                + block.commands()
                + "\n"
                + printed
                + "\n"
                + text(hour.resolve("hour.out")));
        break;
      }
      long at = Long.parseLong(Files.readString(done).strip());
      System.out.printf("%s: block %d took %d s: %s%n", what, i + 1, at - begun, block.name());
      begun = at;
      if (block.printed().filter(it -> !it.matcher(printed).matches()).isPresent()) {
        faults.add("printed something else:\n" + block.commands() + "\n" + printed);
      }
    }
    return faults;
  }

  /** The end of a file of it; empty if it does not exist. */
  String end(String file) throws IOException {
    String all = text(root.resolve(file));
    return all.substring(Math.max(0, all.length() - 2000));
  }

  private static String text(Path file) throws IOException {
    return Files.exists(file) ? new String(Files.readAllBytes(file), UTF_8) : "";
  }

  /** Deletes it: the mounts of its namespace are gone with that. */
  @Override
  public void close() throws IOException {
    // Nothing of this machine may be mounted in what is deleted.
    assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(folder + "/");
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
}
