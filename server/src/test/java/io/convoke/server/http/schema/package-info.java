@NullMarked
package io.convoke.server.http.schema;

import org.jspecify.annotations.NullMarked;
