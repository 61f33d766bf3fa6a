package io.convoke.engine.durable;

import com.cronutils.model.Cron;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.field.CronFieldName;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The ticks of a cron expression in a time zone.
 *
 * <p>The library ignores changes of the clock; this class handles them as cron does. Expressions
 * for every hour ({@code *} or {@code *}{@code /2}) follow elapsed time. All others follow local
 * time: a tick in a skipped hour happens at the end of the gap, a tick in a repeated hour happens
 * the first time.
 */
final class CronTicks {
  private final ExecutionTime times;
  private final ZoneRules rules;
  private final boolean everyHour;

  private CronTicks(Cron cron, ZoneId zone) {
    this.times = ExecutionTime.forCron(cron);
    this.rules = zone.getRules();
    this.everyHour = cron.retrieve(CronFieldName.HOUR).getExpression().asString().startsWith("*");
  }

  /**
   * Reads five fields (minute, hour, day of month, month, day of week), six with the second before
   * them, or a name such as {@code @daily}.
   *
   * @throws IllegalArgumentException with the expression and the reason
   */
  static CronTicks of(String expression, ZoneId zone) {
    boolean five = expression.strip().split("\\s+", -1).length == 5;
    CronType type = five ? CronType.UNIX : CronType.SPRING53;
    try {
      CronParser parser = new CronParser(CronDefinitionBuilder.instanceDefinitionFor(type));
      return new CronTicks(parser.parse(expression.strip()).validate(), zone);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "not a cron expression: \"" + expression + "\": " + e.getMessage(), e);
    }
  }

  /** The first tick after an instant; empty if there is none. */
  Optional<Instant> after(Instant instant) {
    ZoneOffset offset = rules.getOffset(instant);
    LocalDateTime clock = LocalDateTime.ofInstant(instant, offset).truncatedTo(ChronoUnit.SECONDS);
    Instant from = instant;
    while (true) {
      Optional<LocalDateTime> next = next(clock);
      if (next.isEmpty()) {
        return Optional.empty();
      }
      LocalDateTime shown = next.get();
      Instant at = shown.toInstant(offset);
      @Nullable ZoneOffsetTransition change = rules.nextTransition(from);
      if (change == null || at.isBefore(change.getInstant())) {
        @Nullable ZoneOffsetTransition repeat = rules.getTransition(shown);
        if (everyHour || repeat == null || repeat.getOffsetBefore().equals(offset)) {
          return Optional.of(at);
        }
        // The second time of a repeated hour has no ticks: go on at its end.
        clock = repeat.getDateTimeBefore().minusSeconds(1);
        from = at;
      } else if (!everyHour && change.isGap() && shown.isBefore(change.getDateTimeAfter())) {
        return Optional.of(change.getInstant());
      } else {
        clock = change.getDateTimeAfter().minusSeconds(1);
        offset = change.getOffsetAfter();
        from = change.getInstant();
      }
    }
  }

  private Optional<LocalDateTime> next(LocalDateTime clock) {
    return times.nextExecution(clock.atZone(ZoneOffset.UTC)).map(ZonedDateTime::toLocalDateTime);
  }
}
