@NullMarked
package io.convoke.server.http.idempotency;

import org.jspecify.annotations.NullMarked;
