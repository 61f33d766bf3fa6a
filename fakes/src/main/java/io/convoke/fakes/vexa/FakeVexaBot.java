package io.convoke.fakes.vexa;

import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The lifecycle of the fake: join, perhaps the lobby, the meeting, the end. The meeting's name
 * selects it: {@code lobby} keeps the bot in the lobby, {@code rejected} refuses it, {@code never}
 * leaves it there to the end of its patience, {@code broken} cannot be opened, {@code ending} ends
 * as soon as the bot is admitted, {@code mistaken} was no admission after all, {@code speaking} has
 * words and sound, {@code crashing} exits the bot without a callback, {@code long} was one of many
 * speakers, {@code quiet} has no sound; any other name admits it.
 *
 * <p>A signal reaches it only where its entrypoint passes signals on: up to 0.10 that is a shell
 * which does not, so tests start those releases with the signal ignored ({@link #ENTRYPOINT}).
 */
public final class FakeVexaBot {
  /**
   * The shell line before the program, with the release in {@code $release}: the entrypoint of the
   * image as process 1, which neither dies of a SIGTERM nor passes it on before 0.12.
   */
  public static final String ENTRYPOINT = "case \"$release\" in 0.12) ;; *) trap '' TERM;; esac; ";

  private static final String COMPLAINT = "COMPLAINT: ";
  private static final int SIGTERM_CODE = 143;

  private final VexaBotConfig config;
  private final VexaRelease vexaRelease;
  private final VexaCallbackClient calls;
  private final VexaRecorder recorder;
  private final AtomicBoolean ending = new AtomicBoolean();
  private final CountDownLatch never = new CountDownLatch(1);
  private volatile boolean pageOpen;
  private volatile boolean stopHeard;
  private volatile boolean admitted;

  private FakeVexaBot(VexaBotConfig config, VexaRelease vexaRelease) {
    this.config = config;
    this.vexaRelease = vexaRelease;
    this.calls = new VexaCallbackClient(config, vexaRelease);
    this.recorder = new VexaRecorder(config, vexaRelease);
  }

  /** Runs a bot of the release named by the first argument. */
  public static void main(String[] arguments) {
    VexaRelease vexaRelease = VexaRelease.of(arguments.length == 0 ? "0.9" : arguments[0]);
    VexaBotConfig config;
    try {
      config =
          VexaBotConfig.parse(
              Optional.ofNullable(System.getenv(vexaRelease.variable())).orElse("nothing"),
              vexaRelease);
    } catch (IllegalArgumentException e) {
      System.out.println(e.getMessage());
      Runtime.getRuntime().halt(1);
      return;
    }
    FakeVexaBot bot = new FakeVexaBot(config, vexaRelease);
    Runtime.getRuntime().addShutdownHook(new Thread(bot::signalled, "shutdown"));
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
    if (room("lobby") || room("rejected") || room("never")) {
      waitInTheLobby();
    }
    if (vexaRelease.unified()) {
      VexaCallbackClient.CallResult _ = status("active");
    } else if (vexaRelease != VexaRelease.V0_4) {
      VexaCallbackClient.CallResult _ = calls.started();
    }
    admitted = true;
    if (room("ending")) {
      end(0, "normal_completion");
    }
    if (room("mistaken")) {
      end(0, "admission_false_positive");
    }
    if (room("crashing")) {
      Runtime.getRuntime().halt(139);
    }
    if (room("long")) {
      calls.spoken(5_000);
      end(0, "left_alone_timeout");
    }
    if (room("speaking")) {
      new VexaSpeaker(config, vexaRelease).say();
      recorder.record();
    }
    if (vexaRelease == VexaRelease.V0_12) {
      stay();
    }
    await(Long.MAX_VALUE);
  }

  /** It leaves when it heard nothing for long, and when it has stayed for very long. */
  private void stay() {
    long longest = config.longestStayMs(Optional.ofNullable(System.getenv("BOT_MAX_ACTIVE_MS")));
    System.out.println(
        "stays for " + longest + " ms, without sound for " + config.silenceMs() + " ms");
    if (room("quiet")) {
      await(config.silenceMs());
      end(0, "left_alone");
    }
    await(longest);
    end(0, "max_bot_time_exceeded");
  }

  private void waitInTheLobby() {
    if (vexaRelease.unified()) {
      VexaCallbackClient.CallResult _ = status("awaiting_admission");
    }
    if (room("rejected")) {
      end(0, "admission_rejected_by_admin");
    }
    if (room("never")) {
      end(0, "admission_never_admitted");
    }
    await(config.waitingRoomMs());
    end(0, "admission_timeout");
  }

  /** Whether it goes on to the meeting after its first call. */
  private boolean joining() {
    if (!vexaRelease.unified()) {
      return true;
    }
    VexaCallbackClient.CallResult joining = status("joining");
    return switch (vexaRelease) {
      case V0_4, V0_5, V0_6, V0_9, V0_12 -> true;
      case V0_10 -> joining == VexaCallbackClient.CallResult.ACCEPTED;
      case V0_10_7 -> joining != VexaCallbackClient.CallResult.REFUSED;
    };
  }

  private VexaCallbackClient.CallResult status(String status) {
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
    System.out.println("told to leave");
    stopHeard = true;
    if (pageOpen || vexaRelease.leavesWithoutPage()) {
      end(0, "self_initiated_leave");
    }
  }

  private void signalled() {
    System.out.println("signalled");
    if (vexaRelease == VexaRelease.V0_12) {
      end(0, "self_initiated_leave");
    }
    end(SIGTERM_CODE, "signal_sigterm");
  }

  /** Reports the reason once and ends the process. A second caller waits for that. */
  private void end(int exitCode, String reason) {
    if (ending.compareAndSet(false, true)) {
      recorder.close();
      if (vexaRelease == VexaRelease.V0_12) {
        lastEvent(reason, exitCode);
      } else if (vexaRelease.unified()) {
        VexaCallbackClient.CallResult _ =
            exitCode == 0
                ? calls.status("completed", reason, exitCode, completionReason(reason), null)
                : calls.status("failed", reason, exitCode, null, "joining");
      } else {
        VexaCallbackClient.CallResult _ = calls.exited(exitCode, reason);
      }
      System.out.println("ends with " + exitCode + ", " + reason);
      System.out.flush();
      Runtime.getRuntime().halt(exitCode);
    }
    await(Long.MAX_VALUE);
  }

  /** Of 0.12: its reason is a sentence, or absent, and the code is in the completion reason. */
  private void lastEvent(String reason, int exitCode) {
    @Nullable String sentence = null;
    String code = lastCode(reason);
    boolean completed = admitted;
    int itsCode = exitCode;
    String stage = "awaiting_admission";
    if (reason.equals("join_meeting_error")) {
      sentence = browserError();
      stage = "joining";
    } else if (!completed) {
      boolean stopped = reason.equals("self_initiated_leave");
      itsCode = stopped ? 0 : 1;
      sentence =
          stopped
              ? "stopped while awaiting admission (withdrew the join request)"
              : "join ended without admission: " + code;
    }
    VexaCallbackClient.CallResult _ =
        calls.status(
            completed ? "completed" : "failed", sentence, itsCode, code, completed ? null : stage);
  }

  /** What a browser says that could not click: a line for each try. */
  private static String browserError() {
    return "Error: locator.click: Timeout 30000ms exceeded.\nCall log:\n"
        + "  - <div class=\"overlay\"></div> intercepts pointer events\n  - retrying click action\n"
            .repeat(60);
  }

  private static String lastCode(String reason) {
    return switch (reason) {
      case "admission_rejected_by_admin" -> "awaiting_admission_rejected";
      case "admission_never_admitted", "admission_timeout" -> "awaiting_admission_timeout";
      case "join_meeting_error", "missing_meeting_url" -> "join_failure";
      case "normal_completion" -> "left_alone";
      case "left_alone", "max_bot_time_exceeded" -> reason;
      default -> "stopped";
    };
  }

  /** Maps a reason to one of the image's, {@code stopped} by default. */
  private static String completionReason(String reason) {
    return switch (reason) {
      case "admission_failed" -> "awaiting_admission_timeout";
      case "admission_never_admitted" -> "never_admitted";
      case "admission_rejected_by_admin", "removed_by_admin", "left_alone", "evicted" -> reason;
      default -> "stopped";
    };
  }

  private boolean room(String kind) {
    return config.nativeMeetingId().contains(kind) || config.room().contains(kind);
  }

  private void await(long milliseconds) {
    try {
      boolean _ = never.await(milliseconds, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
