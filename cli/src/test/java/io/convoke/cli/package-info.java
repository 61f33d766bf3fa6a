/** Tests of the commands of users. */
@NullMarked
package io.convoke.cli;

import org.jspecify.annotations.NullMarked;
