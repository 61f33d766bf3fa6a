/**
 * Rules for recording histories: pure functions over the platform's own record, every committed row
 * change, every outside effect, and the state after the run.
 */
@NullMarked
package io.convoke.chaos.recordings.rules;

import org.jspecify.annotations.NullMarked;
