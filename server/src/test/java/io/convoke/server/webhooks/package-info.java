@NullMarked
package io.convoke.server.webhooks;

import org.jspecify.annotations.NullMarked;
