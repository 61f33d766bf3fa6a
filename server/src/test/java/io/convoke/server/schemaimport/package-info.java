/** Tests of the import of a database. */
@NullMarked
package io.convoke.server.schemaimport;

import org.jspecify.annotations.NullMarked;
