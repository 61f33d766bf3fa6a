/** JSON as Convoke writes and reads it everywhere: one mapper, one set of rules. */
@NullMarked
package io.convoke.engine.json;

import org.jspecify.annotations.NullMarked;
