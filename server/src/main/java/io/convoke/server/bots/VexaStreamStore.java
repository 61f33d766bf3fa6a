package io.convoke.server.bots;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.bots.BotTransitions.TransitionGuard;
import io.convoke.server.bots.VexaEntry.VexaSegment;
import io.convoke.server.http.Caller;
import io.convoke.server.meetings.MeetingStatus;
import io.convoke.server.meetings.MeetingTranscriptStore;
import io.convoke.server.meetings.MeetingTranscriptStore.NamedSegment;
import io.convoke.server.meetings.MeetingTranscriptStore.SegmentPlace;
import io.convoke.server.meetings.MeetingTranscriptStore.StoredSegment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stores what came by the streams of Vexa's image, a batch in one transaction with the position of
 * the stream, so that every entry counts once whatever node reads it. An entry counts only with the
 * token of the launch that is its meeting's present one; the token decides the meeting. Words stand
 * for the admission of a bot that has not reported it: release 0.4 never does.
 */
final class VexaStreamStore {
  private final Database database;
  private final BotTokens tokens;
  private final BotTransitions transitions;
  private final MeetingTranscriptStore transcripts;
  private final BotMetrics meters;

  VexaStreamStore(
      Database database,
      BotTokens tokens,
      BotTransitions transitions,
      MeetingTranscriptStore transcripts,
      BotMetrics meters) {
    this.database = database;
    this.tokens = tokens;
    this.transitions = transitions;
    this.transcripts = transcripts;
    this.meters = meters;
  }

  /** An entry and its id in the stream. */
  record StreamEntry(StreamPosition id, VexaEntry entry) {}

  /** A place in a stream, {@code milliseconds-number} as Redis writes it. */
  record StreamPosition(long milliseconds, long number) implements Comparable<StreamPosition> {
    static final StreamPosition BEGINNING = new StreamPosition(0, 0);

    static StreamPosition of(String text) {
      int dash = text.indexOf('-');
      return new StreamPosition(
          Long.parseLong(text.substring(0, dash)), Long.parseLong(text.substring(dash + 1)));
    }

    @Override
    public int compareTo(StreamPosition other) {
      int first = Long.compare(milliseconds, other.milliseconds);
      return first != 0 ? first : Long.compare(number, other.number);
    }

    @Override
    public String toString() {
      return milliseconds + "-" + number;
    }
  }

  /** The entries of one launch, in their order. */
  private record LaunchEntries(BotRow row, List<VexaEntry> entries) {
    long meetingId() {
      return row.id();
    }

    String sessionUid() {
      return row.connectionId();
    }
  }

  private record UidKey(String sessionUid, String uid) {}

  /** Where the image's segment is stored. */
  private record KnownSegment(String segmentId, SegmentPlace place) {}

  /** What a launch's words came to. */
  private record PlacedSegment(Optional<String> id, StoredSegment segment, boolean named) {}

  StreamPosition position(String stream) {
    return database.read(tx -> position(tx, stream, ""));
  }

  /**
   * Stores entries of a stream that were not stored before; returns the new position.
   *
   * @param entries in the order of the stream
   */
  StreamPosition store(String stream, List<StreamEntry> entries) {
    return database.transaction(
        tx -> {
          int _ =
              tx.sql(
                      "insert into stream_positions (stream, position) values (?, ?)"
                          + " on conflict do nothing")
                  .with(stream, StreamPosition.BEGINNING.toString())
                  .update();
          StreamPosition before = position(tx, stream, " for update");
          List<StreamEntry> fresh =
              entries.stream().filter(entry -> entry.id().compareTo(before) > 0).toList();
          if (fresh.isEmpty()) {
            return before;
          }
          List<LaunchEntries> launches = launches(tx, fresh);
          for (LaunchEntries launch : launches) {
            admitted(tx, launch);
          }
          edges(tx, launches);
          sessions(tx, launches);
          words(tx, launches);
          int stored = launches.stream().mapToInt(launch -> launch.entries().size()).sum();
          StreamPosition after = fresh.getLast().id();
          move(tx, stream, after);
          tx.afterCommit(() -> meters.streamed(stored, fresh.size() - stored));
          return after;
        });
  }

