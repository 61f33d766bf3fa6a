package io.convoke.agent.egress;

import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * The payload of an {@code egress} task; its channel is the room.
 *
 * @param layout {@code grid} or {@code speaker}
 * @param interval between two pictures: {@code interval_in_ms}, 1000 to 300000, 20000 if absent
 * @param secret of the room: {@code access_token}
 */
record EgressRequest(EgressKind kind, EgressLayout layout, Duration interval, String secret) {
  private static final int INTERVAL_MIN_MS = 1_000;
  private static final int INTERVAL_MAX_MS = 300_000;
  private static final int INTERVAL_MS = 20_000;

  /** What is made of a room. */
  sealed interface EgressKind {
    /** One MP4 with everybody, and an Ogg for each speaker. */
    record RecordRoom() implements EgressKind {}

    /** A playlist that grows, and its segments. */
    record StreamRoom() implements EgressKind {}

    /** Pictures at an interval. */
    record PictureRoom() implements EgressKind {}

    /** A stream to an RTMP or SRT server. */
    record PushRoom(URI target) implements EgressKind {}
  }

  /** How several publishers share a picture. */
  enum EgressLayout {
    /** Everybody has a tile. */
    GRID,
    /** The one who speaks, or spoke last, has all of it. */
    SPEAKER
  }

  /** A payload that was read, or why it cannot be. */
  sealed interface EgressParseResult {
    record ValidEgressRequest(EgressRequest request) implements EgressParseResult {}

    /** The task {@code of}, of this kind, ended without its result. */
    record ValidFinishRequest(String of, EgressKind kind) implements EgressParseResult {}

    /** The task fails without retry. */
    record InvalidEgressRequest(String reason) implements EgressParseResult {}
  }

  /** The payload of a task that servers submit: it finishes another one. */
  static EgressParseResult readFinish(JsonNode payload) {
    Optional<EgressKind> kind = kind(payload);
    return kind.isPresent() && payload.path("of").isString()
        ? new EgressParseResult.ValidFinishRequest(payload.path("of").asString(), kind.get())
        : refused("of must be a task of kind record or hls");
  }

  static EgressParseResult read(JsonNode payload) {
    Optional<EgressKind> kind = kind(payload);
    if (kind.isEmpty()) {
      return refused(
          "kind must be record, hls, snapshots, or push with a url of rtmp, rtmps or srt");
    }
    JsonNode interval = payload.path("interval_in_ms");
    int ms = interval.isMissingNode() ? INTERVAL_MS : interval.asInt(0);
    if (ms < INTERVAL_MIN_MS || ms > INTERVAL_MAX_MS) {
      return refused(
          "interval_in_ms must be a number from " + INTERVAL_MIN_MS + " to " + INTERVAL_MAX_MS);
    }
    Optional<EgressLayout> layout = layout(payload.path("layout").asString("grid"));
    if (layout.isEmpty()) {
      return refused("layout must be grid or speaker");
    }
    if (!payload.path("access_token").isString()) {
      return refused("access_token must be the egress_token of the room");
    }
    return new EgressParseResult.ValidEgressRequest(
        new EgressRequest(
            kind.get(),
            layout.get(),
            Duration.ofMillis(ms),
            payload.path("access_token").asString()));
  }

  private static Optional<EgressLayout> layout(String name) {
    return switch (name) {
      case "grid" -> Optional.of(EgressLayout.GRID);
      case "speaker" -> Optional.of(EgressLayout.SPEAKER);
      default -> Optional.empty();
    };
  }

  private static Optional<EgressKind> kind(JsonNode payload) {
    return switch (payload.path("kind").asString("")) {
      case "record" -> Optional.of(new EgressKind.RecordRoom());
      case "hls" -> Optional.of(new EgressKind.StreamRoom());
      case "snapshots" -> Optional.of(new EgressKind.PictureRoom());
      case "push" ->
          Optional.of(payload.path("url").asString(""))
              .filter(url -> url.matches("(rtmps?|srt)://[^\\s|'\\\\]{1,2000}"))
              .flatMap(EgressRequest::uri)
              .map(EgressKind.PushRoom::new);
      default -> Optional.empty();
    };
  }

  private static Optional<URI> uri(String url) {
    try {
      return Optional.of(new URI(url));
    } catch (URISyntaxException _) {
      // Its message has the key of the user's stream.
      return Optional.empty();
    }
  }

  private static EgressParseResult refused(String reason) {
    return new EgressParseResult.InvalidEgressRequest(reason);
  }

  @Override
  public String toString() {
    return "EgressRequest[" + kind.getClass().getSimpleName() + "]";
  }
}
