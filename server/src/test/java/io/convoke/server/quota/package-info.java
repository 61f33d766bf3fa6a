@NullMarked
package io.convoke.server.quota;

import org.jspecify.annotations.NullMarked;
