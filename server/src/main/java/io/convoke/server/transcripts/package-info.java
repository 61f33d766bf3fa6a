/**
 * Transcripts as people use them: read page by page, exported as documents, searched, and corrected
 * with their history. It owns {@code /transcripts} and {@code /search}. It never stores what a bot
 * or a transcriber reports ({@link io.convoke.server.meetings.MeetingTranscriptStore} does).
 */
@NullMarked
package io.convoke.server.transcripts;

import org.jspecify.annotations.NullMarked;
