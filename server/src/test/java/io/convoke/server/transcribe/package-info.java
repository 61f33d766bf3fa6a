/** Tests of the transcribers. */
@NullMarked
package io.convoke.server.transcribe;

import org.jspecify.annotations.NullMarked;
