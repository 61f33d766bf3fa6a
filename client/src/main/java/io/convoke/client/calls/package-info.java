/**
 * The operations of the API, each with what it takes. Generated: {@code ./convoke test -Dapi.write=true --only GeneratedClientsTest}; the
 * sha256 of the document was bf0411ca28cc00009c7626d6945813faad82b57b418becbdf2c8549ee1b949d5.
 */
@NullMarked
package io.convoke.client.calls;

import org.jspecify.annotations.NullMarked;
