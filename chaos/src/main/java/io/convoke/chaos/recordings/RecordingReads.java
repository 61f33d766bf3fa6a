package io.convoke.chaos.recordings;

import io.convoke.chaos.ApiComparisons;
import io.convoke.chaos.SqlReader;
import io.convoke.chaos.kernel.ReadBackRule.ReadBack;
import io.convoke.chaos.recordings.rules.ExpectedRecording;
import io.convoke.fakes.client.ApiClient;
import io.convoke.fakes.client.ApiReply;
import io.convoke.simulator.state.Recording;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What users read of their recordings in the end, beside the rows, the platform and the audio. */
final class RecordingReads {
  private static final Function<JsonNode, String> ID = ApiComparisons.text("recording_id");

  /** Small, so that every list has several pages. */
  private static final int PAGE = 3;

  private static final int RANGE_FROM = 100;
  private static final int RANGE_TO = 299;

  /** Of those that another user may not change. */
  private static final int FEW = 2;

  private final Connection connection;
  private final Map<String, Recording> platform;
  private final List<ExpectedRecording> expected;

  /**
   * Reads these.
   *
   * @param platform its own record of the recordings, by id
   */
  RecordingReads(
      Connection connection, Map<String, Recording> platform, List<ExpectedRecording> expected) {
    this.connection = connection;
    this.platform = platform;
    this.expected = expected;
  }

  /** A recording as a read shows it. */
  private record ReadRecording(String id, String status, long meeting, JsonNode fields) {}

  /** What this user reads, whose recordings the other one may neither change nor delete. */
  List<ReadBack> read(ApiClient.CreatedUser user, ApiClient other, List<URI> servers)
      throws SQLException {
    ApiComparisons reads = new ApiComparisons(servers);
    ApiClient caller = user.api();
    List<ReadRecording> rows = rows(user.id());
    rows.forEach(row -> one(row, caller, reads));
    for (ReadRecording row : rows.stream().limit(FEW).toList()) {
      refused(row, other, reads);
    }
    reads.list(caller, "/recordings", PAGE, ID, rows.stream().map(ReadRecording::id).toList());
    for (String status : List.of("done", "failed", "empty", "cancelled", "unmatched")) {
      reads.list(
          caller,
          "/recordings?status=" + status,
          PAGE,
          ID,
          rows.stream().filter(row -> row.status().equals(status)).map(ReadRecording::id).toList());
    }
    for (long meeting : rows.stream().map(ReadRecording::meeting).distinct().toList()) {
      List<String> own =
          rows.stream().filter(row -> row.meeting() == meeting).map(ReadRecording::id).toList();
      if (meeting != 0) {
        reads.list(caller, "/meetings/" + meeting + "/recordings", PAGE, ID, own);
        reads.list(caller, "/recordings?meeting_id=" + meeting, PAGE, ID, own);
        sync(meeting, caller, reads);
      }
    }
    return reads.all();
  }

  /** Newest first. */
  private List<ReadRecording> rows(long user) throws SQLException {
    return SqlReader.list(
        connection,
        """
        select recording_id, status, coalesce(meeting_id, 0), jsonb_build_object(
          'recording_id', recording_id, 'meeting_id', meeting_id, 'status', status,
          'reason', reason, 'run', run, 'room_name', room_name, 'kind', kind,
          'found_by', found_by, 'owner', null, 'deadline', null, 'candidates', '[]'::jsonb,
          'start_time', %s, 'duration_s', duration_s, 'created_at', %s, 'state_entered_at', %s,
          'audio', case when blob_key is null then null
            else jsonb_build_object('size', blob_size, 'sha256', blob_sha256) end)::text
        from convoke.recordings where user_id = %d and deleted_at is null
        order by created_at desc, recording_id desc
        """
            .formatted(
                ApiComparisons.time("start_time"),
                ApiComparisons.time("created_at"),
                ApiComparisons.time("state_entered_at"),
                user),
        row ->
            new ReadRecording(
                row.getString(1),
                row.getString(2),
                row.getLong(3),
                JsonMapper.shared().readTree(row.getString(4))));
  }

