// @ts-check
// Which rows a list shows, in which order. Derived again when rows change; long lists at most twice a second.
import { useEffect, useMemo, useRef, useState } from './view.js';
import { useCell } from './cell.js';
import { score } from './keys.js';
import { matches } from './list.js';
import { haystack } from './status.js';

/** @typedef {import('./types.js').Meeting} Meeting */

/** A row that stops matching stays in sight this long, so that it does not vanish under the reader's eyes. */
const LINGER_MS = 12_000;
const LONG_LIST = 3000;
const LONG_LIST_PAUSE_MS = 500;

/**
 * @param {import('./list.js').MeetingList} list
 * @param {string} query
 * @returns {Meeting[]} newest first
 */
export function useVisible(list, query) {
  const { floor } = useCell(list.state);
  const version = useSlow(useCell(list.table.version), list.table.rows.size);
  const [tick, again] = useState(0);
  /** @type {{current: {list: unknown, last: Set<number>, leaving: Map<number, number>}}} */
  const memory = useRef({ list: null, last: new Set(), leaving: new Map() });

  const rows = useMemo(() => {
    const held = memory.current;
    if (held.list !== list) memory.current = { list, last: new Set(), leaving: new Map() };
    const { last, leaving } = memory.current;
    const now = Date.now();
    const found = [];
    const kept = new Set();
    for (const row of list.table.rows.values()) {
      if (row.id < floor) continue;
      if (matches(list.filter, row)) {
        leaving.delete(row.id);
      } else {
        if (!last.has(row.id)) continue;
        const since = leaving.get(row.id) ?? now;
        leaving.set(row.id, since);
        if (now - since >= LINGER_MS) continue;
      }
      kept.add(row.id);
      if (!query || score(haystack(row), query) > 0) found.push(row);
    }
    memory.current.last = kept;
    for (const id of leaving.keys()) if (!kept.has(id)) leaving.delete(id);
    return found.sort((a, b) => b.id - a.id);
  }, [list, version, floor, query, tick]);

  useEffect(() => {
    if (memory.current.leaving.size === 0) return;
    const timer = setTimeout(() => again(tick + 1), 1000);
    return () => clearTimeout(timer);
  }, [rows, tick]);
  return rows;
}

/** The value itself for short lists; for long ones the value of the last pause. @param {number} value @param {number} size */
function useSlow(value, size) {
  const [slow, setSlow] = useState(value);
  const at = useRef(0);
  const long = size > LONG_LIST;
  useEffect(() => {
    if (!long) return;
    const wait = Math.max(0, at.current + LONG_LIST_PAUSE_MS - Date.now());
    const timer = setTimeout(() => {
      at.current = Date.now();
      setSlow(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value, long]);
  return long ? slow : value;
}
