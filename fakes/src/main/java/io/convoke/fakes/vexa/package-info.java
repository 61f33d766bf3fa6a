/**
 * A stand-in for Vexa's bot image, as a program: it reads {@code BOT_CONFIG} as strictly as that
 * image does, makes exactly its calls, listens where it listens, and complains of whatever the
 * image would not understand. No browser, no meeting: what happens in the room is told by the
 * meeting's name. It proves that we speak with that image as its sources read; it is not that
 * image.
 */
@NullMarked
package io.convoke.fakes.vexa;

import org.jspecify.annotations.NullMarked;
