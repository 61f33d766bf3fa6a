package io.convoke.chaos.dispatch.rules;

import java.util.List;

/**
 * A task as a server shows it at the end.
 *
 * @param status of the response; of the first that failed
 * @param timeline sequences of its journal events
 */
public record FinalTaskView(
    String id,
    int server,
    int status,
    String state,
    int attempt,
    String error,
    List<Long> timeline) {}
