@NullMarked
package io.convoke.server.http.auth;

import org.jspecify.annotations.NullMarked;
