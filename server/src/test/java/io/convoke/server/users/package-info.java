@NullMarked
package io.convoke.server.users;

import org.jspecify.annotations.NullMarked;
