-- Points and at signs separate words too: the parser takes convoke.io for a host, and "so.Then" of a transcriber without
-- spaces, so that no part of them was found. Segments that were indexed before keep their words.
create or replace function convoke.transcript_vector(text text, language text) returns tsvector
language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.simple', plain) || to_tsvector(convoke.transcript_language(language), plain)
  from (select left(translate(text, '<>/-.@', '      '), 100000) as plain) as texts
$$;
