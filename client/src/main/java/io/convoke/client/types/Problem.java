package io.convoke.client.types;

import java.util.List;
import java.util.Optional;

/**
 * A {@code Problem} of the API.
 *
 * @param code A stable code for programs.
 */
public record Problem(
    String type,
    String title,
    long status,
    String detail,
    String code,
    String traceId,
    Optional<List<FieldError>> errors) {}
