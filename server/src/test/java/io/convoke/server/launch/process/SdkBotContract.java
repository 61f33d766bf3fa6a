package io.convoke.server.launch.process;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import io.convoke.server.launch.LaunchSpec;
import io.convoke.server.launch.ScriptedBot;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;

/** The contract of launchers with a bot of an SDK, which reports to a server that agrees to all. */
@Tag("nightly")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SdkBotContract extends ProcessContractTest {
  private static final long INSTALL_S = 300;

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer callbacks;

  /** The command of the bot {@code contract_bot} of a language. */
  abstract String command();

  @BeforeAll
  void listen() throws IOException {
    byte[] answer =
        "{\"meeting_id\":1,\"status\":\"active\",\"commands\":[]}".getBytes(StandardCharsets.UTF_8);
    callbacks = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    callbacks.setExecutor(threads);
    callbacks.createContext(
        "/callback/",
        exchange -> {
          try (exchange) {
            byte[] _ = exchange.getRequestBody().readAllBytes();
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    callbacks.start();
  }

  @AfterAll
  void end() {
    callbacks.stop(0);
    threads.close();
  }

  @Override
  protected final ProcessLauncher open() throws IOException {
    return new ProcessLauncher(folder, BotCommandLine.shell("exec " + command()));
  }

  /** The bot's name says how it acts. */
  @Override
  protected final LaunchSpec spec(ScriptedBot bot) {
    LaunchSpec scripted = bot.spec(nextMeeting());
    String config =
        """
        {"meeting_id": %d, "attempt": 1, "connection_id": "%s", "platform": "daily",
         "native_meeting_id": "room", "bot_name": "%s", "token": "%s",
         "callback_url": "http://127.0.0.1:%d"}
        """
            .formatted(
                scripted.meetingId(),
                scripted.connectionId(),
                bot.name(),
                ScriptedBot.SECRET,
                callbacks.getAddress().getPort());
    return new LaunchSpec(
        scripted.meetingId(),
        scripted.attempt(),
        scripted.connectionId(),
        scripted.containerName(),
        config);
  }

  /** It left. */
  @Override
  protected final int politeCode() {
    return 0;
  }

  /** There is no such meeting. */
  @Override
  protected final int brokenCode() {
    return 11;
  }

  static Path home() {
    return Path.of(System.getProperty("convoke.home", "..")).toAbsolutePath().normalize();
  }

  /** Runs a program that must end well; without it, or what it needs, the class is skipped. */
  static void need(Path where, String... command) throws InterruptedException {
    boolean ended = false;
    try {
      Process process =
          new ProcessBuilder(command)
              .directory(where.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      ended = process.waitFor(INSTALL_S, TimeUnit.SECONDS) && process.exitValue() == 0;
      Process _ = process.destroyForcibly();
    } catch (IOException missing) {
      System.err.println(missing.getMessage());
    }
    assumeTrue(ended, String.join(" ", command));
  }
}
