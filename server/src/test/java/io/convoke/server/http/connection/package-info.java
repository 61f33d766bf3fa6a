@NullMarked
package io.convoke.server.http.connection;

import org.jspecify.annotations.NullMarked;