  /** Passes over an entry that cannot be stored. */
  void skip(String stream, StreamPosition entry) {
    database.transaction(
        tx -> {
          if (position(tx, stream, " for update").compareTo(entry) < 0) {
            move(tx, stream, entry);
          }
          return entry;
        });
  }

  private static StreamPosition position(Tx tx, String stream, String lock) {
    return tx.sql("select position from stream_positions where stream = ?" + lock)
        .with(stream)
        .first(row -> StreamPosition.of(row.text("position")))
        .orElse(StreamPosition.BEGINNING);
  }

  private static void move(Tx tx, String stream, StreamPosition to) {
    int _ =
        tx.sql("update stream_positions set position = ? where stream = ?")
            .with(to.toString(), stream)
            .update();
  }

  /** The entries with good tokens, by launch. */
  private List<LaunchEntries> launches(Tx tx, List<StreamEntry> fresh) {
    Map<Caller.BotCaller, List<VexaEntry>> shown = new LinkedHashMap<>();
    for (StreamEntry streamEntry : fresh) {
      caller(streamEntry.entry())
          .ifPresent(
              bot -> shown.computeIfAbsent(bot, _ -> new ArrayList<>()).add(streamEntry.entry()));
    }
    Long[] meetings =
        shown.keySet().stream().map(Caller.BotCaller::meetingId).distinct().toArray(Long[]::new);
    Map<Long, BotRow> rows =
        tx
            .sql("select " + BotRow.COLUMNS + " from meetings where not tracked and id = any(?)")
            .with((Object) meetings)
            .list(BotRow::of)
            .stream()
            .collect(Collectors.toMap(BotRow::id, row -> row));
    List<LaunchEntries> launches = new ArrayList<>();
    shown.forEach(
        (caller, entries) -> {
          TransitionGuard launch =
              new TransitionGuard.LaunchGuard(caller.connectionId(), caller.attempt());
          Optional.ofNullable(rows.get(caller.meetingId()))
              .filter(launch::matches)
              .ifPresent(row -> launches.add(new LaunchEntries(row, entries)));
        });
    return launches;
  }

  private Optional<Caller.BotCaller> caller(VexaEntry entry) {
    return entry instanceof VexaEntry.VexaOtherEntry
        ? Optional.empty()
        : tokens
            .authenticate(entry.token())
            .filter(Caller.BotCaller.class::isInstance)
            .map(Caller.BotCaller.class::cast);
  }

  private void admitted(Tx tx, LaunchEntries launch) {
    MeetingStatus status = launch.row().status();
    boolean waiting = status == MeetingStatus.RESERVED || status == MeetingStatus.STARTING;
    boolean said =
        of(VexaEntry.VexaSpokenEntry.class, launch).stream()
            .anyMatch(entry -> !entry.segments().isEmpty());
    if (waiting && said) {
      for (BotEvent event : VexaTranslator.letIn()) {
        var _ =
            transitions.apply(
                tx, launch.meetingId(), TransitionGuard.launchOf(launch.row()), event, "bot");
      }
      BotStore.speaks(tx, launch.meetingId(), BotProtocol.VEXA);
    }
  }

