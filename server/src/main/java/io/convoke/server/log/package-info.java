/** How the server writes its log: one JSON object or one line a record, on standard error. */
@NullMarked
package io.convoke.server.log;

import org.jspecify.annotations.NullMarked;
