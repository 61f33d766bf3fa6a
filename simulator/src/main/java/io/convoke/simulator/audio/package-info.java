/**
 * Sound for recordings: the lines of a meeting as a small WAV file, spoken when a speech
 * synthesiser is installed and hummed otherwise. It keeps nothing.
 */
@NullMarked
package io.convoke.simulator.audio;

import org.jspecify.annotations.NullMarked;
