"""Finds what was said, and prints the transcript around it: ``search.py WORDS``."""

import sys

from convoke import Convoke

convoke = Convoke()
for hit in convoke.search(sys.argv[1]):
    print(f"meeting {hit['meeting_id']} at {hit['start']:.0f} s, {hit['speaker']}: {hit['text']}")
    print(convoke.transcripts.export(hit["meeting_id"], "srt").text)
    break
