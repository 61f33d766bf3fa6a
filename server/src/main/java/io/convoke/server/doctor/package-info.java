/**
 * What {@code convoke doctor} checks in the stores and on this machine, each fault with what to do.
 * It reads, and sends one notification to itself; it never changes a setting, a row or a file that
 * it did not create.
 */
@NullMarked
package io.convoke.server.doctor;

import org.jspecify.annotations.NullMarked;
