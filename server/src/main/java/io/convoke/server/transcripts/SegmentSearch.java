package io.convoke.server.transcripts;

import io.convoke.engine.sql.Database;
import io.convoke.engine.sql.Tx;
import io.convoke.server.http.Cursor;
import io.convoke.server.http.Page;
import io.convoke.server.http.PageRequest;
import io.convoke.server.http.Problem;
import io.convoke.server.http.VisibleUsers;
import io.convoke.server.meetings.Segment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Full text search in the completed segments of users' meetings.
 *
 * <p>The index holds keys of (word, user, range of 8192 segments). A search goes through the ranges
 * from the newest on, each step four times as many, until it has {@link #BLOCK} matches; so its
 * work depends neither on what other users have nor on how frequent a word is. A block is shown in
 * the order of its ranks; the next block has older segments. Decision 152.
 */
final class SegmentSearch {
  /** How many matches are ranked together. */
  static final int BLOCK = 200;

  /** Segments of a range, as a power of two; {@code transcript_words_of} has it too. */
  private static final int RANGE_BITS = 13;

  private static final int TERMS_MAX = 20;
  private static final Comparator<RankedSegment> BEST_FIRST =
      Comparator.comparingDouble(RankedSegment::rank)
          .thenComparingLong(RankedSegment::id)
          .reversed();

  private final Database database;

  SegmentSearch(Database database) {
    this.database = database;
  }

  private record RankedSegment(float rank, long id) {}

  /**
   * A position among the matches: in the block of segments from {@code from} on and before {@code
   * below}, after the last one shown.
   *
   * @param from unknown, -1, at the beginning of a block
   */
  private record SearchPosition(long from, long below, RankedSegment last) {
    static SearchPosition block(long below) {
      return new SearchPosition(
          -1, below, new RankedSegment(Float.POSITIVE_INFINITY, Long.MAX_VALUE));
    }

    static SearchPosition of(String cursor) {
      List<String> keys = Cursor.parse(cursor);
      try {
        return new SearchPosition(
            Long.parseLong(keys.get(0)),
            Long.parseLong(keys.get(1)),
            new RankedSegment(Float.parseFloat(keys.get(2)), Long.parseLong(keys.get(3))));
      } catch (NumberFormatException | IndexOutOfBoundsException _) {
        throw Problem.badRequest("cursor", "is not a cursor of this list");
      }
    }

    String cursor() {
      return Cursor.of(from, below, last.rank(), last.id());
    }
  }

  /** The segments of a block, newest first, and whether there are matches before it. */
  private record MatchBlock(List<Long> ids, boolean more) {}

  /** The segments that a user, or any user, has. */
  private record SegmentBounds(long oldest, long newest) {}

  /**
   * The best matches first, within blocks.
   *
   * @param users whose meetings; empty for all
   * @throws Problem 400 for a text without words, or with too many
   */
  Page<SearchHit> search(String text, Optional<VisibleUsers> users, PageRequest pageRequest) {
    return database.transaction(
        tx -> {
          // Compiling such a statement takes longer than running it.
          int _ = tx.sql("set local jit = off").update();
          List<SearchTerm> terms = SearchTerm.of(tx, text);
          if (terms.isEmpty() || terms.size() > TERMS_MAX) {
            throw Problem.badRequest(
                "q", terms.isEmpty() ? "has no word" : "has more than " + TERMS_MAX + " words");
          }
          return page(tx, terms, users, pageRequest);
        });
  }

  private static Page<SearchHit> page(
      Tx tx, List<SearchTerm> terms, Optional<VisibleUsers> users, PageRequest pageRequest) {
    Long[] ids = users.map(VisibleUsers::ids).orElseGet(() -> everyUser(tx));
    Optional<SearchPosition> next =
        Optional.of(
            pageRequest
                .cursor()
                .map(SearchPosition::of)
                .orElse(SearchPosition.block(Long.MAX_VALUE)));
    List<Long> found = new ArrayList<>();
    while (next.isPresent() && found.size() < pageRequest.limit()) {
      next = add(tx, terms, ids, next.get(), pageRequest.limit(), found);
    }
    return new Page<>(hits(tx, terms, ids, found), next.map(SearchPosition::cursor));
  }

  /** Adds what follows in one block, up to a number of segments; returns where to go on. */
  private static Optional<SearchPosition> add(
      Tx tx,
      List<SearchTerm> terms,
      Long[] users,
      SearchPosition position,
      int limit,
      List<Long> found) {
    MatchBlock block = block(tx, terms, users, position);
    if (block.ids().isEmpty()) {
      return Optional.empty();
    }
    long from = block.ids().getLast();
    long below = Math.min(position.below(), block.ids().getFirst() + 1);
    List<RankedSegment> left =
        ranked(tx, terms, block.ids()).stream()
            .filter(it -> BEST_FIRST.compare(position.last(), it) < 0)
            .toList();
    int taken = Math.min(limit - found.size(), left.size());
    left.subList(0, taken).forEach(it -> found.add(it.id()));
    if (taken < left.size()) {
      return Optional.of(new SearchPosition(from, below, left.get(taken - 1)));
    }
    return block.more() ? Optional.of(SearchPosition.block(from)) : Optional.empty();
  }

  private static MatchBlock block(
      Tx tx, List<SearchTerm> terms, Long[] users, SearchPosition position) {
    List<Long> newest = newest(tx, terms, users, position.below());
    if (position.from() < 0) {
      return new MatchBlock(
          newest.subList(0, Math.min(BLOCK, newest.size())), newest.size() > BLOCK);
    }
    List<Long> inside = newest.stream().filter(id -> id >= position.from()).toList();
    return new MatchBlock(inside, inside.size() < newest.size() || newest.size() > BLOCK);
  }

  /** The newest matches before a segment, one more than a block has. */
  private static List<Long> newest(Tx tx, List<SearchTerm> terms, Long[] users, long below) {
    List<Long> found = new ArrayList<>();
    Optional<SegmentBounds> bounds = bounds(tx, users, below);
    if (bounds.isEmpty()) {
      return found;
    }
    long last = bounds.get().oldest() >> RANGE_BITS;
    long top = bounds.get().newest() >> RANGE_BITS;
    for (long ranges = 1; top >= last && found.size() <= BLOCK; ranges *= 4) {
      long bottom = Math.max(last, top - ranges + 1);
      found.addAll(matches(tx, terms, users, bottom, top, below, BLOCK + 1 - found.size()));
      top = bottom - 1;
    }
    return found;
  }

  private static Optional<SegmentBounds> bounds(Tx tx, Long[] users, long below) {
    return tx.sql(
            """
            select min(oldest) as oldest, max(newest) as newest
            from unnest(?) as u (id), lateral (
              select min(segment_id) as oldest, max(segment_id) as newest from transcript_words
              where user_id = u.id and segment_id < ?) as of_user
            having max(newest) is not null
            """)
        .with(users, below)
        .first(
            resultRow -> new SegmentBounds(resultRow.longAt("oldest"), resultRow.longAt("newest")));
  }

  /** Matches in some ranges, both ends included, newest first. */
  private static List<Long> matches(
      Tx tx, List<SearchTerm> terms, Long[] users, long bottom, long top, long below, int limit) {
    StringBuilder condition = new StringBuilder();
    List<Object> parameters = new ArrayList<>();
    long oldest = bottom << RANGE_BITS;
    parameters.addAll(List.of(oldest, Math.min(below, (top + 1) << RANGE_BITS), users, oldest));
    for (SearchTerm term : terms) {
      condition.append(condition.isEmpty() ? "w.keys && array[" : "] and w.keys && array[");
      for (int i = 0; i < term.spellings().size(); i++) {
        condition
            .append(i == 0 ? "" : ", ")
            .append("convoke.transcript_key(?, r.user_id, r.range)");
        parameters.add(term.spellings().get(i));
      }
    }
    condition.append(']');
    parameters.addAll(List.of(below, limit));
    return tx.sql(
            """
            with recursive ranges (user_id, range) as (
              select u.id, (
                select w.segment_id >> 13 from transcript_words w
                where w.user_id = u.id and w.segment_id >= ? and w.segment_id < ?
                order by w.segment_id desc limit 1)
              from unnest(?) as u (id)
              union all
              select r.user_id, (
                select w.segment_id >> 13 from transcript_words w
                where w.user_id = r.user_id and w.segment_id >= ? and w.segment_id < r.range << 13
                order by w.segment_id desc limit 1)
              from ranges r where r.range is not null),
            matches as materialized (
              select w.segment_id from ranges r join transcript_words w on CONDITION
              where r.range is not null)
            select segment_id from matches where segment_id < ? order by segment_id desc limit ?
            """
                .replace("CONDITION", condition))
        .with(parameters.toArray())
        .list(resultRow -> resultRow.longAt("segment_id"));
  }

  private static List<RankedSegment> ranked(Tx tx, List<SearchTerm> terms, List<Long> ids) {
    return tx
        .sql(
            """
            select t.id, ts_rank(convoke.transcript_vector(TEXT, t.language), ?::tsquery, 1) as rank
            from transcriptions t where t.id = any(?)
            """
                .replace("TEXT", Segment.text("t")))
        .with(SearchTerm.tsquery(terms), ids.toArray(Long[]::new))
        .list(
            resultRow ->
                new RankedSegment((float) resultRow.doubleAt("rank"), resultRow.longAt("id")))
        .stream()
        .sorted(BEST_FIRST)
        .toList();
  }

  /** The segments in this order; none of a meeting of another user, whatever the index holds. */
  private static List<SearchHit> hits(Tx tx, List<SearchTerm> terms, Long[] users, List<Long> ids) {
    String[] spellings = SearchTerm.spellings(terms);
    Map<Long, SearchHit> hits = new HashMap<>();
    tx.sql(
            """
            select t.id, t.meeting_id, t.start_time, SPEAKER as speaker, TEXT as text, array(
              select word.lexeme
              from unnest(to_tsvector('pg_catalog.simple', PLAIN)) as word
              where word.lexeme = any(?)
                or ts_lexize(
                  (convoke.transcript_language(t.language)::text || '_stem')::regdictionary,
                  word.lexeme) && ?) as words
            from transcriptions t join meetings m on m.id = t.meeting_id
            where t.id = any(?) and m.user_id = any(?)
            """
                .replace("SPEAKER", Segment.speaker("t"))
                .replace("PLAIN", SearchTerm.plain("TEXT"))
                .replace("TEXT", Segment.text("t")))
        .with(spellings, spellings, ids.toArray(Long[]::new), users)
        .list(
            resultRow ->
                new SearchHit(
                    resultRow.longAt("meeting_id"),
                    resultRow.longAt("id"),
                    resultRow.doubleAt("start_time"),
                    resultRow.maybeText("speaker"),
                    resultRow.text("text"),
                    Highlight.of(resultRow.text("text"), resultRow.texts("words"))))
        .forEach(hit -> hits.put(hit.segmentId(), hit));
    return ids.stream().flatMap(id -> Optional.ofNullable(hits.get(id)).stream()).toList();
  }

  private static Long[] everyUser(Tx tx) {
    return tx.sql(
            """
            with recursive users (id) as (
              select min(user_id) from transcript_words
              union all
              select (select min(w.user_id) from transcript_words w where w.user_id > u.id)
              from users u where u.id is not null)
            select id from users where id is not null
            """)
        .list(resultRow -> resultRow.longAt("id"))
        .toArray(Long[]::new);
  }
}
