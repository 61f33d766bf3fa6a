package io.convoke.chaos.dispatch.rules;

import java.util.List;

/**
 * A task as a server shows it when all is over.
 *
 * @param status of its answer; of the first that was none
 * @param timeline the journal's numbers of what happened to it
 */
public record FinalTaskView(
    String id,
    int server,
    int status,
    String state,
    int attempt,
    String error,
    List<Long> timeline) {}
