package io.convoke.server.platform;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.annotation.EnumNaming;
import tools.jackson.databind.annotation.JsonSerialize;
import tools.jackson.databind.ext.javatime.ser.InstantSerializer;

/**
 * A presence event from the platform or from a bot in the room. The webhook parser creates it,
 * Redis stores it as JSON until a worker commits it, and the merge applies it; applying it is
 * idempotent.
 *
 * <p>The JSON is what servers of different versions exchange through Redis during an upgrade, so
 * its field names and its times in milliseconds must not change; absent values are omitted.
 *
 * @param eventId the platform's id of the event, the same in its retries
 * @param sessionId empty for {@link PresenceEventKind#STARTED} and {@link PresenceEventKind#ENDED}
 * @param joinedAt begin of the session; absent in damaged {@link PresenceEventKind#LEFT} events
 * @param at when it happened: the join, the leave, the begin or the end of the meeting
 * @param hidden the platform never lists this session
 * @param byBot whether a bot in the room reported it, not the platform
 * @param waiting what a participant did in the waiting room; the kind is then {@link
 *     PresenceEventKind#STARTED}, which servers without this field apply as no change
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record PresenceEvent(
    String eventId,
    PresenceEventKind kind,
    String room,
    String sessionId,
    Optional<String> userId,
    Optional<String> userName,
    @Millis @JsonSerialize(contentUsing = InstantSerializer.class) Optional<Instant> joinedAt,
    @Millis @JsonSerialize(using = InstantSerializer.class) Instant at,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean hidden,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean byBot,
    Optional<WaitingChange> waiting) {

  /** Rejects JSON without a mandatory field. */
  public PresenceEvent {
    Objects.requireNonNull(eventId);
    Objects.requireNonNull(kind);
    Objects.requireNonNull(room);
    Objects.requireNonNull(sessionId);
    Objects.requireNonNull(at);
    Objects.requireNonNull(waiting);
  }

  /** An event of the meeting itself, not of its waiting room. */
  public PresenceEvent(
      String eventId,
      PresenceEventKind kind,
      String room,
      String sessionId,
      Optional<String> userId,
      Optional<String> userName,
      Optional<Instant> joinedAt,
      Instant at,
      boolean hidden,
      boolean byBot) {
    this(
        eventId,
        kind,
        room,
        sessionId,
        userId,
        userName,
        joinedAt,
        at,
        hidden,
        byBot,
        Optional.empty());
  }

  /** The same event, at the latest at this time. */
  public PresenceEvent atLatest(Instant end) {
    return at.isAfter(end)
        ? new PresenceEvent(
            eventId, kind, room, sessionId, userId, userName, joinedAt, end, hidden, byBot, waiting)
        : this;
  }

  /** What a participant did in the waiting room. */
  @EnumNaming(EnumNamingStrategies.UpperSnakeCaseStrategy.class)
  public enum WaitingChange {
    /** Asks to be let in. */
    WAITING,
    /** Left, or was refused, without having been in the meeting. */
    WAITING_LEFT
  }

  /** The kind; its order is the order in which events of one instant are applied. */
  @EnumNaming(EnumNamingStrategies.UpperSnakeCaseStrategy.class)
  public enum PresenceEventKind {
    /** A meeting began; it only triggers a poll. */
    STARTED,
    JOINED,
    LEFT,
    /** The meeting in the room is over, the reconnect allowance included. */
    ENDED
  }

  /** An event of the meeting as a whole. */
  public static PresenceEvent ofMeeting(
      String eventId, PresenceEventKind presenceEventKind, String room, Instant at, boolean byBot) {
    return new PresenceEvent(
        eventId,
        presenceEventKind,
        room,
        "",
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        at,
        false,
        byBot);
  }

  /** A time in milliseconds since the epoch. */
  @Retention(RetentionPolicy.RUNTIME)
  @JacksonAnnotationsInside
  @JsonFormat(
      shape = JsonFormat.Shape.NUMBER_INT,
      without = {
        JsonFormat.Feature.WRITE_DATE_TIMESTAMPS_AS_NANOSECONDS,
        JsonFormat.Feature.READ_DATE_TIMESTAMPS_AS_NANOSECONDS
      })
  private @interface Millis {}
}
