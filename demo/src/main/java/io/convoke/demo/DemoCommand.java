package io.convoke.demo;

import io.convoke.simulator.Program;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the demo until it is stopped. */
@Command(
    name = "demo",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "A company's morning on this machine: stores, server, simulator, bots, people.")
public final class DemoCommand implements Callable<Integer> {

  public static void main(String[] args) {
    Program.run(new DemoCommand(), args);
  }

  @Option(names = "--port", description = "port of the server (${DEFAULT-VALUE}); 0 for any")
  private int port = 8080;

  @Option(names = "--data", paramLabel = "DIR", description = "data folder (${DEFAULT-VALUE})")
  private Path data = Path.of(".convoke", "demo");

  @Option(names = "--seed", description = "seed of the script (${DEFAULT-VALUE})")
  private long seed = 7;

  @Option(names = "--speed", description = "scripted seconds per second (${DEFAULT-VALUE})")
  private double speed = 6;

  @Option(
      names = "--transcriber",
      paramLabel = "SETTING",
      description = "transcriber, as in CONVOKE_TRANSCRIBER; default Debian's pocketsphinx")
  private Optional<String> transcriber = Optional.empty();

  @Option(
      names = "--bot",
      paramLabel = "COMMAND",
      description = "with --real: a bot, as in CONVOKE_BOT_COMMAND; default examples/janus-bot")
  private Optional<String> bot = Optional.empty();

  @Option(
      names = "--real",
      description = "the script in real rooms, and one for your own voices; needs Debian's janus")
  private boolean real;

  @Option(names = "--no-people", description = "with --real: the room for your own voices alone")
  private boolean noPeople;

  @Override
  public Integer call() throws InterruptedException {
    DemoConfig config =
        new DemoConfig(
            port, data.toAbsolutePath().normalize(), seed, speed, transcriber, bot, !noPeople);
    if (real) {
      RealDemo realDemo = RealDemo.start(config);
      atEnd(realDemo::close);
      realDemo.show();
      realDemo.begin();
    } else {
      DemoEnvironment demoEnvironment = DemoEnvironment.start(config);
      atEnd(demoEnvironment::close);
      demoEnvironment.runScript();
    }
    new CountDownLatch(1).await();
    return 0;
  }

  private static void atEnd(Runnable close) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  close.run();
                  Runtime.getRuntime().halt(0);
                },
                "demo-stop"));
  }
}
