/**
 * From audio to words: one interface and three ways to do it, a command line, any server with
 * OpenAI's transcription API, and WhisperLive. This package is given a file and answers segments;
 * it writes no row and knows no meeting.
 */
@NullMarked
package io.convoke.server.transcribe;

import org.jspecify.annotations.NullMarked;
