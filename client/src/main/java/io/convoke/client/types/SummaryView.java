package io.convoke.client.types;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A {@code SummaryView} of the API.
 *
 * @param status One of none, waiting, running, done, failed, empty, deleted.
 */
public record SummaryView(
    long meetingId,
    String status,
    long run,
    long attempts,
    Optional<String> text,
    List<SummaryCitation> citations,
    long rejected,
    Optional<String> summarizer,
    Optional<String> error,
    Optional<Instant> updatedAt) {}
