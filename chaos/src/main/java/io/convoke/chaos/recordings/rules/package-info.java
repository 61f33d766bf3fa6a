/**
 * What must hold for every history of recordings, as pure rules over plain data: the platform's own
 * record, every committed change of a row, every effect outside, what is left in the end.
 */
@NullMarked
package io.convoke.chaos.recordings.rules;

import org.jspecify.annotations.NullMarked;
