-- Full text search over transcripts (decision 152). A table, functions and a trigger are added alone: the release before
-- runs on this schema, and what it stores is found. Rows from before are added by servers in the background.

-- The text search configuration of a language, a code (de, de-DE) or an English name; English where it is unknown.
create function convoke.transcript_language(language text) returns regconfig language sql immutable parallel safe as $$
  select case lower(split_part(coalesce(language, ''), '-', 1))
    when 'ar' then 'pg_catalog.arabic'::regconfig when 'arabic' then 'pg_catalog.arabic'::regconfig
    when 'da' then 'pg_catalog.danish'::regconfig when 'danish' then 'pg_catalog.danish'::regconfig
    when 'nl' then 'pg_catalog.dutch'::regconfig when 'dutch' then 'pg_catalog.dutch'::regconfig
    when 'fi' then 'pg_catalog.finnish'::regconfig when 'finnish' then 'pg_catalog.finnish'::regconfig
    when 'fr' then 'pg_catalog.french'::regconfig when 'french' then 'pg_catalog.french'::regconfig
    when 'de' then 'pg_catalog.german'::regconfig when 'german' then 'pg_catalog.german'::regconfig
    when 'hu' then 'pg_catalog.hungarian'::regconfig when 'hungarian' then 'pg_catalog.hungarian'::regconfig
    when 'it' then 'pg_catalog.italian'::regconfig when 'italian' then 'pg_catalog.italian'::regconfig
    when 'no' then 'pg_catalog.norwegian'::regconfig when 'norwegian' then 'pg_catalog.norwegian'::regconfig
    when 'pt' then 'pg_catalog.portuguese'::regconfig when 'portuguese' then 'pg_catalog.portuguese'::regconfig
    when 'ro' then 'pg_catalog.romanian'::regconfig when 'romanian' then 'pg_catalog.romanian'::regconfig
    when 'ru' then 'pg_catalog.russian'::regconfig when 'russian' then 'pg_catalog.russian'::regconfig
    when 'es' then 'pg_catalog.spanish'::regconfig when 'spanish' then 'pg_catalog.spanish'::regconfig
    when 'sv' then 'pg_catalog.swedish'::regconfig when 'swedish' then 'pg_catalog.swedish'::regconfig
    when 'tr' then 'pg_catalog.turkish'::regconfig when 'turkish' then 'pg_catalog.turkish'::regconfig
    else 'pg_catalog.english'::regconfig
  end
$$;

-- The words of a text by themselves and by their stems. Markup, paths and hyphens separate words. A vector holds 1 MB.
create function convoke.transcript_vector(text text, language text) returns tsvector
language sql immutable parallel safe as $$
  select to_tsvector('pg_catalog.simple', plain) || to_tsvector(convoke.transcript_language(language), plain)
  from (select left(translate(text, '<>/-', '    '), 100000) as plain) as texts
$$;

-- The key of a word among those of a user in a range of 8192 segments.
create function convoke.transcript_key(word text, user_id bigint, range bigint) returns bigint
language sql immutable parallel safe as $$
  select hashtextextended(word collate "C", (user_id << 24) # range)
$$;

create table transcript_words (
  segment_id bigint   primary key references transcriptions on delete cascade,
  user_id    bigint   not null,
  keys       bigint[] not null
);
create index transcript_words_of_user on transcript_words (user_id, segment_id);
-- Without a list of pending entries, which each search would have to read.
create index transcript_words_keys on transcript_words using gin (keys) with (fastupdate = off);

create function convoke.transcript_words_of(segment_id bigint, user_id bigint, text text, language text)
returns bigint[] language sql immutable parallel safe as $$
  select coalesce(array_agg(convoke.transcript_key(word, user_id, segment_id >> 13)), '{}')
  from (select distinct unnest(tsvector_to_array(convoke.transcript_vector(text, language))) as word) as words
$$;

create function convoke.index_transcript() returns trigger language plpgsql as $$
begin
  insert into convoke.transcript_words (segment_id, user_id, keys)
  select new.id, m.user_id, convoke.transcript_words_of(new.id, m.user_id, new.text, new.language)
  from convoke.meetings m where m.id = new.meeting_id
  on conflict (segment_id) do update set keys = excluded.keys;
  return null;
end
$$;
create trigger transcriptions_words after insert or update of text, language, completed on transcriptions
  for each row when (new.completed) execute function convoke.index_transcript();

-- How far the rows from before have come: ids from next_id to last_id are still to be added.
create table transcript_backfill (
  one     boolean primary key default true check (one),
  next_id bigint not null,
  last_id bigint not null
);
insert into transcript_backfill (next_id, last_id) select coalesce(min(id), 0), coalesce(max(id), -1) from transcriptions;
