/**
 * People who speak in real rooms: voices of {@code espeak-ng}, and pages of a real browser that
 * join a room with them. It never plays a platform.
 */
@NullMarked
package io.convoke.fakes.speech;

import org.jspecify.annotations.NullMarked;
