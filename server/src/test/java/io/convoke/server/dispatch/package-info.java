@NullMarked
package io.convoke.server.dispatch;

import org.jspecify.annotations.NullMarked;
