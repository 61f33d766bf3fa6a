/**
 * Transcription: one interface and three adapters, a command line, any server with OpenAI's
 * transcription API, and WhisperLive. It takes a file and returns segments; it writes no row and
 * knows no meeting.
 */
@NullMarked
package io.convoke.server.transcribe;

import org.jspecify.annotations.NullMarked;
