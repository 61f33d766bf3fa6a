/**
 * Summaries of meetings, written by a language model from the words of a transcript, each statement
 * with the segments that it is taken from. It owns {@code /meetings/{id}/summary} and the table
 * {@code meeting_summaries}. It never changes a transcript, and without a summarizer it does
 * nothing.
 */
@NullMarked
package io.convoke.server.summaries;

import org.jspecify.annotations.NullMarked;
