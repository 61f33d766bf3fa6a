package io.convoke.fakes.vexa;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import tools.jackson.databind.JsonNode;

/**
 * The lifecycle of the fake: join, perhaps the lobby, the meeting, the end. The meeting's name
 * selects it: {@code lobby} keeps the bot in the lobby, {@code rejected} refuses it, {@code broken}
 * cannot be opened, {@code ending} ends as soon as the bot is admitted, {@code crashing} exits the
 * bot without a callback; any other name admits it.
 */
public final class FakeVexaBot {
  private static final String COMPLAINT = "COMPLAINT: ";
  private static final int SIGTERM_CODE = 143;

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final VexaCallbackClient calls;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch told = new CountDownLatch(1);
  private volatile boolean pageOpen;
  private volatile boolean stopHeard;

  private FakeVexaBot(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
    this.calls = new VexaCallbackClient(config, vexaRelease);
  }

  /** Runs a bot of the release named by the first argument. */
  public static void main(String[] arguments) {
    VexaRelease vexaRelease = VexaRelease.of(arguments.length == 0 ? "0.9" : arguments[0]);
    VexaBotConfig config;
    try {
      config =
          VexaBotConfig.parse(
              Optional.ofNullable(System.getenv("BOT_CONFIG")).orElse("nothing"), vexaRelease);
    } catch (IllegalArgumentException e) {
      System.out.println(e.getMessage());
      Runtime.getRuntime().halt(1);
      return;
    }
    FakeVexaBot bot = new FakeVexaBot(config, vexaRelease);
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> bot.end(SIGTERM_CODE, "signal_sigterm"), "shutdown"));
    bot.live();
  }

  /** A violation of the image's protocol, printed for tests. */
  static void complain(String of) {
    System.out.println(COMPLAINT + of);
  }

  private void live() {
    new VexaCommandSubscriber(config, vexaRelease, this::obey).open();
    System.out.println("transcribed at " + System.getenv("WHISPER_LIVE_URL"));
    pageOpen = true;
    if (!config.hasMeetingUrl()) {
      end(1, "missing_meeting_url");
    }
    if (room("broken") || !joining()) {
      end(1, "join_meeting_error");
    }
    if (stopHeard) {
      end(0, "stop_requested_pre_admission");
    }
    if (room("lobby") || room("rejected")) {
      waitInTheLobby();
    }
    boolean _ = vexaRelease.unified() ? status("active") : calls.started();
    if (room("ending")) {
      end(0, "normal_completion");
    }
    if (room("crashing")) {
      Runtime.getRuntime().halt(139);
    }
    await(Long.MAX_VALUE);
  }

  private void waitInTheLobby() {
    if (vexaRelease.unified()) {
      boolean _ = status("awaiting_admission");
    }
    if (room("rejected")) {
      end(0, "admission_rejected_by_admin");
    }
    await(config.waitingRoomMs());
    end(0, "admission_timeout");
  }

  private boolean joining() {
    return !vexaRelease.unified() || status("joining") || vexaRelease != VexaRelease.V0_10;
  }

  private boolean status(String status) {
    return calls.status(status, null, null, null, null);
  }

  private void obey(JsonNode command) {
    if (command.path("action").asString("").equals("reconfigure")) {
      System.out.println(
          "reconfigured to "
              + command.path("language").asString("none")
              + ", "
              + command.path("task").asString("none"));
      return;
    }
    stopHeard = true;
    if (pageOpen) {
      end(0, "self_initiated_leave");
    }
  }

  /** Reports the reason once and ends the process. A second caller waits for that. */
  private void end(int exitCode, String reason) {
    if (ending.compareAndSet(false, true)) {
      if (vexaRelease.unified()) {
        boolean _ =
            exitCode == 0
                ? calls.status("completed", reason, exitCode, completionReason(reason), null)
                : calls.status("failed", reason, exitCode, null, "joining");
      } else {
        boolean _ = calls.exited(exitCode, reason);
      }
      System.out.println("ends with " + exitCode + ", " + reason);
      System.out.flush();
      told.countDown();
      Runtime.getRuntime().halt(exitCode);
    }
    await(Long.MAX_VALUE);
  }

  /** Maps a reason to one of the image's, {@code stopped} by default. */
  private static String completionReason(String reason) {
    return switch (reason) {
      case "admission_failed" -> "awaiting_admission_timeout";
      case "admission_rejected_by_admin", "removed_by_admin", "left_alone", "evicted" -> reason;
      default -> "stopped";
    };
  }

  private boolean room(String kind) {
    return config.nativeMeetingId().contains(kind);
  }

  private void await(long milliseconds) {
    try {
      boolean _ = told.await(milliseconds, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
