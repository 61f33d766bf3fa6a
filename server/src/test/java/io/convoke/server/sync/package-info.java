@NullMarked
package io.convoke.server.sync;

import org.jspecify.annotations.NullMarked;
