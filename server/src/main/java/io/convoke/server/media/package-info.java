/**
 * Sound for transcribers: the format of a file by its content, its conversion to 16 kHz, one
 * channel and 16 bits by ffmpeg in a process of its own, and parts of such a file. It knows no
 * recording and writes nothing outside the folder that it is given.
 */
@NullMarked
package io.convoke.server.media;

import org.jspecify.annotations.NullMarked;