  private void one(ReadRecording row, ApiClient user, ApiComparisons reads) {
    String path = "/recordings/" + row.id();
    reads.fields(user, path, row.fields());
    Optional.ofNullable(platform.get(row.id())).ifPresent(actual -> facts(actual, row, reads));
    Optional<ExpectedRecording> recorded =
        expected.stream().filter(it -> it.id().equals(row.id())).findFirst();
    boolean audible = !row.fields().path("audio").isNull() && recorded.isPresent();
    if (audible) {
      byte[] audio = SpokenAudio.audio(recorded.get().label());
      same(path + "/audio", audio, user.bytes(path + "/audio", Optional.empty()), reads);
      same(
          path + "/audio in part",
          Arrays.copyOfRange(audio, RANGE_FROM, RANGE_TO + 1),
          user.bytes(path + "/audio", Optional.of("bytes=" + RANGE_FROM + "-" + RANGE_TO)),
          reads);
    }
    if (row.status().equals("done") && recorded.isPresent()) {
      words(row, recorded.get(), user, reads);
      steps(path, user, reads);
    }
  }

  /** Room and length as the platform has them; of what came to nothing it need not be known. */
  private static void facts(Recording actual, ReadRecording row, ApiComparisons reads) {
    if (row.status().equals("done")) {
      long seconds = actual.duration(actual.startedAt()).toSeconds();
      reads.compare(
          "room, length and start of recording " + row.id(),
          List.of(actual.room(), Long.toString(seconds), "true"),
          List.of(
              row.fields().path("room_name").asString(""),
              row.fields().path("duration_s").toString(),
              Boolean.toString(near(actual, row))));
    }
  }

  /** The platform tells the start in whole seconds. */
  private static boolean near(Recording actual, ReadRecording row) {
    String start = row.fields().path("start_time").asString("");
    return !start.isEmpty()
        && Duration.between(Instant.parse(start), actual.startedAt())
                .abs()
                .compareTo(Duration.ofSeconds(1))
            <= 0;
  }

  /** Its words in the transcript of its meeting, in order. */
  private static void words(
      ReadRecording row, ExpectedRecording recorded, ApiClient user, ApiComparisons reads) {
    String path = "/transcripts/%d?session_uid=recording:%s".formatted(row.meeting(), row.id());
    List<String> shown = new ArrayList<>();
    double last = -1;
    for (JsonNode segment : reads.ask(user, api -> api.get(path)).body().path("segments")) {
      double start = segment.path("start").asDouble(-1);
      boolean right =
          start >= last
              && segment.path("end").asDouble(-1) >= start
              && segment.path("session_uid").asString("").equals("recording:" + row.id());
      shown.add((right ? "" : "misplaced ") + segment.path("text").asString(""));
      last = start;
    }
    reads.compare(path, recorded.shown(), shown);
  }

  /** A recording that is done has done each step. */
  private static void steps(String path, ApiClient user, ApiComparisons reads) {
    List<String> shown =
        reads
            .ask(user, api -> api.get(path))
            .body()
            .path("steps")
            .valueStream()
            .map(
                step ->
                    "%s %s %s %s %s"
                        .formatted(
                            step.path("name").asString(""),
                            step.path("state").asString(""),
                            step.path("attempts").asInt() > 0,
                            step.path("progress").asDouble() == 1,
                            step.path("started_at").asString("").length() > 0
                                && step.path("ended_at").asString("").length() > 0))
            .toList();
    reads.compare(
        path + " steps",
        List.of("download", "transcribe", "prepare", "transform", "push").stream()
            .map(name -> name + " done true true true")
            .toList(),
        shown);
  }

  private static void same(String what, byte[] wanted, byte[] shown, ApiComparisons reads) {
    reads.compare(
        what,
        List.of(new String(wanted, StandardCharsets.ISO_8859_1)),
        List.of(new String(shown, StandardCharsets.ISO_8859_1)));
  }

  private void sync(long meeting, ApiClient user, ApiComparisons reads) throws SQLException {
    List<JsonNode> row =
        SqlReader.list(
            connection,
            """
            select jsonb_build_object('meeting_id', meeting_id, 'status', status,
              'attempts', attempts, 'version', version, 'error_message', error_message,
              'last_step', last_step, 'stale', false)::text
            from convoke.sync_status where meeting_id = '%d'
            """
                .formatted(meeting),
            one -> JsonMapper.shared().readTree(one.getString(1)));
    row.forEach(
        fields ->
            reads.soon(
                user,
                "/sync-status?meeting_id=" + meeting,
                ApiComparisons.fields(fields, fields),
                shown -> ApiComparisons.fields(fields, shown).toString()));
  }

  private static void refused(ReadRecording row, ApiClient other, ApiComparisons reads) {
    String path = "/recordings/" + row.id();
    List<ApiReply> replies =
        List.of(
            other.post(path + "/retry", Map.of("step", "push")),
            other.delete(path),
            other.get(path),
            other.get(path + "/waveform"));
    reads.compare(
        path + " as another user",
        List.of("404", "404", "404", "404"),
        replies.stream().map(reply -> Integer.toString(reply.status())).toList());
  }
}
