/** Tests of taking over a database. */
@NullMarked
package io.convoke.server.schemaimport;

import org.jspecify.annotations.NullMarked;
