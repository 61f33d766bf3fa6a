/**
 * A fake of Vexa's bot image, as a program: it reads {@code BOT_CONFIG} as strictly as that image
 * does, makes exactly its calls, subscribes to its channel, and reports requests that the image
 * would not understand. It has no browser and no meeting; the meeting's name selects its behaviour.
 * It follows the image's sources but is not that image.
 */
@NullMarked
package io.convoke.fakes.vexa;

import org.jspecify.annotations.NullMarked;
