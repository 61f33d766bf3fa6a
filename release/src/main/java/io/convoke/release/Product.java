package io.convoke.release;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What is released on its own: a program, the libraries it runs with, and a Java runtime that has
 * the modules those use.
 *
 * @param name of its archive and of the folder under {@code release/} whose pom names its libraries
 * @param description one line, for packages
 * @param launcher the program in {@code bin/}
 * @param commands for the launcher: each first argument that is passed on with the class that takes
 *     it; a launcher without commands passes everything to its {@code mainClass}
 * @param options of Java, besides those of every program
 * @param modules of the JDK that its runtime has
 * @param without modules that its libraries name but that their code paths here never need
 * @param service name of its unit of systemd, if it is installed as a service
 * @param debian whether there is a Debian package of it
 */
record Product(
    String name,
    String description,
    String launcher,
    List<String> commands,
    String mainClass,
    List<String> options,
    Set<String> modules,
    Set<String> without,
    Optional<String> service,
    boolean debian) {

  /** What all libraries together name. */
  private static final Set<String> COMMON =
      Set.of(
          "java.base",
          "java.logging",
          "java.management",
          "java.naming",
          "java.net.http",
          "java.security.jgss",
          "java.sql",
          "java.transaction.xa",
          "java.xml",
          "jdk.httpserver",
          "jdk.jfr",
          "jdk.management",
          "jdk.unsupported");

  /**
   * What no class names, but a program looks for: elliptic curves and Kerberos come with those
   * above; file systems in archives, host names by DNS, and the tools of {@code jcmd}.
   */
  private static final Set<String> BY_NAME =
      Set.of("jdk.naming.dns", "jdk.net", "jdk.security.auth", "jdk.zipfs");

  /**
   * The second compiler begins four times later than by default: while a server starts, it takes a
   * third of the processors' time, for code that rests afterwards.
   */
  private static final List<String> SERVER_OPTIONS =
      List.of(
          "-Xms64m",
          "-XX:Tier4InvocationThreshold=20000",
          "-XX:Tier4MinInvocationThreshold=2400",
          "-XX:Tier4CompileThreshold=60000",
          "-XX:Tier4BackEdgeThreshold=160000");

  static final Product SERVER =
      new Product(
          "server",
          "The open control plane for online meetings",
          "convoke",
          List.of("serve", "migrate", "doctor", "replay", "reseal", "pod-key"),
          "io.convoke.server.Main",
          SERVER_OPTIONS,
          union(COMMON, BY_NAME),
          Set.of("java.desktop"),
          Optional.of("convoke"),
          true);

  static final Product AGENT =
      new Product(
          "agent",
          "The reference bot of Convoke, and the libraries to write one",
          "convoke-bot",
          List.of(),
          "io.convoke.agent.ReferenceBot",
          List.of(
              "-Xmx64m",
              "-XX:TieredStopAtLevel=1",
              "-Dlogback.configurationFile=convoke-bot-logback.xml"),
          union(COMMON, BY_NAME),
          Set.of("java.desktop"),
          Optional.empty(),
          false);

  /** With {@code java.desktop}, because a pod draws snapshots. */
  static final Product POD =
      new Product(
          "pod",
          "A worker of Convoke that takes tasks in one region",
          "convoke-pod",
          List.of(),
          "io.convoke.agent.ReferencePod",
          List.of("-Xms32m"),
          union(union(COMMON, BY_NAME), Set.of("java.desktop")),
          Set.of(),
          Optional.of("convoke-pod"),
          true);

  /** Not {@code convoke}, which is the server's program where both are installed. */
  static final Product CLI =
      new Product(
          "cli",
          "The commands of users, on the API of a Convoke server",
          "convoke-cli",
          List.of(),
          "io.convoke.cli.ConvokeCommand",
          List.of("-Xmx128m", "-XX:TieredStopAtLevel=1", "-Dconvoke.command=convoke-cli"),
          Set.of("java.base", "java.net.http", "java.sql", "java.xml"),
          Set.of("java.desktop"),
          Optional.empty(),
          true);

  static final List<Product> ALL = List.of(SERVER, AGENT, POD, CLI);

  /** The name of its archive without version. */
  String artifact() {
    return "convoke-" + name;
  }

  @Override
  public String toString() {
    return artifact();
  }

  private static Set<String> union(Set<String> one, Set<String> other) {
    Set<String> all = new TreeSet<>(one);
    all.addAll(other);
    return all;
  }
}
