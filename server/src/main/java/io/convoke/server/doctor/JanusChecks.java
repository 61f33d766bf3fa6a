package io.convoke.server.doctor;

import io.convoke.server.platform.RateLimiter;
import io.convoke.server.platform.janus.JanusAdmin;
import io.convoke.server.platform.janus.JanusAdmin.JanusReply;
import io.convoke.server.platform.janus.JanusConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Checks that a Janus answers, and is configured so that all its rooms can be seen. */
public final class JanusChecks {
  private static final String PART = "janus";
  private static final String NO_ROOM = "convoke-doctor";

  private JanusChecks() {}

  /**
   * What is wrong with it; one finding if nothing is.
   *
   * @param config empty without a Janus
   * @param posts whether a password for its events is set
   */
  public static List<DoctorFinding> check(Optional<JanusConfig> config, boolean posts) {
    if (config.isEmpty()) {
      return List.of(DoctorFinding.ok(PART, "no Janus"));
    }
    JanusAdmin admin = new JanusAdmin(config.get(), RateLimiter.unlimited());
    DoctorFinding answer = answers(admin, config.get().adminKey());
    if (answer.level() != DoctorFinding.FindingLevel.OK) {
      return List.of(answer);
    }
    return posts
        ? List.of(answer)
        : List.of(
            answer,
            DoctorFinding.warn(
                PART,
                "CONVOKE_JANUS_EVENT_SECRET is missing: changes are found by polls alone, within"
                    + " half of CONVOKE_PRESENCE_RECONCILE_INTERVAL"));
  }

  /** Whether what it records can be read here, and deleted; nothing where it records nothing. */
  public static List<DoctorFinding> recordings(Optional<String> folder) {
    if (folder.isEmpty()) {
      return List.of();
    }
    Path at = Path.of(folder.get());
    return List.of(
        Files.isDirectory(at) && Files.isReadable(at) && Files.isWritable(at)
            ? DoctorFinding.ok(PART, "its recordings in " + at + " can be read and deleted")
            : DoctorFinding.fault(
                PART,
                at
                    + " of CONVOKE_JANUS_RECORDINGS is no folder that this user may read and write:"
                    + " make it, for Janus too, or mount it"));
  }

  private static DoctorFinding answers(JanusAdmin admin, String key) {
    return switch (admin.send("list", Map.of("admin_key", key))) {
      case JanusReply.JanusCallFailed(var outage) ->
          DoctorFinding.fault(
              PART,
              switch (outage.cause()) {
                case REFUSED ->
                    "the admin API refused us: CONVOKE_JANUS_ADMIN_SECRET is not its admin_secret";
                case MALFORMED, NOT_FOUND, SERVER_ERROR, RATE_LIMITED ->
                    "what answers at CONVOKE_JANUS_ADMIN_URL is no admin API of a Janus";
                case TIMEOUT, UNREACHABLE ->
                    "no answer at CONVOKE_JANUS_ADMIN_URL: is admin_http on, and admin_port open"
                        + " to us?";
              });
      case JanusReply.JanusRefusal(int code, String reason) ->
          DoctorFinding.fault(
              PART,
              code == JanusAdmin.UNAUTHORIZED
                  ? "CONVOKE_JANUS_ADMIN_KEY is not the admin_key of the VideoRoom plugin"
                  : "the VideoRoom plugin refused the list of rooms: " + reason);
      case JanusReply.JanusAnswer _ -> seesAll(admin, key);
    };
  }

  private static DoctorFinding seesAll(JanusAdmin admin, String key) {
    if (admin.send("list", Map.of("admin_key", key + "-wrong")) instanceof JanusReply.JanusAnswer) {
      return DoctorFinding.fault(
          PART,
          "the VideoRoom plugin has no admin_key: private rooms stay hidden from us, and every"
              + " client may make rooms; set it in janus.plugin.videoroom.jcfg");
    }
    if (!(admin.send("exists", Map.of("room", NO_ROOM)) instanceof JanusReply.JanusAnswer)) {
      return DoctorFinding.fault(
          PART,
          "the VideoRoom plugin takes numbers as rooms: set string_ids = true in"
              + " janus.plugin.videoroom.jcfg");
    }
    return DoctorFinding.ok(PART, "its admin API answers, and shows private rooms");
  }
}
