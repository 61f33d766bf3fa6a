// @ts-check
// Refetches objects whose events lack data: coalesced per object, a few at a time, with a bounded queue.

/** Waits for further events of the same transaction. */
const SETTLE_MS = 200;
/** One object is not fetched more often than this. */
const APART_MS = 1500;
const AT_ONCE = 4;
const LONGEST_QUEUE = 200;

export class Refresher {
  /** @param {() => void} onFlood the queue is full: one reload of everything is cheaper */
  constructor(onFlood) {
    this.onFlood = onFlood;
    /** @type {Map<string, {task: () => Promise<unknown>, notBefore: number}>} */
    this.queue = new Map();
    /** @type {Map<string, number>} */
    this.running = new Map();
    /** @type {Map<string, number>} */
    this.ended = new Map();
    /** @type {ReturnType<typeof setTimeout>|undefined} */
    this.timer = undefined;
  }

  /** @param {string} key @param {() => Promise<unknown>} task */
  touch(key, task) {
    if (this.queue.has(key)) return;
    if (this.queue.size >= LONGEST_QUEUE) {
      this.queue.clear();
      this.onFlood();
      return;
    }
    const notBefore = Math.max(Date.now() + SETTLE_MS, (this.ended.get(key) ?? 0) + APART_MS);
    this.queue.set(key, { task, notBefore });
    this.arm(notBefore - Date.now());
  }

  clear() {
    this.queue.clear();
    this.ended.clear();
  }

  /** @param {number} ms */
  arm(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.work(), Math.max(20, ms));
  }

  work() {
    const now = Date.now();
    let next = Infinity;
    for (const [key, { task, notBefore }] of this.queue) {
      if (this.running.size >= AT_ONCE) return;
      if (notBefore > now || this.running.has(key)) {
        next = Math.min(next, Math.max(notBefore, now + 50));
        continue;
      }
      this.queue.delete(key);
      this.running.set(key, now);
      void task()
        .catch(() => {})
        .finally(() => this.done(key));
    }
    if (next < Infinity) this.arm(next - now);
  }

  /** @param {string} key */
  done(key) {
    this.running.delete(key);
    this.ended.set(key, Date.now());
    if (this.ended.size > 1000) this.ended.clear();
    if (this.queue.size > 0) this.arm(20);
  }
}
