/** Tests of taking over a database. */
@NullMarked
package io.convoke.server.adopt;

import org.jspecify.annotations.NullMarked;
