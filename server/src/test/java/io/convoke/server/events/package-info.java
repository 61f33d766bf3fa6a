@NullMarked
package io.convoke.server.events;

import org.jspecify.annotations.NullMarked;
