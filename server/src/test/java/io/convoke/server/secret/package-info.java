@NullMarked
package io.convoke.server.secret;

import org.jspecify.annotations.NullMarked;
