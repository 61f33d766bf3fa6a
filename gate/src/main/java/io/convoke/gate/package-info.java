/**
 * Runs the test classes of all modules: finds them in what the build left, hands them to a few
 * JVMs, the longest class first, and reports what failed and what was skipped. It knows no module
 * by name and depends on none.
 */
@NullMarked
package io.convoke.gate;

import org.jspecify.annotations.NullMarked;