  private static <E extends VexaEntry> List<E> of(Class<E> kind, LaunchEntries launch) {
    return launch.entries().stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  private static void edges(Tx tx, List<LaunchEntries> launches) {
    List<Object[]> rows = new ArrayList<>();
    for (LaunchEntries launch : launches) {
      for (VexaEntry.VexaSpeakerEntry edge : of(VexaEntry.VexaSpeakerEntry.class, launch)) {
        rows.add(
            new Object[] {
              launch.sessionUid(),
              edge.uid(),
              edge.atMs(),
              edge.starts(),
              edge.name(),
              launch.meetingId()
            });
      }
    }
    if (!rows.isEmpty()) {
      int _ =
          tx.sql(
                  """
                  insert into vexa_speakers (session_uid, uid, at_ms, starts, name, meeting_id)
                  select * from unnest(?::text[], ?::text[], ?::bigint[], ?::boolean[], ?::text[], ?::bigint[])
                  on conflict do nothing
                  """)
              .with(
                  column(rows, 0, String[]::new),
                  column(rows, 1, String[]::new),
                  column(rows, 2, Long[]::new),
                  column(rows, 3, Boolean[]::new),
                  column(rows, 4, String[]::new),
                  column(rows, 5, Long[]::new))
              .update();
    }
  }

  private static void sessions(Tx tx, List<LaunchEntries> launches) {
    List<Object[]> rows = new ArrayList<>();
    for (LaunchEntries launch : launches) {
      for (VexaEntry.VexaSessionEntry session : of(VexaEntry.VexaSessionEntry.class, launch)) {
        rows.add(
            new Object[] {
              launch.sessionUid(), session.uid(), launch.meetingId(), session.began().toString()
            });
      }
    }
    if (!rows.isEmpty()) {
      int _ =
          tx.sql(
                  """
                  insert into vexa_sessions (session_uid, uid, meeting_id, began)
                  select session_uid, uid, meeting_id, began::timestamptz
                  from unnest(?::text[], ?::text[], ?::bigint[], ?::text[])
                    as said(session_uid, uid, meeting_id, began)
                  on conflict do nothing
                  """)
              .with(
                  column(rows, 0, String[]::new),
                  column(rows, 1, String[]::new),
                  column(rows, 2, Long[]::new),
                  column(rows, 3, String[]::new))
              .update();
    }
  }

  private static <T> Object column(List<Object[]> rows, int index, IntFunction<T[]> array) {
    return rows.stream().map(row -> row[index]).toArray(array);
  }

  private void words(Tx tx, List<LaunchEntries> launches) {
    List<LaunchEntries> speaking =
        launches.stream()
            .filter(
                launch ->
                    launch.entries().stream()
                        .anyMatch(
                            entry ->
                                entry instanceof VexaEntry.VexaSpokenEntry
                                    || entry instanceof VexaEntry.VexaRetractEntry))
            .toList();
    if (speaking.isEmpty()) {
      return;
    }
    String[] uids = speaking.stream().map(LaunchEntries::sessionUid).toArray(String[]::new);
    Map<String, Instant> began = began(tx, uids);
    Map<UidKey, Instant> connections = connections(tx, uids);
    Map<UidKey, VexaSpeech> speech = speech(tx, uids);
    Map<String, Map<String, SegmentPlace>> known = known(tx, speaking);
    for (LaunchEntries launch : speaking) {
      Map<String, SegmentPlace> places = known.getOrDefault(launch.sessionUid(), Map.of());
      Optional<Instant> start = Optional.ofNullable(began.get(launch.sessionUid()));
      LaunchSegments launchSegments = new LaunchSegments(places);
      for (VexaEntry entry : launch.entries()) {
        if (entry instanceof VexaEntry.VexaSpokenEntry said) {
          UidKey uid = new UidKey(launch.sessionUid(), said.uid().orElse(""));
          for (VexaSegment segment : said.segments()) {
            launchSegments.said(
                place(
                    segment,
                    said.uid(),
                    start,
                    Optional.ofNullable(connections.get(uid)),
                    speech.getOrDefault(uid, new VexaSpeech(List.of()))));
          }
        } else if (entry instanceof VexaEntry.VexaRetractEntry retract) {
          retract.segmentIds().forEach(launchSegments::retracted);
        }
      }
      write(tx, launch, launchSegments);
    }
  }

  /** Where a segment is in our session. */
  private static PlacedSegment place(
      VexaSegment segment,
      Optional<String> uid,
      Optional<Instant> began,
      Optional<Instant> connection,
      VexaSpeech speech) {
    double start =
        segment
            .at()
            .map(at -> began.map(from -> seconds(from, at)).orElse(0.0))
            .orElseGet(
                () ->
                    segment.start()
                        + connection
                            .flatMap(since -> began.map(from -> seconds(from, since)))
                            .orElse(0.0));
    long fromMs = Math.round(segment.start() * 1000);
    Optional<String> speaker =
        segment
            .speaker()
            .or(() -> speech.speaker(fromMs, fromMs + Math.max(1, segment.length().toMillis())));
    return new PlacedSegment(
        id(segment, uid),
        new StoredSegment(
            start,
            start + segment.length().toMillis() / 1000.0,
            segment.text(),
            speaker,
            segment.language(),
            true),
        segment.speaker().isPresent());
  }

  /** The image's own id of a segment, or one of its connection and its start there. */
  private static Optional<String> id(VexaSegment segment, Optional<String> uid) {
    return segment.id().or(() -> uid.map(its -> its + ":" + Math.round(segment.start() * 1000)));
  }

  private static Stream<String> ids(VexaEntry entry) {
    return switch (entry) {
      case VexaEntry.VexaSpokenEntry said ->
          said.segments().stream().flatMap(segment -> id(segment, said.uid()).stream());
      case VexaEntry.VexaRetractEntry retract -> retract.segmentIds().stream();
      case VexaEntry.VexaSessionEntry _, VexaEntry.VexaSpeakerEntry _, VexaEntry.VexaOtherEntry _ ->
          Stream.empty();
    };
  }

  /** Seconds between two times, to the millisecond, and none before the session began. */
  private static double seconds(Instant from, Instant to) {
    return Math.max(0, Duration.between(from, to).toMillis()) / 1000.0;
  }

  private void write(Tx tx, LaunchEntries launch, LaunchSegments launchSegments) {
    List<NamedSegment> named = launchSegments.named();
    if (!named.isEmpty()) {
      // Before they are added and withdrawn, which then changes nothing of them.
      transcripts.name(tx, launch.meetingId(), launch.sessionUid(), named);
    }
    if (!launchSegments.added().isEmpty()) {
      transcripts.hear(tx, launch.meetingId(), launch.sessionUid(), launchSegments.added());
    }
    if (!launchSegments.places().isEmpty()) {
      List<KnownSegment> placed =
          launchSegments.places().entrySet().stream()
              .map(entry -> new KnownSegment(entry.getKey(), entry.getValue()))
              .toList();
      int _ =
          tx.sql(
                  """
                  insert into vexa_segments (session_uid, segment_id, meeting_id, start_time, speaker)
                  select ?, segment_id, ?, start_time, speaker
                  from unnest(?::text[], ?::float8[], ?::text[])
                    as said(segment_id, start_time, speaker)
                  on conflict (session_uid, segment_id)
                    do update set start_time = excluded.start_time, speaker = excluded.speaker
                  """)
              .with(
                  launch.sessionUid(),
                  launch.meetingId(),
                  placed.stream().map(KnownSegment::segmentId).toArray(String[]::new),
                  placed.stream().map(segment -> segment.place().start()).toArray(Double[]::new),
                  placed.stream()
                      .map(segment -> segment.place().speaker().orElse(""))
                      .toArray(String[]::new))
              .update();
    }
    if (!launchSegments.withdrawn().isEmpty()) {
      transcripts.withdraw(
          tx, launch.meetingId(), launch.sessionUid(), List.copyOf(launchSegments.withdrawn()));
    }
  }

  /** What the words of one launch change, given where its earlier segments are. */
  private static final class LaunchSegments {
    private final Map<String, SegmentPlace> before;
    private final Map<String, SegmentPlace> places = new LinkedHashMap<>();
    private final Map<SegmentPlace, StoredSegment> added = new LinkedHashMap<>();
    private final Collection<SegmentPlace> withdrawn = new LinkedHashSet<>();

    private LaunchSegments(Map<String, SegmentPlace> before) {
      this.before = before;
    }

    private void said(PlacedSegment placed) {
      Optional<SegmentPlace> earlier = placed.id().flatMap(this::place);
      StoredSegment segment = placed.segment();
      if (earlier.isPresent()) {
        boolean names =
            segment.speaker().isPresent() && (placed.named() || earlier.get().speaker().isEmpty());
        if (!names || earlier.get().speaker().equals(segment.speaker())) {
          return;
        }
        remove(earlier.get());
        segment =
            new StoredSegment(
                earlier.get().start(),
                Math.max(earlier.get().start(), segment.end()),
                segment.text(),
                segment.speaker(),
                segment.language(),
                true);
      }
      SegmentPlace now = new SegmentPlace(segment.start(), segment.speaker());
      var _ = withdrawn.remove(now);
      var _ = added.putIfAbsent(now, segment);
      placed.id().ifPresent(id -> places.put(id, now));
    }

    private void retracted(String id) {
      place(id).ifPresent(this::remove);
    }

    private Optional<SegmentPlace> place(String id) {
      return Optional.ofNullable(places.get(id)).or(() -> Optional.ofNullable(before.get(id)));
    }

    /** One that came with this batch was never stored; it is withdrawn all the same. */
    private void remove(SegmentPlace place) {
      var _ = added.remove(place);
      var _ = withdrawn.add(place);
    }

    /** Stored segments that have another speaker now, one for each new place. */
    private List<NamedSegment> named() {
      Map<SegmentPlace, NamedSegment> named = new LinkedHashMap<>();
      places.forEach(
          (id, place) -> {
            SegmentPlace stored = before.get(id);
            StoredSegment now = added.get(place);
            if (stored != null && now != null && !stored.equals(place)) {
              var _ = named.putIfAbsent(place, new NamedSegment(stored.speaker(), now));
            }
          });
      return List.copyOf(named.values());
    }

    private List<StoredSegment> added() {
      return List.copyOf(added.values());
    }

    private Map<String, SegmentPlace> places() {
      return places;
    }

    private Collection<SegmentPlace> withdrawn() {
      return withdrawn;
    }
  }

  private static Map<String, Instant> began(Tx tx, String[] sessions) {
    return tx
        .sql(
            "select session_uid, session_start_time from meeting_sessions"
                + " where session_uid = any(?)")
        .with((Object) sessions)
        .list(row -> Map.entry(row.text("session_uid"), row.instant("session_start_time")))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (one, _) -> one));
  }

  private static Map<UidKey, Instant> connections(Tx tx, String[] sessions) {
    return tx
        .sql("select session_uid, uid, began from vexa_sessions where session_uid = any(?)")
        .with((Object) sessions)
        .list(
            row ->
                Map.entry(
                    new UidKey(row.text("session_uid"), row.text("uid")), row.instant("began")))
        .stream()
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static Map<UidKey, VexaSpeech> speech(Tx tx, String[] sessions) {
    Map<UidKey, List<VexaSpeech.SpeechEdge>> edges = new LinkedHashMap<>();
    tx.sql(
            """
            select session_uid, uid, at_ms, starts, name from vexa_speakers
            where session_uid = any(?) order by at_ms, starts
            """)
        .with((Object) sessions)
        .list(
            row ->
                Map.entry(
                    new UidKey(row.text("session_uid"), row.text("uid")),
                    new VexaSpeech.SpeechEdge(
                        row.longAt("at_ms"), row.booleanAt("starts"), row.text("name"))))
        .forEach(
            entry ->
                edges
                    .computeIfAbsent(entry.getKey(), _ -> new ArrayList<>())
                    .add(entry.getValue()));
    return edges.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> new VexaSpeech(entry.getValue())));
  }

  private static Map<String, Map<String, SegmentPlace>> known(Tx tx, List<LaunchEntries> launches) {
    Map<String, Map<String, SegmentPlace>> known = new LinkedHashMap<>();
    tx.sql(
            """
            select session_uid, segment_id, start_time, speaker from vexa_segments
            where session_uid = any(?) and segment_id = any(?)
            """)
        .with(
            launches.stream().map(LaunchEntries::sessionUid).toArray(String[]::new),
            launches.stream()
                .flatMap(launch -> launch.entries().stream())
                .flatMap(VexaStreamStore::ids)
                .distinct()
                .toArray(String[]::new))
        .list(
            row ->
                Map.entry(
                    row.text("session_uid"),
                    new KnownSegment(
                        row.text("segment_id"),
                        new SegmentPlace(
                            row.doubleAt("start_time"),
                            Optional.of(row.text("speaker")).filter(name -> !name.isEmpty())))))
        .forEach(
            entry ->
                known
                    .computeIfAbsent(entry.getKey(), _ -> new LinkedHashMap<>())
                    .put(entry.getValue().segmentId(), entry.getValue().place()));
    return known;
  }
}
