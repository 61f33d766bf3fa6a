/**
 * {@code convoke reseal}: encrypts again with the newest secret key what older ones encrypted, and
 * tells what still needs them. It knows where sealed values are; what they mean is their feature's.
 * It never deletes a value, and never writes one that it cannot open.
 */
@NullMarked
package io.convoke.server.reseal;

import org.jspecify.annotations.NullMarked;
